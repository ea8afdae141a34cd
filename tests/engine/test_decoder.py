from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from cedit_engine.decoder import CERTAIN, Decoder
from cedit_engine.draft import Expected, NoDraft, SourceDrafter
from cedit_engine.errors import BudgetExhausted, Interrupted
from cedit_engine.events import Cancellation, Event, Reading, Writing
from cedit_engine.model import Turn
from cedit_engine.reading import NoStates, Prompt
from cedit_engine.sampling import Sampler, SamplingOptions
from cedit_engine.suffix import SuffixAutomaton
from tests.fakes import ScriptedModel


def decoder_for(
    model: ScriptedModel, budget: int = 1000
) -> tuple[Decoder, list[Event], Cancellation]:
    events: list[Event] = []
    cancellation = Cancellation()
    sampler = Sampler(SamplingOptions())
    decoder = Decoder(model, sampler, budget, True, events.append, cancellation)
    decoder.read(Prompt(model.tokenize_chat([Turn("user", "x" * 40)])), NoStates())
    return decoder, events, cancellation


def test_the_prompt_is_read_in_pieces_that_are_reported() -> None:
    model = ScriptedModel("a\n")
    decoder, events, _ = decoder_for(model)
    assert model.calls == [32, 10]
    assert events == [Reading(0, 42), Reading(32, 42), Reading(42, 42)]
    assert (decoder.counts.prompt_tokens, decoder.counts.prompt_calls) == (42, 2)


def test_what_the_memory_holds_of_a_prompt_is_not_read_again() -> None:
    model = ScriptedModel("a\n")
    prompt = model.tokenize_chat([Turn("user", "x" * 40)])
    model.evaluate(prompt[:40])
    model.calls.clear()
    decoder, _, _ = decoder_for(model)
    # Read from where a piece begins, so that pieces are the same whatever is held.
    assert decoder.counts.reused_tokens == 32
    assert sum(model.calls) == 10


def test_a_prompt_read_before_still_gives_an_answer() -> None:
    model = ScriptedModel("b\n")
    decoder_for(model)
    decoder, _, _ = decoder_for(model)
    assert decoder.counts.reused_tokens == 32
    assert decoder.choose([b"a\n", b"b\n"]) == b"b\n"


def test_a_choice_that_has_no_alternative_costs_no_call() -> None:
    model = ScriptedModel("only\n")
    decoder, events, _ = decoder_for(model)
    assert decoder.choose([b"only\n"]) == b"only\n"
    assert decoder.counts.forward_calls == 0
    assert decoder.counts.forced_tokens == 5
    assert Writing(b"only\n") in events


def test_forced_and_spliced_tokens_share_the_call_of_the_next_decision() -> None:
    model = ScriptedModel("forcedspliceda\n")
    decoder, _, _ = decoder_for(model)
    model.calls.clear()
    decoder.force(b"forced")
    decoder.splice(b"spliced", 1, 2)
    assert model.calls == []
    assert decoder.choose([b"a\n", b"b\n"]) == b"a\n"
    assert model.calls == [13]
    counts = decoder.counts
    assert (counts.forced_tokens, counts.spliced_tokens, counts.decoded_tokens) == (7, 7, 1)


def test_a_span_longer_than_a_batch_goes_in_batches() -> None:
    model = ScriptedModel("y" * 150 + "a\n")
    decoder, _, _ = decoder_for(model)
    model.calls.clear()
    decoder.splice(b"y" * 150, 1, 9)
    decoder.choose([b"a\n", b"b\n"])
    assert model.calls == [64, 64, 22]


def test_rolling_back_and_choosing_again_is_as_if_nothing_had_been_written() -> None:
    model = ScriptedModel("a\nx</t>\n", "b\ny</t>\n")
    decoder, _, _ = decoder_for(model)
    mark = decoder.mark()
    assert decoder.choose([b"a\n", b"b\n"]) == b"a\n"
    assert decoder.free_text(b"</t>", NoDraft()) == b"x"
    decoder.roll_back(mark)
    assert list(model.tokens) == list(model.tokens)[: mark.length]
    assert decoder.choose([b"b\n", b"c\n"]) == b"b\n"
    assert decoder.free_text(b"</t>", NoDraft()) == b"y"
    assert decoder.counts.rolled_back_tokens > 0


@pytest.mark.parametrize(
    ("slipped", "kept"),
    [("x\n<done>", b"x\n"), ("x<done>", b"x\n"), ("<done>", b""), ("x\n\n  <t>", b"x\n\n  \n")],
)
def test_a_text_that_goes_on_as_if_it_were_closed_is_closed_there(
    slipped: str, kept: bytes
) -> None:
    decoder, _, _ = decoder_for(ScriptedModel(f"{slipped} and more", f"{kept.decode()}</t>\na\n"))
    assert decoder.free_text(b"</t>", NoDraft(), [b"<t>", b"<done>"]) == kept
    assert decoder.choose([b"a\n", b"b\n"]) == b"a\n"
    assert decoder.answer == f"{kept.decode()}</t>\na\n"


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("a\n```sh\nb\n```\nc\n```", b"a\n```sh\nb\n```\nc\n"),
        ("a\n```sh\nb\n```", b"a\n```sh\nb\n```\n"),
        ("a\n", b"a\n"),
        ("a", b"a\n"),
        ("", b""),
    ],
)
def test_an_answer_that_ends_without_its_fence_is_closed(written: str, kept: bytes) -> None:
    decoder, _, _ = decoder_for(ScriptedModel(written))
    assert decoder.fenced_lines(b"````", NoDraft()) == kept
    assert decoder.answer == f"{kept.decode()}````"


