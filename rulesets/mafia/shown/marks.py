"""What entries of a Mafia game change in a viewer's picture of the game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sottovoce import (
    Audience,
    Claim,
    Event,
    Fact,
    FallbackApplied,
    Mark,
    Marker,
    Mention,
    Moment,
    Out,
    ReplyAccepted,
    Ruleset,
    Thought,
    Voice,
    Vote,
)
from sottovoce.rulesets.mafia.rules import events
from sottovoce.rulesets.mafia.rules.roles import UNIQUE, article
from sottovoce.rulesets.mafia.rules.state import MafiaState
from sottovoce.rulesets.mafia.rules.turns import ExecutionVote, Kill, Second, TrialVote

DEEDS = {
    "protected": "{} was protected in night {}",
    "investigated": "{} was investigated in night {}",
    "targeted": "the Mafia chose {} in night {}",
}
FOR = {"yes", "execute"}
"""The choices that go against whom a ballot is about."""


class MafiaMarker(Marker):
    """Roles stand under names; votes are arrows; what a partner does to a partner is known to who knows both."""

    def __init__(self, ruleset: Ruleset[Any], seat: str | None = None, **given: Any) -> None:
        super().__init__(ruleset, seat, **given)
        self._claimed: dict[tuple[str, Fact], bool] = {}
        """What each has claimed last of each matter: whether it was denied."""

    def audience(self, event: Event, state: Any) -> Audience:
        """Who is alive among the Mafia is public to those who know who they are."""
        return self.ruleset.audiences[type(event)](state, event)

    def told(self, fact: Fact, state: Any) -> tuple[str, str] | None:
        """Votes have their own marks, and the entry has what was said."""
        kind, player, detail = fact
        if kind == "role":
            return f"{player} is {article(detail)}", detail
        return (DEEDS[kind].format(player, detail), "") if kind in DEEDS else None

    def claims(self, voice: Voice, moment: Moment) -> list[Claim]:
        """A role that everyone knows is not hidden."""
        public = moment.before.revealed
        return [
            claim for claim in super().claims(voice, moment) if claim.fact[0] != "role" or claim.about not in public
        ]

    def highlights(self, claim: Claim, says: str, moment: Moment) -> Iterator[Mark]:
        """A claim to a role or of one that is new, and whether it goes against an earlier one or against a partner."""
        key = (claim.by, claim.fact)
        if claim.fact[0] != "role" or self._claimed.get(key) == claim.denied:
            return
        seats = tuple(dict.fromkeys((claim.by, claim.about)))
        against = [by for by in self._against(claim) if by != claim.by]
        said = _claimed(claim, says)
        if against:
            yield Mention("counter", f"{said} (against {against[0]})", tuple(dict.fromkeys((*seats, against[0]))))
        else:
            yield Mention("claim", said, seats)
        accused = claim.fact == ("role", claim.about, "Mafia") and not claim.denied
        if accused and self._partners(moment.before, claim.by, claim.about):
            yield Mention("betrayal", f"{claim.by} accuses a partner, {claim.about}", seats)
        self._claimed[key] = claim.denied

    def _against(self, claim: Claim) -> Iterator[str]:
        """Whose earlier claims cannot be true if this one is."""
        _, about, what = claim.fact
        for (by, (_, other, said)), denied in self._claimed.items():
            if (other, said) == (about, what):
                contrary = denied != claim.denied
            else:
                contrary = not (denied or claim.denied) and (other == about or (said == what and what in UNIQUE))
            if contrary:
                yield by

    # what becomes of players

    def announced(self, moment: Moment) -> Iterator[Mark]:
        night = f"night {moment.event.day}"
        for player in moment.event.deaths:
            yield Out(player, night)
            yield Mention("death", f"{player} died in {night}", (player,))

    def executed(self, moment: Moment) -> Iterator[Mark]:
        player = moment.event.player
        yield Out(player, f"executed, day {moment.event.day}")
        yield Mention("death", f"{player} was executed", (player,))

    def spoke(self, moment: Moment) -> Iterator[Mark]:
        event = moment.event
        if event.occasion == "final" and event.text:
            yield Mention("last-words", f"Last words of {event.player}", (event.player,))

    def overheard(self, moment: Moment) -> Iterator[Mark]:
        return (Thought(player, text) for player, text in moment.event.replies.items())

    # votes

    def voted(self, moment: Moment) -> Iterator[Mark]:
        """One's own vote, known to others when the ballot is counted."""
        event, state = moment.event, moment.before
        turn = state.turns.get((event.seat, event.turn))
        if event.choice and type(turn) in BALLOTS:
            ballot, about = BALLOTS[type(turn)](state)
            yield _vote(event.seat, event.choice, ballot, about)

    def killed(self, moment: Moment) -> Iterator[Mark]:
        event = moment.event
        yield from _votes(event, _named("night", event.night, event.round))

    def seconded(self, moment: Moment) -> Iterator[Mark]:
        event = moment.event
        yield from _votes(event, _second(event.day, event.nominee), event.nominee)
        yield from self._close(moment, f"Seconding {event.nominee}", event.nominee)
        yield from self._betrayals(moment, event.nominee)

    def tried(self, moment: Moment) -> Iterator[Mark]:
        event = moment.event
        yield from _votes(event, _named("trial", event.day, event.round))
        first, second = [*sorted(event.tally.values(), reverse=True), 0][:2] if event.tally else (0, 0)
        if len(event.tally) > 1 and first - second <= 1:
            yield Mention("close", f"Trial, {first} to {second}", tuple(event.tally))
        yield from self._betrayals(moment)

    def judged(self, moment: Moment) -> Iterator[Mark]:
        event = moment.event
        yield from _votes(event, _judgement(event.day, event.condemned), event.condemned)
        yield from self._close(moment, f"Execution of {event.condemned}", event.condemned)
        yield from self._betrayals(moment, event.condemned)

    def nominated(self, moment: Moment) -> Iterator[Mark]:
        event = moment.event
        if event.nominee is not None and self._partners(moment.before, event.player, event.nominee):
            yield Mention("betrayal", f"{event.player} nominates a partner, {event.nominee}", _both(event))

    def _close(self, moment: Moment, what: str, about: str) -> Iterator[Mark]:
        """A count that one vote would have turned."""
        tally: Mapping[str, int] = moment.event.tally
        pro, contra = (
            sum(votes for choice, votes in tally.items() if (choice in FOR) is side) for side in (True, False)
        )
        turned = pro - 1 <= contra + 1 if pro > contra else pro + 1 > contra - 1
        if pro and contra and turned:
            yield Mention("close", f"{what}, {pro} to {contra}", (about,))

    def _betrayals(self, moment: Moment, about: str | None = None) -> Iterator[Mark]:
        for voter, choice in moment.event.votes.items():
            against = (about if choice in FOR else None) if about else choice
            if against is not None and self._partners(moment.before, voter, against):
                yield Mention("betrayal", f"{voter} votes against a partner, {against}", (voter, against))

    @staticmethod
    def _partners(state: MafiaState, one: str, other: str) -> bool:
        return one != other and state.roles.get(one) == "Mafia" == state.roles.get(other)

    handlers = {
        events.DeathsAnnounced: announced,
        events.PlayerExecuted: executed,
        events.SpeechGiven: spoke,
        events.RepliesHeard: overheard,
        ReplyAccepted: voted,
        FallbackApplied: voted,
        events.MafiaBallotClosed: killed,
        events.NominationMade: nominated,
        events.SecondingClosed: seconded,
        events.TrialClosed: tried,
        events.ExecutionVoteClosed: judged,
    }


