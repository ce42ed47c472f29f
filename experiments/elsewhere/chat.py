"""Logs of games of Mafia in a chat, as LLMafia writes them: `[HH:MM:SS] NAME: text`, with lines by `Game-Manager`.

A game is a folder with these files, or one file of the messages next to the others:

    public_daytime_chat.txt, public_nighttime_chat.txt, public_manager_chat.txt    or all_messages.txt
    player_names.txt    the players by the names that they have in the game
    mafia_names.txt     those of them who are Mafia
    who_wins.txt        `Mafia wins!` or `Bystanders win!`

No other file is read, above all not `real_names.txt`. Messages of the day, and of the manager, are for everyone. Those
of the night, votes among them, are for the Mafia; the manager's lines say when it is night. A log without
`mafia_names.txt` has no roles, and none of its messages may be of a night.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sottovoce.domain.errors import SetupRefused
from sottovoce.domain.events import Event, GameVoided
from sottovoce.domain.seats import checked_names
from sottovoce.experiments.elsewhere import rules
from sottovoce.experiments.elsewhere.reading import Line, LineRefused, LogRefused, Story, contents, digest, lines_of

MANAGER = "Game-Manager"
MAFIA, BYSTANDER, BYSTANDERS = "mafia", "bystander", "bystanders"
WINS = {"Mafia wins!": MAFIA, "Bystanders win!": BYSTANDERS}
WHOLE = "all_messages.txt"
DAYTIME, NIGHTTIME, TOLD = "public_daytime_chat.txt", "public_nighttime_chat.txt", "public_manager_chat.txt"

_MESSAGE = re.compile(r"\[(\d\d):(\d\d):(\d\d)\] ([^:]+): ?(.*)")
_VOTE = re.compile(r"(.+) voted for (.+)")
_OUT = re.compile(r"(.+) was voted out\. Their role was (mafia|bystander)")
_BEGINS = re.compile(r"Now it's (Daytime|Nighttime)\b.*")
HALF_A_DAY = 12 * 3600


@dataclass(frozen=True, slots=True)
class Message:
    """A message: when it was written in seconds since the first midnight, by whom, and in which file of the game."""

    line: Line
    at: int
    who: str
    text: str
    file: str

    @property
    def time(self) -> str:
        """The time as the log has it."""
        return self.line.text[1:9]


def read_chat(path: Path) -> Story:
    """Read the game in a folder, or in a file of messages. Raises Unreadable, LineRefused or LogRefused."""
    folder = path if path.is_dir() else path.parent
    if path.is_dir():
        whole = folder / WHOLE
        files = [whole] if whole.is_file() else [folder / name for name in (DAYTIME, NIGHTTIME, TOLD)]
    else:
        files = [path]
    raw = {file: contents(file) for file in files}
    beside = {name: folder / f"{name}.txt" for name in ("player_names", "mafia_names", "who_wins")}
    listed = {name: contents(file) if file.is_file() else b"" for name, file in beside.items()}
    spoken = [list(_messages(file, data)) for file, data in raw.items()]
    messages = spoken[0] if len(spoken) == 1 else list(_merged(spoken))
    if not messages:
        raise LogRefused(str(path), "The log has no messages")
    names = {name: [line for line in lines_of(beside[name], listed[name]) if line.text.strip()] for name in beside}
    found = _Reading(str(path), messages, names["player_names"], names["mafia_names"], names["who_wins"])
    return Story("chat", str(path), digest(*raw.values(), *listed.values()), found.seats, tuple(found.events))


def _messages(path: Path, data: bytes) -> Iterator[Message]:
    days = before = 0
    for line in lines_of(path, data):
        if not line.text.strip():
            continue
        told = _MESSAGE.fullmatch(line.text)
        if told is None:
            raise LineRefused(line, "it is not [HH:MM:SS] NAME: text")
        hours, minutes, seconds = map(int, told.groups()[:3])
        if hours > 23 or minutes > 59 or seconds > 59:
            raise LineRefused(line, "that is not a time of the day")
        at = hours * 3600 + minutes * 60 + seconds
        days += before - at > HALF_A_DAY
        before = at
        yield Message(line, days * 2 * HALF_A_DAY + at, told[4].strip(), told[5], path.name)


def _merged(files: Sequence[Sequence[Message]]) -> Iterator[Message]:
    """The messages of several files by their time. In the same second, those of the day or night that it is come
    first, then the manager's, who may end it."""
    begun_at = max((file[0].at for file in files if file and file[0].file == TOLD), default=0)
    waiting = {file[0].file: _after(begun_at, file)[::-1] for file in files if file}
    now = DAYTIME
    while waiting:
        order = {now: 0, TOLD: 1}
        name = min(waiting, key=lambda file: (waiting[file][-1].at, order.get(file, 2)))
        message = waiting[name].pop()
        if not waiting[name]:
            del waiting[name]
        if name == TOLD and (begun := _BEGINS.fullmatch(message.text)):
            now = DAYTIME if begun[1] == "Daytime" else NIGHTTIME
        yield message


