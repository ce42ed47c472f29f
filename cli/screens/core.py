"""How the events that every ruleset shares look, and the plain telling of all others."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType

from cli.screens.look import GAP, Look
from domain import events as core
from domain.events import Event
from domain.ruleset import Ruleset


def draw_core(event: Event, look: Look, turns: bool) -> list[RenderableType] | None:
    """The blocks of a shared event; None if it is none of those drawn here.

    A seat is told of its open turn by its prompt, and others of nobody's: only with `turns` are they listed.
    """
    match event:
        case core.TurnOpened() | core.TurnWithdrawn() if not turns:
            return []
        case core.ReplyAccepted() if look.seat is None and not turns:
            return []
        case core.AttemptFailed():
            who = "" if event.seat == look.seat else f"{look.label('')} {event.seat}: ".lstrip()
            why = "" if event.reason == "timeout" else f"Attempt {event.attempt} refused. "
            return look.warning(f"{who}{why}{event.message}", words=event.text)
        case core.MessageRefused():
            who = "" if event.seat == look.seat else f"{event.seat}: "
            return look.warning(f"{who}Refused. {event.message}", words=event.text)
        case core.FallbackApplied():
            who = "Your" if event.seat == look.seat else f"{event.seat}'s"
            choice = f"; {event.choice} stands in" if event.choice else ""
            return look.warning(f"{who} attempts ran out ({event.reason}){choice}.")
        case core.HoldPlaced():
            body = look.text(f"Waiting for {event.waiting_for}: {event.why}")
            return [GAP, *look.frame(body, title="the game is on hold", style="#9e7b00"), GAP]
        case core.HoldLifted():
            return look.line("The game goes on.", style="#9e7b00")
        case core.GameVoided():
            return [GAP, *look.frame(look.text(event.why), title="the game is void", style="#9e7b00"), GAP]
    return None


def draw_told(event: Event, look: Look, ruleset: Ruleset[Any]) -> list[RenderableType]:
    """Any event in the ruleset's own plain words."""
    told = ruleset.tell(event, look.seat)
    if told is None:
        return []
    if look.audience is not None and look.audience.seats is not None:
        return look.aside(told.lead, words=told.words)
    drawn = look.line(told.lead)
    if told.words is not None and told.words.strip():
        drawn.append(look.hang(look.text(""), look.text(told.words.strip()), 4))
    return drawn