def _named(what: str, number: int, round_: int) -> str:
    return f"{what} {number}, revote {round_}" if round_ else f"{what} {number}"


def _second(day: int, nominee: str | None) -> str:
    return f"seconding {nominee}, day {day}"


def _judgement(day: int, condemned: str | None) -> str:
    return f"execution of {condemned}, day {day}"


def _open_second(state: MafiaState) -> tuple[str, str | None]:
    nominee = state.pending[1] if state.pending else None
    return _second(state.number, nominee), nominee


BALLOTS: Mapping[Any, Any] = {
    Kill: lambda state: (_named("night", state.number, state.night.round), None),
    Second: _open_second,
    TrialVote: lambda state: (_named("trial", state.number, state.trial_round), None),
    ExecutionVote: lambda state: (_judgement(state.number, state.condemned), state.condemned),
}
"""The name of an open ballot as it will be counted, and whom it is about."""


def _vote(voter: str, choice: str, ballot: str, about: str | None) -> Vote:
    return Vote(voter, (about if choice in FOR else None) if about else choice, choice, ballot)


def _votes(event: Any, ballot: str, about: str | None = None) -> Iterable[Mark]:
    return (_vote(voter, choice, ballot, about) for voter, choice in event.votes.items())


def _both(event: events.NominationMade) -> tuple[str, ...]:
    return (event.player, event.nominee or "")


def _claimed(claim: Claim, says: str) -> str:
    """A claim in a few words: Nora claims to be the Doctor."""
    if claim.of_oneself:
        being = article(claim.fact[2])
        return f"{claim.by} denies being {being}" if claim.denied else f"{claim.by} claims to be {being}"
    return f"{claim.by} denies that {says}" if claim.denied else f"{claim.by} says that {says}"
