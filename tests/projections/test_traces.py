"""The audit finds every fact that a text mentions, at a cost that does not grow with the game."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from golden import path_of
from guests import EXAMPLES, seat_guest
from msgspec.structs import replace
from session import BRYN, CORWIN, opened, recorded

from sottovoce import golden as kit
from sottovoce.domain.audience import only
from sottovoce.domain.events import GameOpened, Recorded
from sottovoce.domain.reading import plain
from sottovoce.domain.ruleset import Fact, Ruleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.projections import traces as module
from sottovoce.projections.audit import leaks
from sottovoce.projections.knowledge import voices
from sottovoce.projections.traces import Traces
from sottovoce.rulesets.tabletop.rules import TABLETOP, Tabletop
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.names import GM

GAMES = ("house-eight", "odd-names", "delegated-minutes", "evening")
GUESTS = ("guessing", "resistance", "liars-dice")


def game(path: Path) -> tuple[Ruleset[Any], list[Recorded]]:
    recorded = kit.read_log(path)
    opening = recorded[0].event
    assert isinstance(opening, GameOpened)
    return RULESETS[opening.ruleset], recorded


def facts_and_texts(ruleset: Ruleset[Any], recorded: list[Recorded]) -> tuple[list[Fact], list[str]]:
    """Return the facts of a game, and texts that mention many of them: what was said in it, and each fact in some
    words."""
    facts = sorted({fact for item in recorded for fact in ruleset.facts(item.event)})
    said = {voice.text for item in recorded for voice in voices(ruleset, item.event)}
    told = [f"They say {' '.join(fact[1:])}, and {' '.join(fact[:1:-1])}" for fact in facts]
    return facts, [*sorted(said), *told, *(text.upper() for text in told)]


def some(random: Random, among: list[Any], most: int) -> list[Any]:
    return random.sample(among, min(most, len(among)))


def compare(ruleset: Ruleset[Any], recorded: list[Recorded]) -> int:
    """Compare what is found with what a check of each fact finds. Return how many were mentioned."""
    random = Random(5)
    facts, texts = facts_and_texts(ruleset, recorded)
    facts = some(random, facts, 400)
    traces = Traces(ruleset)
    traces.add(facts)
    count = 0
    for text in some(random, texts, 100):
        mentioned = sorted(fact for fact in facts if ruleset.mentions(fact, text))
        assert traces.mentioned(text) == mentioned, text
        count += len(mentioned)
    return count


@pytest.mark.parametrize("name", GAMES)
def test_exactly_the_facts_that_a_text_mentions_are_found(name: str) -> None:
    assert compare(*game(path_of(name))) > 40


@pytest.mark.parametrize("guest", GUESTS)
def test_a_ruleset_without_its_own_trace_finds_the_same_facts(guest: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seat_guest(monkeypatch, guest)
    path = next(iter(sorted((EXAMPLES / guest / "golden").rglob("*.jsonl"))))
    assert compare(*game(path)) > 1


def test_a_ruleset_with_its_own_mentions_and_no_trace_misses_nothing() -> None:
    class Hinting(type(TABLETOP)):  # type: ignore[misc]
        trace = Ruleset.trace

        def mentions(self, fact: Fact, text: str) -> bool:
            return "hint" in text

    traces = Traces(Hinting(rulebook=""))
    traces.add([("said", "gm", "The bell under the chapel is cracked.")])
    assert traces.mentioned("a hint") == [("said", "gm", "The bell under the chapel is cracked.")]
    assert traces.mentioned("nothing") == []


class Read(str):
    """A text that counts searches in texts."""

    looks = 0

    def __contains__(self, other: Any) -> bool:
        Read.looks += 1
        return super().__contains__(other)


def session(beats: int) -> list[Recorded]:
    """Two characters talk, and each beat one tells the GM: texts as similar as two beats can be."""
    log = recorded(opened())
    for beat in range(beats):
        for to, tag, fields in ((BRYN, "PLAYER_TO_PLAYER", {}), (GM, "PLAYER_TO_GM", {"type": "ACTION"})):
            body = f"The tide turns and the bell rings for the {beat}th time. What do you do now, and with whom, {to}?"
            event = MessageSent(seat=CORWIN, to=to, tag=tag, fields=fields, body=body)
            position = len(log) + 1
            changed = {"position": position, "name": event.stored_name, "actor": CORWIN, "audience": only(CORWIN, to)}
            log.append(replace(log[0], **changed, event=event))
    return log


def looks(beats: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how often the audit of such a session searches for words in a text, and asks the rules about one."""
    asked = 0

    def mentions(fact: Fact, text: str) -> bool:
        nonlocal asked
        asked += 1
        return Tabletop.mentions(TABLETOP, fact, text)

    Read.looks = 0
    monkeypatch.setattr(module, "plain", lambda text: Read(plain(text)))
    monkeypatch.setattr(TABLETOP, "mentions", mentions)
    leaks(TABLETOP, session(beats), [])
    return Read.looks + asked


def test_a_session_four_times_as_long_takes_about_four_times_as_many_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    short, long = looks(100, monkeypatch), looks(400, monkeypatch)
    assert short >= 200
    assert long <= 6 * short, (short, long)
