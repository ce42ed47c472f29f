"""What players do in public that may tell their roles apart: each act, or each chance of it that was not taken.

A belief weighs these and nothing else (`belief`). Acts after the first claim to be the Detective are kept apart: from
then on they echo the claim.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sottovoce.rulesets.mafia.house.memory import Memory


class Act(NamedTuple):
    """What `actor` did or, where `done` is false, could have done to `target`; None where it is done to nobody.

    `after` says that somebody had claimed to be the Detective by then.
    """

    kind: str
    after: bool
    actor: str
    target: str | None
    done: bool


KINDS = {
    "accuses": "speaks against somebody, in a day",
    "vouches": "speaks for somebody, in a day",
    "nominates": "nominates somebody who was not nominated yet",
    "seconds": "votes yes on somebody else's nomination",
    "votes": "votes for somebody at a trial of two or more",
    "executes": "votes to execute somebody who is condemned",
    "outlives": "is alive when somebody who was against them dies in the night",
    "claims": "is the first to claim to be the Detective",
    "contradicts": "claims to be the Detective after somebody else did, having spoken since",
    "doctor": "claims to be the Doctor",
    "damns": "says, as a Detective, that somebody is Mafia; the other results are the chances not taken",
    "invites": "says what can be taken for guilt",
}
"""Every kind of act, and what it is."""
ONCE = frozenset({"claims", "doctor", "invites"})
"""Kinds that are counted once for each player of a game, and whose absence tells nothing yet."""

_ORDER = {"discussion": 0, "charge": 1, "seconding": 2, "defence": 3, "trial": 4, "final": 5, "execution": 6}


class _Course:
    """The days of a game, as far as acts ask for them."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.first = memory.first_claim
        self._alive: dict[int, list[str]] = {}

    def alive(self, day: int) -> list[str]:
        """Who lived through the morning of that day, in seating order."""
        if day not in self._alive:
            fallen = self.memory.fallen
            self._alive[day] = [
                player
                for player in self.memory.players
                if player not in fallen or fallen[player][0] > day or fallen[player] == (day, "rope")
            ]
        return self._alive[day]

    def after(self, day: int, occasion: str) -> bool:
        """Whether somebody had claimed to be the Detective by then."""
        if self.first is None:
            return False
        _, when, where = self.first
        return (day, _ORDER[occasion]) >= (when, _ORDER.get(where, 0))


def acts(memory: Memory) -> list[Act]:
    """Every public act of the game so far."""
    course = _Course(memory)
    return [
        *_spoken(course),
        *_nominated(course),
        *_balloted(course),
        *_outlived(course),
        *_claimed(course),
        *_found(course),
    ]


def _spoken(course: _Course) -> Iterator[Act]:
    memory = course.memory
    spoke: dict[int, dict[str, None]] = {}
    for speech in memory.speeches:
        if speech.text:
            spoke.setdefault(speech.day, {})[speech.player] = None
    against, kind_to = set(memory.accusations), set(memory.vouchings)
    for day, speakers in spoke.items():
        after = course.after(day, "discussion")
        alive = course.alive(day)
        for who in speakers:
            for about in alive:
                if about != who:
                    yield Act("accuses", after, who, about, (day, who, about) in against)
                    yield Act("vouches", after, who, about, (day, who, about) in kind_to)
    for who in {speech.player: None for speech in memory.speeches if speech.heard.inviting}:
        yield Act("invites", False, who, None, True)


def _nominated(course: _Course) -> Iterator[Act]:
    taken: dict[int, set[str]] = {}
    for made in course.memory.nominations:
        seen = taken.setdefault(made.day, set())
        after = course.after(made.day, "charge")
        for about in course.alive(made.day):
            if about != made.player and about not in seen:
                yield Act("nominates", after, made.player, about, about == made.nominee)
        if made.nominee:
            seen.add(made.nominee)


def _balloted(course: _Course) -> Iterator[Act]:
    memory = course.memory
    tried: dict[int, list[str]] = {}
    for ballot in memory.secondings:
        if ballot.seconded:
            tried.setdefault(ballot.day, []).append(ballot.nominee)
        after = course.after(ballot.day, "seconding")
        for voter, vote in ballot.votes.items():
            if voter not in (ballot.nominee, ballot.nominator):
                yield Act("seconds", after, voter, ballot.nominee, vote == "yes")
    for trial in memory.trials:
        names = tried.get(trial.day, [])
        if trial.round or len(names) < 2:
            continue
        after = course.after(trial.day, "trial")
        for voter, choice in trial.votes.items():
            for about in names:
                if about != voter:
                    yield Act("votes", after, voter, about, choice == about)
    for verdict in memory.verdicts:
        after = course.after(verdict.day, "execution")
        for voter, choice in verdict.votes.items():
            yield Act("executes", after, voter, verdict.condemned, choice == "execute")


def _outlived(course: _Course) -> Iterator[Act]:
    memory = course.memory
    against = {(by, about) for _, by, about in memory.accusations}
    against |= {(voter, choice) for trial in memory.trials for voter, choice in trial.votes.items()}
    for victim, (day, how) in memory.fallen.items():
        if how == "night":
            after = course.first is not None and day > course.first[1]
            for who in course.alive(day):
                yield Act("outlives", after, who, None, (victim, who) in against)


def _claimed(course: _Course) -> Iterator[Act]:
    memory = course.memory
    for who, (role, _) in memory.claims.items():
        if role == "Doctor":
            yield Act("doctor", False, who, None, True)
    if course.first is None:
        return
    first, when, _ = course.first
    yield Act("claims", False, first, None, True)
    since: dict[str, None] = {}
    seen = False
    for speech in memory.speeches:
        seen = seen or (speech.player == first and speech.day == when and speech.heard.claim == "Detective")
        if seen and speech.player != first and speech.text:
            since[speech.player] = None
    for who in since:
        yield Act("contradicts", True, who, None, memory.claims.get(who, ("",))[0] == "Detective")


def _found(course: _Course) -> Iterator[Act]:
    memory = course.memory
    told: dict[tuple[str, str], bool] = {}
    for said in memory.statements:
        if memory.claims.get(said.by, ("",))[0] == "Detective":
            told[said.by, said.about] = said.hostile
    for (by, about), hostile in told.items():
        yield Act("damns", True, by, about, hostile)
