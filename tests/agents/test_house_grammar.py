"""Sentences in plain English: heard as they are meant, in frames that do not come twice, and many of them."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import golden_house_games
import pytest
from table import NAMES, Table

from sottovoce.agents.house import HouseAgent
from sottovoce.domain.draws import stream
from sottovoce.rulesets.mafia.house import grammar, strategy
from sottovoce.rulesets.mafia.house.personas import NAMES as PERSONAS
from sottovoce.rulesets.mafia.house.reading import hear
from sottovoce.rulesets.mafia.house.seat import Seat
from sottovoce.rulesets.mafia.rules import events

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
    "k": "three",
    "when": "yesterday",
    "p": "Finn",
}


def renderings(topic: str, number: int = 150) -> list[str]:
    random = stream(b"", "renderings", topic)
    return [grammar.sentence(topic, SLOTS, random.choice(PERSONAS), random, set(), (), ROSTER) for _ in range(number)]


def plain_topics(*but: str) -> list[str]:
    """Every topic of the book that is said aloud in one piece."""
    parts = ("lead", "tail", "word", "why.", "whisper.", *but)
    return [topic for topic in grammar.BOOK if "@" not in topic and not topic.startswith(parts)]


ACCUSING = ("suspect", "hunch", "back", "look", "firm", "asked", "asked.again", "turned", "turned.none")


@pytest.mark.parametrize("topic", ACCUSING)
def test_an_accusation_is_heard_as_one(topic: str) -> None:
    deaf = [text for text in renderings(topic) if hear(text, ROSTER).accused != ("Bram",)]
    assert not deaf, deaf


@pytest.mark.parametrize(("topic", "whom"), [("trust", "Cleo"), ("shield", "Bram"), ("eased", "Dirk")])
def test_a_kind_word_is_heard_as_one(topic: str, whom: str) -> None:
    deaf = [text for text in renderings(topic) if hear(text, ROSTER).trusted != (whom,)]
    assert not deaf, deaf


def test_claims_and_results_are_heard() -> None:
    for topic, role in {"claim.Detective": "Detective", "counter": "Detective", "claim.Doctor": "Doctor"}.items():
        assert {hear(text, ROSTER).claim for text in renderings(topic)} == {role}
    for text in renderings("result.Mafia"):
        assert ("Bram", "Mafia", False) in hear(text, ROSTER).verdicts, text
    for text in renderings("result.clean"):
        assert ("Bram", "Mafia", True) in hear(text, ROSTER).verdicts, text
        assert not hear(text, ROSTER).accused
    for text in renderings("role.Villager"):
        assert hear(text, ROSTER).claim == "Villager"


def test_a_question_is_heard_by_whom_it_is_put_to_and_nothing_else_is_one() -> None:
    for topic, asked in (("ask", "Bram"), ("thin", "Edda")):
        for text in renderings(topic):
            assert hear(text, ROSTER).asked == (asked,), text
    for topic in plain_topics("ask", "answer", "understood", "thin", "led.open", "replied"):
        for text in renderings(topic, 40):
            assert not hear(text, ROSTER).asked, (topic, text)


def test_nothing_but_a_slip_courts_suspicion_and_nobody_claims_in_passing() -> None:
    for topic in plain_topics():
        for text in renderings(topic, 60):
            heard = hear(text, ROSTER)
            assert heard.inviting == (topic in ("slip", "court")), (topic, text)
            claims = topic.startswith(("claim.", "counter", "role.", "ack"))
            assert bool(heard.claim) <= claims, (topic, text)


def test_every_persona_has_a_register_and_leads_of_its_own() -> None:
    assert set(grammar.REGISTER_OF) == set(PERSONAS)
    for persona in PERSONAS:
        assert grammar.BOOK[f"lead.{persona}"]
    for topic in ("suspect", "hunch", "answer", "deny", "plea", "mourn", "ask", "firm", "trust", "last"):
        for register in grammar.REGISTERS:
            assert len(grammar.BOOK[f"{topic}@{register}"]) >= 2


@pytest.mark.parametrize("topic", plain_topics("back", "ack", "result", "counter", "answer", "replied", "changed"))
def test_a_fact_about_one_player_is_not_heard_as_a_word_about_another(topic: str) -> None:
    """About the living, that is: Cleo is dead in facts about votes, and who speaks of the dead accuses nobody."""
    dead = {"Cleo"} if topic.startswith(DEAD) else set()
    for text in renderings(topic, 60):
        heard = hear(text, ROSTER)
        about = {"Edda"} if topic.startswith(("led", "curse")) else {"Dirk" if topic.startswith("cleared") else "Bram"}
        assert set(heard.accused) - dead <= about, text
        meant = {"trust": {"Cleo"}, "shield": {"Bram"}, "eased": {"Dirk"}, "led.honest": {"Edda"}}.get(topic, set())
        assert set(heard.trusted) - dead <= (meant or {"Dirk"} if topic.startswith("cleared") else meant), text


DEAD = (
    *(
        "hanged",
        "spared_mafia",
        "named",
        "vouched",
        "shielded",
        "kept_by",
        "friend_of",
        "sided",
        "victim",
        "false_claim",
    ),
    *("refuted", "rope", "led", "good", "cleared"),
)


@pytest.mark.spec("H-001")
def test_nobody_uses_a_frame_twice_in_a_game(played: Any) -> None:
    spoken = again = 0
    for seed in range(12):
        table = played(8, seed)
        said: Counter[tuple[str, str]] = Counter()
        for event in (r.event for r in table.recorded):
            if isinstance(event, events.SpeechGiven | events.NominationMade):
                text = (event.text if isinstance(event, events.SpeechGiven) else event.words) or ""
                for frame in grammar.frames(text, table.state.players):
                    if len(frame.split()) >= 5:
                        said[event.player, frame] += 1
        spoken += sum(said.values())
        again += sum(count - 1 for count in said.values())
    assert spoken > 800
    assert again == 0


@pytest.mark.spec("H-001")
def test_the_style_is_a_rule_of_the_game() -> None:
    plain, old = (Table(6, 3, {"style": style}, HouseAgent()).play() for style in ("plain", "old"))
    words = [" ".join(text for turn, text in table.replies if turn.kind == "speech") for table in (plain, old)]
    assert words[0] != words[1]
    assert plain.state.options.style == "plain"
    for table in (plain, old):
        assert table.state.over


def test_no_sentence_of_the_house_leaves_whom_it_speaks_to_without_an_idea() -> None:
    for topic in plain_topics("ack"):
        for text in renderings(topic, 40):
            heard = hear(text, ROSTER)
            if "Edda" in heard.addressed:
                assert heard.sorts or heard.accused, (topic, text)


@pytest.mark.parametrize("seed", golden_house_games.SEEDS)
def test_the_games_in_the_docs_are_those_that_the_house_plays(seed: int) -> None:
    assert golden_house_games.page_of(seed).read_text(encoding="utf-8") == golden_house_games.page(seed)


def test_a_nominator_who_voted_for_another_says_why_the_next_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a house whose players do not hold to their nominees; that it is true is checked with the game."""
    monkeypatch.setattr(strategy, "_own_nominee", lambda seat: "")
    monkeypatch.setattr(Seat, "accused_today", lambda seat, name: False)
    told = re.compile(r"\bI nominated \w+ yesterday, but .*\bI voted for ")
    logs = (Table(8, seed, {}, HouseAgent(), checked=False).play().recorded for seed in range(12))
    said = [r.event.text or "" for log in logs for r in log if isinstance(r.event, events.SpeechGiven)]
    assert any(map(told.search, said))
