"""A game as an environment: open it, observe a seat, see its legal moves, submit one, read the outcome. In memory.

    game = Environment("mafia", ["Ada", "Bram", "Cleo", "Dirk", "Edda"], seed=1, fill={"narrator": "house"})
    while not game.over:
        seat = game.to_move[0]
        seen = game.observe(seat)
        game.submit(seat, seen.moves[0] if seen.moves else "I have nothing to add.")
    game.outcome.won["Ada"]

A seat's observation is a function of its view, as everywhere. Nothing is stored; `play` and `run` store games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sottovoce.agents.agent import Agent, AgentFailed, CallRecord, seat_random
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.kinds import agent_for, kind_of
from sottovoce.agents.models.blocks import model_blocks
from sottovoce.domain.commands import Command, Expire, Open, Reply, Wake
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import AttemptFailed, MessageRefused, Recorded
from sottovoce.domain.game import decided
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.turns import Turn
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.view import SeatProjection, View
from sottovoce.server.seating import player_names

_BEGIN = datetime(2026, 1, 1, 12, tzinfo=UTC)
"""When every game begins; each command comes a second later, so that the same moves give the same game."""
PROMPT_TOKENS = 1_000_000


class NotYourTurn(SottovoceError):
    """The seat has no open turn."""

    exit_code = 2


class CannotWait(SottovoceError):
    """A seat is filled by an agent that doesn't answer at once within this process."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Observation:
    """What a seat sees when it is asked: the kind of turn, the legal moves (none: any text), and its view.

    `attempts_left` counts down with each move that is refused. `view.entries` has the events that the seat has seen.
    """

    seat: str
    turn: int
    kind: str
    moves: tuple[str, ...]
    attempts_left: int
    view: View[Any]

    @property
    def messages(self) -> list[dict[str, str]]:
        """Return the prompt that a model in this seat would get, in the chat format."""
        turn = next(turn for turn in self.view.turns if turn.number == self.turn)
        shared, *own = model_blocks(self.view, turn, PROMPT_TOKENS)
        return [{"role": "system", "content": shared}, {"role": "user", "content": "\n\n".join(own)}]

    @property
    def text(self) -> str:
        """Return the same as one text."""
        return "\n\n".join(message["content"] for message in self.messages)


@dataclass(frozen=True, slots=True)
class Submitted:
    """What became of a move. A refused one changes nothing, and `why` says what the seat is told of it."""

    accepted: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: the side or seat that won, and each player's part and whether it won, where it has one."""

    winner: str | None
    parts: Mapping[str, str]
    won: Mapping[str, bool]


