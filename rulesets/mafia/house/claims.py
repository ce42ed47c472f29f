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
        if rival and seat.chance(0.9):
            return [SpeechPart("counter.Doctor", {"s": rival}), SpeechPart("suspect", {"t": rival})]
    if seat.role in BLUFFS:
        return _bluff(seat)
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
        tell, lead = 0.95, SpeechPart("counter", {"s": rival})
    else:
        tell, lead = 0.0, SpeechPart("claim.Detective")
        if guilty:
            tell = 0.97 if late or len(guilty) > 1 else 0.6 + 0.35 * seat.persona.boldness
        elif news:
            tell = 0.55 if late else 0.35 if pressed else 0.04
    if not seat.chance(tell):
        return []
    return [lead, *[_result(*result) for result in (guilty or news)[-2:]]]


def _result(night: int, who: str, role: str) -> SpeechPart:
    kind = role if role in ("Mafia", "Jester") else "clean"
    return SpeechPart(f"result.{kind}", {"t": who, "d": number(night)})


BLUFFS = {"Mafia": (0.5, 0.04, 0.06), "Jester": (0.6, 0.03, 0.12)}
"""How often a Mafia and a Jester claim falsely to be the Detective: when a claimed Detective has named them, in any
speech before somebody has claimed it, and in any speech after."""
CLEARS = 0.25
"""How often a false result clears somebody instead of accusing."""


def _bluff(seat: Seat) -> list[SpeechPart]:
    """A false claim to be the Detective, with a false result; one that was made before gets new results every day."""
    if seat.taken("Detective"):
        return []
    if seat.claimed:
        return _follow_up(seat) if seat.claimed == "Detective" else []
    if any(claimed == "Detective" and who in seat.secrets.partners for who, (claimed, _) in _claims(seat)):
        return []
    named, first, later = BLUFFS[seat.role]
    exposed = next((s.by for s in seat.memory.statements if s.about == seat.name and s.hostile), None)
    if exposed and exposed in seat.mind and seat.chance(named):
        return [SpeechPart("counter", {"s": exposed}), SpeechPart("result.Mafia", {"t": exposed, "d": _night(seat)})]
    rival = next(iter(seat.claimants("Detective")), None)
    if rival and seat.chance(later):
        return [SpeechPart("counter", {"s": rival}), SpeechPart("result.Mafia", {"t": rival, "d": _night(seat)})]
    if seat.memory.first_claim is None and seat.chance(first):
        return [SpeechPart("claim.Detective"), *_false_result(seat)]
    return []


def _follow_up(seat: Seat) -> list[SpeechPart]:
    """A new false result on a new day, as a Detective would have one."""
    told = [said.day for said in seat.memory.statements if said.by == seat.name]
    return _false_result(seat) if told and max(told) < seat.memory.day and seat.chance(0.8) else []


def _false_result(seat: Seat) -> list[SpeechPart]:
    told = {said.about for said in seat.memory.statements if said.by == seat.name}
    fresh = [name for name in seat.others if name not in told]
    if fresh and seat.chance(CLEARS):
        return [SpeechPart("result.clean", {"t": min(fresh, key=seat.shown.__getitem__), "d": _night(seat)})]
    target = scapegoat(seat, fresh)
    return [SpeechPart("result.Mafia", {"t": target, "d": _night(seat)})] if target else []


def _claims(seat: Seat) -> list[tuple[str, tuple[str, int]]]:
    return list(seat.memory.claims.items())


def _night(seat: Seat) -> str:
    return number(max(1, seat.memory.day))


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
    if role in BLUFFS:
        roll = seat.random.random()
        if (
            roll < 0.2
            and not seat.taken("Doctor")
            and not any(claimed == "Doctor" for _, (claimed, _day) in _claims(seat))
        ):
            return [SpeechPart("claim.Doctor")]
        if roll < 0.6 and not seat.taken("Villager"):
            return [SpeechPart("role.Villager")]
    return []
