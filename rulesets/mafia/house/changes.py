"""When a player has changed its mind since it last spoke against somebody: about whom, and by what it was moved.

Both minds are those of the public record: what the seat knows by itself counts for both, so that a change gives away
nothing that is not a matter of the record. For a Mafia and a Jester they are those of a Villager in their chair.
"""

from __future__ import annotations

from dataclasses import dataclass

from sottovoce.rulesets.mafia.house.acts import acts
from sottovoce.rulesets.mafia.house.memory import Memory, remember
from sottovoce.rulesets.mafia.house.reading import hear
from sottovoce.rulesets.mafia.house.seat import Seat, beliefs, log_odds
from sottovoce.rulesets.mafia.house.suspicion import CERTAIN, Reason, grounds, weigh
from sottovoce.rulesets.mafia.rules import events

EASED = 0.7
"""By how much a suspicion must fall for its owner to take it back, as a change of the logarithm of the odds."""


@dataclass(frozen=True, slots=True)
class Change:
    """A mind that has moved off `left`: to `now`, or to nobody. `reason` is the new fact that moved it, if any."""

    left: str
    now: str | None
    reason: Reason | None


def accused_last(seat: Seat) -> str | None:
    """Return the living player that the seat last spoke against, unless it has taken that back."""
    mine = ((day, about) for day, by, about in reversed(seat.memory.accusations) if by == seat.name)
    when, last = next(mine, (0, ""))
    excused = any(by == seat.name and about == last and day >= when for day, by, about in seat.memory.vouchings)
    return last if last in seat.mind and not excused else None


def change(seat: Seat, now: str | None) -> Change | None:
    """Return what has changed since the seat last spoke against somebody, if its suspect is `now`."""
    left = accused_last(seat)
    if left is None or left == now or (now is not None and seat.accused_today(now)):
        return None
    then = _then(seat, left)
    if now is not None:
        known = {(one.kind, one.other, one.day) for one in weigh(then, seat.name).reasons if one.target == now}
        fresh = (one for one in seat.reasons(now) if (one.kind, one.other, one.day) not in known)
        return Change(left, now, next((one for one in fresh if one.kind not in ("silent", "scatter")), None))
    return _eased(seat, then, left)


def eased(seat: Seat) -> Change | None:
    """Return the fall of the suspicion of the last accused, if it is large and a fact of the record made it."""
    left = accused_last(seat)
    return _eased(seat, _then(seat, left), left) if left is not None and seat.mind[left] < 0.5 else None


def _eased(seat: Seat, then: Memory, left: str) -> Change | None:
    if seat.mind[left] > CERTAIN / 2:
        return None
    counts = {str(role): many for role, many in (seat.options.role_counts or {}).items()}
    before = beliefs(then, seat.secrets, acts(then), counts)[1]
    if log_odds(before.mafia[left]) - log_odds(seat.seeming.mafia[left]) < EASED:
        return None
    known = {(one.kind, one.other, one.day) for one in weigh(then, seat.name).favours if one.target == left}
    found = [one for one in seat.weighed.favours if one.target == left and one.kind in CLEARED]
    fresh = [one for one in found if (one.kind, one.other, one.day) not in known]
    moved = grounds(fresh, seat.seeming, seat.name)
    best = min(zip(moved, fresh, strict=True), key=lambda pair: pair[0] + 0.02 * pair[1].weight, default=None)
    return Change(left, None, best[1]) if best else None


CLEARED = {
    "cleared_by": "cleared.result",
    "hanged": "cleared.hanged",
    "named": "cleared.named",
    "by_mafia": "cleared.by_mafia",
    "claimed": "cleared.claimed",
    "refuted": "cleared.refuted",
}
"""The topic for each kind of fact that speaks for somebody."""


def _then(seat: Seat, left: str) -> Memory:
    """What the seat remembered when it last spoke against that player."""
    happened = [entry.event for entry in seat.seen.entries]
    for at in range(len(happened) - 1, -1, -1):
        event = happened[at]
        if isinstance(event, events.SpeechGiven | events.NominationMade) and event.player == seat.name:
            text = event.text if isinstance(event, events.SpeechGiven) else event.words
            if text and left in hear(text, seat.memory.players).accused:
                return remember(happened[: at + 1])
    return remember(())
