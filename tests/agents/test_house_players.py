"""What the house's players say: true to their views, made of nothing else, and never twice the same."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playing import opened, play
from sizes import sized
from table import Table, answer

from sottovoce.agents.agent import Mind, seat_random
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.agents.scripted import ScriptedAgent
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import AttemptFailed
from sottovoce.domain.turns import Turn
from sottovoce.eventlog import open_log
from sottovoce.projections.receipts import ENDINGS
from sottovoce.projections.view import View, view
from sottovoce.rulesets.mafia.house import seat as house_seat
from sottovoce.rulesets.mafia.house import suspicion
from sottovoce.rulesets.mafia.house.beats import SpeechPart
from sottovoce.rulesets.mafia.house.grammar import BOOK
from sottovoce.rulesets.mafia.house.memory import recall
from sottovoce.rulesets.mafia.house.mind import AGAINST
from sottovoce.rulesets.mafia.house.player import ALOUD, SPEECHES
from sottovoce.rulesets.mafia.house.reading import hear
from sottovoce.rulesets.mafia.house.seat import NUMBERS, Seat, sit
from sottovoce.rulesets.mafia.rules import events
from sottovoce.server.games import Games


@dataclass
class Truth:
    """The raw events a seat had seen, asked one plain question at a time."""

    me: str
    happened: list[Any]

    def of(self, kind: type) -> Iterator[Any]:
        return (event for event in self.happened if isinstance(event, kind))

    @property
    def day(self) -> int:
        return max(int(event.number) for event in self.of(events.PhaseBegan))

    @property
    def dead(self) -> set[str]:
        hanged = {event.player for event in self.of(events.PlayerExecuted)}
        return hanged.union(*(event.deaths for event in self.of(events.DeathsAnnounced)))

    @property
    def everybody(self) -> set[str]:
        return set(next(self.of(type(self.happened[0]))).seats) - {"narrator"}

    @property
    def living(self) -> set[str]:
        return self.everybody - self.dead

    def hanged_wrongly(self, leader: str, whom: str) -> bool:
        """Whether that player's nomination yesterday ended in the execution of one of the town."""
        hanged = any(e.player == whom and e.day == self.day - 1 for e in self.of(events.PlayerExecuted))
        return hanged and self.nominated(leader, whom, self.day - 1) and self.role(whom) not in ("", "Mafia")

    def role(self, player: str) -> str:
        return next((event.role for event in self.of(events.RoleRevealed) if event.player == player), "")

    def own_role(self) -> str:
        return next(str(event.role) for event in self.of(events.RoleDealt) if event.player == self.me)

    def executions(self, condemned: str) -> Iterator[Any]:
        return (vote for vote in self.of(events.ExecutionVoteClosed) if vote.condemned == condemned)

    def voted(self, voter: str, choice: str, condemned: str) -> bool:
        return any(vote.votes.get(voter) == choice for vote in self.executions(condemned))

    def nominated(self, who: str, whom: str, day: int | None = None) -> bool:
        made = self.of(events.NominationMade)
        return any(n.player == who and n.nominee == whom and (day is None or n.day == day) for n in made)

    def spoke_of(self, who: str, whom: str, today: bool = False) -> bool:
        day, found = 0, False
        for event in self.happened:
            if isinstance(event, events.PhaseBegan):
                day = event.number
            elif isinstance(event, events.SpeechGiven | events.NominationMade):
                text = said_aloud(event)
                heard = event.player == who and (day == self.day or not today)
                found = found or (heard and (whom in text or (whom == self.me and " me" in text)))
        return found

    def silent_today(self, who: str) -> bool:
        day, spoken = 0, set()
        for event in self.happened:
            if isinstance(event, events.PhaseBegan):
                day = event.number
            elif isinstance(event, events.SpeechGiven) and event.occasion == "discussion" and day == self.day:
                spoken.add(event.player)
        return who not in spoken

    def last_deaths(self) -> tuple[str, ...]:
        deaths: tuple[str, ...] = [event.deaths for event in self.of(events.DeathsAnnounced)][-1]
        return deaths

    def claimed(self, who: str, role: str) -> bool:
        spoken = [*self.of(events.SpeechGiven), *self.of(events.NominationMade)]
        return any(event.player == who and f"the {role}" in said_aloud(event) for event in spoken)

    def against_the_town(self, name: str) -> bool:
        return self.own_role() == "Mafia" and name not in next(self.of(events.MafiaIntroduced)).members


