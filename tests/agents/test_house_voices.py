"""Personas: distinct voices, dealt steadily, whose cues the room understands."""

from __future__ import annotations

from typing import Any

import pytest
from table import NAMES

from sottovoce.agents.house.phrases import Phrase
from sottovoce.domain.draws import stream
from sottovoce.rulesets.mafia.house.personas import PERSONAS, cast
from sottovoce.rulesets.mafia.house.reading import hear
from sottovoce.rulesets.mafia.house.seat import COMMON

ROSTER = NAMES[:8]
SLOTS = {
    "t": "Bram",
    "x": "Cleo",
    "v": "Dirk",
    "s": "Edda",
    "r": "the Doctor",
    "role": "the Doctor",
    "n": "six",
    "m": "two",
    "d": "one",
    "when": "yesterday",
    "p": "Finn",
}
VOICED = (
    *("ack", "open", "close", "mourn", "quiet", "hunch", "suspect", "hanged"),
    *("silent", "answer", "deny", "trust", "plea", "last", "curse"),
)


def renderings(phrases: tuple[Phrase, ...]) -> list[str]:
    random = stream(b"", "renderings")
    return [phrase.render(SLOTS, random) for phrase in phrases for _ in range(6)]


def test_there_are_enough_personas_and_each_has_a_voice_of_its_own() -> None:
    assert len(PERSONAS) >= 15
    for persona in PERSONAS:
        assert set(persona.voice) == set(VOICED), persona.name
        assert sum(map(len, persona.voice.values())) >= 50, persona.name
    marks: dict[str, str] = {}
    for persona in PERSONAS:
        for phrases in persona.voice.values():
            for phrase in phrases:
                if len(phrase.mark) > 25:
                    assert marks.setdefault(phrase.mark, persona.name) == persona.name, phrase.mark


def test_no_two_players_of_a_game_share_a_persona_while_there_are_enough() -> None:
    for size in (4, 8, 15):
        personas = cast(NAMES[:size], "Fog lies on the harbour.")
        assert len({persona.name for persona in personas.values()}) == size
    many = tuple(f"P{number}" for number in range(40))
    assert len(cast(many, "Fog.")) == 40


def test_a_seat_keeps_its_persona_in_a_game_and_changes_it_between_games(played: Any) -> None:
    openings = [played(8, seed).state.opening for seed in range(8)]
    assert len({cast(ROSTER, opening)["Ada"].name for opening in openings}) >= 4
    assert cast(ROSTER, openings[0]) == cast(ROSTER, openings[0])


@pytest.mark.parametrize("topic", ["suspect", "hunch"])
def test_an_accusation_is_heard_as_one(topic: str) -> None:
    lines = [(p.name, text) for p in PERSONAS for text in renderings(p.lines(topic))]
    lines += [("common", text) for text in renderings(COMMON[topic])]
    deaf = [line for line in lines if "Bram" not in hear(line[1], ROSTER).accused]
    assert not deaf, deaf


def test_a_kind_word_is_heard_as_one() -> None:
    lines = [(p.name, text) for p in PERSONAS for text in renderings(p.lines("trust"))]
    lines += [("common", text) for text in renderings(COMMON["trust"])]
    deaf = [line for line in lines if "Cleo" not in hear(line[1], ROSTER).trusted]
    assert not deaf, deaf


@pytest.mark.parametrize(
    ("text", "claim", "verdicts"),
    [
        ("I am the Detective. Bram is Mafia.", "Detective", [("Bram", "Mafia", False)]),
        ("I'm the Doctor, so leave me be.", "Doctor", []),
        ("On night two I looked into Cleo, and Cleo is not Mafia.", None, [("Cleo", "Mafia", True)]),
        ("I am not the Detective.", None, []),
        ("He says that I am Mafia.", None, []),
        ("I think Dirk was the Doctor!", None, [("Dirk", "Doctor", False)]),
    ],
)
def test_claims_and_results_are_understood(text: str, claim: str | None, verdicts: list[Any]) -> None:
    heard = hear(text, ROSTER)
    assert heard.claim == claim
    assert list(heard.verdicts) == verdicts


def test_every_claim_of_the_book_is_understood() -> None:
    for topic, role in {"claim.Detective": "Detective", "counter": "Detective", "claim.Doctor": "Doctor"}.items():
        assert {hear(text, ROSTER).claim for text in renderings(COMMON[topic])} == {role}
    for text in renderings(COMMON["result.Mafia"]):
        assert ("Bram", "Mafia", False) in hear(text, ROSTER).verdicts
    for text in renderings(COMMON["result.clean"]):
        assert ("Bram", "Mafia", True) in hear(text, ROSTER).verdicts
        assert not hear(text, ROSTER).accused


@pytest.mark.parametrize("topic", ["slip", "court"])
def test_a_bait_is_noticed(topic: str) -> None:
    for text in renderings(COMMON[topic]):
        assert hear(text, ROSTER).inviting, text


def test_nobody_else_seems_to_court_the_rope() -> None:
    for persona in PERSONAS:
        for phrases in persona.voice.values():
            for text in renderings(phrases):
                assert not hear(text, ROSTER).inviting, text
