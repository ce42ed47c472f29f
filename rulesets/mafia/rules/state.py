"""The state of a Mafia game.

The same state serves the full log and any seat's view of it: what a view has not seen is empty or None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Self

from sottovoce import NOTHING, Growing, Table
from sottovoce.rulesets.mafia.rules.claims import claims
from sottovoce.rulesets.mafia.rules.options import DEFAULTS, MafiaOptions
from sottovoce.rulesets.mafia.rules.roles import Role

if TYPE_CHECKING:
    from sottovoce.rulesets.mafia.rules.events.night import MafiaBallotClosed, MafiaWhispered, NightResolved

Phase = Literal[
    "setup", "night", "dawn", "discussion", "nominations", "defence", "trial", "gallows", "aftermath", "over"
]

NO_SPEECHES: Growing[tuple[str, str | None]] = Growing()
NO_CLAIMS: Growing[tuple[int, str, str]] = Growing()


@dataclass(frozen=True, slots=True)
class Night:
    """What is known of the present night."""

    protected: str | None = None
    investigated: bool = False
    target: str | None = None
    round: int = 0
    held_until: datetime | None = None
    talked: int = 0
    """How many turns the Mafia have had to talk."""

    def but(self, **changes: Any) -> Self:
        """The same night with something more known of it."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class CountedBallot:
    """A ballot as it was counted and published."""

    kind: str
    day: int
    about: str | None
    votes: Mapping[str, str]
    tally: Mapping[str, int]
    outcome: str | None


class MafiaState(Table, frozen=True):
    """A Mafia game as far as it is known here.

    `players` are in seating order, the narrator apart. `roles` are the roles known here, `revealed` the public ones.
    `dead` maps each dead player to how they died, in order of death. `floor` is who was last given the
    floor and has not spoken yet.
    `pending` is a nomination not yet seconded, by nominator and nominee, and `charge` the words it was made with.
    """

    options: MafiaOptions = DEFAULTS
    players: tuple[str, ...] = ()
    roles: Mapping[str, Role] = NOTHING
    mafia: tuple[str, ...] = ()
    revealed: Mapping[str, Role] = NOTHING
    dead: Mapping[str, str] = NOTHING
    phase: Phase = "setup"
    number: int = 0
    narrated: str | None = None
    opening: str | None = None
    last_deaths: tuple[str, ...] = ()
    died: Mapping[str, int] = NOTHING
    """On which day each dead player died, or was found dead."""
    claims: Growing[tuple[int, str, str]] = NO_CLAIMS
    """What has been said of roles, each with its day and speaker."""
    night: Night = Night()
    resolved: NightResolved | None = None
    protections: tuple[tuple[int, str], ...] = ()
    investigations: tuple[tuple[int, str, Role], ...] = ()
    whispers: tuple[MafiaWhispered, ...] = ()
    mafia_ballots: tuple[MafiaBallotClosed, ...] = ()
    floor: str | None = None
    speeches: Growing[tuple[str, str | None]] = NO_SPEECHES
    asked: tuple[str, ...] = ()
    nominated: tuple[str, ...] = ()
    pending: tuple[str, str] | None = None
    charge: str | None = None
    nominees: tuple[str, ...] = ()
    introduced: str | None = None
    defences: Mapping[str, str | None] = NOTHING
    candidates: tuple[str, ...] = ()
    trial_round: int = 0
    condemned: str | None = None
    final_speech: tuple[str | None] | None = None
    verdict: bool | None = None
    history: tuple[CountedBallot, ...] = ()

    @property
    def living(self) -> tuple[str, ...]:
        """Living players in seating order."""
        dead = self.dead
        return tuple([player for player in self.players if player not in dead]) if dead else self.players

    @property
    def living_mafia(self) -> tuple[str, ...]:
        dead = self.dead
        return tuple([player for player in self.players if player in self.mafia and player not in dead])

    @property
    def most_speeches(self) -> int:
        """The day's bound on speeches (M-061)."""
        limit = self.options.max_speeches
        return 3 * len(self.living) if limit is None else limit

    @property
    def defendant(self) -> str | None:
        """The nominee whose defence is next (M-074)."""
        return next((nominee for nominee in self.nominees if nominee not in self.defences), None)

    @property
    def next_to_nominate(self) -> str | None:
        """Whose nomination turn is next, if anybody has one left today (M-062)."""
        asked = self.asked
        return next((player for player in self.living if player not in asked), None)

    def holder(self, role: Role) -> str | None:
        """The living holder of a role that at most one player has, as far as known."""
        return next((player for player in self.living if self.roles.get(player) == role), None)

    # what several events do to it

    def with_role(self, player: str, role: Role, **changes: Any) -> Self:
        """With that player's role known here."""
        return self.but(roles={**self.roles, player: role}, **changes)

    def with_claims(self, player: str, text: str | None) -> Self:
        """With what a player has said aloud of roles."""
        said = claims(text, self.players)
        kept = self.claims
        for words in said:
            kept = kept.and_then((self.number, player, words))
        return self.but(claims=kept) if said else self

    def with_death(self, players: tuple[str, ...], how: str, day: int, **changes: Any) -> Self:
        """With these players dead."""
        dead, died = {**self.dead, **dict.fromkeys(players, how)}, {**self.died, **dict.fromkeys(players, day)}
        return self.but(dead=dead, died=died, **changes)

    def after_ballot(self, **changes: Any) -> Self:
        """With the ballot forgotten that has been counted; there is never more than one."""
        return self.but(ballots=NOTHING, replies=NOTHING, **changes)

    def with_count(self, count: CountedBallot, **changes: Any) -> Self:
        """With a ballot of the town counted."""
        return self.after_ballot(history=(*self.history, count), **changes)
