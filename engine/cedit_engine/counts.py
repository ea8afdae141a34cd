"""What an edit cost."""

from dataclasses import dataclass


@dataclass
class Counts:
    """What a run cost. Tokens and calls as counted, times in seconds."""

    prompt_tokens: int = 0
    reused_tokens: int = 0
    prompt_calls: int = 0
    forward_calls: int = 0
    decoded_tokens: int = 0
    forced_tokens: int = 0
    spliced_tokens: int = 0
    rolled_back_tokens: int = 0
    retries: int = 0
    copied_lines: int = 0
    copied_bytes: int = 0
    model_seconds: float = 0.0
    other_seconds: float = 0.0
