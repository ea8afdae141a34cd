import pytest

from cedit_engine.decoder import Decoder
from cedit_engine.errors import BudgetExhausted, Interrupted
from cedit_engine.events import Cancellation, Event, Reading, Writing
from cedit_engine.model import Turn
from cedit_engine.sampling import Sampler, SamplingOptions
from tests.fakes import ScriptedModel


def decoder_for(
    model: ScriptedModel, budget: int = 1000
) -> tuple[Decoder, list[Event], Cancellation]:
    events: list[Event] = []
    cancellation = Cancellation()
    decoder = Decoder(model, Sampler(SamplingOptions()), budget, events.append, cancellation)
    decoder.read(model.tokenize_chat([Turn("user", "x" * 40)]))
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
    model.evaluate(prompt[:30])
    model.calls.clear()
    decoder, _, _ = decoder_for(model)
    assert decoder.counts.reused_tokens == 30
    assert sum(model.calls) == 12


def test_a_prompt_read_before_still_gives_an_answer() -> None:
    model = ScriptedModel("b\n")
    decoder_for(model)
    decoder, _, _ = decoder_for(model)
    assert decoder.counts.reused_tokens == 42
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
    assert decoder.free_text(b"</t>") == b"x"
    decoder.roll_back(mark)
    assert list(model.tokens) == list(model.tokens)[:mark]
    assert decoder.choose([b"b\n", b"c\n"]) == b"b\n"
    assert decoder.free_text(b"</t>") == b"y"
    assert decoder.counts.rolled_back_tokens > 0


def test_an_answer_has_a_budget() -> None:
    decoder, _, _ = decoder_for(ScriptedModel("z" * 100), budget=20)
    with pytest.raises(BudgetExhausted) as caught:
        decoder.free_text(b"</t>")
    assert caught.value.budget == 20


def test_a_request_to_stop_ends_the_answer_at_the_next_call() -> None:
    model = ScriptedModel("zzz</t>\n")
    decoder, _, cancellation = decoder_for(model)
    decoder.force(b"f")
    cancellation.request()
    with pytest.raises(Interrupted):
        decoder.free_text(b"</t>")
