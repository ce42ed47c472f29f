"""The ruleset of games that were played elsewhere: what logs tell, each with the audience that the source gives it.

Such a game is imported and never played: it is over from the start, and nobody is asked anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sottovoce.domain import commands
from sottovoce.domain.audience import EVERYONE, Audience, everyone, named_in, nobody, only, those
from sottovoce.domain.errors import SetupRefused
from sottovoce.domain.events import Closing, Event, GameOpened, GameVoided
from sottovoce.domain.folds import adds, changes_nothing, fact, sets
from sottovoce.domain.game import Game
from sottovoce.domain.piece import Chair, Piece, line, plainly, says
from sottovoce.domain.ruleset import Fact, Options, Players, Ruleset
from sottovoce.domain.turns import NOTHING, Table
from sottovoce.domain.words import opening

NOT_PLAYED = (
    "Games of 'elsewhere' are imported and never played. Import one with: sottovoce import --format FORMAT FILE"
)
OWN = "only you"


class ElsewhereOptions(Options):
    """Every game's options: a log of another program has no others."""


class State(Table, frozen=True):
    """What a log has told so far: the roles and sides that are known, and the deaths in their order."""

    options: ElsewhereOptions = ElsewhereOptions()
    roles: Mapping[str, str] = NOTHING
    sides: Mapping[str, str] = NOTHING
    phase: str = ""
    deaths: tuple[PlayerDied, ...] = ()


@those
def who_heard(state: State, event: Any) -> Audience:
    """everyone, or the `listeners` if the event names them"""
    return EVERYONE if event.listeners is None else only(event.listeners)


