"""How a game of Mafia is told: nights and days, the narrator, speeches, ballots, deaths, the end."""

from __future__ import annotations

from collections.abc import Mapping

from domain import events as core
from domain.events import Event
from domain.rulesets.mafia import events
from domain.rulesets.mafia.events import NARRATOR
from domain.rulesets.mafia.prompts import tell
from domain.rulesets.mafia.state import MafiaState
from projections.transcripts.shape import Grid, Heading, Kind, Piece, Shape

SECTIONS: Mapping[str, str] = {
    "discussion": "Discussion",
    "nominations": "The town hall",
    "defence": "Defence",
    "trial": "Trial",
    "gallows": "The gallows",
    "aftermath": "Aftermath",
}
WINNERS: Mapping[str, str] = {
    "town": "The town wins.",
    "mafia": "The Mafia win.",
    "jester": "The Jester wins.",
    "draw": "Nobody wins.",
}

PRIVATE = (
    core.SeatsFilled,
    core.GameForked,
    core.ReplyAccepted,
    core.AttemptFailed,
    core.FallbackApplied,
    core.TurnWithdrawn,
    core.MessageRefused,
    core.HoldPlaced,
    core.HoldLifted,
    events.RoleDealt,
    events.MafiaIntroduced,
    events.RepliesHeard,
    events.DawnHeld,
    events.PlayerProtected,
    events.PlayerInvestigated,
    events.MafiaWhispered,
    events.MafiaBallotClosed,
    events.NightResolved,
    events.BidsClosed,
)
"""What only some may know: whoever reads one of these in their own transcript has it in confidence."""


def _heading(event: Event) -> Heading | None:
    match event:
        case events.PhaseBegan(phase="night"):
            return Heading(f"Night {event.number}", 2, "night")
        case events.PhaseBegan(phase="dawn"):
            return Heading(f"Day {event.number}", 2, "day")
        case events.PhaseBegan(phase=phase) if phase in SECTIONS:
            return Heading(SECTIONS[phase], 3)
        case events.GameEnded():
            return Heading("The end")
    return None


def _piece(event: Event, seat: str | None, full: bool) -> Piece | None:
    told = tell(event, seat)
    if told is None or isinstance(event, core.TurnOpened | events.PhaseBegan):
        return None
    lead, private = told.lead, isinstance(event, PRIVATE)
    voices: tuple[tuple[str, str], ...] = ((event.actor or "", told.words),) if told.words is not None else ()
    grid: Grid | None = None
    kind: Kind = "line"
    match event:
        case core.AttemptFailed() | core.MessageRefused():
            voices = tuple(("", words) for _, words in voices)
        case core.ReplyAccepted():
            voices = tuple(("", words) for _, words in voices)
            # What it came to is told by the event that follows; only reasons are worth a line of their own.
            if not event.text.strip() or event.text.strip() == event.choice:
                return None
        case events.NarrationGiven():
            kind = "narration"
        case events.SpeakerChosen():
            kind = "narration"
            if event.words is None or event.words.strip() == event.choice:
                lead, voices = f"{lead.removesuffix(':').removesuffix('.')}.", ()
        case events.SpeechGiven():
            kind = "speech"
        case events.NominationMade() if told.words is not None:
            kind = "speech"
        case events.MafiaWhispered():
            voices = tuple(("", words) for _, words in voices)
        case events.RepliesHeard():
            lead, voices = _overheard(event, full), tuple(() if full else event.replies.items())
        case events.SecondingClosed():
            kind, grid = "ballot", _ballot(event.votes, event.tally)
            result = "is on the list" if event.seconded else "is not on the list"
            lead = f"Seconding {event.nominee}, nominated by {event.nominator}: {event.nominee} {result}."
        case events.TrialClosed():
            kind, grid = "ballot", _ballot(event.votes, event.tally)
            tie = f"a tie between {_names(event.tied)}{', to be voted on again' if event.again else ''}."
            lead = f"Trial: {event.condemned} is condemned." if event.condemned else f"Trial: {tie}"
        case events.ExecutionVoteClosed():
            kind, grid = "ballot", _ballot(event.votes, event.tally)
            lead = f"Execution: {event.condemned} {'is to be executed' if event.executed else 'is spared'}."
        case events.MafiaBallotClosed():
            kind, grid = "ballot", _ballot(event.votes, event.tally)
            result = f"the target is {event.target}{' (drawn)' if event.drawn else ''}." if event.target else "a tie."
            lead = f"The Mafia vote: {result}"
        case events.DeathsAnnounced(deaths=deaths) if deaths:
            kind = "death"
        case events.PlayerExecuted():
            kind = "death"
        case events.GameEnded():
            roles = tuple(event.roles.items())
            kind, grid = "ending", Grid(("Player", "Role"), roles)
            lead = f"{WINNERS[event.winner]} {event.reason}"
    return Piece(kind, lead, voices, grid, private)


def _overheard(event: events.RepliesHeard, full: bool) -> str:
    about = event.about.replace("-", " ")
    if full:
        return f"The narrator hears what was said with it ({about}): {_names(tuple(event.replies))}."
    return f"You overhear ({about}):"


def _names(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def _ballot(votes: Mapping[str, str], tally: Mapping[str, int]) -> Grid:
    """A row for each choice: how many, and who."""
    rows = []
    for choice in tally:
        voters = [voter for voter, voted in votes.items() if voted == choice]
        rows.append((choice, str(tally[choice]), ", ".join(voters) or "—"))
    return Grid(("Choice", "Votes", "Voters"), tuple(rows))


def _cast(state: MafiaState, full: bool) -> Grid:
    """Everybody with the role and fate known here. The narrator has neither."""
    header = ("Player", "Role", "Fate", "Played by") if full else ("Player", "Role", "Fate")
    rows = []
    for player in state.players:
        row = (player, state.roles.get(player, "not known"), _fate(state, player))
        rows.append((*row, state.agents.get(player, "—")) if full else row)
    if full and NARRATOR in state.seats:
        rows.append((NARRATOR, "—", "—", state.agents.get(NARRATOR, "—")))
    return Grid(header, tuple(rows))


def _fate(state: MafiaState, player: str) -> str:
    if player in state.dead:
        return state.dead[player]
    return "survived" if state.over else "alive"


MAFIA_SHAPE = Shape(
    title="A game of Mafia",
    prologue="Before the first night",
    silence="Nothing was heard.",
    offices=frozenset({NARRATOR}),
    heading=_heading,
    piece=_piece,
    cast=_cast,
)
