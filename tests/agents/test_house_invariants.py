"""What no house player of Mafia does, in any game: held over seeded games, and each rule broken once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import house_invariants
import pytest
from house_invariants import CITED, RULES, broken, citations, doubts
from sizes import sized
from table import NAMES, Table

from sottovoce.agents.agent import Mind
from sottovoce.agents.house import HouseAgent
from sottovoce.domain.draws import stream
from sottovoce.rulesets.mafia.house import claims, grammar, seat, speech
from sottovoce.rulesets.mafia.house.beats import SpeechPart
from sottovoce.rulesets.mafia.house.narrator import Voice
from sottovoce.rulesets.mafia.house.seat import Seat
from sottovoce.rulesets.mafia.house.suspicion import Reason

ROSTER = NAMES[:8]


def minds(table: Table) -> Iterator[tuple[str, dict[str, str], Mind]]:
    """What each player knew for sure and held for likely, decision by decision."""
    for view, _, _, record in table.asked:
        if record.mind is not None:
            yield view.seat, {player: str(role) for _, player, role in view.state.investigations}, record.mind


def breaches(table: Table) -> list[house_invariants.Breach]:
    """Every breach in one game of the house, in words, votes and minds."""
    return broken([recorded.event for recorded in table.recorded], table.seats) + doubts([*minds(table)])


@pytest.mark.parametrize(("players", "games"), [(5, 20), (8, 20), (12, 4)])
def test_no_rule_is_broken_in_any_game(players: int, games: int, played: Any) -> None:
    for seed in range(games):
        assert not breaches(played(players, seed)), (players, seed)
    for seed in range(1000, 1000 + sized(0, 667)):
        assert not breaches(Table(players, seed, {}, HouseAgent(), checked=False).play()), (players, seed)


Broken = Callable[[pytest.MonkeyPatch], None]


def _cites_a_vote_that_nobody_cast(patch: pytest.MonkeyPatch) -> None:
    def reasons(self: Seat, target: str) -> list[Reason]:
        others = [name for name in self.memory.players if name not in (target, self.name)]
        return [Reason("shielded", target, others[0], 1, 1.0)]

    patch.setattr(Seat, "reasons", reasons)


def _names_itself(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(speech, "opinion", lambda seat: [SpeechPart("trust", {"x": seat.name})])


def _claims_what_is_taken(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Seat, "taken", lambda self, role: False)
    patch.setattr(seat, "taken", lambda memory, options, role: False)
    patch.setattr(claims, "BLUFFS", {"Mafia": (1.0, 1.0, 1.0), "Jester": (1.0, 1.0, 1.0)})


def _forgets_its_results(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(seat, "avowed", lambda memory, options, name: {})
    patch.setattr(claims, "BLUFFS", {"Mafia": (1.0, 0.5, 1.0), "Jester": (1.0, 0.5, 1.0)})


def _tells_of_words_that_nobody_said(patch: pytest.MonkeyPatch) -> None:
    def reasons(self: Seat, target: str) -> list[Reason]:
        silent = [name for name in self.others if not any(s.player == name for s in self.memory.speeches)]
        return [Reason("result_by", target, name, 1, 1.0) for name in silent if name != target]

    patch.setattr(Seat, "reasons", reasons)


def _narrates_the_same_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Voice, "unused", lambda self, topic: "The dog is back.")


def _says_the_same_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(grammar, "frames", lambda text, names: ())


@pytest.mark.parametrize(
    ("rule", "plant"),
    [
        ("vote", _cites_a_vote_that_nobody_cast),
        ("third person", _names_itself),
        ("taken role", _claims_what_is_taken),
        ("certainty", _forgets_its_results),
        ("frame", _says_the_same_again),
        ("words", _tells_of_words_that_nobody_said),
        ("narrator", _narrates_the_same_again),
    ],
)
def test_a_house_that_breaks_a_rule_is_found_out(rule: str, plant: Broken, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rule in RULES
    plant(monkeypatch)
    games = (Table(8, seed, {}, HouseAgent(), checked=False).play() for seed in range(16))
    assert any(breach.rule == rule for table in games for breach in breaches(table))


def test_a_mind_that_lets_go_of_a_result_is_found_out() -> None:
    kept, lost = Mind("", {"Bram": 5.3, "Cleo": -5.3}), Mind("", {"Bram": 1.0, "Cleo": -5.3})
    known = {"Bram": "Mafia", "Cleo": "Villager"}
    assert not doubts([("Ada", known, kept)])
    assert [breach.rule for breach in doubts([("Ada", known, kept), ("Ada", known, lost)])] == ["certainty"]


READ = {
    "hanged": ("execute", "Bram", "Cleo"),
    "spared_mafia": ("spare", "Bram", "Cleo"),
    "named": ("nominated", "Bram", "Cleo"),
    "shielded": ("no", "Bram", "Cleo"),
    "trial_me": ("trial", "Bram", "Ada"),
    "victim_voted": ("trial", "Cleo", "Bram"),
    "good_execute": ("execute", "Ada", "Cleo"),
    "good_spare": ("spare", "Ada", "Cleo"),
    "good_name": ("nominated", "Ada", "Cleo"),
    "changed": ("trial", "Ada", "Cleo"),
    "nominated_me": ("nominated", "Bram", "Ada"),
    "kept_by": ("no", "Cleo", "Bram"),
    "by_whom": ("nominated", "Edda", "Ada"),
    "led.own": ("nominated", "Ada", "Cleo"),
    "led.suspect": ("nominated", "Edda", "Cleo"),
    "led.honest": ("nominated", "Edda", "Cleo"),
    "led.open": ("nominated", "Edda", "Cleo"),
    "cleared.hanged": ("execute", "Dirk", "Cleo"),
    "cleared.named": ("nominated", "Dirk", "Cleo"),
}
"""What sentences on each topic cite, spoken by Ada."""
NAMED = {"t": "Bram", "x": "Cleo", "s": "Edda", "r": "the Doctor", "v": "Dirk", "when": "yesterday"}


@pytest.mark.parametrize("topic", READ)
def test_each_way_to_cite_a_vote_is_read_as_one(topic: str) -> None:
    random = stream(b"", "cited", topic)
    for _ in range(200):
        text = random.choice(grammar.BOOK[topic]).render(NAMED, random)
        marked = text.casefold()
        for at, name in enumerate(ROSTER):
            marked = marked.replace(name.casefold(), f"\x01{at}\x02")
        assert READ[topic] in set(citations(marked, "Ada", ROSTER)), text
    assert READ[topic][0] in CITED
