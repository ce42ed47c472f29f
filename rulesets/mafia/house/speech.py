"""What a player says: a plan of beats taken from what it remembers, then words for each in its persona's voice.

A beat is a topic with the names it speaks of. Plans are made of public facts and of what the speaker chooses to claim,
so a test can hold every beat against the log.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sottovoce.rulesets.mafia.house.beats import SpeechPart
from sottovoce.rulesets.mafia.house.changes import CLEARED, accused_last, change, eased
from sottovoce.rulesets.mafia.house.claims import cornered, step_out
from sottovoce.rulesets.mafia.house.seat import Seat, number
from sottovoce.rulesets.mafia.house.suspicion import CERTAIN, POWERS, TOWN, Reason
from sottovoce.rulesets.mafia.rules.events import ExecutionVoteClosed

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
    said = [seat.line(beat.topic, **beat.names) for beat in beats]
    length = sum(map(sentences, said))
    while length > MOST_SENTENCES and len(said) > 1:
        length -= sentences(said.pop())
    if seat.options.style == "plain":
        return " ".join(said)
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


def discussion(seat: Seat) -> list[SpeechPart]:
    """A speech in the day's discussion."""
    plain = seat.options.style == "plain"
    claim = step_out(seat)
    if claim:
        return [*(_lead_in(seat) if plain else []), *claim]
    beats = _own_mistake(seat) if plain else []
    beats += _reply(seat) or _retort(seat) or _thanks(seat) or _turned(seat)
    if plain and len(beats) < 3 and any(beat.topic.startswith("asked") for beat in beats):
        beats += _retort(seat)[:1] if _accuser(seat) not in (None, *(beat.names.get("s") for beat in beats)) else []
    beats = beats or _news(seat)
    beats += _jest(seat)
    if len(beats) < 2:
        beats += _bait(seat)
    if plain and len(beats) < 2:
        beats += _relief(seat) or _doubted(seat)
    named = any(beat.topic in ("asked", "asked.again", "turned", "turned.none") for beat in beats) and plain
    if not named and len(beats) < (2 if plain and seat.chance(SHORT) else 3):
        beats += _opinion(seat)
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
    beats += _record(seat)
    nominator = seat.memory.nominator_of(seat.name, seat.memory.day)
    if nominator and len(beats) < 2 and seat.chance(0.5):
        beats.append(SpeechPart("by_whom", {"s": nominator}))
        nominator = None
    rivals = [name for name in seat.suspects() if name not in seat.secrets.partners and seat.mind[name] > -CERTAIN / 2]
    if rivals and len(beats) < 3 and seat.chance(0.35):
        stale = () if nominator else ("nominated_me",)
        beats += _against(seat, rivals[0], stale) or [SpeechPart("look", {"t": rivals[0]})]
    beats.append(SpeechPart("plea"))
    return beats


def _proud(seat: Seat) -> bool:
    """Whether the seat stands by a claim that no reveal has voided."""
    return seat.claimed in POWERS and not seat.taken(seat.claimed)


def charge(seat: Seat, target: str) -> list[SpeechPart]:
    """Why the town should try whom the speaker nominates: what all know of the target, or a mere feeling."""
    memory = seat.memory
    listed = {made.nominee for made in memory.nominations if made.day == memory.day}
    moved = [] if accused_last(seat) in listed else _moved_to(seat, target)
    return moved or _against(seat, target) or _sworn(seat, target) or [SpeechPart("hunch", {"t": target})]


def final(seat: Seat) -> list[SpeechPart]:
    """Last words under the beam."""
    beats: list[SpeechPart] = []
    if seat.claimed is None:
        beats += cornered(seat)
    elif _proud(seat) and seat.chance(0.6):
        beats.append(SpeechPart("stand"))
    beats += _record(seat)[:1]
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


def _news(seat: Seat) -> list[SpeechPart]:
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


def _own_mistake(seat: Seat) -> list[SpeechPart]:
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


def _moved_to(seat: Seat, target: str | None) -> list[SpeechPart]:
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


def _relief(seat: Seat) -> list[SpeechPart]:
    """That the seat takes back what it said, and the fact that made it."""
    moved = eased(seat)
    if moved is None or moved.reason is None or not seat.chance(0.8):
        return []
    names = {"v": moved.left, "x": moved.reason.other}
    return [SpeechPart(CLEARED[moved.reason.kind], names), SpeechPart("eased", {"v": moved.left})]


def _doubted(seat: Seat) -> list[SpeechPart]:
    """A question to whoever has just spoken against somebody whom the seat does not suspect."""
    last = seat.memory.today[-1] if seat.memory.today else None
    if last is None or last.player not in seat.mind or last.heard.claim or last.heard.verdicts:
        return []
    spared = [name for name in last.heard.accused if name in seat.mind and seat.shown[name] < 0.1]
    if len(last.heard.accused) != 1 or not spared or not seat.chance(0.3):
        return []
    return [SpeechPart("thin", {"s": last.player, "x": spared[0]})]


def _turned(seat: Seat) -> list[SpeechPart]:
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


