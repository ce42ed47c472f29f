"""Delegated work in memory: games with briefs, control messages with changed fields, and every step of a task."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from sottovoce.domain import commands
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import AttemptFailed, MessageRefused, Recorded
from sottovoce.domain.testing import NOON, Playtest, given
from sottovoce.rulesets.delegation.rules import DELEGATION
from sottovoce.rulesets.delegation.rules.actions import ACTIONS, artifact_path
from sottovoce.rulesets.delegation.rules.state import DelegationState, Task

Game = Playtest[DelegationState]

TASK = "20260101-1200-tidy-notes"
SECOND = "20260101-1200-water-plants"
PLANNER, EXECUTOR, REVIEWER, OTHER, USER = "planner", "executor", "reviewer", "other", "user"
SEATS = (PLANNER, EXECUTOR, REVIEWER, OTHER, USER)
SKILL = "agent-deck-workflow"

FINE = "# Review\n\nNothing is left.\n"
WANTING = "# Review\n\n## Must-fix\n\n- The title is missing.\n"

FROM = {
    "execute_delegate_task": PLANNER,
    "review_requested": EXECUTOR,
    "rework_required": REVIEWER,
    "stop_recommended": REVIEWER,
    "user_requested_iteration": REVIEWER,
    "closeout_delivered": REVIEWER,
}
TO = {
    "execute_delegate_task": EXECUTOR,
    "review_requested": REVIEWER,
    "rework_required": EXECUTOR,
    "stop_recommended": USER,
    "user_requested_iteration": EXECUTOR,
    "closeout_delivered": PLANNER,
}


def opened(briefs: Mapping[str, str] | None = None, seats: tuple[str, ...] = SEATS, **options: Any) -> Game:
    """A game in which the planner has a turn to delegate each brief."""
    files = {f"{task}.md": text.encode() for task, text in (briefs or {TASK: "Tidy the notes."}).items()}
    return given(DELEGATION).when(commands.Open(NOON, seats, dict.fromkeys(seats, "house"), Seed.of(1), options, files))


def message(action: str, round: Any = 1, /, **changes: Any) -> dict[str, Any]:
    """Return a correct control message for the action, with the given fields changed."""
    if action == "closeout_delivered":
        round = "final"
    task_id = changes.get("task_id", TASK)
    fields = {
        "schema_version": "1.0",
        "task_id": task_id,
        "planner_session_id": PLANNER,
        "required_skills": [SKILL],
        "from_session_id": FROM.get(action, EXECUTOR),
        "to_session_id": TO.get(action, REVIEWER),
        "round": round,
        "action": action,
        "artifact_path": artifact_path(action if action in ACTIONS else "rework_required", task_id, round),
        "note": "Please see the file.",
    }
    return {**fields, **changes}


def content_for(action: str) -> str:
    """Return a file that goes with the action."""
    return {"rework_required": WANTING}.get(action, FINE if action != "review_requested" else "# Request\n")


def say(game: Game, fields: Mapping[str, Any], content: str | None = None, seat: str | None = None) -> Game:
    """Send the message unprompted, with its file in place; `seat` if another one sends it."""
    return game.when(_command(commands.Say, game, fields, content, seat))


def reply(game: Game, fields: Mapping[str, Any], content: str | None = None, seat: str | None = None) -> Game:
    """Answer the sender's turn about the task with the message."""
    sender = seat or fields["from_session_id"]
    turn = game.state.step_turn(sender, fields["task_id"])
    assert turn is not None, f"{sender} is not asked about {fields['task_id']}"
    files = _files(fields, content)
    return game.when(commands.Reply(game.at, sender, turn.number, json.dumps(fields), files))


def _command(
    kind: Callable[..., Any], game: Game, fields: Mapping[str, Any], content: str | None, seat: str | None
) -> Any:
    return kind(game.at, seat or fields["from_session_id"], json.dumps(fields), _files(fields, content))


def _files(fields: Mapping[str, Any], content: str | None) -> dict[str, bytes | None]:
    text = content_for(fields["action"]) if content is None else content
    return {fields["artifact_path"]: text.encode()} if isinstance(fields["artifact_path"], str) else {}


