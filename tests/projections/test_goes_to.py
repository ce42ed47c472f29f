"""*Goes to*: what a seat is told about who sees its answer is the audience of the event that the answer becomes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from golden import LOGS, named

from sottovoce.domain.audience import Audience
from sottovoce.domain.events import Event, ReplyAccepted
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import SeatProjection

KINDS = {
    *("speech", "night-talk", "protect", "investigate", "nominate", "defence", "final-speech"),
    *("bid", "kill", "second", "trial-vote", "execution-vote"),
    *("decide", "record", "choose", "relay", "chat"),
    *("quick-reaction", "full-context", "optional-reaction", "reflection"),
    *("interaction", "reply"),
}
"""The kinds of turns whose answers become an event at once, as far as the golden games have them."""


def like(event: Event) -> tuple[Any, ...]:
    """What an event and the one that was foreseen have in common."""
    fields = getattr(event, "fields", {})
    named = (getattr(event, name, None) for name in ("seat", "to", "tag", "player", "doctor", "detective", "session"))
    return (type(event), *named, fields.get("type") if isinstance(fields, dict) else None)


def seats_of(audience: Audience, seats: tuple[str, ...]) -> tuple[str, ...] | None:
    return None if audience.seats is None else tuple(seat for seat in seats if seat in audience.seats)


def test_it_is_the_audience_of_the_event_that_the_answer_becomes() -> None:
    met = {kind for path in LOGS for kind in compared(path)}
    assert met >= KINDS, KINDS - met


def compared(path: Path) -> Iterator[str]:
    """Compare what every seat of a golden game was told with what came of its answers; the kinds of turns met."""
    log = named(path.stem)
    ruleset = RULESETS[log[0].event.ruleset]  # type: ignore[attr-defined]
    seats = log[0].event.seats  # type: ignore[attr-defined]
    views = {seat: SeatProjection(ruleset, seat) for seat in seats}
    for _, items in groupby(log, key=lambda item: item.append):
        append = list(items)
        answered = [item.event for item in append if isinstance(item.event, ReplyAccepted)]
        foreseen = [
            (turn, views[each.seat].view().state) for each in answered for turn in _turn(views[each.seat], each)
        ]
        for turn, state in foreseen:
            told = ruleset.goes_to(state, turn)
            becomes = {choice: like(event) for choice, event in turn.becomes(state).items()}
            for item in append:
                for choice in (choice for choice, event in becomes.items() if event == like(item.event)):
                    assert told[choice] == seats_of(item.audience, seats), (turn.kind, choice, item.name)
                    yield turn.kind
        for item in append:
            for view in views.values():
                view.take(item)


def _turn(view: SeatProjection[Any], accepted: ReplyAccepted) -> list[Turn]:
    return [turn for turn in view.view().turns if turn.number == accepted.turn]
