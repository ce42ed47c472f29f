"""The state of a Mafia game, and its fold.

The same state serves the full log and any seat's view of it: what a view has not seen is empty or None. The fold
concludes nothing; every death, tally and phase is taken from an event's data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from domain.events import Event, GameOpened
from domain.growing import Growing
from domain.ruleset import Options
from domain.rulesets.mafia import events
from domain.rulesets.mafia.claims import claims
from domain.rulesets.mafia.events import NARRATOR, TOWN_HALL, Phase, Role
from domain.turns import CORE_EVOLVE, NOTHING, Table

Count = Annotated[int, Field(ge=0, le=1000)]


class MafiaOptions(Options):
    """The rules options of Mafia, each with its default."""

    role_counts: dict[Role, Count] | None = Field(default=None, description="how many of each role are dealt (M-005)")
    max_attempts: int = Field(default=3, ge=1, le=100, description="attempts per turn, the first included (M-019)")
    turn_seconds: float | None = Field(
        default=None, gt=0, le=1e6, description="time limit of each attempt; none by default"
    )
    doctor_repeat: bool = Field(
        default=True, description="the Doctor may protect the same player twice running (M-036)"
    )
    night_talk: Count = Field(default=1, description="rounds in which the Mafia talk before they vote (M-112)")
    mafia_revote_rounds: Count = Field(default=3, description="revotes of the Mafia after a tied ballot (M-046)")
    trial_revote_rounds: Count = Field(default=3, description="revotes after a tied trial (M-080)")
    reveal_role_on_night_death: bool = Field(default=False, description="announce a night victim's role (M-054)")
    night_seconds: float = Field(default=0, ge=0, le=1e6, description="how long a night lasts at least (M-111)")
    floor: Literal["narrator", "bids"] = Field(
        default="narrator", description="who says who speaks next: the narrator, or the players' bids (M-114)"
    )
    max_speeches: int | None = Field(
        default=None, ge=0, le=1_000_000, description="speeches per day; three per living player (M-061)"
    )
    check_after_night: bool = Field(default=True, description="check for a winner at dawn too (M-093)")
    max_days: int | None = Field(default=None, ge=1, description="a draw after that many days; unlimited (M-101)")


DEFAULTS = MafiaOptions()
UNSAID: Mapping[str, Any] = {"night_talk": 0}
"""What an option means in an opening that does not name it, where that is not its default: games opened before there
was such an option go on as they began."""
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


@dataclass(frozen=True, slots=True)
class CountedBallot:
    """A ballot as it was counted and published."""

    kind: str
    day: int
    about: str | None
    votes: Mapping[str, str]
    tally: Mapping[str, int]
    outcome: str | None


@dataclass(frozen=True)
class MafiaState(Table):
    """A Mafia game as far as it is known here.

    `players` are in seating order, the narrator apart. `roles` are the roles known here, `revealed` the public ones.
    `dead` maps each dead player to how they died, in order of death. `floor` is who was last given the
    floor and has not spoken yet.
    `pending` is a nomination not yet seconded, by nominator and nominee, and `charge` the words it was made with.
    """

    options: MafiaOptions = DEFAULTS
    players: tuple[str, ...] = ()
    roles: Mapping[str, Role] = field(default_factory=lambda: NOTHING)
    mafia: tuple[str, ...] = ()
    revealed: Mapping[str, Role] = field(default_factory=lambda: NOTHING)
    dead: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    phase: Phase = "setup"
    number: int = 0
    narrated: str | None = None
    opening: str | None = None
    last_deaths: tuple[str, ...] = ()
    died: Mapping[str, int] = field(default_factory=lambda: NOTHING)
    """On which day each dead player died, or was found dead."""
    claims: Growing[tuple[int, str, str]] = NO_CLAIMS
    """What has been said of roles, each with its day and speaker."""
    night: Night = Night()
    resolved: events.NightResolved | None = None
    protections: tuple[tuple[int, str], ...] = ()
    investigations: tuple[tuple[int, str, Role], ...] = ()
    whispers: tuple[events.MafiaWhispered, ...] = ()
    mafia_ballots: tuple[events.MafiaBallotClosed, ...] = ()
    floor: str | None = None
    speeches: Growing[tuple[str, str | None]] = NO_SPEECHES
    asked: tuple[str, ...] = ()
    nominated: tuple[str, ...] = ()
    pending: tuple[str, str] | None = None
    charge: str | None = None
    nominees: tuple[str, ...] = ()
    introduced: str | None = None
    defences: Mapping[str, str | None] = field(default_factory=lambda: NOTHING)
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

    def holder(self, role: Role) -> str | None:
        """The living holder of a role that at most one player has, as far as known."""
        return next((player for player in self.living if self.roles.get(player) == role), None)


def _opened(state: MafiaState, event: GameOpened) -> MafiaState:
    players = tuple(seat for seat in event.seats if seat != NARRATOR)
    options = MafiaOptions.model_validate({**UNSAID, **event.options})
    return state.but(seats=event.seats, players=players, options=options)


def _dealt(state: MafiaState, event: events.RoleDealt) -> MafiaState:
    mafia = (*state.mafia, event.player) if event.role == "Mafia" else state.mafia
    return state.but(roles={**state.roles, event.player: event.role}, mafia=mafia)


def _introduced(state: MafiaState, event: events.MafiaIntroduced) -> MafiaState:
    return state.but(mafia=event.members, roles={**state.roles, **dict.fromkeys(event.members, "Mafia")})


def _narrated(state: MafiaState, event: events.NarrationGiven) -> MafiaState:
    if event.scene == "opening":
        return state.but(narrated=event.text, opening=event.text)
    if event.scene == "introduction":
        return state.but(narrated=event.text, introduced=event.subject)
    return state.but(narrated=event.text)


NEW_NIGHT: dict[str, Any] = {
    "night": Night(),
    "resolved": None,
    "ballots": NOTHING,
    "replies": NOTHING,
    "nominees": (),
    "candidates": (),
    "condemned": None,
    "final_speech": None,
    "verdict": None,
}
NEW_DISCUSSION: dict[str, Any] = {"floor": None, "speeches": NO_SPEECHES}
NEW_NOMINATIONS: dict[str, Any] = {
    "floor": None,
    "asked": (),
    "nominated": (),
    "pending": None,
    "charge": None,
    "nominees": (),
    "introduced": None,
    "defences": NOTHING,
}


def _heard(state: MafiaState, event: events.RepliesHeard) -> MafiaState:
    return state


def _phase(state: MafiaState, event: events.PhaseBegan) -> MafiaState:
    changes: dict[str, Any] = {}
    match event.phase:
        case "night":
            changes = NEW_NIGHT
        case "discussion":
            changes = NEW_DISCUSSION
        case "nominations":
            changes = NEW_NOMINATIONS
        case "trial":
            changes = {"candidates": state.nominees, "trial_round": 0}
    return state.but(phase=event.phase, number=event.number, narrated=None, **changes)


def _held(state: MafiaState, event: events.DawnHeld) -> MafiaState:
    night = state.night
    return state.but(night=replace(night, held_until=event.until))


def _protected(state: MafiaState, event: events.PlayerProtected) -> MafiaState:
    night = state.night
    return state.but(
        night=replace(night, protected=event.target),
        protections=(*state.protections, (event.night, event.target)),
    )


def _investigated(state: MafiaState, event: events.PlayerInvestigated) -> MafiaState:
    night = state.night
    return state.but(
        night=replace(night, investigated=True),
        investigations=(*state.investigations, (event.night, event.target, event.role)),
        roles={**state.roles, event.target: event.role},
    )


def _whispered(state: MafiaState, event: events.MafiaWhispered) -> MafiaState:
    night = state.night
    return state.but(night=replace(night, talked=night.talked + 1), whispers=(*state.whispers, event))


def _mafia_counted(state: MafiaState, event: events.MafiaBallotClosed) -> MafiaState:
    night = state.night
    return state.without_ballot(
        f"mafia.{event.night}.{event.round}",
        night=replace(night, target=event.target, round=event.round + 1),
        mafia_ballots=(*state.mafia_ballots, event),
    )


def _resolved(state: MafiaState, event: events.NightResolved) -> MafiaState:
    return state.but(resolved=event)


def _deaths(state: MafiaState, event: events.DeathsAnnounced) -> MafiaState:
    dead = {**state.dead, **dict.fromkeys(event.deaths, "killed in the night")}
    died = {**state.died, **dict.fromkeys(event.deaths, event.day)}
    return state.but(dead=dead, died=died, last_deaths=event.deaths)


def _revealed(state: MafiaState, event: events.RoleRevealed) -> MafiaState:
    return state.but(
        revealed={**state.revealed, event.player: event.role}, roles={**state.roles, event.player: event.role}
    )


def _speaker(state: MafiaState, event: events.SpeakerChosen) -> MafiaState:
    return state.but(floor=event.choice)


def _bids_closed(state: MafiaState, event: events.BidsClosed) -> MafiaState:
    return state


def _floor_given(state: MafiaState, event: events.FloorGiven) -> MafiaState:
    return state.without_ballot(bids_ballot(event.day, event.round), floor=event.choice)


def bids_ballot(day: int, round_: int) -> str:
    """The name of a ballot for the floor; `round_` counts the day's speeches before it."""
    return f"bids.{day}.{round_}"


