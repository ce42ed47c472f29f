"""What a player says of the night and of the day before: who died, who was hanged, and who led the town to it."""

from __future__ import annotations

from sottovoce.rulesets.mafia.house.beats import SpeechPart
from sottovoce.rulesets.mafia.house.seat import Seat
from sottovoce.rulesets.mafia.house.suspicion import TOWN
from sottovoce.rulesets.mafia.rules.events import ExecutionVoteClosed


def news(seat: Seat) -> list[SpeechPart]:
    """The night's toll and yesterday's rope, while they are fresh."""
    memory = seat.memory
    before = len(memory.today)
    if before >= 3 or (before and not seat.chance(0.5)) or any(s.player == seat.name for s in memory.today):
        return []
    beats: list[SpeechPart] = []
    if memory.last_deaths:
        beats.append(SpeechPart("mourn", {"v": seat.random.choice(memory.last_deaths)}))
    elif seat.chance(0.8):
        beats.append(SpeechPart("quiet"))
    if memory.day > 1 and seat.chance(0.8 if seat.options.style == "plain" else 0.55):
        yesterday = next((vote for vote in memory.verdicts if vote.day == memory.day - 1), None)
        if yesterday is None:
            look = SpeechPart("idle_day")
        elif not yesterday.executed:
            look = SpeechPart("spared_day", {"x": yesterday.condemned})
        else:
            kind = "rope_mafia" if memory.revealed.get(yesterday.condemned) == "Mafia" else "rope_town"
            look = SpeechPart(kind, {"x": yesterday.condemned})
            if kind == "rope_town" and seat.options.style == "plain":
                look = _leader(seat, yesterday) or look
        if look.names.get("x", "") != seat.name:
            beats = [look] if seat.chance(0.4) else [*beats, look]
    return beats[:2]


def own_mistake(seat: Seat) -> list[SpeechPart]:
    """A word of one whose nominee the town executed yesterday, and who lost the town one of its own by that."""
    memory = seat.memory
    if any(said.player == seat.name for said in memory.today):
        return []
    wronged = _wronged(seat)
    if wronged is None or memory.nominator_of(wronged.condemned, wronged.day) != seat.name:
        return []
    return [SpeechPart("led.own", {"x": wronged.condemned})]


def _wronged(seat: Seat) -> ExecutionVoteClosed | None:
    """Yesterday's execution, if it hit the town."""
    memory = seat.memory
    hit = (vote for vote in memory.verdicts if vote.day == memory.day - 1 and vote.executed)
    return next((vote for vote in hit if memory.revealed.get(vote.condemned) in TOWN), None)


def _leader(seat: Seat, wronged: ExecutionVoteClosed) -> SpeechPart | None:
    """Who led the town to a wrong execution, and what that means to the seat."""
    leader = seat.memory.nominator_of(wronged.condemned, wronged.day)
    if leader not in seat.mind:
        return None
    names = {"s": leader, "x": wronged.condemned}
    if seat.shown[leader] > BLAMED:
        return SpeechPart("led.suspect", names)
    if wronged.votes.get(seat.name) == "execute" and seat.chance(0.5):
        return SpeechPart("led.shared", names)
    return SpeechPart("led.honest" if seat.shown[leader] < -0.3 else "led.open", names)


BLAMED = 0.5
"""The suspicion from which a player takes a wrong execution for no mistake."""


def turned(seat: Seat) -> list[SpeechPart]:
    """Why the seat voted for another yesterday while its own nominee was on trial, in its first words of the day."""
    memory, yesterday = seat.memory, seat.memory.day - 1
    if seat.options.style != "plain" or any(said.player == seat.name for said in memory.today):
        return []
    own = {n.nominee for n in memory.nominations if n.player == seat.name and n.day == yesterday and n.nominee}
    for trial in reversed([trial for trial in memory.trials if trial.day == yesterday]):
        choice = trial.votes.get(seat.name)
        left = next((nominee for nominee in own if nominee in trial.tally), None)
        if choice and left and choice not in (left, seat.name):
            return [SpeechPart("changed", {"v": left, "x": choice})]
    return []
