"""Whom a player speaks against or for, and why; and what it says when its mind has changed."""

from __future__ import annotations

from collections.abc import Sequence

from sottovoce.rulesets.mafia.house.beats import SpeechPart
from sottovoce.rulesets.mafia.house.changes import CLEARED, accused_last, change, eased
from sottovoce.rulesets.mafia.house.seat import Seat, number
from sottovoce.rulesets.mafia.house.suspicion import CERTAIN, Reason


def suspect(seat: Seat) -> str | None:
    open_cases = [name for name in seat.shown if seat.mind[name] > -CERTAIN / 2]
    ranked = sorted(open_cases, key=seat.shown.__getitem__, reverse=True)
    before = accused_last(seat) if seat.options.style == "plain" else None
    if before in open_cases:
        held = seat.shown[ranked[0]] - seat.shown[before]
        return before if held < HELD + seat.persona.stubbornness * STUBBORN else ranked[0]
    if len(ranked) > 1 and seat.shown[ranked[0]] < CERTAIN / 2 and seat.chance(0.2):
        return ranked[1]
    return ranked[0] if ranked else None


WEAK = frozenset({"scatter", "passed", "swung", "sided"})
"""Facts that tell little, and are brought up now and then."""
HELD = 0.2
STUBBORN = 0.6
"""By how much somebody else must be likelier to be Mafia before a player turns from whom it spoke against, as a change
of the logarithm of the odds: for anybody, and more for the stubborn."""


def against(seat: Seat, target: str, stale: Sequence[str] = ()) -> list[SpeechPart]:
    """The best fact not yet worn out today, and the conclusion from it; nothing if there is no fact.

    `stale` are kinds of fact that need no telling now.
    """
    said_today = "\n".join(s.text for s in seat.memory.today if target in s.heard.named)
    fresh = []
    for reason in seat.reasons(target):
        if reason.kind in stale:
            continue
        if reason.kind in WEAK and not seat.chance(0.25):
            continue
        if reason.kind == "echo":
            if not seat.chance(0.5):
                continue
        elif reason.other and reason.other != seat.name and reason.other in said_today and seat.chance(0.7):
            continue
        fresh.append(reason)
    if not fresh:
        return []
    reason = seat.random.choice(fresh[:3])
    if reason.kind == "echo" and seat.chance(0.6):
        return [SpeechPart("back", {"t": target, "x": reason.other})]
    fact = SpeechPart(reason.kind, names_of(seat, reason))
    repeated = any(by == seat.name and about == target for day, by, about in seat.memory.accusations)
    return [fact, SpeechPart("firm" if repeated and seat.chance(0.4) else "suspect", {"t": target})]


def names_of(seat: Seat, reason: Reason) -> dict[str, str]:
    """The slots of a reason's phrases."""
    tried = {about for _, by, about in seat.memory.accusations if by == reason.target}
    return {"t": reason.target, "x": reason.other, "when": seat.when(reason.day), "k": number(len(tried))}


def sworn(seat: Seat, target: str) -> list[SpeechPart]:
    """That the seat stands by its result on the target, if it has told one."""
    if target not in seat.damned:
        return []
    return [SpeechPart("found", {"t": target}), SpeechPart("suspect", {"t": target})]


def _vaguely(seat: Seat, target: str) -> list[SpeechPart]:
    result = sworn(seat, target)
    if result:
        return result
    if seat.chance(0.12):
        return [SpeechPart("ask", {"t": target})]
    return [SpeechPart("hunch", {"t": target}), *([SpeechPart("propose", {"t": target})] if seat.chance(0.15) else [])]


def _friend(seat: Seat) -> tuple[str, str | None] | None:
    """Somebody accused today whom the seat would defend, and the accuser."""
    accused = {about: by for day, by, about in seat.memory.accusations if day == seat.memory.day and by != seat.name}
    liked = [name for name in accused if name in seat.mind and seat.mind[name] < -0.3]
    if not liked:
        return None
    name = seat.random.choice(liked)
    by = accused[name]
    return name, by if by in seat.mind else None


def opinion(seat: Seat) -> list[SpeechPart]:
    """Whom to look at, and why; or whom to leave alone."""
    target = suspect(seat)
    beats: list[SpeechPart] = []
    friend = _friend(seat)
    if friend and friend[1] != target and seat.chance(0.45):
        name, accuser = friend
        beats.append(
            SpeechPart("shield", {"t": name, "x": accuser})
            if accuser and seat.chance(0.5)
            else SpeechPart("trust", {"x": name})
        )
    if target is None:
        return beats
    moved = moved_to(seat, target)
    if moved:
        return moved
    answered = any(s.player in (seat.name, target) and seat.name in s.heard.accused for s in seat.memory.today)
    stale = ("accused_me",) if answered else ()
    return [*beats, *(against(seat, target, stale) or _vaguely(seat, target))]


def moved_to(seat: Seat, target: str | None) -> list[SpeechPart]:
    """That the seat's suspicion has moved to the target from whom it last spoke against, and the fact that moved it."""
    if seat.options.style != "plain" or target is None:
        return []
    moved = change(seat, target)
    if moved is None:
        return []
    names = {"v": moved.left, "t": target}
    if moved.reason is None:
        return [SpeechPart("turned.none", names)]
    return [SpeechPart(moved.reason.kind, names_of(seat, moved.reason)), SpeechPart("turned", names)]


def relief(seat: Seat) -> list[SpeechPart]:
    """That the seat takes back what it said, and the fact that made it."""
    moved = eased(seat)
    if moved is None or moved.reason is None or not seat.chance(0.8):
        return []
    names = {"v": moved.left, "x": moved.reason.other}
    return [SpeechPart(CLEARED[moved.reason.kind], names), SpeechPart("eased", {"v": moved.left})]
