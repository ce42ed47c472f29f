"""The words for the events that every game shares, where a session has its own."""

from __future__ import annotations

from dataclasses import replace

from sottovoce import Chair, Event, GameOpened, Piece, ReplyAccepted, TurnWithdrawn, names, opening
from sottovoce.rulesets.tabletop.rules.names import HUMAN, STANDING
from sottovoce.rulesets.tabletop.rules.state import TabletopOptions


def tell_opening(event: GameOpened, chair: Chair) -> Piece:
    """The campaign, the party, and whom the human plays."""
    campaign = str(event.options.get("campaign", "")).replace("-", " ").title()
    own = event.options.get("player_character")
    party = [seat for seat in event.seats if seat not in (*STANDING, HUMAN)]
    lead = f"A session of {campaign or 'a campaign'} begins.\nThe party: {names(party)}."
    if own and chair.owns(HUMAN):
        lead += f"\nYou are {names([own])}."
    return opening(event, chair, TabletopOptions, title="A tabletop session", lead=lead, without=("campaign",))


def tell_core(event: Event, chair: Chair) -> Piece | None:
    """What every game shares; None where it needs no telling.

    Most replies become messages, which tell their words; what the human says is carried on by the team lead.
    """
    if isinstance(event, TurnWithdrawn) or (isinstance(event, ReplyAccepted) and not event.text):
        return None
    piece = event.tell(chair)
    again = isinstance(event, ReplyAccepted) and event.seat == HUMAN
    return replace(piece, weight=0) if piece and again else piece
