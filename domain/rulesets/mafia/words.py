"""How each event of a Mafia game is told. Nothing here uses more than the event and the chair."""

from __future__ import annotations

from collections.abc import Mapping

from domain import events as core
from domain.events import Event
from domain.piece import Chair, Grid, Heading, Mood, Piece, Tell, Voice, counted, line, named, names, says, spoken
from domain.rulesets.mafia import events
from domain.rulesets.mafia.events import NARRATOR, TOWN_HALL, Role
from domain.rulesets.mafia.phrases import ROLE_TEXT, article
from domain.rulesets.mafia.state import MafiaOptions, MafiaState
from domain.words import opening, seated

OWN, MAFIA = "only you", "only the Mafia"

SIDES: Mapping[Role, events.Winner] = {
    "Detective": "town",
    "Doctor": "town",
    "Villager": "town",
    "Mafia": "mafia",
    "Jester": "jester",
}
MOODS: Mapping[str, Mood] = {"town": "good", "mafia": "bad", "jester": "odd", "draw": ""}
"""The colour of each side."""
RESULTS: Mapping[events.Winner, str] = {
    "town": "The town wins.",
    "mafia": "The Mafia win.",
    "jester": "The Jester wins alone.",
    "draw": "A draw.",
}
SECTIONS: Mapping[events.Phase, tuple[str, str]] = {
    "discussion": ("Discussion", "The discussion of day {} begins."),
    "nominations": ("The town hall", "The town hall of day {} opens: nominations."),
    "defence": ("Defence", "The defence of day {} begins."),
    "trial": ("Trial", "The trial of day {} begins."),
    "gallows": ("The gallows", "Day {}: the gallows."),
    "aftermath": ("Aftermath", "Day {}: the aftermath."),
}
NIGHT = "Night {night}: "


def _opened(event: core.GameOpened, chair: Chair) -> Piece:
    players = tuple(seat for seat in event.seats if seat != NARRATOR)
    counts = event.options.get("role_counts") or {}
    dealt = ", ".join(
        f"{number} {role}{'s' if number > 1 and role != 'Mafia' else ''}" for role, number in counts.items() if number
    )
    lead = f"A game of Mafia begins.\n{len(players)} players: {seated(players, chair)}."
    lead += f"\nRoles in play: {dealt}." if dealt else ""
    lead += "\nYou are the narrator." if chair.owns(NARRATOR) else ""
    return opening(event, chair, MafiaOptions, lead=lead, without=("role_counts",))


def _dealt(event: events.RoleDealt, chair: Chair) -> Piece:
    if not chair.owns(event.player):
        return Piece(f"{named(event.player)} is {article(event.role)}.", private=OWN)
    return Piece(
        f"You are {article(event.role)}.",
        "card",
        note=ROLE_TEXT[event.role],
        private=OWN,
        mood=MOODS[SIDES[event.role]],
        weight=2,
    )


def _introduced(event: events.MafiaIntroduced, chair: Chair) -> Piece:
    if len(event.members) > 1:
        return Piece(f"The Mafia are {names(event.members)}.", private=MAFIA)
    alone = chair.owns(event.members[0])
    return Piece("You are the only Mafia." if alone else f"The only Mafia is {names(event.members)}.", private=OWN)


def _heard(event: events.RepliesHeard, chair: Chair) -> Piece:
    voices = tuple(Voice(player, text) for player, text in event.replies.items())
    hears = "You overhear" if chair.owns(NARRATOR) else "The narrator hears"
    return Piece(f"{hears} ({event.about.replace('-', ' ')}):", words=voices, private=OWN)


def _phase(event: events.PhaseBegan, chair: Chair) -> Piece | None:
    number = {"number": event.number}
    match event.phase:
        case "night":
            heading = Heading(f"Night {event.number}", 2, "night")
            return Piece(f"Night {event.number} falls.", "heading", chapter=heading, numbers=number)
        case "dawn":
            heading = Heading(f"Day {event.number}", 2, "day")
            return Piece(f"Day {event.number} breaks.", "heading", chapter=heading, numbers=number)
        case phase if phase in SECTIONS:
            title, lead = SECTIONS[phase]
            heading = Heading(title, 3, within=f"Day {event.number}")
            return Piece(lead.format(event.number), "heading", chapter=heading, numbers=number)
    return None


def _investigated(event: events.PlayerInvestigated, chair: Chair) -> Piece:
    who = chair.you(event.detective, "You")
    lead = f"Night {event.night}: {who} investigated {named(event.target)}, who is {article(event.role)}."
    if not chair.owns(event.detective):
        return Piece(lead, private=OWN)
    return Piece(lead, "card", private=OWN, mood=MOODS[SIDES[event.role]])


def _whispered(event: events.MafiaWhispered, chair: Chair) -> Piece:
    who = f"Night {event.night}: {chair.you(event.player, 'You')}"
    if event.text is None:
        return Piece(f"{who} had nothing to say to the other Mafia.", who=event.player, private=MAFIA)
    words = spoken(event.player, event.text)
    return Piece(f"{who} said to the other Mafia:", who=event.player, words=words, private=MAFIA)


def _mafia_counted(event: events.MafiaBallotClosed, chair: Chair) -> Piece:
    drawn = ", drawn by lot" if event.drawn else ""
    return Piece(
        f"The target is {named(event.target)}{drawn}." if event.target else "A tie; the Mafia vote again.",
        "ballot",
        title=f"Night {event.night}: the Mafia vote",
        grid=counted(event.votes, event.tally, seats=True),
        numbers=event.tally,
        private=MAFIA,
    )