def _claiming(state: MafiaState, player: str, text: str | None) -> MafiaState:
    kept = state.claims
    for words in claims(text, state.players):
        kept = kept.and_then((state.number, player, words))
    return state if kept is state.claims else state.but(claims=kept)


def _speech(state: MafiaState, event: events.SpeechGiven) -> MafiaState:
    state = _claiming(state, event.player, event.text)
    match event.occasion:
        case "discussion":
            return state.but(floor=None, speeches=state.speeches.and_then((event.player, event.text)))
        case "defence":
            return state.but(defences={**state.defences, event.player: event.text}, introduced=None)
        case "final":
            return state.but(final_speech=(event.text,))


def _nominated(state: MafiaState, event: events.NominationMade) -> MafiaState:
    state = _claiming(state, event.player, event.words)
    asked = (*state.asked, event.player)
    if event.nominee is None:
        return state.but(asked=asked)
    return state.but(
        asked=asked,
        pending=(event.player, event.nominee),
        charge=event.words,
        nominated=(*state.nominated, event.nominee),
    )


def _seconded(state: MafiaState, event: events.SecondingClosed) -> MafiaState:
    nominees = (*state.nominees, event.nominee) if event.seconded else state.nominees
    count = CountedBallot(
        "seconding", event.day, event.nominee, event.votes, event.tally, "yes" if event.seconded else "no"
    )
    return state.without_ballot(
        f"second.{event.day}.{event.nominee}",
        pending=None,
        charge=None,
        nominees=nominees,
        history=(*state.history, count),
    )