def said_aloud(event: events.SpeechGiven | events.NominationMade) -> str:
    return (event.text if isinstance(event, events.SpeechGiven) else event.words) or ""


Check = Callable[[Truth, dict[str, str]], bool]

CHECKS: dict[str, Check] = {
    "mourn": lambda truth, n: n["v"] in truth.last_deaths(),
    "quiet": lambda truth, n: not truth.last_deaths(),
    "hanged": lambda truth, n: truth.voted(n["t"], "execute", n["x"]) and truth.role(n["x"]) not in ("", "Mafia"),
    "spared_mafia": lambda truth, n: truth.voted(n["t"], "spare", n["x"]) and truth.role(n["x"]) == "Mafia",
    "named": lambda truth, n: truth.nominated(n["t"], n["x"]) and truth.role(n["x"]) not in ("", "Mafia"),
    "vouched": lambda truth, n: truth.spoke_of(n["t"], n["x"]) and truth.role(n["x"]) == "Mafia",
    "shielded": lambda truth, n: (
        truth.role(n["x"]) == "Mafia"
        and any(s.nominee == n["x"] and s.votes.get(n["t"]) == "no" for s in truth.of(events.SecondingClosed))
    ),
    "was_spared": lambda truth, n: any(not vote.executed for vote in truth.executions(n["t"])),
    "victim_named": lambda truth, n: truth.spoke_of(n["x"], n["t"]) and n["x"] in truth.dead,
    "victim_voted": lambda truth, n: (
        n["x"] in truth.dead and any(t.votes.get(n["x"]) == n["t"] for t in truth.of(events.TrialClosed))
    ),
    "accused_me": lambda truth, n: truth.spoke_of(n["t"], truth.me),
    "nominated_me": lambda truth, n: truth.nominated(n["t"], truth.me),
    "trial_me": lambda truth, n: any(t.votes.get(n["t"]) == truth.me for t in truth.of(events.TrialClosed)),
    "result_by": lambda truth, n: truth.spoke_of(n["x"], n["t"]),
    "refuted": lambda truth, n: truth.spoke_of(n["t"], n["x"]) and n["x"] in truth.dead,
    "lied_of_me": lambda truth, n: truth.spoke_of(n["t"], truth.me),
    "rival": lambda truth, n: any(
        truth.claimed(n["t"], role) and truth.claimed(n["x"], role) for role in ("Detective", "Doctor")
    ),
    "false_claim": lambda truth, n: truth.claimed(n["t"], truth.role(n["x"])),
    "echo": lambda truth, n: truth.spoke_of(n["x"], n["t"], today=True),
    "back": lambda truth, n: truth.spoke_of(n["x"], n["t"], today=True),
    "shield": lambda truth, n: truth.spoke_of(n["x"], n["t"], today=True),
    "changed": lambda truth, n: (
        truth.nominated(truth.me, n["v"], truth.day - 1)
        and any(t.day == truth.day - 1 and t.votes.get(truth.me) == n["x"] for t in truth.of(events.TrialClosed))
    ),
    "copied": lambda truth, n: any(
        truth.claimed(n["t"], role) and truth.claimed(truth.me, role) for role in ("Detective", "Doctor")
    ),
    "found": lambda truth, n: truth.spoke_of(truth.me, n["t"]) and truth.claimed(truth.me, "Detective"),
    "asked.tell": lambda truth, n: truth.spoke_of(n["s"], truth.me, today=True),
    "asked.again": lambda truth, n: truth.spoke_of(n["s"], truth.me, today=True),
    "answer.firm": lambda truth, n: truth.spoke_of(n["s"], truth.me, today=True),
    "thin": lambda truth, n: truth.spoke_of(n["s"], n["x"], today=True),
    "kept_by": lambda truth, n: (
        truth.role(n["x"]) == "Mafia"
        and any(s.nominee == n["t"] and s.votes.get(n["x"]) == "no" for s in truth.of(events.SecondingClosed))
    ),
    "friend_of": lambda truth, n: truth.role(n["x"]) == "Mafia" and truth.spoke_of(n["x"], n["t"]),
    "sided": lambda truth, n: (
        truth.role(n["x"]) == "Mafia"
        and any(t.votes.get(n["x"], "?") == t.votes.get(n["t"]) for t in truth.of(events.TrialClosed))
    ),
    "scatter": lambda truth, n: sum(truth.spoke_of(n["t"], name) for name in truth.everybody - {n["t"]}) >= 3,
    "swung": lambda truth, n: truth.spoke_of(n["t"], n["x"]),
    "passed": lambda truth, n: any(m.player == n["t"] and m.nominee is None for m in truth.of(events.NominationMade)),
    "led.own": lambda truth, n: truth.hanged_wrongly(truth.me, n["x"]),
    "led.suspect": lambda truth, n: truth.hanged_wrongly(n["s"], n["x"]),
    "led.shared": lambda truth, n: truth.hanged_wrongly(n["s"], n["x"]) and truth.voted(truth.me, "execute", n["x"]),
    "led.honest": lambda truth, n: truth.hanged_wrongly(n["s"], n["x"]),
    "led.open": lambda truth, n: truth.hanged_wrongly(n["s"], n["x"]),
    "turned": lambda truth, n: truth.spoke_of(truth.me, n["v"]),
    "turned.none": lambda truth, n: truth.spoke_of(truth.me, n["v"]),
    "eased": lambda truth, n: truth.spoke_of(truth.me, n["v"]),
    "cleared.result": lambda truth, n: truth.spoke_of(n["x"], n["v"]) and truth.claimed(n["x"], "Detective"),
    "cleared.hanged": lambda truth, n: truth.voted(n["v"], "execute", n["x"]) and truth.role(n["x"]) == "Mafia",
    "cleared.named": lambda truth, n: truth.nominated(n["v"], n["x"]) and truth.role(n["x"]) == "Mafia",
    "cleared.by_mafia": lambda truth, n: truth.spoke_of(n["x"], n["v"]) and truth.role(n["x"]) == "Mafia",
    "cleared.claimed": lambda truth, n: truth.claimed(n["v"], "Detective") or truth.claimed(n["v"], "Doctor"),
    "cleared.refuted": lambda truth, n: truth.spoke_of(n["v"], n["x"]) and n["x"] in truth.dead,
    "silent": lambda truth, n: truth.silent_today(n["t"]),
    "answer": lambda truth, n: truth.spoke_of(n["s"], truth.me, today=True),
    "asked": lambda truth, n: truth.spoke_of(n["s"], truth.me, today=True),
    "asked.open": lambda truth, n: truth.spoke_of(n["s"], truth.me, today=True),
    "thanks": lambda truth, n: truth.spoke_of(n["s"], truth.me, today=True),
    "rope_town": lambda truth, n: n["x"] in truth.dead and truth.role(n["x"]) not in ("", "Mafia"),
    "rope_mafia": lambda truth, n: n["x"] in truth.dead and truth.role(n["x"]) == "Mafia",
    "spared_day": lambda truth, n: any(
        vote.day == truth.day - 1 and not vote.executed for vote in truth.executions(n["x"])
    ),
    "idle_day": lambda truth, n: all(vote.day != truth.day - 1 for vote in truth.of(events.ExecutionVoteClosed)),
    "count": lambda truth, n: n["n"] == NUMBERS[len(truth.living)],
    "edge": lambda truth, n: n["n"] == NUMBERS[len(truth.living)],
    "by_whom": lambda truth, n: truth.nominated(n["s"], truth.me, truth.day),
    "curse": lambda truth, n: truth.nominated(n["s"], truth.me, truth.day),
    "good_execute": lambda truth, n: truth.voted(truth.me, "execute", n["x"]) and truth.role(n["x"]) == "Mafia",
    "good_spare": lambda truth, n: truth.voted(truth.me, "spare", n["x"]) and truth.role(n["x"]) not in ("", "Mafia"),
    "good_name": lambda truth, n: truth.nominated(truth.me, n["x"]) and truth.role(n["x"]) == "Mafia",
    "claim.Detective": lambda truth, n: truth.own_role() in ("Detective", "Mafia", "Jester"),
    "counter": lambda truth, n: (
        truth.own_role() in ("Detective", "Mafia", "Jester") and truth.claimed(n["s"], "Detective")
    ),
    "claim.Doctor": lambda truth, n: truth.own_role() in ("Doctor", "Mafia", "Jester"),
    "counter.Doctor": lambda truth, n: truth.own_role() == "Doctor" and truth.claimed(n["s"], "Doctor"),
    "stand": lambda truth, n: truth.claimed(truth.me, "Detective") or truth.claimed(truth.me, "Doctor"),
    "role.Villager": lambda truth, n: truth.own_role() in ("Villager", "Mafia", "Jester"),
}
"""What must have happened for a beat to be said."""

