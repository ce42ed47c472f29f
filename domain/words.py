"""How the events that every ruleset shares are told, and the parts of that which rulesets fill in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel

from sottovoce.domain.piece import Chair, Heading, Piece, marked, plainly, spoken


def opening(
    event: Any,
    chair: Chair,
    usual: type[BaseModel] | None = None,
    *,
    title: str = "",
    lead: str = "",
    without: Iterable[str] = (),
) -> Piece:
    """How a game opens: its title, who plays, and the options that are not the usual ones, save those told already."""
    title = title or f"A game of {event.ruleset.capitalize()}"
    options = {key: value for key, value in event.options.items() if key not in without}
    changed = "; ".join(
        f"{_titled(usual, key)}: {_set_to(value)}" for key, value in options.items() if _unusual(usual, key, value)
    )
    note = f"Options: {changed}." if changed else ""
    return Piece(lead or f"{title} begins.\nSeats: {seated(event.seats, chair)}.", chapter=Heading(title, 1), note=note)


def _unusual(usual: type[BaseModel] | None, key: str, value: object) -> bool:
    return usual is None or key not in (defaults := _defaults(usual)) or value != defaults[key]


def _titled(usual: type[BaseModel] | None, key: str) -> str:
    """Return an option's title as the form has it, else its key."""
    field = usual.model_fields.get(key) if usual is not None else None
    return plainly((field.title if field is not None else None) or key)


def _set_to(value: object) -> str:
    """Return an option's value in words."""
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case Mapping():
            return ", ".join(f"{plainly(str(key))} {_set_to(each)}" for key, each in value.items()) or "none"
        case list() | tuple():
            return ", ".join(_set_to(each) for each in value) or "none"
    return plainly(str(value))


@cache
def _defaults(usual: type[BaseModel]) -> dict[str, object]:
    """The usual options, as JSON holds them."""
    fields = usual.model_fields.items()
    return {key: json.loads(json.dumps(field.get_default(call_default_factory=True))) for key, field in fields}


def seated(seats: Iterable[str], chair: Chair) -> str:
    """Return the seats, the viewer's own marked with `(you)`."""
    return ", ".join(chair.listed(seat) for seat in seats)


def filled(event: Any, chair: Chair) -> Piece:
    """Which agent fills which seat."""
    agents = ", ".join(f"{marked(name)}: {plainly(agent)}" for name, agent in event.agents.items())
    seed = f"; seed {plainly(event.seed.text)}" if event.seed and event.seed.text else ""
    return Piece(f"Seats filled: {agents or 'as before'}{seed}.", private="")


def asked(event: Any, chair: Chair) -> Piece | None:
    """A seat is told of its open turn by what it is asked, and nobody else is told of it."""
    if chair.seat is not None:
        return None
    return Piece(f"Turn {event.turn} opens for {marked(event.seat)}: {event.kind}.", private="", weight=0)


def answered(event: Any, chair: Chair) -> Piece:
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


def noted(event: Any, chair: Chair) -> Piece | None:
    """What a seat noted for itself, as an auditor is told it."""
    if not chair.auditor:
        return None
    lead = f"{marked(event.seat)} notes for itself:"
    return Piece(lead, "document", event.seat, words=spoken(event.seat, event.text), private="", mood="quiet", weight=0)


def failed(event: Any, chair: Chair) -> Piece:
    """An attempt that changed nothing, and why."""
    how = "refused" if event.reason == "invalid" else "failed"
    return _warning(event.seat, chair, f"attempt {event.attempt} {how}. {plainly(event.message)}", event.text)


def refused(event: Any, chair: Chair) -> Piece:
    """A message that changed nothing, and why."""
    return _warning(event.seat, chair, f"refused. {plainly(event.message)}", event.text)


def _warning(seat: str, chair: Chair, what: str, text: str) -> Piece:
    lead = what[0].upper() + what[1:] if chair.owns(seat) else f"{marked(seat)}: {what}"
    return Piece(lead, "warning", seat, words=spoken(seat, text), private="", mood="warn")


def fell_back(event: Any, chair: Chair) -> Piece:
    """Whose attempts ran out, and what stands in."""
    whose = "Your" if chair.owns(event.seat) else f"{marked(event.seat)}'s"
    choice = f"; {plainly(event.choice)} stands in" if event.choice else ""
    lead = f"{whose} attempts ran out ({event.reason}){choice}."
    return Piece(lead, "warning", event.seat, private="", mood="warn")


def copied(event: Any, chair: Chair) -> Piece:
    """Who made a copy of the running game, and what the copy shows."""
    who = "The keeper" if event.by == "keeper" else "Someone with access to the database"
    return Piece(f"{who} copied this game. The copy shows all its secrets.", mood="warn", weight=2)


def requested(event: Any, chair: Chair) -> Piece:
    """For an auditor: how the game was asked for."""
    texts = {name: value if isinstance(value, str) else _counted(value) for name, value in event.setup.items()}
    setup = ", ".join(f"{name} {value}" for name, value in texts.items())
    whose = f"{marked(event.seat)} is the seat of the person who opened it." if event.seat else ""
    lead = " ".join(filter(None, (f"Opened on a server{': ' + plainly(setup) if setup else ''}.", whose)))
    return Piece(lead, weight=0, private="")


def _counted(value: Any) -> Any:
    """The value, or of a list how long it is: what a list made is seen in the game."""
    return len(value) if isinstance(value, list | tuple) else value


def chairs_opened(event: Any, chair: Chair) -> Piece:
    """From which chairs everyone who sat can look now."""
    return Piece(f"The chairs are open. Everyone who sat here can look from {_joined(event.chairs)}.", weight=0)


def known_before(event: Any, chair: Chair) -> Piece:
    """That some may know secrets of a fork, and whose."""
    lead = (
        "This game continues one that is over. Everyone who sat there can have seen all that "
        f"{_joined(event.chairs)} knew up to this point."
    )
    return Piece(lead, mood="warn", weight=2)


def _joined(seats: Sequence[str]) -> str:
    """The seats as a list within a sentence."""
    names = [marked(seat) for seat in seats]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def seat_link(event: Any, chair: Chair) -> Piece:
    """Whose seat has a new link, and what the link can do."""
    if chair.owns(event.seat):
        lead = "The keeper made a new link for your seat. It shows what you see and can answer for you."
    else:
        whose = marked(event.seat)
        lead = f"The keeper made a new link for {whose}'s seat. It shows what {whose} sees and can answer for {whose}."
    return Piece(lead, mood="warn", weight=2)


def held(event: Any, chair: Chair) -> Piece:
    """That the game stops, and for whom it waits."""
    lead = f"Waiting for {chair.you(event.waiting_for)}: {plainly(event.why)}"
    return Piece(lead, "hold", title="The game is on hold", mood="warn")


def voided(event: Any, chair: Chair) -> Piece:
    """Return the text for an aborted game."""
    lead = f"It was aborted and does not count. {plainly(event.why)}"
    return Piece(lead, "hold", title="The game is void", mood="warn")