def _lead_in(seat: Seat) -> list[SpeechPart]:
    """A word to whoever waits for an answer, before a claim that is one."""
    asking = [asker for asker in seat.memory.asking(seat.name) if asker in seat.mind]
    return [SpeechPart("asked.tell", {"s": asking[-1]})] if asking else _retort(seat)[:1]


def _accuser(seat: Seat) -> str | None:
    """Who last spoke against the seat since it spoke; one who said it to the seat by name before any other."""
    since: list[tuple[bool, str]] = []
    for speech in seat.memory.today:
        if speech.player == seat.name:
            since = []
        elif seat.name in speech.heard.accused and speech.player in seat.mind:
            since.append((seat.name in speech.heard.addressed, speech.player))
    by_name = [who for named, who in since if named]
    return next(reversed(by_name or [who for _, who in since]), None)


def _retort(seat: Seat) -> list[SpeechPart]:
    """An answer to whoever spoke against the seat since it last spoke."""
    day = seat.memory.day
    accuser = _accuser(seat)
    if accuser is None:
        return []
    again = any(seat.name == s.player and accuser in s.heard.named for s in seat.memory.today)
    firm = again and seat.options.style == "plain"
    beats = [SpeechPart("answer.firm" if firm else "answer", {"s": accuser})]
    if seat.chance(0.2 if seat.options.style == "plain" else 0.35):
        beats += _record(seat)[:1] or [SpeechPart("deny")]
    elif any(n.day == day - 1 and n.nominee == seat.name for n in seat.memory.nominations):
        beats.append(SpeechPart("deny"))
    return beats


def _reply(seat: Seat) -> list[SpeechPart]:
    """An answer to whoever has asked the seat by name since it last spoke: whom it suspects, and why.

    One who said something else to it by name gets a word on that, or hears that it was not understood.
    """
    asking = [asker for asker in seat.memory.asking(seat.name) if asker in seat.mind]
    if not asking:
        return _acknowledged(seat)
    asker, target = asking[-1], _target(seat)
    if target == asker and target in seat.damned:
        return _sworn(seat, target)
    moved = _moved_to(seat, target) if target != asker else []
    if target is None or target == asker or seat.shown[target] < 0.1:
        return [SpeechPart("asked.open", {"s": asker})]
    names = {"s": asker, "t": target}
    if moved:
        return [SpeechPart("asked", names), *moved]
    if seat.options.style == "plain" and seat.accused_today(target) and seat.chance(0.7):
        return [SpeechPart("asked.again", names)]
    against = _against(seat, target)
    return [SpeechPart("asked", names), *against[:1]]


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


def _thanks(seat: Seat) -> list[SpeechPart]:
    """A word to whoever took the seat's side since it last spoke."""
    ally = None
    for speech in seat.memory.today:
        if speech.player == seat.name:
            ally = None
        elif seat.name in speech.heard.trusted and speech.player in seat.mind:
            ally = speech.player
    return [SpeechPart("thanks", {"s": ally})] if ally and seat.chance(0.7) else []


def _bait(seat: Seat) -> list[SpeechPart]:
    """Seeing through somebody who wants to be hanged."""
    if seat.persona.faith > 0.62 or not seat.chance(0.3):
        return []
    eager = [s.player for s in seat.memory.speeches if s.heard.inviting and s.player in seat.mind]
    return [SpeechPart("bait", {"t": eager[-1]})] if eager and eager.count(eager[-1]) > 1 else []


def _record(seat: Seat) -> list[SpeechPart]:
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


SLIPS = 0.04
"""How often somebody lets a word slip in a speech that can be taken for guilt."""
COURTS = {"Jester": 0.1}
"""How often a Jester has no defence to give; anybody may, less often."""


def _jest(seat: Seat) -> list[SpeechPart]:
    """A slip of the tongue, anybody's now and then."""
    return [SpeechPart("slip")] if seat.chance(SLIPS) else []


def _opinion(seat: Seat) -> list[SpeechPart]:
    """Whom to look at, and why; or whom to leave alone."""
    target = _target(seat)
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
    moved = _moved_to(seat, target)
    if moved:
        return moved
    answered = any(s.player in (seat.name, target) and seat.name in s.heard.accused for s in seat.memory.today)
    stale = ("accused_me",) if answered else ()
    return [*beats, *(_against(seat, target, stale) or _vaguely(seat, target))]


def _target(seat: Seat) -> str | None:
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


def _against(seat: Seat, target: str, stale: Sequence[str] = ()) -> list[SpeechPart]:
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


def _sworn(seat: Seat, target: str) -> list[SpeechPart]:
    """That the seat stands by its result on the target, if it has told one."""
    if target not in seat.damned:
        return []
    return [SpeechPart("found", {"t": target}), SpeechPart("suspect", {"t": target})]


def _vaguely(seat: Seat, target: str) -> list[SpeechPart]:
    sworn = _sworn(seat, target)
    if sworn:
        return sworn
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
    if name in seat.secrets.partners and not seat.chance(0.35):
        return None
    by = accused[name]
    return name, by if by in seat.mind else None


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
