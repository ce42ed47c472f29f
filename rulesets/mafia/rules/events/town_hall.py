"""The town hall: nominations and their seconds, the trial, and the vote on life and death."""

from __future__ import annotations

from typing import Any, Literal

from sottovoce import Chair, Event, Piece, counted, everyone, line, marked, named_in, names, spoken
from sottovoce.rulesets.mafia.rules.events.course import Facts
from sottovoce.rulesets.mafia.rules.state import CountedBallot, MafiaState


def votes_cast(event: Any) -> Facts:
    """Who voted how, as the hidden matters that a count carries."""
    return frozenset(("voted", voter, choice) for voter, choice in event.votes.items())


class NominationMade(Event[MafiaState], name="mafia.nomination-made.v1", seen_by=everyone, by=named_in("player")):
    """A player uses the nomination turn of the day; `nominee` is None for a pass (M-068).

    `words` is the charge, heard by all with the nomination (M-113); None if there is none.
    """

    day: int
    player: str
    nominee: str | None
    words: str | None = None

    example = {"day": 1, "player": "Ada", "nominee": "Bram", "words": "Nobody else was seen at the well."}

    def fold(self, state: MafiaState) -> MafiaState:
        state = state.with_claims(self.player, self.words).but(asked=(*state.asked, self.player))
        if self.nominee is None:
            return state
        nominated = (*state.nominated, self.nominee)
        return state.but(pending=(self.player, self.nominee), charge=self.words, nominated=nominated)

    def tell(self, chair: Chair) -> Piece:
        if self.nominee is None:
            return Piece(f"{marked(self.player)} passes.", who=self.player)
        words = spoken(self.player, self.words)
        end = ":" if words else "."
        return Piece(f"{marked(self.player)} nominates {marked(self.nominee)}{end}", who=self.player, words=words)


class SecondingClosed(Event[MafiaState], name="mafia.seconding-closed.v1", seen_by=everyone):
    """The votes on one nomination, all at once (M-071, M-072, M-083)."""

    day: int
    nominator: str
    nominee: str
    votes: dict[str, Literal["yes", "no"]]
    tally: dict[str, int]
    seconded: bool

    example = {
        "day": 1,
        "nominator": "Ada",
        "nominee": "Bram",
        "votes": {"Bram": "no", "Cleo": "yes", "Dirk": "yes"},
        "tally": {"yes": 2, "no": 1},
        "seconded": True,
    }
    facts = votes_cast

    def fold(self, state: MafiaState) -> MafiaState:
        outcome = "yes" if self.seconded else "no"
        count = CountedBallot("seconding", self.day, self.nominee, self.votes, self.tally, outcome)
        nominees = (*state.nominees, self.nominee) if self.seconded else state.nominees
        return state.with_count(count, pending=None, charge=None, nominees=nominees)

    def tell(self, chair: Chair) -> Piece:
        return Piece(
            f"{marked(self.nominee)} {'stands trial' if self.seconded else 'is not seconded'}.",
            "ballot",
            title=f"Seconding {marked(self.nominee)}, nominated by {marked(self.nominator)}",
            grid=counted(self.votes, self.tally),
            numbers=self.tally,
        )


class TrialClosed(Event[MafiaState], name="mafia.trial-closed.v1", seen_by=everyone):
    """The votes of one trial ballot, all at once (M-079 to M-083). With `again` the tied stand again."""

    day: int
    round: int
    votes: dict[str, str]
    tally: dict[str, int]
    condemned: str | None
    tied: tuple[str, ...] = ()
    again: bool = False

    example = {
        "day": 1,
        "round": 0,
        "votes": {"Ada": "Bram", "Bram": "Ada", "Cleo": "Bram", "Dirk": "Bram"},
        "tally": {"Bram": 3, "Ada": 1},
        "condemned": "Bram",
    }
    facts = votes_cast

    def fold(self, state: MafiaState) -> MafiaState:
        return state.with_count(
            CountedBallot("trial", self.day, None, self.votes, self.tally, self.condemned),
            condemned=self.condemned,
            candidates=self.tied if self.again else (),
            trial_round=self.round + 1,
        )

    def tell(self, chair: Chair) -> Piece:
        after = "the town votes again among them" if self.again else "nobody is condemned"
        tie = f"A tie between {names(self.tied)}; {after}."
        return Piece(
            f"{marked(self.condemned)} is condemned." if self.condemned else tie,
            "ballot",
            title=f"Trial, revote {self.round}" if self.round else "Trial",
            grid=counted(self.votes, self.tally, seats=True),
            numbers=self.tally,
        )


class ExecutionVoteClosed(Event[MafiaState], name="mafia.execution-vote-closed.v1", seen_by=everyone):
    """The votes on life and death, all at once (M-087, M-088)."""

    day: int
    condemned: str
    votes: dict[str, Literal["execute", "spare"]]
    tally: dict[str, int]
    executed: bool

    example = {
        "day": 1,
        "condemned": "Bram",
        "votes": {"Ada": "execute", "Cleo": "execute", "Dirk": "spare"},
        "tally": {"execute": 2, "spare": 1},
        "executed": True,
    }
    facts = votes_cast

    def fold(self, state: MafiaState) -> MafiaState:
        outcome = "execute" if self.executed else "spare"
        count = CountedBallot("execution", self.day, self.condemned, self.votes, self.tally, outcome)
        return state.with_count(count, verdict=self.executed)

    def tell(self, chair: Chair) -> Piece:
        return Piece(
            f"{marked(self.condemned)} {'is to be executed' if self.executed else 'is spared'}.",
            "ballot",
            title="Execution",
            grid=counted(self.votes, self.tally),
            numbers=self.tally,
        )


class PlayerExecuted(Event[MafiaState], name="mafia.player-executed.v1", seen_by=everyone):
    """A player dies at the gallows. The role follows in a RoleRevealed (M-090)."""

    day: int
    player: str

    example = {"day": 1, "player": "Bram"}
    tell = line("{player:name} is executed.", kind="death", mood="bad", weight=2)

    def fold(self, state: MafiaState) -> MafiaState:
        return state.with_death((self.player,), "executed", self.day)
