"""What the Mafia say to each other at night (M-112), and what they make of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sottovoce.rulesets.mafia.house.beats import SpeechPart
from sottovoce.rulesets.mafia.house.seat import Seat
from sottovoce.rulesets.mafia.house.strategy import preyed_on, proposed, scapegoat


def whisper(seat: Seat) -> list[SpeechPart]:
    """Whom to kill, and now and then whom to blame for it by day."""
    prey = [name for name in seat.others if name not in seat.secrets.partners]
    wanted, why = preyed_on(seat, prey)
    heard = proposed(seat, prey)
    if not heard:
        beats = [SpeechPart("whisper.propose", {"t": wanted}), SpeechPart(f"why.kill.{why}", {"t": wanted})]
    elif wanted in heard or seat.chance(0.8):
        beats = [SpeechPart("whisper.agree", {"t": _leading(heard)})]
    else:
        beats = [SpeechPart("whisper.rather", {"t": wanted, "x": _leading(heard)})]
    blamed = scapegoat(seat, [name for name in prey if name not in (wanted, *heard)])
    if blamed and seat.chance(0.4):
        beats.append(SpeechPart("whisper.blame", {"t": blamed}))
    return beats


def _leading(names: Sequence[str]) -> str:
    return Counter(names).most_common(1)[0][0]
