"""Play games in which every text contains a unique mark, so that it is recognized everywhere.

Marks are planted in what seats say and in their agents' names. The crafts of tabletop and delegation put marks into
their campaign and work folders. `MARK` finds all of them.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from sottovoce.domain import commands
from sottovoce.domain.commands import Command
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import AttemptFailed, MessageRefused, Recorded
from sottovoce.domain.typed import decoded
from sottovoce.extras import craft_of
from sottovoce.isolation.draws import generator
from sottovoce.isolation.games import Tape

MARK = re.compile(r"zq[0-9a-f]{10}|z[os][0-9a-f]{7}|(?<=\bword )[0-9a-f]{6}\b")
"""A mark made by `mark`, by the tabletop's craft, or by delegation's."""

LONG = 1200
"""Length of a long text. A few such texts are more than a prompt can contain."""


def mark(rng: random.Random) -> str:
    """Return a unique word."""
    return f"zq{rng.getrandbits(40):010x}"


def marks_in(text: str) -> set[str]:
    """Return the marks in a text, in any capitalization."""
    return set(MARK.findall(text.lower())) if "z" in text or "Z" in text or "word " in text else set()


class MarkedTape(Tape):
    """A game in which seats say marks with what they say, if the rules accept it. `wordy` seats talk long."""

    wordy = False

    def send(self, command: Command) -> list[Recorded]:
        """Decide the command with a mark in its text."""
        rng = generator(len(self.sent), "mark", self.game)
        match command:
            case commands.Open():
                agents = {seat: f"files:/{mark(rng)}" for seat in command.seats}
                return super().send(command.but(agents=agents, seed=Seed.of(f"{mark(rng)} {self.game}")))
            case commands.Reply() | commands.Say() if command.text.strip():
                return super().send(self._marked(command, rng))
        return super().send(command)

    def _marked(self, command: commands.Reply | commands.Say, rng: random.Random) -> Command:
        refused = self._refused(command)
        for text in self._texts(command, rng):
            if len(text) > 60_000:
                continue
            said = command.but(text=text)
            if refused or not self._refused(said):
                return said
        return command

    def _texts(self, command: commands.Reply | commands.Say, rng: random.Random) -> Iterator[str]:
        turn = self.state.turns.get((command.seat, getattr(command, "turn", 0)))
        boast = "" if turn is None else craft_of(self.system.ruleset.name).boast(rng, self.state, turn)
        more = f"{boast} {mark(rng)}".strip()
        if self.wordy and rng.random() < 0.6:
            more = f"{more} {filler(rng)}"
        text = command.text
        inside = _within_json(text, more)
        if inside is not None:
            yield inside
            return
        yield from (f"{text} {more}", f"{text}\n{more}", f"{text} {mark(rng)}", f"{text}\n\n{mark(rng)}")

    def _refused(self, command: commands.Reply | commands.Say) -> bool:
        drafts = self.system.decide(self.system.ruleset, self.state, command)
        failed = (draft.event for draft in drafts if isinstance(draft.event, AttemptFailed | MessageRefused))
        return any(event.seat == command.seat for event in failed)


class WordyTape(MarkedTape):
    """A game in which seats talk so long that their prompts can't contain all of it."""

    wordy = True


def filler(rng: random.Random) -> str:
    """Return many words of digits, which take much room in a prompt."""
    return " ".join(f"{rng.getrandbits(40):012d}" for _ in range(LONG // 13))


def _within_json(text: str, more: str) -> str | None:
    """Return a JSON text with something added to its first sentence, or None if it is not JSON."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return json.dumps(found) if _extend(found, more) else text


def _extend(found: Any, more: str) -> bool:
    places = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    for place, value in list(places):
        if isinstance(value, str) and len(value) > 20 and " " in value:
            found[place] = f"{value} {more}"
            return True
        if _extend(value, more):
            return True
    return False


def remarked(log: Sequence[Recorded], game: str, rng: random.Random | None) -> list[Recorded]:
    """Return the log as a game with that ID and other marks; with its own marks if there is no `rng`."""
    if rng is None:
        return [msgspec.structs.replace(item, game=game, salt=b"", hash=b"") for item in log]
    others: dict[str, str] = {}

    def another(found: re.Match[str]) -> str:
        kept = 2 if found[0].startswith("z") else 0
        length = len(found[0]) - kept
        return others.setdefault(found[0], f"{found[0][:kept]}{rng.getrandbits(4 * length):0{length}x}")

    copied = []
    for item in log:
        body = MARK.sub(another, item.body.decode()).encode()
        event = item.event if body == item.body else decoded(body, type(item.event))
        copied.append(msgspec.structs.replace(item, game=game, body=body, event=event, salt=b"", hash=b""))
    return copied
