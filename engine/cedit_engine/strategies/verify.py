"""``verify``: the whole new file, drafted from the old one.

The source's own lines are guessed, a run of them is checked in one call, what the model
would write too is kept, and where it writes something else it does so until it is back at
the source. The answer is ``rewrite``'s, token for token, in a fraction of the calls.
"""

from cedit_engine.decoder import Decoder
from cedit_engine.draft import Drafter, NoDraft, SourceDrafter
from cedit_engine.strategies.base import StrategyOptions
from cedit_engine.strategies.rewrite import Rewrite
from cedit_engine.suffix import SuffixAutomaton


class Verify(Rewrite):
    """The strategy; it keeps no state between answers."""

    def drafter(self, decoder: Decoder, unchanged: str, options: StrategyOptions) -> Drafter:
        if not options.drafts:
            return NoDraft()
        history = SuffixAutomaton(decoder.tokenize(unchanged))
        return SourceDrafter(history, at=0, margin=options.drift_margin)
