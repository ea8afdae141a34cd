"""What a command is about: the files named, those changed since a commit, or what is staged."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cedit.changed import (
    Attributes,
    ChangedFile,
    blob,
    changed_files,
    changed_spans,
    commit_named,
    is_in_commit,
    is_to_be_added,
    name_from_root,
    require_idle,
    why_not_edited,
)
from cedit.environment import Environment
from cedit.failures import FileProblem, Misuse
from cedit.git import Repository
from cedit.render import visible
from cedit.staging import IndexWriter, StagedFile, checked_out
from cedit.worktree import Target, read_target, text_of
from cedit.writing import FileWriter, Writer
from cedit_engine.task import Task


@dataclass(frozen=True)
class Scope:
    """Whether it is what is ``staged``, and which lines of it may change.

    Those changed ``since`` a commit, or where ``only_changed`` those that are staged.
    """

    staged: bool = False
    since: str | None = None
    only_changed: bool = False

    @classmethod
    def chosen(cls, *, staged: bool, since: str | None, only_changed: bool) -> "Scope":
        """What the flags ask for; raises ``Misuse``."""
        if only_changed and not staged:
            raise Misuse("--only-changed is about what is staged", "add --staged, or use --since")
        if only_changed and since is not None:
            raise Misuse("--only-changed and --since exclude each other", "give one of them")
        return cls(staged, since, only_changed)

    @property
    def is_of_repository(self) -> bool:
        """Whether git says which files it is about, where none are named."""
        return self.staged or self.since is not None


@dataclass(frozen=True)
class Work:
    """What is to be edited, and what writes it."""

    tasks: list[tuple[Target, Task]]
    writer: Writer


MakeTask = Callable[[Target], Task]


def work_in(
    repository: Repository,
    names: Sequence[str],
    scope: Scope,
    make_task: MakeTask,
    environment: Environment,
) -> Work:
    """What of the files named, or of all, ``scope`` is about.

    What cannot be edited is passed over, and told of. Raises ``Misuse``, ``FileProblem``,
    ``RepositoryBusy`` and ``GitFailed``.
    """
    if scope.staged:
        return _Staged(repository, names, scope, environment).work(make_task)
    return Work(
        list(_since(repository, names, scope, make_task, environment)), FileWriter(environment)
    )


@dataclass(frozen=True)
class _Staged:
    """The files that are staged, as they are staged."""

    repository: Repository
    names: Sequence[str]
    scope: Scope
    environment: Environment

    def work(self, make_task: MakeTask) -> Work:
        require_idle(self.repository)
        found = changed_files(self.repository, None, staged=True, names=self.names)
        if not found and not self.names:
            self.environment.err.print("cedit: nothing is staged (git add what is to be edited)")
        self._tell_of_names_not_staged(found)
        before = self._old_blobs(found)
        tasks: list[tuple[Target, Task]] = []
        staged: dict[Path, StagedFile] = {}
        for file, target in self._targets(found):
            task = make_task(target)
            if before is not None:
                old = before.get(file.name, file.new)
                spans = changed_spans(blob(self.repository, old) if old else None, target.source)
                if not spans:
                    pass_over(target.name, "no line of it was changed", self.environment)
                    continue
                task = task.confined_to(spans)
            assert target.path is not None
            staged[target.path] = StagedFile(file.name, file.mode, target.source.data)
            tasks.append((target, task))
        return Work(tasks, IndexWriter(self.repository, staged, self.environment))

    def _targets(self, found: Sequence[ChangedFile]) -> Iterator[tuple[ChangedFile, Target]]:
        for file in _editable(self.repository, found, self.environment):
            path = self.repository.root / file.name
            name = os.path.relpath(path)
            try:
                source = text_of(name, blob(self.repository, file.new or ""))
            except FileProblem as error:
                pass_over(name, error.problem, self.environment)
                continue
            yield file, Target(name, path, source, int(file.mode[-3:], 8))

    def _old_blobs(self, found: Iterable[ChangedFile]) -> dict[str, str | None] | None:
        """What the files are held against; None where all their lines may change."""
        if self.scope.since is not None:
            commit = commit_named(self.repository, self.scope.since)
            found = changed_files(self.repository, commit, staged=True)
        elif not self.scope.only_changed:
            return None
        return {file.name: file.old for file in found}

    def _tell_of_names_not_staged(self, found: Sequence[ChangedFile]) -> None:
        staged = {Path(file.name) for file in found}
        around = staged.union(*(path.parents for path in staged))
        for name in self.names:
            rooted = name_from_root(self.repository, name)
            if Path(rooted) not in around:
                intended = is_to_be_added(self.repository, rooted)
                why = "only the intent to add it is staged" if intended else "it is not staged"
                pass_over(name, why, self.environment)


def _since(
    repository: Repository,
    names: Sequence[str],
    scope: Scope,
    make_task: MakeTask,
    environment: Environment,
) -> Iterator[tuple[Target, Task]]:
    """Files of the work tree, in which lines changed since a commit may change."""
    commit = commit_named(repository, scope.since or "")
    changed = {file.name: file for file in changed_files(repository, commit, staged=False)}
    if not names:
        editable = _editable(repository, list(changed.values()), environment)
        names = [os.path.relpath(repository.root / file.name) for file in editable]
    for name in names:
        rooted = name_from_root(repository, name)
        target = read_target(name)
        file = changed.get(rooted)
        spans = changed_spans(_as_it_was(repository, file), target.source)
        if (file is None and is_in_commit(repository, commit, rooted)) or not spans:
            pass_over(name, f"no line of it was changed since {scope.since}", environment)
            continue
        yield target, make_task(target).confined_to(spans)


def _as_it_was(repository: Repository, file: ChangedFile | None) -> bytes | None:
    """What a file was, as it would be in the work tree."""
    if file is None or file.old is None:
        return None
    return checked_out(repository, StagedFile(file.name, file.mode, blob(repository, file.old)))


def _editable(
    repository: Repository, found: Sequence[ChangedFile], environment: Environment
) -> Iterator[ChangedFile]:
    attributes = Attributes.of(repository, (file.name for file in found))
    for file in found:
        why = why_not_edited(file, attributes)
        if why:
            pass_over(os.path.relpath(repository.root / file.name), why, environment)
        else:
            yield file


def pass_over(name: str, why: str, environment: Environment) -> None:
    """Say that a file is not edited, and why."""
    environment.err.print(f"cedit: {visible(name)}: passed over: {why}", markup=False)
