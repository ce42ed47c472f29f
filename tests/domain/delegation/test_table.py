"""Every action in every state from every sender: accepted exactly where the rules say, and without effect elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import delegating as kit
import pytest
from delegating import EXECUTOR, OTHER, PLANNER, REVIEWER, SEATS, TASK, USER, Game, message, say

from domain.events import AttemptFailed, MessageRefused
from domain.rulesets.delegation.messages import ACTIONS

Key = tuple[str, str]

STATES: dict[str, tuple[Callable[[], Game], set[Key]]] = {
    "unknown": (
        lambda: kit.opened({kit.SECOND: "Water the plants."}),
        {("execute_delegate_task", seat) for seat in SEATS if seat != USER},
    ),
    "proposed": (kit.opened, {("execute_delegate_task", PLANNER)}),
    "delegated": (kit.delegated, {("review_requested", EXECUTOR)}),
    "in review": (kit.in_review, {("rework_required", REVIEWER), ("stop_recommended", REVIEWER)}),
    "rework": (kit.reworking, {("review_requested", EXECUTOR)}),
    "in review again": (
        lambda: kit.in_review(kit.reworking(items="## Must-fix\n- Something else.\n")),
        {("rework_required", REVIEWER), ("stop_recommended", REVIEWER)},
    ),
    "in the last review": (
        lambda: kit.in_review(kit.delegated(kit.opened(max_rounds=1))),
        {("stop_recommended", REVIEWER)},
    ),
    "stopped": (kit.stopped, set()),
    "another iteration asked for": (kit.requested, {("user_requested_iteration", REVIEWER)}),
    "iterating": (kit.iterating, {("review_requested", EXECUTOR)}),
    "accepted": (kit.accepting, {("closeout_delivered", REVIEWER)}),
    "accepted, the reviewer being the planner": (kit.guarded, set()),
    "to be closed without a handoff": (kit.instructed, set()),
    "closed out": (kit.closing, set()),
    "merged": (lambda: kit.choose(kit.closing(), PLANNER, "merged"), set()),
    "complete": (kit.complete, set()),
    "not delegated, on hold": (lambda: kit.held(kit.opened(), PLANNER), set()),
    "delegated, on hold": (lambda: kit.held(kit.delegated(), EXECUTOR), set()),
    "in review, on hold": (lambda: kit.held(kit.in_review(), REVIEWER), set()),
    "stopped, on hold": (lambda: kit.held(kit.stopped(), USER), set()),
    "accepted, on hold": (lambda: kit.held(kit.accepting(), REVIEWER), set()),
    "another iteration asked for, on hold": (lambda: kit.held(kit.requested(), REVIEWER), set()),
    "resumed": (
        lambda: kit.choose(kit.held(kit.delegated(), EXECUTOR), USER, "resume"),
        {("review_requested", EXECUTOR)},
    ),
    "abandoned before it began": (lambda: kit.choose(kit.held(kit.opened(), PLANNER), USER, "abandon"), set()),
    "abandoned": (kit.abandoned, set()),
    "abandoned in review": (lambda: kit.abandoned_by_review(), set()),
}


def favourable(game: Game, action: str, sender: str) -> dict[str, object]:
    """The message that the sender would send if it might: nothing but action, sender and state can be wrong with it."""
    task = game.state.tasks.get(TASK)
    done = 0 if task is None else task.round
    due = {"execute_delegate_task": 1, "review_requested": done + 1}.get(action, max(done, 1))
    planner = (task.planner if task else None) or (sender if action == "execute_delegate_task" else PLANNER)
    to = {
        "closeout_delivered": planner,
        "review_requested": (task.reviewer if task else None) or REVIEWER,
    }.get(action, kit.TO[action])
    if to == sender:
        to = next(seat for seat in SEATS if seat not in (sender, USER))
    return message(action, due, from_session_id=sender, to_session_id=to, planner_session_id=planner)


CASES = [(state, action, sender) for state in STATES for action in ACTIONS for sender in SEATS]


@pytest.fixture(scope="module")
def games() -> dict[str, Game]:
    return {name: build() for name, (build, _) in STATES.items()}


@pytest.mark.spec(
    *("D-018", "D-024", "D-027", "D-031", "D-032", "D-034", "D-037", "D-042", "D-045", "D-046", "D-049", "D-050"),
    *("D-053", "D-054", "D-055", "D-056", "D-062", "D-063"),
)
@pytest.mark.parametrize(("state", "action", "sender"), CASES)
def test_a_message_is_accepted_exactly_where_it_is_due(
    games: dict[str, Game], state: str, action: str, sender: str
) -> None:
    game, due = games[state], STATES[state][1]
    after = say(game, favourable(game, action, sender))
    if (action, sender) in due:
        assert kit.accepted(after), after.new
        assert after.state.tasks[TASK].step != "proposed"
        return
    assert not kit.accepted(after)
    refusals = [draft for draft in after.new if isinstance(draft.event, AttemptFailed | MessageRefused)]
    assert len(refusals) == 1
    assert len(after.new) == 1
    assert refusals[0].audience.to_json() == [sender]
    assert after.state.tasks == game.state.tasks


def test_the_table_holds_every_combination() -> None:
    assert len(CASES) == len(STATES) * 6 * 5
    assert len(STATES) >= 20
    assert {action for _, due in STATES.values() for action, _ in due} == set(ACTIONS)
    assert OTHER in SEATS
