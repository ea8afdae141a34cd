"""The strategies by name."""

from collections.abc import Mapping

from cedit_engine.strategies.anchor import Anchor
from cedit_engine.strategies.base import Strategy
from cedit_engine.strategies.lines import Lines

STRATEGIES: Mapping[str, Strategy] = {"anchor": Anchor(), "lines": Lines()}
DEFAULT_STRATEGY = "anchor"
