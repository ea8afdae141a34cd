"""What an edit cost."""

from dataclasses import dataclass, fields


@dataclass
class Counts:
    """What a run cost. Tokens and calls as counted, times in seconds.

    Every token of the answer is decoded (chosen by the model), accepted (chosen too, and
    guessed before), forced (known without asking) or spliced (copied). Drafted tokens that
    were neither accepted nor forced in the end are rejected. ``undone_calls`` are those of
    ``forward_calls`` whose answer was rolled back for another try. ``state_seconds`` went
    into prompt states on disk, ``prompt_seconds``, a part of ``model_seconds``, into reading.
    """

    prompt_tokens: int = 0
    reused_tokens: int = 0
    prompt_calls: int = 0
    forward_calls: int = 0
    undone_calls: int = 0
    decoded_tokens: int = 0
    forced_tokens: int = 0
    spliced_tokens: int = 0
    drafted_tokens: int = 0
    accepted_tokens: int = 0
    rejected_tokens: int = 0
    rolled_back_tokens: int = 0
    retries: int = 0
    copied_lines: int = 0
    copied_bytes: int = 0
    state_seconds: float = 0.0
    prompt_seconds: float = 0.0
    model_seconds: float = 0.0
    other_seconds: float = 0.0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            **{
                field.name: getattr(self, field.name) + getattr(other, field.name)
                for field in fields(self)
            }
        )
