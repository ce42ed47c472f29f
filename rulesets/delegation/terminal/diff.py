"""The recorded diff of a task with the remarks at its lines, as `sottovoce diff` and `:diff` show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from sottovoce import UnknownName
from sottovoce.rulesets.delegation.rules.diff_lines import FileDiff, files_of
from sottovoce.rulesets.delegation.rules.names import USER, title_of
from sottovoce.rulesets.delegation.rules.orders import slug_of
from sottovoce.rulesets.delegation.rules.remarks import Remark, followed
from sottovoce.rulesets.delegation.rules.state import DelegationState, Task
from sottovoce.rulesets.delegation.rules.wishes import Answer

Styled = tuple[str, str]
"""A line with its style: `head`, `place`, `new`, `gone`, `remark`, or none."""
Spot = tuple[str, str, int]
"""File, side and line."""

_SIGNS = {"same": " ", "new": "+", "gone": "-"}
_BAR = "  | "


@dataclass(frozen=True, slots=True)
class Noted:
    """A remark with the seat that made it, its number if it is an item, and the answers to it."""

    by: str
    remark: Remark
    number: int | None = None
    answers: tuple[tuple[str, Answer], ...] = ()


@dataclass(frozen=True, slots=True)
class TaskDiff:
    """The code of a round as far as the log keeps it, and all remarks that this seat knows."""

    task: Task
    round: int

    def lines(self, *, stat: bool) -> Iterator[Styled]:
        """What is shown, line by line: the numbers of each file alone, or the diff with its remarks."""
        offered = self.task.code[self.round]
        whole, base, head = offered.whole, offered.base[:12], offered.head[:12]
        title = f"{title_of(self.task.task_id)} ({self.task.task_id}), round {self.round} of {max(self.task.code)}"
        yield "head", f"{title}: {whole.counted}, {base}..{head}"
        if stat:
            yield from (("", line) for line in self._stat())
            return
        spots, loose = self._placed()
        for file in files_of(whole.text):
            yield from self._file(file, spots, loose)
        for path, noted in loose.items():
            yield "place", f"Remarks on {path}, which is not in this diff"
            for one in noted:
                yield from self._remark(one, where=True)
        if not whole.whole:
            yield "", f"The whole diff has {whole.size} bytes. Not all of it is kept."

    def data(self) -> dict[str, Any]:
        """The same as JSON."""
        offered = self.task.code[self.round]
        return {
            "task": self.task.task_id,
            "round": self.round,
            "rounds": sorted(self.task.code),
            "base": offered.base,
            "head": offered.head,
            "files": msgspec.to_builtins(offered.whole.files),
            "whole": offered.whole.whole,
            "diff": offered.whole.text,
            "remarks": [self._json(one) for one in self._noted()],
        }

    def _json(self, one: Noted) -> dict[str, Any]:
        found = followed(self.task.code, one.remark, self.round) if one.remark.round <= self.round else None
        now = None if found is None else {"file": found[0], "line": found[1], "last": found[2]}
        answers = [{"seat": seat, "done": said.done, "words": said.words} for seat, said in one.answers]
        made: dict[str, Any] = msgspec.to_builtins(one.remark)
        return {"by": one.by, "number": one.number, **made, "now": now, "answers": answers}

    def _stat(self) -> Iterator[str]:
        files = self.task.code[self.round].whole.files
        counts: dict[str, int] = {}
        for one in self._noted():
            counts[one.remark.file] = counts.get(one.remark.file, 0) + 1
        names = [f"{file.old} => {file.path}" if file.old else file.path for file in files]
        width = max(map(len, names), default=0)
        for name, file in zip(names, files, strict=True):
            lines = "binary" if file.added is None else f"+{file.added} -{file.removed}"
            said = counts.get(file.path, 0)
            yield f" {name:<{width}} | {lines}" + (f", {said} remark{'' if said == 1 else 's'}" if said else "")

    def _noted(self) -> list[Noted]:
        task = self.task
        reviewer, executor = task.reviewer or "reviewer", task.executor or "executor"
        found = [Noted(reviewer, one) for round in sorted(task.remarks) for one in task.remarks[round]]
        for wish in task.wanted.values():
            said = ((executor, wish.executor), (reviewer, wish.reviewer))
            if wish.remark is not None:
                given = tuple((seat, one) for seat, one in said if one is not None)
                found.append(Noted(USER, wish.remark, wish.number, given))
        return [*found, *(Noted(USER, one) for one in task.noted)]

    def _placed(self) -> tuple[dict[Spot, list[Noted]], dict[str, list[Noted]]]:
        """The remarks by the line that they stand below, and the others by their files."""
        shown = {
            (file.path, side, number): (file.path, side, number)
            for file in files_of(self.task.code[self.round].whole.text)
            for side in ("new", "old")
            for number in file.shown("new" if side == "new" else "old")
        }
        spots: dict[Spot, list[Noted]] = {}
        loose: dict[str, list[Noted]] = {}
        for one in self._noted():
            remark = one.remark
            if remark.round > self.round:
                continue  # its code was not written yet
            found = followed(self.task.code, remark, self.round)
            spot = shown.get((found[0], remark.side, found[2])) if found is not None else None
            if spot is not None:
                spots.setdefault(spot, []).append(one)
            else:
                loose.setdefault(remark.file if found is None else found[0], []).append(one)
        return spots, loose

    def _file(self, file: FileDiff, spots: dict[Spot, list[Noted]], loose: dict[str, list[Noted]]) -> Iterator[Styled]:
        yield from (("head", line) for line in file.head)
        for one in (*loose.pop(file.path, ()), *(loose.pop(file.old, ()) if file.old != file.path else ())):
            yield from self._remark(one, where=True)
        for hunk in file.hunks:
            yield "place", hunk.head
            for line in hunk.lines:
                yield line.how if line.how != "same" else "", f"{_SIGNS[line.how]}{line.text}"
                for side, number in (("old", line.old), ("new", line.new)):
                    if number is not None and (side == "new" or line.how == "gone"):
                        for one in spots.get((file.path, side, number), ()):
                            yield from self._remark(one)

    def _remark(self, one: Noted, *, where: bool = False) -> Iterator[Styled]:
        remark = one.remark
        outdated = where and followed(self.task.code, remark, self.round) is None
        number = f"{one.number}. " if one.number is not None else ""
        at = f", {remark.place}" if where or remark.last != remark.line else ""
        yield "remark", f"{_BAR}{number}{one.by}, round {remark.round}{at}{', outdated' if outdated else ''}:"
        if where:
            yield from (("remark", f"{_BAR}> {line}") for line in remark.code.split("\n")[:3])
        yield from (("remark", f"{_BAR}{line}") for line in remark.text.split("\n"))
        for seat, said in one.answers:
            how = "not answered" if said.done is None else "done" if said.done else "not done"
            yield "remark", f"{_BAR}  {seat}: {how}{f': {said.words}' if said.words else ''}"


def task_diffs(state: DelegationState, named: str | None, round: int | None) -> Sequence[TaskDiff]:
    """The diff of a task, given by its id, its slug or the beginning of either; else of all tasks that have one.

    Raises UnknownName.
    """
    known = list(state.tasks.values())
    if not known:
        raise UnknownName("This view has no tasks yet.")
    tasks = [_task(known, named)] if named is not None else known
    shown = [task for task in tasks if task.code]
    if not shown:
        which = tasks[0].task_id if named is not None else "any task"
        raise UnknownName(f"There is no code of {which} in this view. It comes with a review request.")
    diffs = [TaskDiff(task, max(task.code) if round is None else round) for task in shown]
    there = [one for one in diffs if one.round in one.task.code]
    if not there:
        rounds = sorted({number for task in shown for number in task.code})
        raise UnknownName(f"There is no code of round {round}. Choose one of: {', '.join(map(str, rounds))}.")
    return there


def _task(tasks: Sequence[Task], named: str) -> Task:
    slugs = ", ".join(slug_of(task.task_id) for task in tasks)
    exact = [task for task in tasks if named in (task.task_id, slug_of(task.task_id))]
    hits = exact or [task for task in tasks if _begins(task, named)]
    if len(hits) == 1:
        return hits[0]
    if hits:
        raise UnknownName(f"{named!r} names several tasks: {', '.join(task.task_id for task in hits)}.")
    raise UnknownName(f"There is no task {named!r}. Choose one of: {slugs}.")


def _begins(task: Task, named: str) -> bool:
    return bool(named) and any(name.startswith(named) for name in (task.task_id, slug_of(task.task_id)))
