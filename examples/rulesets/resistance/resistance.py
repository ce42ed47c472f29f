"""The Resistance: five to ten players, among them spies, and five missions."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any, Literal

from sottovoce import (
    Among, Ballot, Closing, Count, Event, Fields, Game, Players, Refused, Ruleset, Table, Turn, TurnOptions, Words,
    adds, changes_nothing, everyone, fact, line, named_in, sets, tallied,
)  # fmt: skip

SPIES = {5: 2, 6: 2, 7: 3, 8: 3, 9: 3, 10: 4}
TEAMS = {5: (2, 3, 2, 3, 3), 6: (2, 3, 4, 3, 4), 7: (2, 3, 3, 4, 4), **dict.fromkeys((8, 9, 10), (3, 4, 4, 5, 5))}
"""By the number of players, how many are spies, and how many go on each mission."""


class State(Table, frozen=True):
    """A game of The Resistance. `spies` are empty for whoever has not been told."""

    options: TurnOptions = TurnOptions()
    spies: tuple[str, ...] = ()
    missions: tuple[MissionEnded, ...] = ()
    attempt: int = 0
    leader: str = ""
    size: int = 0
    team: tuple[str, ...] = ()
    vote: str = ""

    def ended(self, outcome: str) -> int:
        """How many missions came to that."""
        return sum(mission.outcome == outcome for mission in self.missions)


class SideDealt(Event[State], name="resistance.side-dealt.v1", seen_by=named_in("player")):
    """The side that a player is on."""

    player: str
    side: str

    example = {"player": "Ada", "side": "spy"}
    fold = changes_nothing
    tell = line("{player:You} drew the card: {side}.", kind="card", private="only you")
    facts = fact("side", "player", "side")


class SpiesMet(Event[State], name="resistance.spies-met.v1", seen_by=named_in("spies")):
    """The spies learn who they are."""

    spies: tuple[str, ...]

    example = {"spies": ("Ada", "Bram")}
    fold = sets("spies")
    tell = line("The spies are {spies:names}.", kind="card", private="only the spies")
    facts = fact("side", "spies", being="spy")


class AttemptBegun(Event[State], name="resistance.attempt-begun.v1", seen_by=everyone):
    """Who is to propose a team, and of how many."""

    mission: int
    attempt: int
    leader: str
    size: int

    example = {"mission": 1, "attempt": 1, "leader": "Ada", "size": 2}
    tell = line("{leader:name} leads and names a team of {size}.", chapter="Mission {mission}, attempt {attempt}")

    def fold(self, state: State) -> State:
        return state.but(attempt=self.attempt, leader=self.leader, size=self.size, team=(), vote="")


class TeamProposed(Event[State], name="resistance.team-proposed.v1", seen_by=everyone, by=named_in("leader")):
    """The team that a leader wants to send, and what was said for it."""

    leader: str
    team: tuple[str, ...]
    text: str

    example = {"leader": "Ada", "team": ("Ada", "Bram"), "text": "Trust us."}
    fold = sets("team")
    tell = line("{leader:name} proposes {team:names}.", words="text")


class TeamVoted(Event[State], name="resistance.team-voted.v1", seen_by=everyone):
    """How each player voted on the team, told once all have."""

    votes: dict[str, str]
    vote: Literal["approved", "rejected"]

    example = {"votes": {"Ada": "approve", "Bram": "reject"}, "vote": "rejected"}
    fold = sets("vote")
    tell = tallied("The team is {vote}.", title="The vote on the team")


class MissionEnded(Event[State], name="resistance.mission-ended.v1", seen_by=everyone):
    """What came of a mission: the number of cards that let it fail, and never whose they were."""

    team: tuple[str, ...]
    fails: int
    outcome: Literal["succeeded", "failed"]

    example = {"team": ("Ada", "Bram"), "fails": 1, "outcome": "failed"}
    fold = adds("missions")
    tell = line("The mission of {team:names} {outcome}. Cards that said fail: {fails}.", weight=2)


class ResistanceEnded(Closing[State], name="resistance.ended.v1", seen_by=everyone):
    """The side that won, and who the spies were."""

    spies: tuple[str, ...]

    example = {"winner": "spies", "spies": ("Ada", "Bram")}
    fold = sets("spies")
    tell = line("The winner: {winner}. The spies were {spies:names}.", kind="ending")
    facts = fact("side", "spies", being="spy")


class Proposal(Fields):
    """A team, and what is said for it."""

    team: list[str]
    words: Words = ""

    def __str__(self) -> str:
        return ", ".join(self.team)


class Propose(Turn[State, Proposal], kind="propose"):
    """Name your team. All players hear your words."""

    def context(self, state: State) -> Iterable[str]:
        yield f"A team of {state.size} is wanted, out of: {', '.join(state.seats)}."

    def among(self, state: State) -> Among:
        return {"team": state.seats}

    def check(self, state: State, answer: Proposal) -> None:
        if len({*answer.team}) != state.size or len(answer.team) != state.size:
            raise Refused(f"Your answer names {len(answer.team)} players; name {state.size}: {', '.join(state.seats)}.")

    def silent(self, game: Game[State]) -> Proposal:
        """The leader, and those who sit next."""
        seats, place = game.state.seats, game.state.seats.index(self.seat)
        return Proposal(team=list((*seats, *seats)[place : place + game.state.size]))

    def answered(self, game: Game[State], answer: Proposal) -> None:
        game.emit(TeamProposed(leader=self.seat, team=tuple(answer.team), text=answer.words))
        game.ask(game.state.seats, Vote)


class Vote(Ballot[State], kind="vote", choices=("approve", "reject"), silence="approve"):
    """Do you approve of the team? All votes are shown at once."""

    @classmethod
    def counted(cls, game: Game[State], count: Count) -> None:
        approved = count.carried("approve")
        game.emit(TeamVoted(votes=dict(count.votes), vote="approved" if approved else "rejected"))
        for seat in game.state.team if approved else ():
            game.ask(seat, Card, ("success", "fail") if seat in game.state.spies else ("success",))


class Card(Ballot[State], kind="card", choices=("success", "fail"), silence="success"):
    """You are on the mission. Play your card; nobody learns whose card it was."""

    @classmethod
    def counted(cls, game: Game[State], count: Count) -> None:
        state, fails = game.state, count.tally.get("fail", 0)
        needed = 2 if len(state.missions) == 3 and len(state.seats) >= 7 else 1
        game.emit(MissionEnded(team=state.team, fails=fails, outcome="failed" if fails >= needed else "succeeded"))


class Resistance(Ruleset[State]):
    """Spies know each other; the resistance knows nobody. A leader names a team, and all vote on it openly.

    More than half must approve, or the next player leads; five rejected teams in a row win for the spies. The team
    plays cards in secret: success, or a spy's fail. One fail and the mission has failed; with seven players or more
    the fourth takes two. Three missions that succeed win for the resistance, three that fail for the spies."""

    name = "resistance"
    seats = (Players(5, 10),)
    state = State()
    events = (SideDealt, SpiesMet, AttemptBegun, TeamProposed, TeamVoted, MissionEnded, ResistanceEnded)
    turns = (Propose, Vote, Card)

    def deal(self, game: Game[State]) -> None:
        seats = game.state.seats
        spies = SPIES[len(seats)]
        sides = game.deal(("spy",) * spies + ("resistance",) * (len(seats) - spies), seats, "sides")
        for seat, (side,) in sides.items():
            game.emit(SideDealt(player=seat, side=side))
        game.emit(SpiesMet(spies=tuple(seat for seat in seats if sides[seat] == ("spy",))))

    def advance(self, game: Game[State]) -> None:
        state, seats = game.state, game.state.seats
        rejected = state.attempt if state.vote == "rejected" else 0
        if rejected == 5 or state.ended("failed") == 3:
            game.emit(ResistanceEnded(winner="spies", spies=state.spies))
        elif state.ended("succeeded") == 3:
            game.emit(ResistanceEnded(winner="resistance", spies=state.spies))
        else:
            mission, last = len(state.missions), seats.index(state.leader) if state.leader else -1
            leader, size = seats[(last + 1) % len(seats)], TEAMS[len(seats)][mission]
            game.emit(AttemptBegun(mission=mission + 1, attempt=rejected + 1, leader=leader, size=size))
            game.ask(leader, Propose)

    def known(self, state: State, seat: str) -> Iterable[str]:
        yield f"You are a spy. The spies: {', '.join(state.spies)}." if seat in state.spies else "You are no spy."
        for number, mission in enumerate(state.missions, 1):
            yield f"Mission {number} {mission.outcome}: {', '.join(mission.team)}; fails: {mission.fails}."
        if state.team:
            yield f"{state.leader}'s team: {', '.join(state.team)}. Attempt {state.attempt} of 5."

    def phase(self, state: State) -> str:
        return "over" if state.over else f"mission {len(state.missions) + 1}, attempt {state.attempt}"


def play(view: Any, turn: Turn, random: Random) -> str | Proposal:
    """The house player: trusts whoever was on no failed mission; a spy wants spies on missions and lets them fail."""
    state, seat = view.state, view.seat
    spy = seat in state.spies
    blamed = {other for mission in state.missions if mission.fails for other in mission.team if other != seat}
    if turn.kind == "card":
        return "fail" if "fail" in turn.choices and (state.missions or random.random() < 0.5) else "success"
    if turn.kind == "vote":
        wanted = bool({*state.team} & {*state.spies}) if spy else not blamed & {*state.team}
        return "approve" if wanted or state.attempt == 5 else "reject"
    ranked = random.sample(state.seats, len(state.seats))
    ranked.sort(key=lambda other: (other != seat, other in blamed, spy and other in state.spies))
    return Proposal(team=ranked[: state.size])


RESISTANCE = Resistance()
