"""Failures in other systems that were not leaks, and what prevents them here.

Failures that were leaks are planted in `leaks`, each under the name of its system.
"""

from __future__ import annotations

import pytest
from leaks import LEAKS

from sottovoce.domain import commands
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import TurnOpened
from sottovoce.domain.rulesets import RULESETS
from sottovoce.isolation.craft import Manners
from sottovoce.isolation.games import START, Tape, play
from sottovoce.isolation.system import System
from sottovoce.rulesets.mafia.craft.craft import MAFIA_CRAFT
from sottovoce.rulesets.mafia.craft.deals import dealing
from sottovoce.rulesets.mafia.rules import events
from sottovoce.rulesets.mafia.rules.roles import NARRATOR

PRODUCT = System(RULESETS["mafia"])
SEATS = ("Ada", "Bram", "Cleo", "Dirk", "Edda", NARRATOR)
ROLES = {"Ada": "Detective", "Bram": "Doctor", "Cleo": "Mafia", "Dirk": "Villager", "Edda": "Villager"}


def opened(**options: object) -> Tape:
    tape = Tape(PRODUCT, "m-peers")
    with dealing(ROLES):
        tape.send(commands.Open(START, SEATS, {}, Seed.of(1), options))
    return tape


def until(tape: Tape, kind: str) -> None:
    """Answer everything with the first choice, or a few words, until a turn of that kind is open."""
    while not any(turn.kind == kind for turn in tape.state.turns.values()):
        turn = next(iter(tape.state.turns.values()))
        preferred = "pass" if "pass" in turn.choices else turn.choices[-1] if turn.choices else "Very well."
        tape.send(commands.Reply(START, turn.seat, turn.number, preferred))


def answer(tape: Tape, seat: str, choice: str) -> None:
    turn = next(turn for turn in tape.state.turns.values() if turn.seat == seat)
    tape.send(commands.Reply(START, seat, turn.number, choice))


@pytest.mark.spec("M-109", "M-040")
def test_the_detective_always_has_somebody_left_to_investigate() -> None:
    """Werewolf Arena dies when the seer has nobody left to inspect."""
    asked = 0
    for seed in range(24):
        for item in play(PRODUCT, MAFIA_CRAFT, 7_000_000 + seed).log:
            if isinstance(item.event, TurnOpened) and item.event.kind in PRODUCT_CHOICES:
                asked += 1
                assert item.event.choices, f"game {seed}: {item.event}"
    assert asked > 600


PRODUCT_CHOICES = {"protect", "investigate", "kill", "moderate", "nominate", "second", "trial-vote", "execution-vote"}


@pytest.mark.spec("M-020", "M-021", "M-101")
def test_a_game_whose_agents_all_fail_comes_to_its_end() -> None:
    """Werewolf Arena dies after three API errors, Kaggle's after ten, AIWolf's at once."""
    tape = opened(max_attempts=3)
    while not tape.state.over:
        turn = next(iter(tape.state.turns.values()))
        tape.send(commands.Expire(START, turn.seat, turn.number, turn.attempt))
        assert len(tape.sent) < 5_000
    assert isinstance(tape.log[-1].event, events.GameEnded)


@pytest.mark.spec("M-049", "M-050")
def test_a_doctor_killed_while_protecting_the_detective_has_still_protected() -> None:
    """open-mafia-engine crashes when a protector's act is redirected; here the protector is the victim."""
    tape = opened()
    until(tape, "protect")
    answer(tape, "Bram", "Ada")
    answer(tape, "Ada", "Bram")
    answer(tape, "Cleo", "Bram")
    resolved = next(item.event for item in tape.log if isinstance(item.event, events.NightResolved))
    assert (resolved.protected, resolved.died) == ("Ada", "Bram")


@pytest.mark.spec("M-036", "M-109")
def test_the_doctor_who_may_not_repeat_always_has_somebody_else() -> None:
    tape = opened(doctor_repeat=False)
    until(tape, "protect")
    answer(tape, "Bram", "Ada")
    answer(tape, "Ada", "Bram")
    answer(tape, "Cleo", "Edda")
    until(tape, "protect")
    turn = next(turn for turn in tape.state.turns.values() if turn.seat == "Bram")
    assert turn.choices == ("Cleo", "Dirk")


def test_every_peer_that_leaked_has_its_leak_planted() -> None:
    seen = {leak.peer for leak in LEAKS if leak.peer}
    assert seen == {
        "boardgame.io",
        "Kaggle werewolf",
        "TextArena",
        "ChatArena",
        "llm-werewolf",
        "werewolf-ai-party-game",
        "jkomoros/boardgame",
    }


def test_events_of_one_minute_are_told_apart_by_their_seq() -> None:
    """ChatArena's messages all share one time stamp."""
    played = play(PRODUCT, MAFIA_CRAFT, 11, Manners(0, 0, 0, 0))
    projection = PRODUCT.projection(PRODUCT.ruleset, NARRATOR)
    for item in played.log:
        projection.take(item)
    assert [entry.seq for entry in projection.view().entries] == list(range(1, projection.seq + 1))