def task(game: Game, task_id: str = TASK) -> Task:
    """Return the task as the whole log has it."""
    return game.state.tasks[task_id]


def choose(game: Game, seat: str, words: str, task_id: str = TASK) -> Game:
    """Let the seat make a choice about a task."""
    turn = game.state.step_turn(seat, task_id)
    assert turn is not None, f"{seat} is not asked about {task_id}"
    return game.when(commands.Reply(game.at, seat, turn.number, words))


def accepted(game: Game) -> bool:
    """Return whether the last decision delivered a message."""
    return any(draft.event.stored_name == "delegation.message-sent.v1" for draft in game.new)


def delegated(game: Game | None = None, **changes: Any) -> Game:
    return say(game or opened(), message("execute_delegate_task", **changes))


def in_review(game: Game | None = None, **changes: Any) -> Game:
    """Request the next review; by default the first one."""
    game = game or delegated()
    task_id = changes.get("task_id", TASK)
    return say(game, message("review_requested", task(game, task_id).round + 1, **changes))


def reworking(game: Game | None = None, items: str = WANTING, **changes: Any) -> Game:
    game = game or in_review()
    return say(game, message("rework_required", task(game, changes.get("task_id", TASK)).round, **changes), items)


def stopped(game: Game | None = None, report: str = FINE, **changes: Any) -> Game:
    game = game or in_review()
    return say(game, message("stop_recommended", task(game, changes.get("task_id", TASK)).round, **changes), report)


def accepting(game: Game | None = None, task_id: str = TASK) -> Game:
    return choose(game or stopped(), USER, "accept", task_id)


def requested(game: Game | None = None) -> Game:
    return choose(game or stopped(), USER, "iterate: add a title")


def iterating(game: Game | None = None) -> Game:
    game = game or requested()
    return say(game, message("user_requested_iteration", task(game).round), FINE)


def closing(game: Game | None = None, **changes: Any) -> Game:
    return say(game or accepting(), message("closeout_delivered", **changes))


def complete(game: Game | None = None) -> Game:
    return choose(choose(game or closing(), PLANNER, "merged"), PLANNER, "progress")


def guarded() -> Game:
    """The planner reviews its own task, and the user has accepted."""
    game = in_review(to_session_id=PLANNER)
    return accepting(stopped(game, from_session_id=PLANNER))


def instructed() -> Game:
    return choose(guarded(), USER, "close")


def held(game: Game, seat: str, task_id: str = TASK) -> Game:
    """The seat has failed at its turn about the task in every attempt."""
    turn = game.state.step_turn(seat, task_id)
    assert turn is not None
    while (seat, turn.number) in game.state.turns:
        game = game.when(commands.Reply(game.at, seat, turn.number, "I do not know."))
    return game


def abandoned(game: Game | None = None) -> Game:
    return choose(held(game or delegated(), EXECUTOR), USER, "abandon")


def recorded(game: Game) -> list[Recorded]:
    """Return the game's log with made-up envelopes: a minute passes with each event."""
    return [
        Recorded(
            game="g-work",
            position=place,
            append=f"a{place}",
            name=draft.event.stored_name,
            at=NOON + timedelta(minutes=place),
            actor=draft.event.actor,
            audience=draft.audience,
            cause=None,
            body=draft.event.encoded(),
            salt=b"",
            hash=b"",
            event=draft.event,
        )
        for place, draft in enumerate(game.drafts, 1)
    ]


def abandoned_by_review() -> Game:
    """The reviewer failed, and the user abandoned the task."""
    return choose(held(in_review(), REVIEWER), USER, "abandon")


def refusal(game: Game) -> str:
    """Return what the sender was told in the last decision, which did nothing else."""
    told = [draft.event for draft in game.new]
    assert len(told) == 1, told
    assert isinstance(told[0], AttemptFailed | MessageRefused)
    return told[0].message


def sent(**changes: Any) -> Game:
    """The executor's first review request with these fields changed."""
    return say(delegated(), {**message("review_requested"), **changes}, "# Request")