class LogRead(Event[State], name="elsewhere.log-read.v1", seen_by=nobody):
    """Where the game comes from: the format of the log, and the SHA-256 of what was read."""

    format: str
    sha256: str

    example = {"format": "aiwolf", "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}
    tell = line("Read from a log in the format {format}. SHA-256: {sha256}.", private="", weight=0)
    fold = changes_nothing


class RoleDealt(Event[State], name="elsewhere.role-dealt.v1", seen_by=named_in("player")):
    """A player's role and side."""

    player: str
    role: str
    side: str

    example = {"player": "Ada", "role": "SEER", "side": "VILLAGER"}
    tell = line("{player:You}: {role}.", kind="card", title="A role", private=OWN, weight=2)
    facts = fact("role", "player", "role")

    def fold(self, state: State) -> State:
        roles, sides = {**state.roles, self.player: self.role}, {**state.sides, self.player: self.side}
        return state.but(roles=roles, sides=sides)


class AlliesNamed(Event[State], name="elsewhere.allies-named.v1", seen_by=named_in("players")):
    """Players with the same role who learn each other's names at the start."""

    players: tuple[str, ...]
    role: str
    side: str

    example = {"players": ("Ada", "Bram"), "role": "WEREWOLF", "side": "WEREWOLF"}
    tell = line("{players:names} know each other: {role}.", private="only they", weight=2)

    def facts(self) -> frozenset[Fact]:
        return frozenset(("role", player, self.role) for player in self.players)

    def fold(self, state: State) -> State:
        roles = {**state.roles, **dict.fromkeys(self.players, self.role)}
        return state.but(roles=roles, sides={**state.sides, **dict.fromkeys(self.players, self.side)})


class PhaseBegan(Event[State], name="elsewhere.phase-began.v1", seen_by=everyone):
    """A day or a night begins, as the log numbers it."""

    phase: str

    example = {"phase": "Day 1"}
    tell = line("{phase} begins.", kind="heading", chapter="{phase}")
    fold = sets("phase")


class Announced(Event[State], name="elsewhere.announced.v1", seen_by=who_heard):
    """The log's game manager says something that changes nothing. `time` is the source's own."""

    text: str
    listeners: tuple[str, ...] | None = None
    time: str | None = None

    example = {"text": "Daytime has ended, now it's time to vote!"}
    tell = line("The game manager: {text}")
    fold = changes_nothing


class PlayerSpoke(Event[State], name="elsewhere.player-spoke.v1", seen_by=who_heard, by=named_in("player")):
    """A player speaks to everyone, or to the `listeners` alone. `time` is the source's own."""

    player: str
    text: str
    listeners: tuple[str, ...] | None = None
    time: str | None = None

    example = {"player": "Ada", "text": "I divined Bram. He is human."}
    fold = changes_nothing

    def tell(self, chair: Chair) -> Piece | None:
        if self.listeners is None:
            return says("{player:name} says:")(self, chair)
        return says("{player:name} says in private:", private="only the listeners", mood="night")(self, chair)


class VoteCast(Event[State], name="elsewhere.vote-cast.v1", seen_by=who_heard, by=named_in("player")):
    """A player votes: `against` whom, and what the vote `decides`, an execution or an attack."""

    player: str
    against: str
    decides: str
    listeners: tuple[str, ...] | None = None
    time: str | None = None

    example = {"player": "Ada", "against": "Bram", "decides": "execution"}
    tell = line("{player:name} votes for {against:name} ({decides}).")
    fold = changes_nothing


class PlayerDivined(Event[State], name="elsewhere.player-divined.v1", seen_by=named_in("player")):
    """A seer learns whether a player is human."""

    player: str
    target: str
    result: str

    example = {"player": "Ada", "target": "Bram", "result": "HUMAN"}
    tell = line("{player:You} divined {target:name}: {result}.", private=OWN, weight=2)
    facts = fact("being", "target", "result")
    fold = changes_nothing


class ExecutedExamined(Event[State], name="elsewhere.executed-examined.v1", seen_by=named_in("player")):
    """A medium learns on the next morning whether the executed player was human."""

    player: str
    target: str
    result: str

    example = {"player": "Ada", "target": "Bram", "result": "WEREWOLF"}
    tell = line("{player:You} examined {target:name}, who was executed: {result}.", private=OWN, weight=2)
    facts = fact("being", "target", "result")
    fold = changes_nothing


class PlayerGuarded(Event[State], name="elsewhere.player-guarded.v1", seen_by=named_in("player")):
    """A bodyguard guards a player for the night."""

    player: str
    target: str

    example = {"player": "Ada", "target": "Bram"}
    tell = line("{player:You} guarded {target:name}.", private=OWN)
    facts = fact("guarded", "target", "player")
    fold = changes_nothing


class AttackChosen(Event[State], name="elsewhere.attack-chosen.v1", seen_by=named_in("attackers")):
    """Whom the attackers attack in the night. Whether that player dies is told to everyone in the morning."""

    attackers: tuple[str, ...]
    target: str

    example = {"attackers": ("Ada", "Bram"), "target": "Cleo"}
    tell = line("The attack is on {target:name}.", private="only the attackers", mood="night")
    facts = fact("attacked", "target")
    fold = changes_nothing


class PlayerDied(Event[State], name="elsewhere.player-died.v1", seen_by=everyone):
    """A player is out of the game: `how`, and the role if the game showed it to everyone."""

    player: str
    how: str
    role: str | None = None

    example = {"player": "Bram", "how": "executed"}
    fold = adds("deaths")

    def tell(self, chair: Chair) -> Piece:
        shown = f" Role: {plainly(self.role)}." if self.role else ""
        return Piece(f"{chair.you(self.player, 'You')}: {self.how}.{shown}", "death", self.player, weight=2)

    def facts(self) -> frozenset[Fact]:
        return frozenset({("role", self.player, self.role)} if self.role else ())


class GameEnded(Closing[State], name="elsewhere.game-ended.v1", seen_by=everyone):
    """Which side won, in the source's own word."""

    example = {"winner": "VILLAGER"}
    tell = line("The game is over. The winner is {winner}.", kind="ending")
    fold = changes_nothing


class Elsewhere(Ruleset[State]):
    """A game that was played in another program and imported from its log."""

    name = "elsewhere"
    options = ElsewhereOptions
    seats = (Players(1),)
    state = State()
    events = (
        LogRead,
        RoleDealt,
        AlliesNamed,
        PhaseBegan,
        Announced,
        PlayerSpoke,
        VoteCast,
        PlayerDivined,
        ExecutedExamined,
        PlayerGuarded,
        AttackChosen,
        PlayerDied,
        GameEnded,
    )

    def open(self, game: Game[State], command: commands.Open) -> None:
        """Refuse: such games are only imported."""
        raise SetupRefused(NOT_PLAYED)

    def advance(self, game: Game[State]) -> None:
        """End a game that somebody wants to play on, such as a fork: its rules are not known here."""
        game.emit(GameVoided(why="A game of another program cannot be played on here."))

    def opening(self, event: GameOpened, chair: Chair) -> Piece:
        return opening(event, chair, title="A game of another program", without=event.options)

    def phase(self, state: State) -> str:
        return "over" if state.over else state.phase or "under way"


ELSEWHERE = Elsewhere()
