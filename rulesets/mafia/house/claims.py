"""Claims of a part and of what it showed: when a player steps out, truly or not, and what with the rope in sight."""

from __future__ import annotations

from sottovoce.rulesets.mafia.house.beats import SpeechPart
from sottovoce.rulesets.mafia.house.seat import Seat, number
from sottovoce.rulesets.mafia.house.strategy import scapegoat


def step_out(seat: Seat) -> list[SpeechPart]:
    """Stepping out as Detective or Doctor, truly or not, when there is cause; new results follow an old claim."""
    if seat.role == "Detective":
        return _detective(seat)
    if seat.role == "Doctor" and not seat.claimed:
        rival = next(iter(seat.claimants("Doctor")), None)
        if rival and seat.chance(0.8):
            return [SpeechPart("counter.Doctor", {"s": rival}), SpeechPart("suspect", {"t": rival})]
    if seat.role == "Mafia":
        return _bluff(seat)
    if seat.role == "Jester":
        return _provoke(seat)
    return []


def unspoken(seat: Seat) -> list[tuple[int, str, str]]:
    """The Detective's results on the living which the town has not been told, as `(night, player, role)`."""
    told = {s.about for s in seat.memory.statements if s.by == seat.name}
    return [(night, who, role) for night, who, role in seat.secrets.results if who in seat.mind and who not in told]


def _detective(seat: Seat) -> list[SpeechPart]:
    news = unspoken(seat)
    guilty = [result for result in news if result[2] == "Mafia"]
    if seat.claimed == "Detective":
        results = (guilty or news)[-2:]
        return [_result(*result) for result in results]
    rival = next(iter(seat.claimants("Detective")), None)
    pressed = len(seat.memory.accusers(seat.name, seat.memory.day)) >= 2
    late = seat.at_the_edge or len(seat.memory.living) <= 5
    if rival:
        tell, lead = 0.9, SpeechPart("counter", {"s": rival})
    else:
        tell, lead = 0.0, SpeechPart("claim.Detective")
        if guilty:
            tell = 0.97 if late or len(guilty) > 1 else 0.8 + 0.15 * seat.persona.boldness
        elif news:
            tell = 0.55 if late else 0.35 if pressed else 0.04
    if not seat.chance(tell):
        return []
    return [lead, *[_result(*result) for result in (guilty or news)[-2:]]]


def _result(night: int, who: str, role: str) -> SpeechPart:
    kind = role if role in ("Mafia", "Jester") else "clean"
    return SpeechPart(f"result.{kind}", {"t": who, "d": number(night)})


def _bluff(seat: Seat) -> list[SpeechPart]:
    """A Mafia named by a Detective answers with the same claim; otherwise one steps out falsely now and then."""
    exposed = next((s.by for s in seat.memory.statements if s.about == seat.name and s.hostile), None)
    taken = any(claimed == "Detective" and who in seat.secrets.partners for who, (claimed, _) in _claims(seat))
    if taken or seat.claimed:
        return []
    if exposed and exposed in seat.mind and seat.chance(0.45):
        return [SpeechPart("counter", {"s": exposed}), SpeechPart("result.Mafia", {"t": exposed, "d": _night(seat)})]
    rival = next(iter(seat.claimants("Detective")), None)
    target = scapegoat(seat, seat.others)
    if target and seat.memory.day > 1 and not rival and seat.chance(0.1):
        return [SpeechPart("claim.Detective"), SpeechPart("result.Mafia", {"t": target, "d": _night(seat)})]
    return []


def _provoke(seat: Seat) -> list[SpeechPart]:
    """A Jester claims what a Detective has claimed, or steps out first: the town hangs liars."""
    if seat.claimed:
        return []
    rival = next(iter(seat.claimants("Detective")), None)
    if rival and seat.chance(0.12):
        return [SpeechPart("counter", {"s": rival}), SpeechPart("result.Mafia", {"t": rival, "d": _night(seat)})]
    if not rival and seat.memory.day > 1 and seat.chance(0.02):
        target = seat.random.choice(seat.others)
        return [SpeechPart("claim.Detective"), SpeechPart("result.Mafia", {"t": target, "d": _night(seat)})]
    return []


def _claims(seat: Seat) -> list[tuple[str, tuple[str, int]]]:
    return list(seat.memory.claims.items())


def _night(seat: Seat) -> str:
    return number(seat.random.randint(1, max(1, seat.memory.day)))


def cornered(seat: Seat) -> list[SpeechPart]:
    """What is claimed with the rope in sight."""
    role, unclaimed = seat.role, seat.claimed is None
    if role == "Detective":
        results = sorted(unspoken(seat), key=lambda result: result[2] != "Mafia")
        lead = [SpeechPart("claim.Detective")] if unclaimed else []
        return [*lead, *[_result(*result) for result in results[:1]]]
    if not unclaimed:
        return []
    if role == "Doctor" and seat.chance(0.85):
        return [SpeechPart("claim.Doctor"), *([SpeechPart("kept")] if seat.chance(0.4) else [])]
    if role == "Villager" and seat.chance(0.5):
        return [SpeechPart("role.Villager")]
    if role == "Mafia":
        roll = seat.random.random()
        if roll < 0.2 and not any(claimed == "Doctor" for _, (claimed, _day) in _claims(seat)):
            return [SpeechPart("claim.Doctor")]
        if roll < 0.6:
            return [SpeechPart("role.Villager")]
    return []
