"""What a player says: a plan of beats taken from what it remembers, then words for each in its persona's voice.

A beat is a topic with the names it speaks of. Plans are made of public facts and of what the speaker chooses to claim,
so a test can hold every beat against the log.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sottovoce.rulesets.mafia.house.answers import accuser_of, doubted, lead_in, record, reply, retort, thanks
from sottovoce.rulesets.mafia.house.beats import SpeechPart
from sottovoce.rulesets.mafia.house.changes import accused_last
from sottovoce.rulesets.mafia.house.claims import cornered, step_out
from sottovoce.rulesets.mafia.house.opinions import against, moved_to, opinion, relief, sworn
from sottovoce.rulesets.mafia.house.reading import hear
from sottovoce.rulesets.mafia.house.seat import Seat, number
from sottovoce.rulesets.mafia.house.suspicion import CERTAIN, POWERS
from sottovoce.rulesets.mafia.house.yesterday import news, own_mistake, turned

MOST_SENTENCES = 4
_END = re.compile(r"(?<![.!?])[.!?]++[\"'”’)]*+(?:\s|$)")


def sentences(text: str) -> int:
    """How many sentences the text has."""
    return len(_END.findall(text))


def within(said: list[str]) -> str:
    """The parts together, as many as make at most four sentences; the first in any case."""
    while len(said) > 1 and sum(map(sentences, said)) > MOST_SENTENCES:
        said.pop()
    return " ".join(said)


def speak(seat: Seat, beats: Sequence[SpeechPart]) -> str:
    """The beats in words, with an opening or a closing where there is room: at most four sentences."""
    if seat.options.style == "plain":
        return " ".join(_worded(seat, beats[:MOST_SENTENCES]))
    said = [seat.line(beat.topic, **beat.names) for beat in beats]
    length = sum(map(sentences, said))
    while length > MOST_SENTENCES and len(said) > 1:
        length -= sentences(said.pop())
    if length < MOST_SENTENCES and seat.chance(0.55):
        opening = seat.line("open")
        if length + sentences(opening) <= MOST_SENTENCES:
            said.insert(0, opening)
            length += sentences(opening)
    if length < MOST_SENTENCES and seat.chance(0.3 if length > 1 else 0.8):
        closing = seat.line("close")
        if length + sentences(closing) <= MOST_SENTENCES:
            said.append(closing)
    return " ".join(said)


REDRAWN = 12
"""How often a beat is put into other words because it is too long or would be misheard."""


def _worded(seat: Seat, beats: Sequence[SpeechPart]) -> list[str]:
    """Each beat in words that leave room for those behind it, so that what is said does not depend on the words."""
    said: list[str] = []
    room = MOST_SENTENCES - len(beats)
    for beat in beats:
        text = seat.line(beat.topic, **beat.names)
        for _ in range(REDRAWN):
            if sentences(text) <= 1 + room and not _misheard(said, text, seat.memory.players):
                break
            text = seat.line(beat.topic, **beat.names)
        room -= sentences(text) - 1
        said.append(text)
    return said if room >= 0 else [within(said)]


def _misheard(said: Sequence[str], text: str, names: tuple[str, ...]) -> bool:
    """Whether words that name nobody would be taken to speak of somebody named in the words before them."""
    alone = hear(text, names)
    if not said or alone.named:
        return False
    before, together = hear(" ".join(said), names), hear(" ".join([*said, text]), names)
    return (before.accused, before.trusted) != (together.accused, together.trusted)


def discussion(seat: Seat) -> list[SpeechPart]:
    """A speech in the day's discussion."""
    plain = seat.options.style == "plain"
    claim = step_out(seat)
    if claim:
        return [*(lead_in(seat) if plain else []), *claim]
    beats = own_mistake(seat) if plain else []
    beats += reply(seat) or retort(seat) or thanks(seat) or turned(seat)
    if plain and len(beats) < 3 and any(beat.topic.startswith("asked") for beat in beats):
        beats += retort(seat)[:1] if accuser_of(seat) not in (None, *(beat.names.get("s") for beat in beats)) else []
    beats = beats or news(seat)
    beats += _jest(seat)
    if len(beats) < 2:
        beats += _bait(seat)
    if plain and len(beats) < 2:
        beats += relief(seat) or doubted(seat)
    named = any(beat.topic in ("asked", "asked.again", "turned", "turned.none") for beat in beats) and plain
    if not named and len(beats) < (2 if plain and seat.chance(SHORT) else 3):
        beats += opinion(seat)
    if len(beats) < 2:
        beats += _aside(seat)
    return beats