OPINIONS = frozenset({"hunch", "suspect", "firm", "trust", "ask", "propose", "bait", "look", "slipped"})
MANNER = frozenset(
    {
        "understood",
        "replied.banter",
        "replied.insult",
        "replied.promise",
        "deny",
        "plea",
        "last",
        "court",
        "slip",
        "kept",
    }
)


OF_THE_LIVING = frozenset(topic for topic in CHECKS if topic.startswith(("turned", "eased", "cleared.")))


def holds(truth: Truth, beat: SpeechPart) -> bool:
    names = beat.names
    accused = {names[slot] for slot in ("t", "s") if slot in names} | (
        {names["v"]} if beat.topic in OF_THE_LIVING else set()
    )
    if not accused <= truth.living or truth.me in accused:
        return False
    if beat.topic.startswith("result."):
        if truth.own_role() in ("Mafia", "Jester"):
            return True
        seen = [e for e in truth.of(events.PlayerInvestigated) if e.target == names["t"]]
        kind = beat.topic.removeprefix("result.")
        return any(e.role == kind or (kind == "clean" and e.role != "Mafia") for e in seen)
    if beat.topic.startswith(("whisper.", "why.kill.")):
        return all(map(truth.against_the_town, names.values()))
    check = CHECKS.get(beat.topic)
    if check is not None:
        return check(truth, names)
    return beat.topic in OPINIONS | MANNER or beat.topic.startswith("last.")


