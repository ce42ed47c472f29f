"""The rules of delegated work: how a game opens, whom it asks next, and how it ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files as resources
from typing import Any

from sottovoce import (
    Chair,
    Errand,
    Event,
    Fact,
    Failure,
    GameOpened,
    Open,
    Piece,
    Players,
    ReplyAccepted,
    Ruleset,
    SetupRefused,
    Turn,
    everyone,
    opening,
)
from sottovoce.domain.words import seated
from sottovoce.rulesets.delegation.rules import files, prompts
from sottovoce.rulesets.delegation.rules.actions import ACTIONS
from sottovoce.rulesets.delegation.rules.briefs import MOST_TASKS, brief_given
from sottovoce.rulesets.delegation.rules.events import (
    DELEGATION_EVENTS,
    FolderGiven,
    HandoffGuarded,
    ProgramFailed,
    WorkEnded,
)
from sottovoce.rulesets.delegation.rules.leak_patterns import mentions, trace
from sottovoce.rulesets.delegation.rules.moves import Move, Work, ask
from sottovoce.rulesets.delegation.rules.names import USER
from sottovoce.rulesets.delegation.rules.replies import read
from sottovoce.rulesets.delegation.rules.state import STEPS, DelegationOptions, DelegationState, Task
from sottovoce.rulesets.delegation.rules.task_turns import TaskTurn
from sottovoce.rulesets.delegation.rules.turns import BY_STEP, KINDS, SESSIONS, USERS, Hold

State = DelegationState


class Delegation(Ruleset[State]):
    """Planner, executor, reviewer and user work on tasks with control messages and files.

    Tasks are independent: `advance` asks every session that owes the next step of a task, all at once, and nothing that
    happens to one task affects another.
    """

    name = "delegation"
    options = DelegationOptions
    seats = (Players(2, usual=3, called="sessions"), USER)
    reserved = tuple(ACTIONS)
    state = DelegationState()
    events = DELEGATION_EVENTS
    turns = KINDS
    any_turn = TaskTurn
    holds_seen_by = everyone
    beside_turns = True
    asks_failed_again = False

    def open(self, game: Work, command: Open) -> None:
        """Open the game with a brief for each task, which `command.files` holds as `TASK_ID.md`."""
        if command.seats[-1:] != (USER,):
            raise SetupRefused("The last seat of a delegation must be the user.")
        super().open(game, command)
        if command.folder is not None:
            game.emit(FolderGiven(folder=command.folder))
        if not 1 <= len(command.files) <= MOST_TASKS:
            raise SetupRefused(f"Delegation needs 1 to {MOST_TASKS} briefs, not {len(command.files)}.")
        for name, data in command.files.items():
            game.emit(brief_given(name, data, game.state.sessions))

    def opening_options(self, options: DelegationOptions, seats: tuple[str, ...]) -> dict[str, Any]:
        for name in options.skills:
            if name not in seats[:-1]:
                raise SetupRefused(
                    f"skills names {name!r}, which is not a session. Choose one of: {', '.join(seats[:-1])}."
                )
        return super().opening_options(options, seats)

    def advance(self, game: Work) -> None:
        """Ask each session that owes the next step of a task; end the game when no task is left."""
        for task_id in tuple(game.state.tasks):
            task = game.state.tasks[task_id]
            if task.step == "accepted" and task.reviewer == task.planner and task.planner is not None:
                game.emit(HandoffGuarded(task_id=task_id, session=task.planner))
                task = game.state.tasks[task_id]
            seat, state = task.awaited, game.state
            if self.waits_for_the_checkout(state, seat, task):
                continue
            if seat is not None and not state.step_turn(seat, task_id) and not state.answers_to(seat, task_id):
                self.ask_next(game, seat, task)
        if not game.state.under_way:
            for turn in tuple(game.state.turns.values()):
                game.withdraw(turn)
            game.emit(WorkEnded())

    def waits_for_the_checkout(self, state: State, seat: str | None, task: Task) -> bool:
        """Whether a session has to wait, since only one at a time works in the checkout (D-064).

        Where tasks have worktrees, a planner is asked to merge them one after another.
        """
        if seat in (None, USER) or state.options.workspace == "none":
            return False
        if state.options.workspace == "checkout":
            return any(turn.seat != USER and turn.for_step for turn in state.turns.values())
        merging = STEPS[task.step][0] == "planner" and task.step != "proposed" and not task.merged
        return merging and any(turn.seat == seat and "merged" in turn.choices for turn in state.turns.values())

    def ask_next(self, game: Work, seat: str, task: Task) -> None:
        """Ask the seat for the next step of the task, or what to do with a task that is on hold."""
        kind = Hold if task.held is not None else BY_STEP[task.step]
        ask(game, seat, task, kind.stored_kind, kind.choices_in(game.state, task))

    # replies

    def read(self, state: State, seat: str, turn: Any, text: str) -> Sequence[Move]:
        return [read(state, seat, turn, text)]

    def apply(self, game: Work, seat: str, turn: Any, move: Move) -> None:
        move.make(game, seat, turn)

    def failed(self, game: Work, turn: Any, reason: Failure, message: str) -> None:
        """Tell the user why a session's agent gave no reply (D-068); to the session it is a failed attempt as well."""
        task = game.state.task_of(turn.seat, turn.number)
        if turn.seat != USER and task is not None:
            game.emit(ProgramFailed(session=turn.seat, task_id=task.task_id, reason=reason, why=message))
        super().failed(game, turn, reason, message)

    def fallback(self, game: Work, turn: Any, reason: Failure) -> None:
        turn.lapse(game, reason)

    def about(self, state: State, turn: Any) -> dict[str, str | None]:
        asked: TaskTurn = turn
        return asked.about(state)

    # what is told

    def kinds_for(self, state: State, seat: str) -> Sequence[type[Turn[Any, Any]]]:
        """The user's, or those of all sessions."""
        return USERS if seat == USER else SESSIONS

    def digest(self, state: State, seat: str) -> tuple[tuple[str, ...], ...]:
        return tuple(prompts.in_short(state, seat))

    def has_manner(self, seat: str) -> bool:
        return False

    def opening(self, event: GameOpened, chair: Chair) -> Piece:
        lead = f"Delegated work begins.\nAt the table: {seated(event.seats, chair)}."
        return opening(event, chair, self.options, title="Delegated work", lead=lead)

    def tell(self, event: Event, chair: Chair) -> Piece | None:
        """What an answer came to is told by the events that follow; words are a seat's own where it only chose."""
        told = super().tell(event, chair)
        if told is None or not isinstance(event, ReplyAccepted):
            return told
        return replace(told, words=() if event.choice in ACTIONS else told.words, weight=0)

    def phase(self, state: State) -> str:
        """Where the work stands, by the tasks known here."""
        if state.over:
            return "over"
        count = len(state.under_way)
        return f"{count} task{'' if count == 1 else 's'} under way" if count else "under way"

    def facts(self, event: Event) -> frozenset[Fact]:
        if isinstance(event, ReplyAccepted) and event.text:
            return frozenset({("said", event.seat, event.text)})
        return event.facts()

    def mentions(self, fact: Fact, text: str) -> bool:
        return mentions(fact, text)

    def trace(self, fact: Fact) -> str:
        return trace(fact)

    # files

    def errand(self, state: State, turn: Any) -> Errand | None:
        """The task of a turn. A reviewer reads the work and changes nothing."""
        task = state.task_of(turn.seat, turn.number)
        if task is None:
            return None
        return Errand(task.task_id, task.round, turn.seat == task.reviewer and turn.seat != task.executor)

    documents = staticmethod(files.documents)
    folder = staticmethod(files.folder)
    files_named = staticmethod(files.named)
    files_brought = staticmethod(files.brought)
    files_recorded = staticmethod(files.recorded)


def _text(name: str) -> str:
    return resources(__package__).joinpath(name).read_text(encoding="utf-8")


DELEGATION = Delegation(rulebook=_text("rulebook.md"), protocol=_text("protocol.md"))