def _after(begun_at: int, file: Sequence[Message]) -> list[Message]:
    """The messages of a file, on the next day if the file only begins when midnight has passed."""
    later = 2 * HALF_A_DAY if begun_at - file[0].at > HALF_A_DAY else 0
    return [replace(message, at=message.at + later) for message in file]


@dataclass
class _Reading:
    """The log so far, and the events that it has become."""

    file: str
    messages: Sequence[Message]
    players: Sequence[Line]
    mafia_lines: Sequence[Line]
    wins: Sequence[Line]
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.seats = self._seated()
        self._mafia = tuple(self._listed(line) for line in self.mafia_lines)
        for seat in self.seats if self._mafia else ():
            role, side = (MAFIA, MAFIA) if seat in self._mafia else (BYSTANDER, BYSTANDERS)
            self.events.append(rules.RoleDealt(player=seat, role=role, side=side))
        if len(self._mafia) > 1:
            self.events.append(rules.AlliesNamed(players=self._mafia, role=MAFIA, side=MAFIA))
        self._night, self._numbers = False, {"Day": 0, "Night": 0}
        for message in self.messages:
            (self._told if message.who == MANAGER else self._said)(message)
        self.events.append(self._end())

    def _seated(self) -> tuple[str, ...]:
        names = [line.text.strip() for line in self.players]
        if not names:
            names = list(dict.fromkeys(message.who for message in self.messages if message.who != MANAGER))
        try:
            return checked_names(names, (MANAGER,))
        except SetupRefused as refused:
            raise LogRefused(self.file, str(refused).rstrip(".")) from None

    def _listed(self, line: Line) -> str:
        if (name := line.text.strip()) not in self.seats:
            raise LineRefused(line, "that is not one of the players")
        return name

    def _player(self, message: Message, name: str) -> str:
        if name not in self.seats:
            raise LineRefused(message.line, f"{name!r} is not one of the players")
        return name

    def _listeners(self, message: Message) -> tuple[str, ...] | None:
        """Who reads the message; None for everyone."""
        night = message.file == NIGHTTIME if message.file in (DAYTIME, NIGHTTIME, TOLD) else self._night
        if not night:
            return None
        if not self._mafia:
            raise LineRefused(
                message.line, "it is of a night, and mafia_names.txt does not say who is Mafia and reads it"
            )
        return self._mafia

    def _said(self, message: Message) -> None:
        player, listeners = self._player(message, message.who), self._listeners(message)
        if listeners is not None and player not in listeners:
            raise LineRefused(message.line, f"{player!r} is not Mafia and cannot speak at night")
        if message.text.strip():
            self.events.append(
                rules.PlayerSpoke(player=player, text=message.text, listeners=listeners, time=message.time)
            )

    def _told(self, message: Message) -> None:
        if begun := _BEGINS.fullmatch(message.text):
            self._night = begun[1] == "Nighttime"
            kind = "Night" if self._night else "Day"
            self._numbers[kind] += 1
            self.events.append(rules.PhaseBegan(phase=f"{kind} {self._numbers[kind]}"))
        elif voted := _VOTE.fullmatch(message.text):
            player, against = (self._player(message, name) for name in voted.groups())
            listeners = self._listeners(message)
            decides = "execution" if listeners is None else "attack"
            self.events.append(
                rules.VoteCast(player=player, against=against, decides=decides, listeners=listeners, time=message.time)
            )
        elif out := _OUT.fullmatch(message.text):
            player = self._player(message, out[1])
            if self._mafia and (player in self._mafia) != (out[2] == MAFIA):
                raise LineRefused(message.line, f"mafia_names.txt says otherwise of {player}")
            how = "killed in the night" if self._night else "voted out"
            self.events.append(rules.PlayerDied(player=player, how=how, role=out[2]))
        else:
            self.events.append(
                rules.Announced(text=message.text, listeners=self._listeners(message), time=message.time)
            )

    def _end(self) -> Event:
        if not self.wins:
            return GameVoided(why="The log does not say who won.")
        line = self.wins[0]
        if len(self.wins) > 1 or line.text.strip() not in WINS:
            raise LineRefused(line, f"it is neither of: {', '.join(WINS)}")
        return rules.GameEnded(winner=WINS[line.text.strip()])