def spoken_parts(tables: Iterable[Table]) -> Iterator[tuple[Truth, SpeechPart]]:
    """Everything that players of these games have to say, with what each had seen."""
    for table in tables:
        for seen, turn, *_ in table.asked:
            random = seat_random(Seed.of(table.seed), turn.seat, turn.number, turn.attempt)
            truth = Truth(turn.seat, [entry.event for entry in seen.entries])
            if type(turn) in ALOUD:
                living = [name for name in turn.choices if name != "pass"]
                beats = [beat for name in living for beat in ALOUD[type(turn)](sit(seen, random), name)]
            else:
                beats = SPEECHES[type(turn)](sit(seen, random)) if type(turn) in SPEECHES else []
            yield from ((truth, beat) for beat in beats)


def test_every_fact_that_is_spoken_of_really_happened(played: Any) -> None:
    told: Counter[str] = Counter()
    for truth, beat in spoken_parts(played(8 if seed < 12 else 5 + seed % 6, seed) for seed in range(20)):
        assert holds(truth, beat), (truth.me, beat)
        told[beat.topic] += 1
    facts = {topic for topic in told if topic in CHECKS}
    assert len(facts) >= 24, sorted(told)
    assert {"whisper.propose", "whisper.agree", "whisper.blame"} <= set(told)


def _of_what_only_the_log_knows(seat: Seat, target: str) -> list[suspicion.Reason]:
    """A reason that the view does not support: a vote that was never cast."""
    others = [name for name in seat.memory.players if name not in (target, seat.name)]
    return [suspicion.Reason("shielded", target, others[0], 1, 1.0)]


