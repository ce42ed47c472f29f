"""If a game is put on hold or aborted because an agent does not answer, nobody learns whose agent it was."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from golden import LOGS

from sottovoce.domain import game as core
from sottovoce.domain.commands import Halt
from sottovoce.domain.events import GameVoided, HoldPlaced, Recorded
from sottovoce.domain.game import Game, decide
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.golden import read_log

AT = datetime(2026, 1, 1, 18, tzinfo=UTC)
STEP = 7
"""One in this many appends is tested."""

PATHS = LOGS


def states(log: list[Recorded]) -> Iterator[Any]:
    """Return states of the game in which several seats have a turn."""
    ruleset = RULESETS[log[0].event.data()["ruleset"]]
    state: Any = ruleset.initial
    for number, item in enumerate(log):
        state = ruleset.evolve(state, item.event)
        last = number + 1 == len(log) or log[number + 1].append != item.append
        if last and len({seat for seat, _ in state.turns}) > 1 and state.hold is None and number % STEP == 0:
            yield state


def told(ruleset: Ruleset[Any], state: Any, seat: str, turn: int, void: bool) -> dict[str, list[Any]]:
    """Return what each seat sees when nothing answers that turn."""
    drafts = decide(ruleset, state, Halt(AT, seat, turn, void=void))
    assert any(isinstance(draft.event, GameVoided if void else HoldPlaced) for draft in drafts)
    return {name: [draft.event for draft in drafts if draft.audience.includes(name)] for name in state.seats}


def differences(log: list[Recorded]) -> int:
    """Count how often what a seat sees depends on whose agent was lost. The number of states must not be 0."""
    ruleset = RULESETS[log[0].event.data()["ruleset"]]
    found = 0
    for state in states(log):
        for void in (False, True):
            first, *others = (told(ruleset, state, seat, turn, void) for seat, turn in state.turns)
            found += sum(other != first for other in others)
    return found


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_nobody_learns_whose_agent_could_not_be_reached(path: Any) -> None:
    assert differences(read_log(path)) == 0


def test_every_ruleset_has_such_moments() -> None:
    seen = {log[0].event.data()["ruleset"] for log in map(read_log, PATHS) if any(states(log))}
    assert seen == set(RULESETS)


def test_a_reason_that_names_the_seat_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaky(deciding: Game[Any], command: Halt) -> None:
        why = f"{command.seat} could not be reached."
        deciding.emit(GameVoided(why=why) if command.void else HoldPlaced(waiting_for="an agent", why=why))

    monkeypatch.setattr(core, "_halt", leaky)
    assert any(differences(read_log(path)) for path in PATHS)
