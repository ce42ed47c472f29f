"""The house's narrator tells nothing that the town does not know, and decides nothing by it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from table import NAMES, Table, answer

from sottovoce.agents.agent import seat_random
from sottovoce.agents.house import HouseAgent
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import Event, Recorded
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import SeatProjection
from sottovoce.rulesets.mafia.house.memory import Memory
from sottovoce.rulesets.mafia.house.narrator import SCENES, Voice
from sottovoce.rulesets.mafia.house.town import TOLD, founded, remembered
from sottovoce.rulesets.mafia.rules import events
from sottovoce.rulesets.mafia.rules.narration_rules import disclosure
from sottovoce.rulesets.mafia.rules.turns import Opening

STYLES = ("plain", "old")
ROLE_WORDS = re.compile(r"\b(?:detective|doctor|villager|mafi|jester|protect|sav(?:e|ing)|investigat|guard|heal)", re.I)


Narrated = tuple[events.NarrationGiven | events.SpeakerChosen, dict[str, str], tuple[str, ...]]


def narrations(table: Table) -> Iterator[Narrated]:
    """Each text of the narrator with the roles and the dead that were public when it was given."""
    public: dict[str, str] = {}
    dead: list[str] = []
    for recorded in table.recorded:
        event = recorded.event
        if isinstance(event, events.DeathsAnnounced):
            dead += event.deaths
        if isinstance(event, events.PlayerExecuted):
            dead.append(event.player)
        if isinstance(event, events.RoleRevealed):
            public[event.player] = event.role
        if isinstance(event, events.NarrationGiven | events.SpeakerChosen):
            yield event, dict(public), tuple(dead)


@pytest.mark.spec("M-104", "M-106")
def test_no_narration_discloses_a_role_or_a_deed(played: Any) -> None:
    for seed in range(12):
        table = played(8, seed)
        for event, public, dead in narrations(table):
            text = (event.text if isinstance(event, events.NarrationGiven) else event.words) or ""
            assert disclosure(text, table.state.players, public, dead) is None, text
            if getattr(event, "scene", "") != "execution":
                assert not ROLE_WORDS.search(text), text


@pytest.mark.spec("M-104")
@pytest.mark.parametrize("style", STYLES)
def test_no_line_of_the_book_holds_a_role_or_a_deed(style: str) -> None:
    for topic, phrases in TOLD[style].topics.items():
        for phrase in phrases:
            for part in phrase.parts:
                for words in part:
                    assert not ROLE_WORDS.search(words), (topic, words)


@pytest.mark.spec("M-104")
@pytest.mark.parametrize("style", STYLES)
def test_thousands_of_scenes_disclose_nothing(style: str) -> None:
    random = seat_random(Seed.of("scenes"), "narrator", 1)
    for number in range(2500):
        dead, living = NAMES[0], NAMES[1:8]
        executed = number % 2 == 0
        memory = Memory(players=NAMES[:8], opening=f"Opening {number}", day=1 + number % 9)
        memory.last_deaths = () if number % 3 else (dead,)
        memory.fallen[dead] = (1, "rope" if executed else "night")
        memory.revealed = {dead: random.choice(("Mafia", "Villager", "Doctor", "Detective", "Jester"))}
        memory.secondings = [
            events.SecondingClosed(
                day=memory.day, nominator=living[0], nominee=living[1], votes={}, tally={}, seconded=True
            )
        ]
        memory.trials = [
            events.TrialClosed(
                day=memory.day, round=0, votes={living[2]: dead, living[3]: living[1]}, tally={dead: 1}, condemned=dead
            )
        ]
        memory.verdicts = [
            events.ExecutionVoteClosed(
                day=memory.day, condemned=dead, votes={}, tally={"execute": number % 7, "spare": 1}, executed=True
            )
        ]
        text = SCENES[tuple(SCENES)[number % len(SCENES)]](Voice(memory, founded(random, style), random, style))
        assert disclosure(text, memory.players, memory.revealed, tuple(memory.fallen)) is None, text


def hidden(recorded: Recorded) -> bool:
    return recorded.audience.seats is not None and recorded.name.startswith("mafia.")


def falsified(event: Event, table: Table) -> Event:
    """The same event with another secret in it, where it holds one."""
    players: tuple[str, ...] = table.state.players

    def other(name: str) -> str:
        return players[(players.index(name) + 3) % len(players)]

    match event:
        case events.RoleDealt():
            return event.but(role=table.state.roles[other(event.player)])
        case events.MafiaIntroduced():
            return event.but(members=tuple(map(other, event.members)))
        case events.PlayerProtected() | events.PlayerInvestigated():
            return event.but(target=other(event.target))
        case events.NightResolved():
            return event.but(target=other(event.target), protected=None)
        case events.RepliesHeard():
            return event.but(replies=dict.fromkeys(event.replies, "Ada did it."))
        case events.MafiaBallotClosed():
            return event.but(votes={}, target=None)
    return event


@pytest.mark.spec("M-102", "M-105")
@pytest.mark.parametrize("seed", range(4))
def test_the_narrator_says_the_same_whatever_the_hidden_facts(played: Any, seed: int) -> None:
    table = played(8, seed)
    texts = {turn.number: (turn, text) for turn, text in table.replies if turn.seat == "narrator"}
    true, blind, misled = (SeatProjection(table.ruleset, "narrator") for _ in range(3))
    asked: Turn | None = None
    for recorded in table.recorded:
        if recorded.name == "core.reply-accepted.v1" and recorded.actor == "narrator" and asked is not None:
            turn, text = texts[asked.number]
            assert answer(HouseAgent(), blind.view(), turn, table.seed) == text
            assert answer(HouseAgent(), misled.view(), turn, table.seed) == text
        true.take(recorded)
        if not hidden(recorded):
            blind.take(recorded)
        misled.take(msgspec.structs.replace(recorded, event=falsified(recorded.event, table)))
        if recorded.name == "core.turn-opened.v1" and getattr(recorded.event, "seat", "") == "narrator":
            asked = true.view().turns[0]


@pytest.mark.parametrize("style", STYLES)
def test_the_town_is_the_same_all_game_long_and_others_differ(played: Any, style: str) -> None:
    random, found = seat_random(Seed.of("towns"), "narrator", 1), set()
    for _ in range(300):
        town = founded(random, style)
        opening = SCENES[Opening](Voice(Memory(players=NAMES[:8]), town, random, style))
        assert remembered(opening, style) == town, opening
        found.add(town)
    assert len(found) > 200
    towns = {remembered(played(8, seed).state.opening, "plain").place for seed in range(12)}
    assert len(towns) > 6
    assert remembered("Fog lies on the harbour.", style).place == "the town"


def test_every_living_player_is_heard_in_a_fair_discussion(played: Any) -> None:
    per_living, unheard, days = [], 0, 0
    for seed in range(12):
        table = played(8, seed)
        living, spoken = set(table.state.players), []
        for recorded in table.recorded:
            event = recorded.event
            if isinstance(event, events.DeathsAnnounced):
                living -= set(event.deaths)
            elif isinstance(event, events.PlayerExecuted):
                living.discard(event.player)
            elif isinstance(event, events.SpeechGiven) and event.occasion == "discussion":
                spoken.append(event.player)
            elif isinstance(event, events.PhaseBegan) and event.phase == "nominations":
                per_living.append(len(spoken) / len(living))
                unheard += len(living - set(spoken))
                days += 1
                assert all(one != next_one for one, next_one in pairwise(spoken))
                spoken = []
    assert 0.9 <= sum(per_living) / len(per_living) <= 1.75
    assert unheard / days < 1.2


@pytest.mark.spec("H-001")
def test_the_narrator_is_told_to_be_plain_or_old() -> None:
    places = [TOLD[style].topics["opening.place"] for style in STYLES]
    for style, own, other in zip(STYLES, places, reversed(places), strict=True):
        opening = Table(6, 3, {"style": style}, HouseAgent()).play().state.opening.casefold()
        assert any(phrase.mark in opening for phrase in own)
        assert not any(len(phrase.mark) > 15 and phrase.mark in opening for phrase in other)


@pytest.mark.parametrize("topic", ["call.accused", "call.asked", "call.claim"])
def test_a_call_names_whom_it_is_put_to_and_who_spoke_of_them(topic: str) -> None:
    random = seat_random(Seed.of("calls"), "narrator", 1)
    for phrase in TOLD["plain"].topics[topic]:
        for _ in range(20):
            text = phrase.render({"t": "Ada", "s": "Bram"}, random)
            assert text.startswith("Ada,")
            assert "Bram" in text
            assert text.endswith((".", "?"))
