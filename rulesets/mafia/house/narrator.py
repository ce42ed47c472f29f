"""The narrator: what happened, fair turns, and not one word more than the town knows.

The narrator's view holds every secret of the game. This module folds it with `remember`, which takes in public events
only, and reads nothing else of it, so that what it says and whom it calls on cannot depend on a secret (M-104, M-105).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from sottovoce import Refused, SeatRandom, Turn, View
from sottovoce.agents.house.phrases import say
from sottovoce.rulesets.mafia.house import grammar
from sottovoce.rulesets.mafia.house.memory import Memory, remember
from sottovoce.rulesets.mafia.house.seat import number
from sottovoce.rulesets.mafia.house.suspicion import TOWN
from sottovoce.rulesets.mafia.house.town import TOLD, Town, founded, remembered
from sottovoce.rulesets.mafia.rules import turns
from sottovoce.rulesets.mafia.rules.roles import TOWN_HALL, article


class Voice:
    """The narrator at one turn. `style` is the manner of the game; in plain English no sentence comes twice."""

    def __init__(self, memory: Memory, town: Town, random: SeatRandom, style: str) -> None:
        self.memory = memory
        self.town = town
        self.random = random
        self.book = TOLD[style].topics
        self.plain = style == "plain"
        self.worn = "" if self.plain else memory.all_told()
        self.used: set[str] = set()
        if self.plain:
            self.used.update(frame for told in memory.narrations for frame in grammar.frames(told, memory.players))

    def line(self, topic: str, **slots: str) -> str:
        """A phrase on the topic, a fresh one if there is any left."""
        slots = {"place": self.town.place, "season": self.town.season, **slots}
        if not self.plain:
            return say(self.book[topic], slots, self.random, self.worn)
        phrases, random = self.book[topic], self.random
        names = self.memory.players
        return grammar.fresh(lambda: random.choice(phrases).render(slots, random), self.used, self.used, names)

    def once(self, topic: str, **slots: str) -> str:
        """The same, but nothing where the phrases are used up in plain English."""
        before = set(self.used)
        text = self.line(topic, **slots)
        return text if before.isdisjoint(grammar.frames(text, self.memory.players)) else ""

    def unused(self, topic: str) -> str:
        """A phrase on the topic that was not used yet; empty if a few tries find none."""
        slots = {"place": self.town.place, "season": self.town.season}
        for _ in range(grammar.TRIES):
            text = self.random.choice(self.book[topic]).render(slots, self.random)
            found = grammar.frames(text, self.memory.players)
            if self.used.isdisjoint(found):
                self.used.update(found)
                return text
        return ""

    def weather(self) -> str:
        """The day's weather; in the old manner it worsens as the game goes on."""
        if self.plain:
            return self.unused(f"weather.{self.town.season}")
        phrases = self.book[f"weather.{self.town.season}"]
        start = self.random.lasting("weather").randrange(3)
        phrase = phrases[min(start + self.memory.day - 1, len(phrases) - 1) if self.memory.day else 0]
        text = phrase.render({}, self.random)
        return text if text.casefold() not in self.worn else self.line(f"weather.{self.town.season}")

    def motif(self) -> str:
        """The town's own dread comes round again."""
        if self.plain:
            return self.unused(f"{self.town.motif}.beat") if self.town.motif else ""
        return self.line(f"{self.town.motif}.beat") if self.town.motif else self.weather()

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability


def reply(view: View[Any], turn: Turn, random: SeatRandom) -> str:
    """The narrator's reply to any of its turns; always one that counts."""
    memory, style = remember(entry.event for entry in view.entries), view.state.options.style
    town = remembered(memory.opening, style) if memory.opening else founded(random, style)
    voice = Voice(memory, town, random, style)
    if isinstance(turn, turns.Moderate):
        return _moderate(view, turn, voice)
    text = SCENES[type(turn)](voice)
    return text if _discreet(view, turn, text) else voice.line("plain")


