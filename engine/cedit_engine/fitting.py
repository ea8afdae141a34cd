"""A task as a prompt that the model has room for."""

from collections.abc import Iterable
from dataclasses import dataclass

from cedit_engine.errors import PromptTooLong
from cedit_engine.model import Model, Turn
from cedit_engine.prefix import common_prefix_length
from cedit_engine.reading import Prompt
from cedit_engine.strategies.base import Strategy
from cedit_engine.task import Task

_PIECE = 1 << 16
# Where text is cut for counting, a token may count as two or three.
_SLACK = 64


@dataclass(frozen=True)
class Fitted:
    """``task``, showing as much as there is room for, its prompt, and tokens for an answer."""

    task: Task
    prompt: Prompt
    room: int

    @property
    def context(self) -> int:
        """All tokens together."""
        return len(self.prompt) + self.room


def fitted(model: Model, strategy: Strategy, task: Task, answer_tokens: int) -> Fitted:
    """``task`` in the spelling of ``strategy``; raises ``PromptTooLong``.

    Where only some lines may change, as much around them is shown as there is room for.
    """
    try:
        return _spelled(model, strategy, task, answer_tokens)
    except PromptTooLong as error:
        too_long = error
    fitting = None
    low, high = 0, len(task.source) if task.window != task.view else 0
    while low < high:
        reach = (low + high) // 2
        try:
            fitting = _spelled(model, strategy, task.showing(reach), answer_tokens)
            low = reach + 1
        except PromptTooLong:
            high = reach
    if fitting is None:
        raise too_long
    return fitting


def context_needed(
    model: Model, strategies: Iterable[Strategy], task: Task, answer_tokens: int
) -> int:
    """The most tokens that ``task`` takes with any of ``strategies`` that it fits into as it is."""
    needed = 0
    for strategy in strategies:
        try:
            needed = max(needed, _spelled(model, strategy, task, answer_tokens).context)
        except PromptTooLong:
            continue
    return needed


def room_for(model: Model, strategy: Strategy, task: Task, answer_tokens: int) -> int:
    """The most tokens that an answer takes, with what it may repeat of the source."""
    return answer_tokens + len(model.tokenize(strategy.copied_text(task).encode()))


def require_fit(model: Model, prompt: Prompt, room: int) -> None:
    """Raise ``PromptTooLong`` where ``prompt`` and ``room`` exceed the model's context."""
    if len(prompt) + room > model.trained_context:
        raise PromptTooLong(len(prompt), room, model.trained_context)


def count_tokens(model: Model, data: bytes, most: int) -> int:
    """About the tokens of ``data``, or some number above ``most`` where there are more."""
    tokens = 0
    for start in range(0, len(data), _PIECE):
        tokens += len(model.tokenize(data[start : start + _PIECE]))
        if tokens > most:
            break
    return tokens


def _spelled(model: Model, strategy: Strategy, task: Task, answer_tokens: int) -> Fitted:
    _require_short(model, task, answer_tokens)
    turns = strategy.turns(task)
    parts = ("", strategy.document(task))
    beginnings = [model.tokenize_chat([*turns[:-1], Turn("user", part)]) for part in parts]
    tokens = model.tokenize_chat(turns)
    marks = {common_prefix_length(tokens, beginning) for beginning in beginnings}
    prompt = Prompt(tokens, tuple(sorted(marks)))
    room = room_for(model, strategy, task, answer_tokens)
    require_fit(model, prompt, room)
    return Fitted(task, prompt, room)


def _require_short(model: Model, task: Task, answer_tokens: int) -> None:
    """Raise ``PromptTooLong`` for lines that no prompt has room for, without reading them all."""
    shown = b"".join(task.source.lines[task.view.first - 1 : task.view.last])
    limit = model.trained_context
    if len(shown) <= limit:  # No token stands for less than a byte.
        return
    if (count := count_tokens(model, shown, limit + _SLACK)) > limit + _SLACK:
        raise PromptTooLong(count, answer_tokens, limit, at_least=True)
