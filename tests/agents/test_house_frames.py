"""Every sentence that house players have in plain English: heard as what it is, and well spelled."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import pytest
from table import NAMES

from sottovoce.agents.house.phrases import Phrase
from sottovoce.domain.rulesets import RULESETS
from sottovoce.rulesets.mafia.house import grammar
from sottovoce.rulesets.mafia.house.reading import hear
from sottovoce.rulesets.mafia.house.speech import MOST_SENTENCES, sentences

ROSTER = NAMES[:8]
SLOTS = {
    "t": "Bram",
    "x": "Cleo",
    "v": "Dirk",
    "s": "Edda",
    "p": "Finn",
    "r": "the Doctor",
    "role": "the Doctor",
    "n": "six",
    "m": "two",
    "d": "one",
    "k": "three",
    "when": "yesterday",
}
ALOUD = sorted(
    topic for topic in grammar.BOOK if not topic.startswith(("lead", "tail", "word", "why.", "whisper.", "ack"))
)
"""Topics of which something is said at the table."""
ACCUSING = sorted(topic for topic in ALOUD if topic.split("@")[0] in grammar.ACCUSING)
HARMLESS = sorted(
    topic
    for topic in ALOUD
    if topic.split("@")[0]
    in (
        *(
            "answer",
            "answer.firm",
            "deny",
            "plea",
            "stand",
            "last",
            "last.innocent",
            "curse",
            "by_whom",
            "court",
            "slip",
        ),
        *("asked.open", "asked.tell", "asked.self", "thanks", "ask", "thin", "quiet", "kept", "role.Villager"),
        *("claim.Detective", "claim.Doctor"),
    )
)
"""Denials, answers, questions and the like, which speak against nobody and for nobody."""
ROLE = {"claim.Detective": "Detective", "counter": "Detective", "claim.Doctor": "Doctor", "role.Villager": "Villager"}
VERDICT = {"result.Mafia": ("Mafia", False), "result.clean": ("Mafia", True), "result.Jester": ("Jester", False)}


def alternatives(phrase: Phrase) -> Iterator[str]:
    """Every sentence that can be made of one line of the book, names filled in."""
    return (_filled("".join(words)) for words in itertools.product(*phrase.parts))


def _filled(words: str) -> str:
    text = re.sub(r"\{(\w+)\}", lambda slot: SLOTS[slot[1]], words)
    text = text[:1].upper() + text[1:]
    text += "" if text[-1] in ".!?" else "."
    return re.sub(r"([.!?] )([a-z])", lambda hit: hit[1] + hit[2].upper(), text)


def every(topic: str) -> list[str]:
    """Every sentence on a topic."""
    return [text for phrase in grammar.BOOK[topic] for text in alternatives(phrase)]


@pytest.mark.parametrize("topic", ACCUSING)
def test_every_accusation_is_heard_as_one(topic: str) -> None:
    for text in every(topic):
        heard = hear(text, ROSTER)
        assert (heard.accused, heard.trusted, heard.verdicts) == (("Bram",), (), ()), text
        assert heard.claim is None, text
        assert not heard.asked, text


@pytest.mark.parametrize("topic", HARMLESS)
def test_no_denial_or_answer_is_heard_as_an_accusation(topic: str) -> None:
    for text in every(topic):
        heard = hear(text, ROSTER)
        assert (heard.accused, heard.trusted, heard.verdicts) == ((), (), ()), text


@pytest.mark.parametrize("topic", [topic for topic in ALOUD if topic.startswith(("answer", "asked.", "replied"))])
def test_every_answer_is_understood_by_the_player_it_is_given_to(topic: str) -> None:
    for text in every(topic):
        heard = hear(text, ROSTER)
        assert "Edda" in heard.named, text
        assert heard.sorts or "Edda" not in heard.addressed, text


@pytest.mark.parametrize(
    "topic", sorted(topic for topic in ALOUD if topic.split("@")[0] in ("trust", "shield", "eased"))
)
def test_every_kind_word_is_heard_as_one(topic: str) -> None:
    whom = {"trust": "Cleo", "shield": "Bram", "eased": "Dirk"}[topic.split("@")[0]]
    for text in every(topic):
        heard = hear(text, ROSTER)
        assert (heard.accused, heard.trusted) == ((), (whom,)), text


@pytest.mark.parametrize("topic", ROLE)
def test_every_claim_is_heard(topic: str) -> None:
    assert {hear(text, ROSTER).claim for text in every(topic)} == {ROLE[topic]}


@pytest.mark.parametrize("topic", ROLE)
def test_every_claim_is_one_that_the_table_writes_down(topic: str) -> None:
    for text in every(topic):
        found = {claim.fact for claim in RULESETS["mafia"].claims("Ada", text, ROSTER) if not claim.denied}
        assert ("role", "Ada", ROLE[topic]) in found, text


@pytest.mark.parametrize("topic", VERDICT)
def test_every_result_is_heard(topic: str) -> None:
    role, denied = VERDICT[topic]
    for text in every(topic):
        heard = hear(text, ROSTER)
        assert ("Bram", role, denied) in heard.verdicts, text
        assert not heard.accused or not denied, text


@pytest.mark.parametrize(("kind", "topic"), [("accusing", "suspect"), ("fact", "passed"), ("answer", "answer")])
def test_no_tail_lead_or_opening_changes_what_is_heard(kind: str, topic: str) -> None:
    plain = {"suspect": "I suspect {t}", "passed": "{t} passed {when}", "answer": "{s}, it's not true"}[topic]
    meant = hear(_filled(plain), ROSTER)
    tails = [words for phrase in grammar.BOOK[f"tail.{kind}"] for words in itertools.product(*phrase.parts)]
    for words in tails:
        text = _filled(plain + "".join(words))
        heard = hear(text, ROSTER)
        assert (heard.accused, heard.trusted, heard.asked) == (meant.accused, meant.trusted, meant.asked), text
    openings = [topic for topic in grammar.BOOK if topic.startswith(("lead.", "word"))]
    for opening in (text.rstrip(".") for topic in openings for text in every(topic)):
        text = f"{opening} {_filled(plain)}"
        heard = hear(text, ROSTER)
        assert (heard.accused, heard.trusted, heard.asked) == (meant.accused, meant.trusted, meant.asked), text


@pytest.mark.parametrize("topic", ALOUD)
def test_every_sentence_is_well_spelled_and_short(topic: str) -> None:
    assert any(sentences(text) == 1 for text in every(topic))
    for text in every(topic):
        assert sentences(text) <= MOST_SENTENCES / 2, text
        assert not re.search(r"  | [,.;:!?]|[,;:][.!?]|[\[\]{}|]|,,|\bi\b|\ba [aeio]|(\b\w+\b) \1\b", text), text
        assert text[0].isupper(), text