def _tried(state: MafiaState, event: events.TrialClosed) -> MafiaState:
    count = CountedBallot("trial", event.day, None, event.votes, event.tally, event.condemned)
    return state.without_ballot(
        f"trial.{event.day}.{event.round}",
        condemned=event.condemned,
        candidates=event.tied if event.again else (),
        trial_round=event.round + 1,
        history=(*state.history, count),
    )


def _voted_on_execution(state: MafiaState, event: events.ExecutionVoteClosed) -> MafiaState:
    outcome = "execute" if event.executed else "spare"
    count = CountedBallot("execution", event.day, event.condemned, event.votes, event.tally, outcome)
    return state.without_ballot(f"execution.{event.day}", verdict=event.executed, history=(*state.history, count))


def _executed(state: MafiaState, event: events.PlayerExecuted) -> MafiaState:
    died = {**state.died, event.player: event.day}
    return state.but(dead={**state.dead, event.player: "executed"}, died=died)


def _ended(state: MafiaState, event: events.GameEnded) -> MafiaState:
    return state.but(phase="over", over=True, winner=event.winner, roles=event.roles, revealed=event.roles)


MAFIA_EVOLVE: Mapping[type[Event], Callable[[MafiaState, Any], MafiaState]] = {
    **CORE_EVOLVE,
    GameOpened: _opened,
    events.RoleDealt: _dealt,
    events.MafiaIntroduced: _introduced,
    events.NarrationGiven: _narrated,
    events.RepliesHeard: _heard,
    events.PhaseBegan: _phase,
    events.DawnHeld: _held,
    events.PlayerProtected: _protected,
    events.PlayerInvestigated: _investigated,
    events.MafiaWhispered: _whispered,
    events.MafiaBallotClosed: _mafia_counted,
    events.NightResolved: _resolved,
    events.DeathsAnnounced: _deaths,
    events.RoleRevealed: _revealed,
    events.SpeakerChosen: _speaker,
    events.BidsClosed: _bids_closed,
    events.FloorGiven: _floor_given,
    events.SpeechGiven: _speech,
    events.NominationMade: _nominated,
    events.SecondingClosed: _seconded,
    events.TrialClosed: _tried,
    events.ExecutionVoteClosed: _voted_on_execution,
    events.PlayerExecuted: _executed,
    events.GameEnded: _ended,
}

__all__ = ["MAFIA_EVOLVE", "NARRATOR", "TOWN_HALL", "MafiaOptions", "MafiaState", "Night"]