@pytest.mark.parametrize(("written", "kept"), [("x\n", b"x\n"), ("x", b"x\n"), ("", b"")])
def test_an_answer_that_ends_inside_a_text_is_closed(written: str, kept: bytes) -> None:
    decoder, _, _ = decoder_for(ScriptedModel(written, f"{kept.decode()}</t>\na\n"))
    assert decoder.free_text(b"</t>", NoDraft(), [b"<done>"]) == kept
    assert decoder.choose([b"a\n", b"b\n"]) == b"a\n"


def test_an_answer_has_a_budget() -> None:
    decoder, _, _ = decoder_for(ScriptedModel("z" * 100), budget=20)
    with pytest.raises(BudgetExhausted) as caught:
        decoder.free_text(b"</t>", NoDraft())
    assert caught.value.budget == 20


def test_a_request_to_stop_ends_the_answer_at_the_next_call() -> None:
    model = ScriptedModel("zzz</t>\n")
    decoder, _, cancellation = decoder_for(model)
    decoder.force(b"f")
    cancellation.request()
    with pytest.raises(Interrupted):
        decoder.free_text(b"</t>", NoDraft())


def source_drafter(model: ScriptedModel, text: str, margin: float = 0.0) -> SourceDrafter:
    return SourceDrafter(SuffixAutomaton(model.tokenize(text.encode())), 0, margin)


def test_a_draft_that_is_right_is_written_in_one_call() -> None:
    model = ScriptedModel("abcd</t>\n")
    decoder, _, _ = decoder_for(model)
    calls = len(model.calls)
    drafter = source_drafter(model, "abcd</t>\n")
    assert decoder.free_text(b"</t>", drafter) == b"abcd"
    counts = decoder.counts
    # The prompt's logits give the first token: the draft rides behind it.
    assert len(model.calls) - calls == counts.forward_calls == 2
    assert counts.accepted_tokens + counts.decoded_tokens == len(model.tokenize(b"abcd</t>\n"))
    assert counts.drafted_tokens == counts.accepted_tokens
    assert counts.rejected_tokens == 0


def test_what_a_draft_got_wrong_is_dropped_and_decoded() -> None:
    model = ScriptedModel("abXdefghij</t>\n")
    decoder, _, _ = decoder_for(model)
    drafter = source_drafter(model, "abcdefghij</t>\n")
    assert decoder.free_text(b"</t>", drafter) == b"abXdefghij"
    counts = decoder.counts
    assert counts.rejected_tokens > 0
    assert counts.drafted_tokens == counts.accepted_tokens + counts.rejected_tokens
    assert model.answer == b"abXdefghij</t>\n"


def test_a_draft_reaches_across_decisions() -> None:
    model = ScriptedModel("a\nforced\nb\n")
    decoder, _, _ = decoder_for(model)
    expected = [*model.tokenize(b"a\n"), *model.tokenize(b"forced\n")]
    assert decoder.choose([b"a\n", b"c\n"], expected) == b"a\n"
    calls = decoder.counts.forward_calls
    decoder.force(b"forced\n")
    decoder.choose([b"b\n", b"d\n"])
    assert decoder.counts.forward_calls == calls + 1
    assert decoder.counts.rejected_tokens == 0


def test_a_margin_lets_the_source_win_where_the_preference_is_weak() -> None:
    for margin, text in ((0.0, b"aX"), (2000.0, b"ab")):
        model = ScriptedModel("aX</t>\n", "ab</t>\n")
        decoder, _, _ = decoder_for(model)
        drafter = source_drafter(model, "ab</t>\n", margin)
        assert decoder.free_text(b"</t>", drafter) == text


def test_a_draft_that_was_not_asked_for_is_not_made() -> None:
    model = ScriptedModel("ab</t>\n")
    decoder, _, _ = decoder_for(model)
    decoder._drafts = False
    decoder.free_text(b"</t>", Expected(model.tokenize(b"ab</t>\n")))
    assert decoder.counts.drafted_tokens == 0
    assert decoder.counts.forward_calls == decoder.counts.decoded_tokens - 1


def test_how_sure_the_model_was_of_what_it_chose() -> None:
    certainty = CERTAIN.and_then(np.log(0.5)).and_then(np.log(0.25))
    assert certainty.total == pytest.approx(np.log(0.5 * 0.25), abs=1e-5)
    assert certainty.least == pytest.approx(np.log(0.25), abs=1e-5)


class Unsure(ScriptedModel):
    def _logits(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        return super()._logits(tokens) / 200


def test_certainty_is_the_same_with_drafts_and_rolls_back() -> None:
    model = Unsure("abab\n")
    decoder, _, _ = decoder_for(model)
    mark = decoder.mark()
    decoder.choose([b"abab\n", b"b\n"], decoder.tokenize("abab\n"))
    drafted = decoder.certainty
    assert drafted.total < 0
    decoder.roll_back(mark)
    assert decoder.certainty == CERTAIN
    decoder.choose([b"abab\n", b"b\n"])
    assert decoder.certainty == drafted
