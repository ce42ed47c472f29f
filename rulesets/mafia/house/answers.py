"""What a player says to those who spoke to it, for it or against it."""

from __future__ import annotations

from sottovoce.rulesets.mafia.house.beats import SpeechPart
from sottovoce.rulesets.mafia.house.opinions import against, moved_to, suspect, sworn
from sottovoce.rulesets.mafia.house.seat import Seat
from sottovoce.rulesets.mafia.house.suspicion import TOWN


def lead_in(seat: Seat) -> list[SpeechPart]:
    """A word to whoever waits for an answer, before a claim that is one."""
    asking = [asker for asker in seat.memory.asking(seat.name) if asker in seat.mind]
    return [SpeechPart("asked.tell", {"s": asking[-1]})] if asking else retort(seat)[:1]


def accuser_of(seat: Seat) -> str | None:
    """Who last spoke against the seat since it spoke; one who said it to the seat by name before any other."""
    since: list[tuple[bool, str]] = []
    for speech in seat.memory.today:
        if speech.player == seat.name:
            since = []
        elif seat.name in speech.heard.accused and speech.player in seat.mind:
            since.append((seat.name in speech.heard.addressed, speech.player))
    by_name = [who for named, who in since if named]
    return next(reversed(by_name or [who for _, who in since]), None)


def retort(seat: Seat) -> list[SpeechPart]:
    """An answer to whoever spoke against the seat since it last spoke."""
    day = seat.memory.day
    accuser = accuser_of(seat)
    if accuser is None:
        return []
    again = any(seat.name == s.player and accuser in s.heard.named for s in seat.memory.today)
    firm = again and seat.options.style == "plain"
    beats = [SpeechPart("answer.firm" if firm else "answer", {"s": accuser})]
    if seat.chance(0.2 if seat.options.style == "plain" else 0.35):
        beats += record(seat)[:1] or [SpeechPart("deny")]
    elif any(n.day == day - 1 and n.nominee == seat.name for n in seat.memory.nominations):
        beats.append(SpeechPart("deny"))
    return beats


def reply(seat: Seat) -> list[SpeechPart]:
    """An answer to whoever has asked the seat by name since it last spoke: whom it suspects, and why.

    One who said something else to it by name gets a word on that, or hears that it was not understood.
    """
    asking = [asker for asker in seat.memory.asking(seat.name) if asker in seat.mind]
    if not asking:
        return _acknowledged(seat)
    asker, target = asking[-1], suspect(seat)
    if target == asker and target in seat.damned:
        return sworn(seat, target)
    moved = moved_to(seat, target) if target != asker else []
    if target is None or target == asker or seat.shown[target] < 0.1:
        return [SpeechPart("asked.open", {"s": asker})]
    names = {"s": asker, "t": target}
    if moved:
        return [SpeechPart("asked", names), *moved]
    if seat.options.style == "plain" and seat.accused_today(target) and seat.chance(0.7):
        return [SpeechPart("asked.again", names)]
    return [SpeechPart("asked", names), *against(seat, target)[:1]]


ACKNOWLEDGED = {"promise": "replied.promise", "insult": "replied.insult", "small talk": "replied.banter"}
"""What is said to sorts of things that are neither questions nor accusations."""


def _acknowledged(seat: Seat) -> list[SpeechPart]:
    """A word to whoever last spoke to the seat by name, unless that was an accusation, a kind word or an answer."""
    if seat.options.style != "plain":
        return []
    last = None
    for speech in seat.memory.today:
        if speech.player == seat.name:
            last = None
        elif seat.name in speech.heard.addressed and speech.player in seat.mind:
            last = speech
    if last is None or seat.name in last.heard.accused or seat.name in last.heard.trusted:
        return []
    sorts = last.heard.sorts
    if not sorts:
        return [SpeechPart("understood", {"s": last.player})]
    topic = next((ACKNOWLEDGED[sort] for sort in ACKNOWLEDGED if sort in sorts), None)
    return [SpeechPart(topic, {"s": last.player})] if topic and len(sorts) == 1 else []


def thanks(seat: Seat) -> list[SpeechPart]:
    """A word to whoever took the seat's side since it last spoke."""
    ally = None
    for speech in seat.memory.today:
        if speech.player == seat.name:
            ally = None
        elif seat.name in speech.heard.trusted and speech.player in seat.mind:
            ally = speech.player
    return [SpeechPart("thanks", {"s": ally})] if ally and seat.chance(0.7) else []


def doubted(seat: Seat) -> list[SpeechPart]:
    """A question to whoever has just spoken against somebody whom the seat does not suspect."""
    last = seat.memory.today[-1] if seat.memory.today else None
    if last is None or last.player not in seat.mind or last.heard.claim or last.heard.verdicts:
        return []
    spared = [name for name in last.heard.accused if name in seat.mind and seat.shown[name] < 0.1]
    if len(last.heard.accused) != 1 or not spared or not seat.chance(0.3):
        return []
    return [SpeechPart("thin", {"s": last.player, "x": spared[0]})]


def record(seat: Seat) -> list[SpeechPart]:
    """Own votes and nominations that the revealed roles have proved right."""
    beats = []
    for vote in seat.memory.verdicts:
        role = seat.memory.revealed.get(vote.condemned)
        choice = vote.votes.get(seat.name)
        if role is None or choice is None:
            continue
        if role == "Mafia" and choice == "execute":
            beats.append(SpeechPart("good_execute", {"x": vote.condemned}))
            if seat.memory.nominator_of(vote.condemned, vote.day) == seat.name:
                beats.append(SpeechPart("good_name", {"x": vote.condemned}))
        elif role in TOWN and choice == "spare":
            beats.append(SpeechPart("good_spare", {"x": vote.condemned}))
    seat.random.shuffle(beats)
    return beats[:1] if seat.options.style != "plain" or seat.chance(0.4) else []
