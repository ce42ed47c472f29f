"""Logs of AIWolf: one game a file, one record a line.

    day,status,index,ROLE,ALIVE|DEAD,team[,name]     day,vote,index,against            day,divine,index,target,RESULT
    day,talk|whisper,number,turn,index,text[,epoch]  day,attackVote,index,against      day,guard,index,target[,ROLE]
    day,execute,index[,ROLE]                         day,attack,index|-1[,true|false]  day,result,humans,wolves,SIDE

The text of a talk can contain commas. Newer logs, which have names, also have line breaks in texts and the time behind
them. The team is not read, since it can be a person's name; without a name, players are called as the talk calls them,
`Agent[01]`.

Who sees what follows AIWolf's protocol: roles are seen by their players; werewolves know each other, as do freemasons,
and alone see whispers and attacks; a divination is seen by its seer, a guard by its bodyguard; votes, executions and
the morning's deaths are seen by everyone. A living medium learns the next morning what the executed player was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sottovoce.domain.errors import SetupRefused
from sottovoce.domain.events import Event, GameVoided
from sottovoce.domain.seats import checked_names
from sottovoce.experiments.elsewhere import rules
from sottovoce.experiments.elsewhere.reading import Line, LineRefused, LogRefused, Story, contents, digest, lines_of

WOLF, SEER, MEDIUM, BODYGUARD, FREEMASON = "WEREWOLF", "SEER", "MEDIUM", "BODYGUARD", "FREEMASON"
HUMAN = "HUMAN"
SIDES: Mapping[str, str] = {
    **dict.fromkeys(("VILLAGER", SEER, MEDIUM, BODYGUARD, FREEMASON), "VILLAGER"),
    **dict.fromkeys((WOLF, "POSSESSED"), WOLF),
    "FOX": "FOX",
}
"""The side of each role."""
WINNERS = {"VILLAGER", WOLF, "FOX"}
UNDECIDED = {"NONE", "DRAW"}
NO_SPEECH = {"Skip", "Over"}
UNTOLD = ""
"""The standing of a player whose program the server had lost."""

_RECORD = re.compile(r"\d+,[A-Za-z]+(,|$)")
_EPOCH = re.compile(r"(?s)(.*),(\d{9,})")


@dataclass(frozen=True, slots=True)
class Record:
    """A record: its day, its kind, and the other fields. The text of a talk is one field."""

    line: Line
    day: int
    kind: str
    fields: tuple[str, ...]

    def refuse(self, why: str) -> LineRefused:
        """Return the refusal of this record."""
        return LineRefused(self.line, why)


def read_aiwolf(path: Path) -> Story:
    """Read a log. Raises Unreadable, LineRefused or LogRefused."""
    data = contents(path)
    lines = lines_of(path, data)
    records = [_record(line) for line in _joined(lines)]
    if not records:
        raise LogRefused(str(path), "The file has no records")
    found = _Reading(str(path), records)
    return Story("aiwolf", str(path), digest(data), found.seats, tuple(found.events))


def _joined(lines: Sequence[Line]) -> Iterable[Line]:
    """The records as lines; in newer logs a text ends where the next record begins."""
    named = any(line.text.count(",") == 6 and line.text.split(",")[1] == "status" for line in lines)
    at: Line | None = None
    for line in lines:
        if _RECORD.match(line.text) or at is None or not named or at.text.split(",")[1] not in ("talk", "whisper"):
            if at is not None:
                yield at
            at = line if line.text.strip() else None
        else:
            at = Line(at.file, at.number, f"{at.text}\n{line.text}")
    if at is not None:
        yield at


LEAST = {"status": 4, "talk": 4, "whisper": 4, "vote": 2, "attackVote": 2, "divine": 3, "guard": 2}
LEAST |= {"execute": 1, "attack": 1, "result": 3}
MOST = {"status": 5, "talk": 4, "whisper": 4, "vote": 2, "attackVote": 2, "divine": 3, "guard": 3}
MOST |= {"execute": 2, "attack": 2, "result": 3}
"""The least and greatest number of fields behind the kind of a record."""


def _record(line: Line) -> Record:
    day, _, rest = line.text.partition(",")
    kind, _, rest = rest.partition(",")
    if not (day.isascii() and day.isdecimal()):
        raise LineRefused(line, "it does not begin with the number of a day")
    if kind not in LEAST:
        raise LineRefused(line, "it is not one of AIWolf's records")
    fields = tuple(rest.split(",", 3) if kind in ("talk", "whisper") else rest.split(","))
    if not LEAST[kind] <= len(fields) <= MOST[kind]:
        raise LineRefused(line, f"a record of {kind!r} does not have so many fields")
    return Record(line, int(day), kind, fields)


@dataclass
class _Player:
    name: str
    role: str
    alive: bool = True


@dataclass
class _Reading:
    """The log so far, and the events that it has become."""

    file: str
    records: Sequence[Record]
    seats: tuple[str, ...] = ()
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._players: dict[str, _Player] = {}
        self._named = False
        self._executed: str | None = None
        self._attacked: set[str] = set()
        opening = [record for record in self.records if record.kind == "status"]
        first = [record for record in opening if record.day == opening[0].day]
        if not opening or self.records[0].kind != "status":
            raise self.records[0].refuse("a log begins with the status of each player")
        for record in first:
            self._seat(record)
        self._open()
        self._day = first[0].day
        self.events.append(rules.PhaseBegan(phase=f"Day {self._day}"))
        for record in self.records:
            self._take(record)
        if not isinstance(self.events[-1], rules.GameEnded | GameVoided):
            self.events.append(GameVoided(why="The log ends before the game does."))

    # who plays

    def _seat(self, record: Record) -> None:
        index, role, _, _, *name = record.fields
        if not (index.isascii() and index.isdecimal()) or not 0 < int(index) < 1000:
            raise record.refuse("that is not the number of a player")
        if index in self._players:
            raise record.refuse(f"player {index} has a status already")
        if role not in SIDES:
            raise record.refuse(f"{role!r} is not one of AIWolf's roles")
        self._named = self._named or bool(name)
        self._players[index] = _Player(name[0] if name else f"Agent[{int(index):02}]", role)
        try:
            checked_names([player.name for player in self._players.values()])
        except SetupRefused as refused:
            raise record.refuse(str(refused).rstrip(".")) from None

    def _open(self) -> None:
        order = sorted(self._players, key=int)
        self._players = {index: self._players[index] for index in order}
        self.seats = checked_names([player.name for player in self._players.values()])
        for player, seat in zip(self._players.values(), self.seats, strict=True):
            player.name = seat
            self.events.append(rules.RoleDealt(player=seat, role=player.role, side=SIDES[player.role]))
        for role in (WOLF, FREEMASON):
            if len(known := self._with(role)) > 1:
                self.events.append(rules.AlliesNamed(players=known, role=role, side=SIDES[role]))

    def _with(self, role: str) -> tuple[str, ...]:
        return tuple(player.name for player in self._players.values() if player.role == role)

    def _player(self, record: Record, index: str, *roles: str) -> _Player:
        player = self._players.get(index)
        if player is None:
            raise record.refuse(f"there is no player {index!r}")
        if roles and player.role not in roles:
            raise record.refuse(f"player {index} is {player.role}, who does not do that")
        return player

    # what happens

    def _take(self, record: Record) -> None:
        if isinstance(self.events[-1], rules.GameEnded | GameVoided):
            raise record.refuse("it comes after the result")
        if record.day < self._day:
            raise record.refuse("its day has passed already")
        if record.day > self._day:
            self._day = record.day
            self.events.append(rules.PhaseBegan(phase=f"Day {record.day}"))
        TAKES[record.kind](self, record)

    def _status(self, record: Record) -> None:
        index, role, standing, *_ = record.fields
        player = self._player(record, index)
        if player.role != role:
            raise record.refuse(f"player {index} was {player.role} before")
        if standing not in ("ALIVE", "DEAD", UNTOLD):
            raise record.refuse("a player is ALIVE or DEAD")
        if standing == "ALIVE" and not player.alive:
            raise record.refuse(f"player {index} was dead before")
        if standing == "DEAD" and player.alive:
            player.alive = False
            how = "killed in the night" if index in self._attacked else "found dead"
            self.events.append(rules.PlayerDied(player=player.name, how=how))
        if standing == "ALIVE" and player.role == MEDIUM and self._executed is not None:
            executed = self._players[self._executed]
            result = WOLF if executed.role == WOLF else HUMAN
            self.events.append(rules.ExecutedExamined(player=player.name, target=executed.name, result=result))
            self._executed = None

    def _talk(self, record: Record) -> None:
        *_, index, text = record.fields
        player, time = self._player(record, index), None
        if self._named and (told := _EPOCH.fullmatch(text)):
            text, time = told.groups()
        if text.strip() in NO_SPEECH:
            return
        listeners = None
        if record.kind == "whisper":
            self._player(record, index, WOLF)
            listeners = self._with(WOLF)
        self.events.append(rules.PlayerSpoke(player=player.name, text=text, listeners=listeners, time=time))

    def _vote(self, record: Record) -> None:
        index, against = record.fields
        player, target = self._player(record, index), self._player(record, against)
        self.events.append(rules.VoteCast(player=player.name, against=target.name, decides="execution"))

    def _attack_vote(self, record: Record) -> None:
        index, against = record.fields
        player, target = self._player(record, index, WOLF), self._player(record, against)
        self.events.append(
            rules.VoteCast(player=player.name, against=target.name, decides="attack", listeners=self._with(WOLF))
        )

    def _divine(self, record: Record) -> None:
        index, target, result = record.fields
        player = self._player(record, index, SEER)
        if result not in (HUMAN, WOLF):
            raise record.refuse(f"a divination finds {HUMAN} or {WOLF}")
        self.events.append(
            rules.PlayerDivined(player=player.name, target=self._player(record, target).name, result=result)
        )

    def _guard(self, record: Record) -> None:
        index, target, *_ = record.fields
        player = self._player(record, index, BODYGUARD)
        self.events.append(rules.PlayerGuarded(player=player.name, target=self._player(record, target).name))

    def _execute(self, record: Record) -> None:
        player = self._player(record, record.fields[0])
        player.alive, self._executed = False, record.fields[0]
        self.events.append(rules.PlayerDied(player=player.name, how="executed"))

    def _attack(self, record: Record) -> None:
        index, *how = record.fields
        if how and how[0] not in ("true", "false"):
            raise record.refuse("an attack is true or false")
        if index == "-1":
            return
        target = self._player(record, index)
        if how != ["false"]:
            self._attacked.add(index)
        self.events.append(rules.AttackChosen(attackers=self._with(WOLF), target=target.name))

    def _result(self, record: Record) -> None:
        winner = record.fields[2]
        if winner in UNDECIDED:
            self.events.append(GameVoided(why="The log names no winner."))
        elif winner in WINNERS:
            self.events.append(rules.GameEnded(winner=winner))
        else:
            raise record.refuse(f"{winner!r} is not one of AIWolf's sides")


TAKES: Mapping[str, Callable[[_Reading, Record], None]] = {
    "status": _Reading._status,
    "talk": _Reading._talk,
    "whisper": _Reading._talk,
    "vote": _Reading._vote,
    "attackVote": _Reading._attack_vote,
    "divine": _Reading._divine,
    "guard": _Reading._guard,
    "execute": _Reading._execute,
    "attack": _Reading._attack,
    "result": _Reading._result,
}
