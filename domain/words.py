"""The words for the events that every ruleset shares, and the parts of them that rulesets fill in."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import BaseModel

from domain import events as core
from domain.events import Event
from domain.piece import Chair, Heading, Piece, Tell, line, named, plainly, spoken


def opening(chair: Chair, title: str, lead: str, options: Mapping[str, object], usual: type[BaseModel]) -> Piece:
    """How the opening of a game is told: its title, who plays, and the options that are not the usual ones."""
    changed = ", ".join(f"{key}={json.dumps(value)}" for key, value in options.items() if _unusual(usual, key, value))
    note = f"Rules other than the usual: {changed}." if changed else ""
    return Piece(lead, chapter=Heading(title, 1), note=note)


def _unusual(usual: type[BaseModel], key: str, value: object) -> bool:
    field = usual.model_fields.get(key)
    return field is None or value != json.loads(json.dumps(field.get_default(call_default_factory=True)))


def opened(event: core.GameOpened, chair: Chair) -> Piece:
    """How a game opens whose ruleset does not say it in its own words."""
    title = f"A game of {event.ruleset.capitalize()}"
    return Piece(f"{title} begins.\nSeats: {seated(event.seats, chair)}.", chapter=Heading(title, 1))


def seated(seats: tuple[str, ...], chair: Chair) -> str:
    """The seats, the chair's own marked with `(you)`."""
    return ", ".join(chair.listed(seat) for seat in seats)


def _filled(event: core.SeatsFilled, chair: Chair) -> Piece:
    agents = ", ".join(f"{named(name)}: {plainly(agent)}" for name, agent in event.agents.items())
    seed = f"; seed {plainly(event.seed.text)}" if event.seed and event.seed.text else ""
    return Piece(f"Seats filled: {agents or 'as before'}{seed}.", private="")


def _asked(event: core.TurnOpened, chair: Chair) -> Piece | None:
    """A seat is told of its open turn by what it is asked, and nobody else is told of it."""
    if chair.seat is not None:
        return None
    return Piece(f"Turn {event.turn} opens for {named(event.seat)}: {event.kind}.", private="", weight=0)


def answered(event: core.ReplyAccepted, chair: Chair) -> Piece:
    """What a seat answered, which weighs something only where the events that follow do not tell as much.

    They do not tell the words that a choice came with, nor, at once, a choice that stays sealed until all have chosen.
    """
    who, text, choice = event.seat, event.text.strip(), event.choice
    words = spoken(who, text if text != choice else None)
    turn = chair.state and chair.state.turns.get((who, event.turn))
    sealed = bool(turn and turn.ballot and choice)
    told = ":" if choice is None else f": {plainly(choice)}."
    lead = f"{chair.you(who, 'You')} answered{told if choice or words else '.'}"
    return Piece(lead, "reply", who, words=words, private="", weight=1 if words or sealed else 0)


def _failed(event: core.AttemptFailed, chair: Chair) -> Piece:
    how = "refused" if event.reason == "invalid" else "failed"
    return _warning(event.seat, chair, f"attempt {event.attempt} {how}. {plainly(event.message)}", event.text)


def _refused(event: core.MessageRefused, chair: Chair) -> Piece:
    return _warning(event.seat, chair, f"refused. {plainly(event.message)}", event.text)


def _warning(seat: str, chair: Chair, what: str, text: str) -> Piece:
    lead = what[0].upper() + what[1:] if chair.owns(seat) else f"{named(seat)}: {what}"
    return Piece(lead, "warning", seat, words=spoken(seat, text), private="", mood="warn")


def _fell_back(event: core.FallbackApplied, chair: Chair) -> Piece:
    whose = "Your" if chair.owns(event.seat) else f"{named(event.seat)}'s"
    choice = f"; {plainly(event.choice)} stands in" if event.choice else ""
    lead = f"{whose} attempts ran out ({event.reason}){choice}."
    return Piece(lead, "warning", event.seat, private="", mood="warn")


def _held(event: core.HoldPlaced, chair: Chair) -> Piece:
    lead = f"Waiting for {chair.you(event.waiting_for)}: {plainly(event.why)}"
    return Piece(lead, "hold", title="The game is on hold", mood="warn")


def _voided(event: core.GameVoided, chair: Chair) -> Piece:
    lead = f"It is broken off and counts for nobody. {plainly(event.why)}"
    return Piece(lead, "hold", title="The game is void", mood="warn")


CORE_WORDS: Mapping[type[Event], Tell] = {
    core.GameOpened: opened,
    core.SeatsFilled: _filled,
    core.GameForked: line("Forked from {parent} at position {position}.", private=""),
    core.TurnOpened: _asked,
    core.ReplyAccepted: answered,
    core.AttemptFailed: _failed,
    core.FallbackApplied: _fell_back,
    core.TurnWithdrawn: line("Turn {turn} of {seat:name} is withdrawn.", private="", weight=0),
    core.MessageRefused: _refused,
    core.HoldPlaced: _held,
    core.HoldLifted: line("The game goes on.", mood="warn"),
    core.GameVoided: _voided,
}
"""How each shared event is told. A ruleset's own words start from this table."""