def _discreet(view: View[Any], turn: Turn, text: str) -> bool:
    """Whether the text will pass: a player's odd name can turn an innocent sentence into a disclosure."""
    try:
        turn.read(view.state, text)
    except Refused:
        return False
    return True


def _moderate(view: View[Any], turn: Turn, voice: Voice) -> str:
    choice, text = _next(voice, [name for name in turn.choices if name != TOWN_HALL])
    for attempt, wanted in ((text, choice), (choice, choice), (TOWN_HALL, TOWN_HALL)):
        try:
            if turn.read(view.state, attempt).choice == wanted:
                return attempt
        except Refused:
            continue
    return TOWN_HALL


MOST_ANSWERS = 4
"""Speeches of a day after which somebody who is asked is not called again."""
LATE_ANSWERS = 5
"""Speeches that a discussion can go on for the sake of questions without an answer."""


def _next(voice: Voice, living: list[str]) -> tuple[str, str]:
    """Who speaks next, and with what words: those accused, those not heard yet, then whoever else; or the town hall.

    Towards the end of the day the remaining turns go to those who have had none.
    """
    memory = voice.memory
    today = memory.today
    spoken = Counter(speech.player for speech in today)
    mood = voice.random.lasting("length", memory.day)
    enough = round(len(living) * mood.uniform(1.05, 1.65))
    last = today[-1].player if today else None
    pressed: dict[str, str] = {}
    for speech in today:
        pressed.pop(speech.player, None)
        pressed.update((name, speech.player) for name in speech.heard.accused if name != speech.player)
    owed = {name: place for name in living if (place := memory.owed(name)) is not None}
    owing = [name for name in sorted(owed, key=owed.__getitem__) if name != last and spoken[name] < MOST_ANSWERS]
    if not living or len(today) >= enough + (LATE_ANSWERS if owing else 0):
        return TOWN_HALL, voice.line("hall.opens")
    if owing and (len(today) >= enough or voice.chance(0.9)):
        choice = owing[0]
        return choice, _call(voice, choice, pressed.get(choice), spoken[choice])
    unheard = [name for name in living if not spoken[name] and name != last]
    weights = []
    for name in living:
        weight = 2.0 if not spoken[name] else 0.35 / spoken[name]
        if name in pressed:
            weight += 3.0 if spoken[name] < 2 else 0.8
        crowded = bool(spoken[name]) and len(unheard) >= enough - len(today)
        weights.append(0.0 if name == last or spoken[name] > 2 or crowded else weight)
    if not any(weights):
        return TOWN_HALL, voice.line("hall.opens")
    choice = voice.random.choices(living, weights)[0]
    return choice, _call(voice, choice, pressed.get(choice), spoken[choice])


def _call(voice: Voice, choice: str, accuser: str | None, times: int) -> str:
    today = voice.memory.today
    if not today:
        return voice.line("call.first", t=choice)
    last = today[-1]
    if accuser and voice.chance(1.0 if voice.plain else 0.75):
        return voice.line("call.accused", t=choice, s=accuser)
    if voice.plain and (asking := voice.memory.asking(choice)):
        return voice.line("call.asked", t=choice, s=asking[-1])
    if last.heard.claim and voice.chance(0.7):
        return voice.line("call.claim", t=choice, s=last.player)
    if voice.plain and not times and (wronged := _led_astray(voice.memory, choice)):
        return voice.line("call.led", t=choice, x=wronged)
    if not voice.plain and len(last.text) > 170 and voice.chance(0.3):
        return voice.line("call.praise", t=choice, s=last.player)
    return voice.line("call.again" if times else "call.fresh", t=choice, s=last.player)


def _led_astray(memory: Memory, player: str) -> str | None:
    """Return whom the player had nominated if the town executed them yesterday and lost one of its own."""
    for verdict in memory.verdicts:
        if verdict.executed and verdict.day == memory.day - 1 and memory.revealed.get(verdict.condemned) in TOWN:
            return verdict.condemned if memory.nominator_of(verdict.condemned, verdict.day) == player else None
    return None


