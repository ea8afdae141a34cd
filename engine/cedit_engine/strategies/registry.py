"""The strategies by name."""

from collections.abc import Mapping

from cedit_engine.strategies.anchor import Anchor
from cedit_engine.strategies.base import Strategy, StrategyOptions
from cedit_engine.strategies.lines import Lines
from cedit_engine.strategies.rewrite import Rewrite
from cedit_engine.strategies.verify import Verify

STRATEGIES: Mapping[str, Strategy] = {
    "anchor": Anchor(),
    "verify": Verify(),
    "lines": Lines(),
    "rewrite": Rewrite(),
}


def strategy_for(name: str, options: StrategyOptions) -> Strategy:
    """The strategy called ``name``, spelled as ``options`` say."""
    return Lines(options.splice, options.tokens) if name == "lines" else STRATEGIES[name]
