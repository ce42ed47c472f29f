"""How much the check on narrations stops, and how much it lets be, over the collected ones in `narrations/`.

A third of each collection, chosen by its hash, is held out: the patterns were made without a look at how these fare.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml
from mafia_tables import cast, condemn
from sizes import sized
from table import Table

from sottovoce.agents.house import HouseAgent
from sottovoce.rulesets.mafia.house.town import TOLD
from sottovoce.rulesets.mafia.rules.events import NarrationGiven, SpeakerChosen
from sottovoce.rulesets.mafia.rules.narration_rules import disclosure

FOLDER = Path(__file__).parent / "narrations"


@dataclass(frozen=True)
class Narration:
    """One text, and what it gives away or where it belongs."""

    what: str
    text: str

    @property
    def held_out(self) -> bool:
        return sha256(self.text.encode()).digest()[0] % 3 == 0


class Collection:
    """The narrations of one file, with the table at which they are spoken."""

    def __init__(self, name: str) -> None:
        page = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
        self.players: tuple[str, ...] = tuple(page["players"])
        self.public: dict[str, str] = page["public"]
        self.dead: tuple[str, ...] = tuple(page["dead"])
        self.narrations = [Narration(what, text) for what, texts in page["texts"].items() for text in texts]

    def refused(self, held_out: bool | None = None) -> Iterator[tuple[Narration, bool]]:
        for narration in self.narrations:
            if held_out in (None, narration.held_out):
                found = disclosure(narration.text, self.players, self.public, self.dead)
                yield narration, found is not None


GIVEAWAYS, HARMLESS = Collection("giveaways"), Collection("harmless")


@pytest.mark.parametrize("collection", [GIVEAWAYS, HARMLESS], ids=["giveaways", "harmless"])
def test_the_collections_are_large_and_hold_nothing_twice(collection: Collection) -> None:
    texts = [narration.text for narration in collection.narrations]
    assert len(texts) == len(set(texts)) >= 200
    assert 0.25 < sum(narration.held_out for narration in collection.narrations) / len(texts) < 0.4


@pytest.mark.spec("M-104")
@pytest.mark.parametrize("held_out", [False, True], ids=["seen", "held out"])
def test_at_least_95_of_100_giveaways_are_stopped(held_out: bool) -> None:
    results = list(GIVEAWAYS.refused(held_out))
    stopped = sum(refused for _, refused in results)
    print(f"{stopped} of {len(results)} giveaways are stopped ({stopped / len(results):.1%})")
    assert stopped / len(results) >= 0.95


@pytest.mark.spec("M-104", "M-106")
@pytest.mark.parametrize("held_out", [False, True], ids=["seen", "held out"])
def test_at_most_1_of_100_harmless_narrations_is_refused(held_out: bool) -> None:
    results = list(HARMLESS.refused(held_out))
    refused = sum(refused for _, refused in results)
    print(f"{refused} of {len(results)} harmless narrations are refused ({refused / len(results):.1%})")
    assert refused / len(results) <= 0.01


@pytest.mark.spec("M-104")
@pytest.mark.parametrize("what", sorted({narration.what for narration in GIVEAWAYS.narrations}))
def test_no_kind_of_giveaway_is_left_out(what: str) -> None:
    results = [refused for narration, refused in GIVEAWAYS.refused() if narration.what == what]
    assert sum(results) / len(results) >= 0.85


@pytest.mark.spec("M-104")
@pytest.mark.parametrize(
    "text",
    [
        "Dirk, you are Mafia, and the rope knows it.",
        "You are not a Mafia, Dirk.",
        "You are Mafia, and the rope knows it.",
        "He is Mafia, and climbs as if he were not.",
        "The condemned is no Villager.",
    ],
)
def test_whoever_stands_before_the_narrator_needs_no_name(text: str) -> None:
    answers: dict[str, Any] = {"nominate": {"Ada": "Dirk"}, "second": "yes", "trial-vote": "Dirk", "kill": "Hugo"}
    cast().until("gallows", answers).reply("narrator", text).refused("M-104")


@pytest.mark.spec("M-106", "M-104")
@pytest.mark.parametrize("text", ["He was Mafia, and the rope knew it.", "You were Mafia.", "The condemned was Mafia."])
def test_the_role_of_the_executed_may_be_told_without_a_name(text: str) -> None:
    game = condemn(cast(), "Dirk", kill="Hugo").answer({"execution-vote": "execute"})
    game.reply("narrator", "She was the Doctor, and nobody wept.").refused("M-104")
    assert game.reply("narrator", text).last(NarrationGiven).text == text


@pytest.mark.spec("M-104")
def test_who_was_meant_to_die_is_told_of_the_dead_alone() -> None:
    game = cast().until("dawn", {"kill": "Hugo"})
    game.reply("narrator", "The knives came for Ada in the night.").refused("M-104")
    assert game.reply("narrator", "The knives came for Hugo in the night.").asked("moderate")


@pytest.mark.spec("M-104")
def test_the_words_of_a_call_are_read_as_well() -> None:
    game = cast().until("moderate", {"kill": "Hugo"})
    game.reply("narrator", "Ada, you are Mafia; speak.").refused("M-104")
    assert game.reply("narrator", "Ada, are you Mafia? Speak.").last(SpeakerChosen).choice == "Ada"


@pytest.mark.spec("M-104", "M-105")
def test_no_narration_of_the_house_is_refused_or_replaced() -> None:
    plain = {phrase.mark for phrase in TOLD["plain"].topics["plain"]}
    told = 0
    for seed in range(sized(12, 200)):
        table = Table(5 + seed % 8, seed, {}, HouseAgent()).play()
        for event in (item.event for item in table.recorded):
            words = getattr(event, "words", None) if isinstance(event, SpeakerChosen) else getattr(event, "text", None)
            if isinstance(event, NarrationGiven | SpeakerChosen):
                told += 1
                assert words is not None, "the fallback stands in"
                assert not any(mark and mark in words.casefold() for mark in plain), words
                assert words not in (getattr(event, "choice", ""), "town_hall"), "the bare choice stands in"
    assert told > 20 * sized(12, 200)


@pytest.mark.spec("M-106", "M-054")
def test_the_role_of_a_night_s_victim_may_be_told_without_a_name_once_it_is_announced() -> None:
    told = "She was the Detective, and nobody knew it."
    game = cast(reveal_role_on_night_death=True).until("dawn", {"kill": "Cleo"})
    game.reply("narrator", "She was the Doctor, and nobody knew it.").refused("M-104")
    assert game.reply("narrator", told).last(NarrationGiven).text == told
    cast().until("dawn", {"kill": "Cleo"}).reply("narrator", told).refused("M-104")