class Environment:
    """One game in memory.

    `players` are names in seating order, or how many there are. `fill` gives seats to agents that answer at once, such
    as `house` and `random`; all other seats are yours. Raises what opening a game raises, and CannotWait.
    """

    def __init__(
        self,
        ruleset: str,
        players: Sequence[str] | int,
        *,
        seed: int | str,
        options: Mapping[str, Any] | None = None,
        fill: Mapping[str, str] | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> None:
        self._ruleset = RULESETS[ruleset]
        self._seed = Seed.of(seed)
        names = player_names(players, self._seed) if isinstance(players, int) else list(players)
        self.seats: tuple[str, ...] = self._ruleset.seats_for(names)
        self._fill = {seat: _agent(agent) for seat, agent in (fill or {}).items()}
        unknown = [seat for seat in self._fill if seat not in self.seats]
        if unknown:
            raise SottovoceError(f"fill has {unknown[0]!r}. The seats are: {', '.join(self.seats)}.")
        self._state: Any = self._ruleset.initial
        self._recorded: list[Recorded] = []
        self._projections = {seat: SeatProjection(self._ruleset, seat) for seat in self.seats}
        agents = {seat: (fill or {}).get(seat, "outside") for seat in self.seats}
        self._commands = 0
        self._do(Open(self._now, self.seats, agents, self._seed, options or {}, files or {}))
        self._go_on()

    @property
    def over(self) -> bool:
        """Whether no more moves are taken: the game has ended, or its rules put it on hold."""
        return bool(self._state.over) or self._state.hold is not None

    @property
    def to_move(self) -> tuple[str, ...]:
        """The seats with an open turn, in the order in which they were asked. In a ballot there are several."""
        if self.over:
            return ()
        return tuple(dict.fromkeys(seat for seat, _ in self._state.turns))

    @property
    def outcome(self) -> Outcome:
        """How the game ended; nobody has won before the end."""
        standing = EXTRAS.of(self._ruleset.name).standing
        found = standing.parts(self._state) if standing is not None and self._state.over else {}
        parts, won = ({seat: each[at] for seat, each in found.items()} for at in (0, 1))
        return Outcome(self._state.winner, parts, won)  # type: ignore[arg-type]

    @property
    def recorded(self) -> Sequence[Recorded]:
        """Every event so far, with its audience: all of the game's secrets, for measures and tests."""
        return tuple(self._recorded)

    def view(self, seat: str) -> View[Any]:
        """What the seat has seen, whether or not it has a turn."""
        return self._projections[seat].view()

    def observe(self, seat: str) -> Observation:
        """What the seat sees of its first open turn. Raises NotYourTurn."""
        turn, view = self._turn(seat), self.view(seat)
        return Observation(seat, turn.number, turn.stored_kind, self.legal_moves(seat), turn.attempts_left, view)

    def legal_moves(self, seat: str) -> tuple[str, ...]:
        """The moves that the rules take at the seat's first open turn; none if any text will do. Raises NotYourTurn."""
        turn, state = self._turn(seat), self.view(seat).state
        return tuple(turn.choices) or tuple(turn.reply(state, answer) for answer in turn.legal(state) or ())

    def submit(self, seat: str, text: str, notes: str = "") -> Submitted:
        """Answer the seat's first open turn, and play on until a seat of yours is asked. Raises NotYourTurn."""
        turn = self._turn(seat)
        new = self._do(Reply(self._now, seat, turn.number, text, notes=notes))
        refused = next((item.event for item in new if isinstance(item.event, AttemptFailed | MessageRefused)), None)
        self._go_on()
        return Submitted(True) if refused is None else Submitted(False, refused.message)

    def _turn(self, seat: str) -> Turn[Any, Any]:
        if seat not in self._projections:
            raise NotYourTurn(f"There is no seat {seat!r}. The seats are: {', '.join(self.seats)}.")
        turns = self.view(seat).turns if not self.over else []
        if not turns:
            waiting = ", ".join(self.to_move) or "nobody"
            raise NotYourTurn(f"{seat} has no open turn. To move: {waiting}.")
        return turns[0]

    @property
    def _now(self) -> datetime:
        return _BEGIN + timedelta(seconds=self._commands)

    def _do(self, command: Command) -> list[Recorded]:
        drafts, self._state = decided(self._ruleset, self._state, command)
        self._commands += 1
        new = []
        for draft in drafts:
            event, place = draft.event, len(self._recorded) + 1
            item = Recorded(
                game="environment",
                position=place,
                append=f"a{self._commands}",
                name=event.stored_name,
                at=command.at,
                actor=event.actor,
                audience=draft.audience,
                cause=None,
                body=b"",
                salt=b"",
                hash=b"",
                event=event,
            )
            self._recorded.append(item)
            new.append(item)
            for projection in self._projections.values():
                projection.take(item)
        return new

    def _go_on(self) -> None:
        """Play the seats that are filled, and let time pass where that is waited for."""
        while not self.over:
            if not self._state.turns:
                wakes = self._ruleset.wakes_at(self._state)
                if wakes is None:
                    return
                self._do(Wake(max(wakes, self._now)))
                continue
            key = next((key for key in self._state.turns if key[0] in self._fill), None)
            if key is None:
                return
            self._answer(self._state.turns[key])

    def _answer(self, turn: Turn[Any, Any]) -> None:
        random = seat_random(self._seed, turn.seat, turn.number, turn.attempt)
        acting = self._fill[turn.seat].act(self.view(turn.seat), turn, random, CallRecord())
        try:
            acting.send(None)
        except StopIteration as done:
            notes = getattr(done.value, "notes", "")
            self._do(Reply(self._now, turn.seat, turn.number, str(done.value), notes=notes))
        except AgentFailed:
            self._do(Expire(self._now, turn.seat, turn.number, turn.attempt))
        else:
            acting.close()
            raise CannotWait(f"The agent of {turn.seat} does not answer at once. Submit its moves yourself.")


def _agent(spec: str) -> Agent:
    kind = kind_of(spec)
    found = None if kind.elsewhere else agent_for(spec, HouseAgent)
    if found is None or not getattr(found, "immediate", False):
        raise CannotWait(f"{spec} does not answer at once in this process. Use house or random, or submit its moves.")
    return found