def _deaths(event: events.DeathsAnnounced, chair: Chair) -> Piece:
    if not event.deaths:
        return Piece("Nobody died in the night.", weight=2)
    return Piece(f"{names(event.deaths)} died in the night.", "death", mood="bad", weight=2)


def _revealed(event: events.RoleRevealed, chair: Chair) -> Piece:
    lead = f"{named(event.player)} was {article(event.role)}."
    return Piece(lead, "card", mood=MOODS[SIDES[event.role]], weight=2)


def _called(event: events.SpeakerChosen, chair: Chair) -> Piece:
    hall = event.choice == TOWN_HALL
    lead = "The narrator calls the town hall" if hall else f"The narrator calls on {named(event.choice)}"
    to = () if hall else (event.choice,)
    words = spoken(NARRATOR, event.words)
    return Piece(f"{lead}{':' if words else '.'}", "call", NARRATOR, to, words)


def _bids(event: events.BidsClosed, chair: Chair) -> Piece:
    bids = ", ".join(f"{named(player)} {bid}" for player, bid in event.bids.items() if bid)
    return Piece(f"Bids for the floor: {bids or 'none'}.", private=OWN, numbers=event.bids)


def _floor(event: events.FloorGiven, chair: Chair) -> Piece:
    if event.choice == TOWN_HALL:
        return Piece("The town hall is called.", "call")
    return Piece(f"{named(event.choice)} has the floor.", "call", to=(event.choice,))


SPEECHES: Mapping[events.Occasion, Tell] = {
    "discussion": says("{player:name} says:"),
    "defence": says("{player:name} says in defence:", note="in defence"),
    "final": says("{player:name} says as last words:", note="last words"),
}


def _nominated(event: events.NominationMade, chair: Chair) -> Piece:
    if event.nominee is None:
        return Piece(f"{named(event.player)} passes.", who=event.player)
    words = spoken(event.player, event.words)
    end = ":" if words else "."
    return Piece(f"{named(event.player)} nominates {named(event.nominee)}{end}", who=event.player, words=words)


def _seconded(event: events.SecondingClosed, chair: Chair) -> Piece:
    return Piece(
        f"{named(event.nominee)} {'stands trial' if event.seconded else 'is not seconded'}.",
        "ballot",
        title=f"Seconding {named(event.nominee)}, nominated by {named(event.nominator)}",
        grid=counted(event.votes, event.tally),
        numbers=event.tally,
    )


def _tried(event: events.TrialClosed, chair: Chair) -> Piece:
    after = "the town votes again among them" if event.again else "nobody is condemned"
    tie = f"A tie between {names(event.tied)}; {after}."
    return Piece(
        f"{named(event.condemned)} is condemned." if event.condemned else tie,
        "ballot",
        title=f"Trial, revote {event.round}" if event.round else "Trial",
        grid=counted(event.votes, event.tally, seats=True),
        numbers=event.tally,
    )


def _voted_on_execution(event: events.ExecutionVoteClosed, chair: Chair) -> Piece:
    return Piece(
        f"{named(event.condemned)} {'is to be executed' if event.executed else 'is spared'}.",
        "ballot",
        title="Execution",
        grid=counted(event.votes, event.tally),
        numbers=event.tally,
    )


def _ended(event: events.GameEnded, chair: Chair) -> Piece:
    state = chair.state if isinstance(chair.state, MafiaState) else None
    rows = []
    for player, role in event.roles.items():
        won = "won" if SIDES[role] == event.winner else ""
        fate = (state.dead.get(player, "survived"), str(state.died.get(player, ""))) if state else ()
        rows.append((chair.listed(player), role, *fate, won))
    header = ("Player", "Role", "Fate", "Day", "Result") if state else ("Player", "Role", "Result")
    return Piece(
        f"{RESULTS[event.winner]} {event.reason}",
        "ending",
        title="The game is over",
        chapter=Heading("The end"),
        mood=MOODS[event.winner],
        weight=2,
        grid=Grid(header, tuple(rows)),
    )


WORDS: Mapping[type[Event], Tell] = {
    core.GameOpened: _opened,
    events.RoleDealt: _dealt,
    events.MafiaIntroduced: _introduced,
    events.NarrationGiven: says("The narrator says:", kind="narration"),
    events.RepliesHeard: _heard,
    events.PhaseBegan: _phase,
    events.DawnHeld: line("Dawn no earlier than {until:%H:%M:%S}.", private=""),
    events.PlayerProtected: line(NIGHT + "{doctor:You} protected {target:name}.", private=OWN),
    events.PlayerInvestigated: _investigated,
    events.MafiaWhispered: _whispered,
    events.MafiaBallotClosed: _mafia_counted,
    events.NightResolved: line(NIGHT + "{target:name} was {cause}.", private=OWN),
    events.DeathsAnnounced: _deaths,
    events.RoleRevealed: _revealed,
    events.SpeakerChosen: _called,
    events.BidsClosed: _bids,
    events.FloorGiven: _floor,
    events.SpeechGiven: lambda event, chair: SPEECHES[event.occasion](event, chair),
    events.NominationMade: _nominated,
    events.SecondingClosed: _seconded,
    events.TrialClosed: _tried,
    events.ExecutionVoteClosed: _voted_on_execution,
    events.PlayerExecuted: line("{player:name} is executed.", kind="death", mood="bad", weight=2),
    events.GameEnded: _ended,
}


def tell(event: Event, chair: Chair) -> Piece | None:
    """An event of a game, told to a chair; None where it needs no telling."""
    told = WORDS.get(type(event))
    return told(event, chair) if told else event.tell(chair)