def _opening(voice: Voice) -> str:
    players = voice.memory.players
    names = f"{', '.join(players[:-1])} and {players[-1]}"
    parts = [voice.line("opening.place"), voice.line(f"{voice.town.motif}.intro"), voice.line("opening.dread")]
    if voice.chance(0.5):
        parts.append(voice.line("opening.seat", names=names))
    parts.append(voice.line("opening.welcome", n=number(len(players))))
    return " ".join(filter(None, parts))


def _dawn(voice: Voice) -> str:
    memory = voice.memory
    deaths = memory.last_deaths
    parts = []
    if voice.chance(0.5):
        parts.append(voice.line("dawn.day", d=str(memory.day), d_th=_ordinal(memory.day)))
    parts.append(voice.weather())
    if deaths:
        parts.append(voice.line("dawn.death", v=" and ".join(deaths)))
        parts.append(voice.line("dawn.weight"))
    else:
        parts.append(voice.line("dawn.quiet"))
    if voice.chance(0.4):
        parts.append(voice.motif())
    if voice.chance(0.3):
        parts.append(voice.line("dawn.count", n=number(len(memory.living))))
    return " ".join(filter(None, parts))


def _introduction(voice: Voice) -> str:
    memory = voice.memory
    stood = [speech.player for speech in memory.speeches if speech.occasion == "defence" and speech.day == memory.day]
    listed = [s.nominee for s in memory.secondings if s.day == memory.day and s.seconded]
    nominee = next((name for name in listed if name not in stood), "The nominee")
    parts = []
    if not stood and voice.chance(0.5):
        parts.append(voice.once("intro.only" if voice.plain and len(set(listed)) == 1 else "intro.first"))
    parts.append(voice.line("intro", t=nominee))
    nominator = memory.nominator_of(nominee, memory.day)
    if nominator and voice.chance(0.6):
        parts.append(voice.once("intro.by", t=nominee, s=nominator))
    parts.append(voice.once("intro.charge", t=nominee) if voice.plain or voice.chance(0.7) else voice.motif())
    return " ".join(filter(None, parts))


def _gallows(voice: Voice) -> str:
    trial = voice.memory.trials[-1]
    condemned = trial.condemned or "The condemned"
    votes, cast = trial.tally.get(condemned, 0), len(trial.votes)
    parts = [voice.line("gallows", t=condemned)]
    topic = "gallows.all" if votes == cast else "gallows.votes"
    if voice.chance(0.7):
        parts.append(voice.line(topic, t=condemned, k=number(votes), n=number(cast)))
    if not voice.plain or voice.chance(0.3):
        parts.append(voice.motif() if voice.chance(0.5) else voice.weather())
    parts.append(voice.line("gallows.wait", t=condemned))
    return " ".join(filter(None, parts))


def _execution(voice: Voice) -> str:
    memory = voice.memory
    vote = memory.verdicts[-1]
    dead, role = vote.condemned, memory.revealed.get(vote.condemned, "")
    parts = [voice.line("execution", t=dead)]
    if voice.chance(0.4):
        ayes, noes = vote.tally.get("execute", 0), vote.tally.get("spare", 0)
        parts.append(voice.line("execution.count", k=number(ayes), m=number(noes)))
    if role:
        parts.append(voice.line("execution.role", t=dead, r=article(role)))
        parts.append(voice.line(f"execution.{role if role in ('Mafia', 'Jester') else 'town'}", t=dead))
    return " ".join(filter(None, parts))


_ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def _ordinal(day: int) -> str:
    return _ORDINALS[day] if day < len(_ORDINALS) else "next"


SCENES: Mapping[type[Turn], Callable[[Voice], str]] = {
    turns.Opening: _opening,
    turns.Dawn: _dawn,
    turns.Introduction: _introduction,
    turns.Gallows: _gallows,
    turns.Execution: _execution,
}
"""How each kind of narration is made."""
