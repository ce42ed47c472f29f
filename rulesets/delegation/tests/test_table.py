"""Every action in every state from every sender: accepted exactly where the rules say, and without effect elsewhere."""

from __future__ import annotations

import delegating as kit
import pytest
from delegating import OTHER, SEATS, TASK, Game, say
from delegation_states import STATES, favourable

from sottovoce.domain.events import AttemptFailed, MessageRefused
from sottovoce.rulesets.delegation.rules.actions import ACTIONS

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
    if game.state.over:
        assert after.new == ()
        return
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


@pytest.mark.spec("D-024", "D-028", "D-033", "D-042", "D-045", "D-046", "D-050", "D-055", "D-062", "D-063")
@pytest.mark.parametrize(
    ("state", "kind", "choices"),
    [
        ("proposed", "delegate", ("execute_delegate_task",)),
        ("delegated", "implement", ("review_requested",)),
        ("in review", "review", ("rework_required", "stop_recommended")),
        ("in the last review", "review", ("stop_recommended",)),
        ("rework", "implement", ("review_requested",)),
        ("stopped", "decide", ("accept", "iterate")),
        ("another iteration asked for", "hand-back", ("user_requested_iteration",)),
        ("iterating", "implement", ("review_requested",)),
        ("accepted", "close", ("closeout_delivered",)),
        ("accepted, the reviewer being the planner", "instruct", ("close",)),
        ("to be closed without a handoff", "record", ("merged", "progress")),
        ("closed out", "record", ("merged", "progress")),
        ("merged", "record", ("progress",)),
        ("delegated, on hold", "hold", ("resume", "abandon")),
    ],
)
def test_each_step_asks_for_what_comes_next(
    games: dict[str, Game], state: str, kind: str, choices: tuple[str, ...]
) -> None:
    (turn,) = games[state].state.turns.values()
    assert (turn.kind, turn.choices) == (kind, choices)
    assert games[state].request(turn.seat).ask