def _of_no_accusation(seat: Seat, target: str) -> list[suspicion.Reason]:
    """Words that nobody said."""
    others = [name for name in seat.memory.players if name not in (target, seat.name)]
    return [suspicion.Reason("echo", target, others[-1], seat.memory.day, 1.0)]


@pytest.mark.parametrize("planted", [_of_what_only_the_log_knows, _of_no_accusation])
def test_a_reason_that_the_view_does_not_support_is_caught(monkeypatch: pytest.MonkeyPatch, planted: Any) -> None:
    monkeypatch.setattr(Seat, "reasons", planted)
    tables = (Table(6 + seed, seed, {}, HouseAgent(), checked=False).play() for seed in range(2))
    assert not all(holds(truth, beat) for truth, beat in spoken_parts(tables))


def test_a_mind_that_knows_more_than_its_view_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The belief of a Villager that was told one role differs from the one that its own view gives."""
    table = Table(8, 3, {}, HouseAgent()).play(40)
    villager = next(name for name in table.state.living if table.state.roles[name] == "Villager")
    guilty = next(name for name in table.state.living if table.state.roles[name] == "Mafia")
    random = seat_random(Seed.of(3), villager, 1)
    honest = sit(table.view(villager), random).belief.mafia[guilty]
    alone = [recorded for recorded in table.recorded if recorded.audience.includes(villager)]
    assert sit(view(table.ruleset, alone, villager), random).belief.mafia[guilty] == honest
    monkeypatch.setattr(house_seat, "recall", lambda seen: _told(recall(seen), guilty))
    assert sit(table.view(villager), random).belief.mafia[guilty] != honest


def _told(recalled: Any, guilty: str) -> Any:
    memory, secrets = recalled
    secrets.results.append((1, guilty, "Mafia"))
    return memory, secrets


def test_days_are_named_rightly(played: Any) -> None:
    for seed in range(12):
        table, day = played(8, seed), 0
        votes: dict[int, list[dict[str, str]]] = {}
        for recorded in table.recorded:
            event = recorded.event
            if isinstance(event, events.PhaseBegan):
                day = event.number
            elif isinstance(event, events.TrialClosed):
                votes.setdefault(event.day, []).append(event.votes)
            elif isinstance(event, events.SpeechGiven):
                for voter in table.state.players:
                    if f"{voter} voted for me at the trial yesterday" in (event.text or ""):
                        assert any(ballot.get(voter) == event.player for ballot in votes[day - 1])


@pytest.mark.spec("M-011", "M-012")
def test_a_player_speaks_from_its_own_view_alone(played: Any) -> None:
    table = played(8, 5)
    players = table.state.players
    villager = next(player for player in players if table.state.roles[player] == "Villager")
    others = [recorded for recorded in table.recorded if recorded.audience.includes(villager)]
    for turn, text in table.replies:
        if turn.seat != villager:
            continue
        seq = _asked_at(table, villager, turn)
        full = view(table.ruleset, table.recorded, villager, upto=seq)
        alone = view(table.ruleset, others, villager, upto=seq)
        assert answer(HouseAgent(), full, turn, table.seed) == text
        assert answer(HouseAgent(), alone, turn, table.seed) == text


def _asked_at(table: Table, seat: str, turn: Turn) -> int:
    entries = table.view(seat).entries
    answered = [
        entry.seq
        for entry in entries
        if entry.name == "core.reply-accepted.v1" and getattr(entry.event, "turn", 0) == turn.number
    ]
    return answered[0] - 1


@pytest.mark.spec("M-015")
def test_secrets_of_the_night_stay_out_of_the_towns_mouth(played: Any) -> None:
    for seed in range(12):
        table = played(8, seed)
        for turn, text in table.replies:
            role = table.state.roles.get(turn.seat)
            if role == "Villager" and type(turn) in SPEECHES:
                assert "I am the Detective" not in text
                assert "I am the Doctor" not in text


@pytest.mark.spec("M-113", "M-024")
def test_what_all_hear_of_a_nomination_is_nothing_that_only_its_author_knows(played: Any) -> None:
    nominations = 0
    for seed in range(12):
        for seen, turn, text, _ in played(8, seed).asked:
            if turn.kind != "nominate" or text.startswith("I pass"):
                continue
            nominations += 1
            charged = text.split(". ", 1)[1]
            secrets = [
                phrase for topic in ("known", "scapegoat", "partner", "friend") for phrase in BOOK[f"why.{topic}"]
            ]
            assert not any(phrase.mark in charged.casefold() for phrase in secrets if len(phrase.mark) > 8), text
            assert not hear(charged, seen.state.players).claim
    assert nominations > 40


@pytest.mark.spec("M-114")
@pytest.mark.parametrize(("players", "games"), [(5, 8), (8, sized(4, 8)), (12, sized(2, 8))])
def test_the_house_bids_for_the_floor_and_tires_of_talk(players: int, games: int) -> None:
    bids: Counter[int] = Counter()
    for seed in range(games):
        table = Table(players, seed, {"floor": "bids"}, HouseAgent()).play()
        assert_none_failed(table)
        for event in (r.event for r in table.recorded):
            if isinstance(event, events.BidsClosed):
                bids.update(event.bids.values())
        days = sum(isinstance(r.event, events.PhaseBegan) and r.event.phase == "discussion" for r in table.recorded)
        spoken = sum(isinstance(r.event, events.SpeechGiven) and r.event.occasion == "discussion"
            for r in table.recorded)  # fmt: skip
        assert spoken >= 2 * days, "a day without a discussion is no day"
        assert spoken <= 2.2 * players * days
    assert set(bids) == {0, 1, 2, 3, 4}


@pytest.mark.spec("M-112")
def test_the_mafia_kill_whom_they_have_spoken_of(played: Any) -> None:
    agreed = talked = 0
    for seed in range(12):
        words: list[str] = []
        for event in (r.event for r in played(8, seed).recorded):
            if isinstance(event, events.MafiaWhispered):
                words.append(event.text or "")
            elif isinstance(event, events.MafiaBallotClosed) and words:
                talked += 1
                agreed += event.target is not None and any(event.target in text for text in words)
                words = []
    assert talked >= 8
    assert agreed / talked > 0.8


def assert_none_failed(table: Table) -> None:
    assert not [r.event for r in table.recorded if isinstance(r.event, AttemptFailed)]


def speeches(table: Table) -> list[str]:
    given = [r.event for r in table.recorded if isinstance(r.event, events.SpeechGiven)]
    return [event.text for event in given if event.text]


def minds(table: Table) -> Iterator[tuple[View[Any], Mind]]:
    """What players had in mind at each reply; a narrator has nothing in mind."""
    for seen, _, text, record in table.asked:
        assert type(text) is str
        if seen.seat == "narrator":
            assert record.mind is None
        else:
            assert record.mind is not None
            yield seen, record.mind


def test_players_say_whom_they_suspect_and_why(played: Any) -> None:
    """By their own knowledge: of the living others alone, Mafia certain of everybody, and results certain."""
    known = feared = 0
    for seed in range(12):
        for seen, mind in minds(played(8, seed)):
            truth = Truth(seen.seat, [entry.event for entry in seen.entries])
            assert set(mind.suspicion) == truth.living - {seen.seat}
            for name, much in mind.suspicion.items():
                role, other = seen.state.roles.get(seen.seat), seen.state.roles.get(name)
                if role == "Mafia":
                    assert (much > 5) == (other == "Mafia")
                    assert (much < -5) == (other != "Mafia")
            worst = max(mind.suspicion.values())
            if mind.thoughts.startswith("I know"):
                known += 1
                assert worst > 5
                named = mind.thoughts.split()[2]
                assert (named, "Mafia") in {(player, role) for _, player, role in seen.state.investigations}
            elif mind.thoughts.startswith("I suspect"):
                feared += 1
                assert mind.suspicion[mind.thoughts.split()[2]] == worst
    assert known > 5
    assert feared > 300


def test_whatever_speaks_against_somebody_can_be_put_into_words() -> None:
    """Every kind of evidence that the weighing of a player adds up."""
    kinds = set(re.findall(r'weighed\.add\("(\w+)"', inspect.getsource(suspicion)))
    speaks_for = {"by_mafia", "claimed", "cleared_by"}
    assert kinds - speaks_for == set(AGAINST)
    assert len(kinds) > 15


def test_what_a_player_had_in_mind_is_kept_with_its_call_and_told_to_nobody() -> None:
    async def story() -> None:
        games = Games(open_log("memory:"))
        live = await opened(games, agents=dict.fromkeys(("Ada", "Bram"), "house"))
        await play(games, live, dict.fromkeys(("Ada", "Bram"), HouseAgent()))
        receipts = [receipt for receipt in games.log.receipts(live.id) if receipt.name in ENDINGS]
        assert {receipt.seat for receipt in receipts if "mind" in receipt.data} == {"Ada", "Bram"}
        minds = [receipt.data["mind"] for receipt in receipts if "mind" in receipt.data]
        thoughts = [mind["thoughts"] for mind in minds if mind["thoughts"]]
        assert thoughts
        for mind in minds:
            assert set(mind) == {"thoughts", "suspicion"}
        for seat in live.state.seats:
            seen = live.view(seat)
            told = json.dumps([entry.to_json() for entry in seen.entries])
            assert not any(thought in told for thought in thoughts)
        games.close()

    asyncio.run(story())


def test_no_two_games_read_the_same(played: Any) -> None:
    games = [[text for text in speeches(played(8, seed)) if len(text.split()) > 6] for seed in range(50)]
    everywhere = Counter(text for game in games for text in set(game))
    total = sum(map(len, games))
    elsewhere = sum(everywhere[text] > 1 for game in games for text in game)
    again = sum(count - 1 for game in games for count in Counter(game).values())
    assert elsewhere / total < 0.05
    assert again / total < 0.01


def test_every_side_can_win_and_games_end_soon(played: Any) -> None:
    games = [played(8, seed) for seed in range(50)]
    winners = Counter(table.state.winner for table in games)
    assert winners["town"] >= 10
    assert winners["mafia"] >= 10
    assert winners["jester"] >= 1
    assert sum(table.state.number for table in games) / len(games) < 4
    assert max(table.state.number for table in games) <= 12


@pytest.mark.spec("M-046")
def test_the_mafia_agree_and_converge_on_a_revote(played: Any) -> None:
    first = again = settled = drawn = 0
    for seed in range(12):
        for recorded in played(13, seed % 4).recorded if seed < 4 else played(8, seed).recorded:
            event = recorded.event
            if isinstance(event, events.MafiaBallotClosed) and len(event.votes) > 1:
                first += event.round == 0
                again += event.round > 0
                settled += event.round == 0 and event.target is not None
                drawn += event.drawn
    assert settled / first > 0.3
    assert again < first
    assert drawn == 0


def test_the_house_sits_with_random_and_scripted_players() -> None:
    script = ScriptedAgent({"speech": ["Ada is Mafia. I am the Detective."] * 9, "role": ["Aye."]})
    house = HouseAgent()
    for seed in range(6):
        table = Table(8, seed)
        agents: dict[str, Any] = dict.fromkeys(table.seats, house)
        agents |= {"Bram": RandomAgent(), "Cleo": RandomAgent(), "Dirk": script}
        table = Table(8, seed, {"max_days": 6}, agents).play()
        assert table.state.over
        wrong = {r.event.seat for r in table.recorded if isinstance(r.event, AttemptFailed)}
        assert wrong <= {"Dirk"}


def test_random_players_with_a_house_narrator_and_the_reverse() -> None:
    for narrator, player in ((HouseAgent(), RandomAgent()), (RandomAgent(), HouseAgent())):
        for seed in range(3):
            agents: dict[str, Any] = dict.fromkeys(Table(7, seed).seats, player) | {"narrator": narrator}
            table = Table(7, seed, {"max_days": 5}, agents).play()
            assert table.state.over
            assert not [r for r in table.recorded if isinstance(r.event, AttemptFailed)]