SHORT = 0.6
"""How often somebody who has said two things already leaves it at that."""


def defence(seat: Seat) -> list[SpeechPart]:
    """Why the town should spare the speaker."""
    if seat.chance(COURTS.get(seat.role, 0.04)):
        return [SpeechPart("court"), *([SpeechPart("slip")] if seat.chance(0.4) else [])]
    claim = cornered(seat)
    proud = _proud(seat) and not claim
    beats = claim or [SpeechPart("stand" if proud else "deny")]
    beats += record(seat)
    nominator = seat.memory.nominator_of(seat.name, seat.memory.day)
    if nominator and len(beats) < 2 and seat.chance(0.5):
        beats.append(SpeechPart("by_whom", {"s": nominator}))
        nominator = None
    rivals = [name for name in seat.suspects() if name not in seat.secrets.partners and seat.mind[name] > -CERTAIN / 2]
    if rivals and len(beats) < 3 and seat.chance(0.35):
        stale = () if nominator else ("nominated_me",)
        beats += against(seat, rivals[0], stale) or [SpeechPart("look", {"t": rivals[0]})]
    beats.append(SpeechPart("plea"))
    return beats


def _proud(seat: Seat) -> bool:
    """Whether the seat stands by a claim that no reveal has voided."""
    return seat.claimed in POWERS and not seat.taken(seat.claimed)


def charge(seat: Seat, target: str) -> list[SpeechPart]:
    """Why the town should try whom the speaker nominates: what all know of the target, or a mere feeling."""
    memory = seat.memory
    listed = {made.nominee for made in memory.nominations if made.day == memory.day}
    moved = [] if accused_last(seat) in listed else moved_to(seat, target)
    return moved or against(seat, target) or sworn(seat, target) or [SpeechPart("hunch", {"t": target})]


def final(seat: Seat) -> list[SpeechPart]:
    """Last words under the beam."""
    beats: list[SpeechPart] = []
    if seat.claimed is None:
        beats += cornered(seat)
    elif _proud(seat) and seat.chance(0.6):
        beats.append(SpeechPart("stand"))
    beats += record(seat)[:1]
    beats.append(SpeechPart("last.innocent") if seat.chance(0.3) else SpeechPart("last"))
    nominator = seat.memory.nominator_of(seat.name, seat.memory.day)
    if nominator and nominator not in seat.secrets.partners and seat.chance(0.6):
        beats.append(SpeechPart("curse", {"s": nominator}))
    return beats


def acknowledgment(seat: Seat) -> list[SpeechPart]:
    """A private word on the part dealt."""
    role = seat.role
    first = SpeechPart("ack", {"role": the_own(role)})
    if role != "Mafia":
        return [first, SpeechPart(f"ack.{role}")]
    partners = seat.secrets.partners
    return [
        first,
        SpeechPart("ack.Mafia", {"p": " and ".join(partners)}) if partners else SpeechPart("ack.Mafia.alone"),
    ]


def the_own(role: str) -> str:
    """The role as its holder calls it."""
    return {"Mafia": "one of the Mafia", "Villager": "a Villager"}.get(role, f"the {role}")


def _bait(seat: Seat) -> list[SpeechPart]:
    """Seeing through somebody who wants to be hanged."""
    if seat.persona.faith > 0.62 or not seat.chance(0.3):
        return []
    eager = [s.player for s in seat.memory.speeches if s.heard.inviting and s.player in seat.mind]
    return [SpeechPart("bait", {"t": eager[-1]})] if eager and eager.count(eager[-1]) > 1 else []


SLIPS = 0.04
"""How often somebody lets a word slip in a speech that can be taken for guilt."""
COURTS = {"Jester": 0.1}
"""How often a Jester has no defence to give; anybody may, less often."""


def _jest(seat: Seat) -> list[SpeechPart]:
    """A slip of the tongue, anybody's now and then."""
    return [SpeechPart("slip")] if seat.chance(SLIPS) else []


def _aside(seat: Seat) -> list[SpeechPart]:
    counts = {"n": number(len(seat.memory.living)), "m": number(seat.mafia_left)}
    if seat.at_the_edge and seat.mafia_left > 0 and seat.memory.day > 1:
        return [SpeechPart("edge", counts)]
    if seat.chance(0.25):
        return [SpeechPart("count", counts)]
    quiet = [name for name in seat.others if not any(s.player == name for s in seat.memory.today)]
    if quiet and seat.chance(0.4):
        return [SpeechPart("ask", {"t": seat.random.choice(quiet)})]
    return []
