"""Whatever is sent by whom and when, a session neither breaks nor stands still."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from session import PARTY, Session, session
from sizes import sized
from storm import problems, shown, step

from sottovoce.domain import commands
from sottovoce.domain.events import AttemptFailed, Event, MessageRefused, TurnOpened
from sottovoce.rulesets.tabletop.rules import TABLETOP
from sottovoce.rulesets.tabletop.rules.events import RequestPassed
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN
from sottovoce.rulesets.tabletop.rules.phrases import is_pass
from sottovoce.rulesets.tabletop.rules.state import TabletopState

SEEDS = sized(36, 2000)
STEPS = sized(70, 250)
SOMETIMES = (
    ("messages_per_pair", 1),
    ("note_requests_per_beat", 1),
    ("idle_gm_turns", 1),
    ("max_attempts", 1),
    ("human_seconds", 5.0),
)


def begin(random: Random) -> Session:
    options: dict[str, Any] = dict(random.sample(SOMETIMES, random.choice((0, 0, 1, 2))))
    return session(
        random.choice(("phase-1", "phase-2", "current")),
        human=random.random() < 0.7,
        characters=PARTY[: random.choice((1, 2, 3, 3, 3))],
        start=random.random() < 0.7,
        **options,
    )


class Watch:
    """What has to hold from one command to the next."""

    def __init__(self, game: Session) -> None:
        self.turns: dict[str, int] = {}
        self.told_after_end = 0
        self.views: dict[str, TabletopState] = dict.fromkeys(game.state.seats, TABLETOP.initial)
        self._see(game)
        list(self._turns(game.last))

    def check(self, before: TabletopState, command: commands.Command, game: Session) -> None:
        self._see(game)
        wrong = [*problems(game.state), *self._turns(game.last), *self._refusals(before, command, game)]
        wrong += [*self._ending(before, game), *self._human(before, game.last), *self._prompts(game)]
        assert not wrong, wrong[0]

    def _see(self, game: Session) -> None:
        for draft in game.play.new:
            for seat in self.views:
                if draft.audience.includes(seat):
                    self.views[seat] = TABLETOP.evolve(self.views[seat], draft.event)

    def _turns(self, events: tuple[Event, ...]) -> Any:
        for event in events:
            if isinstance(event, TurnOpened):
                if event.turn != self.turns.get(event.seat, 0) + 1:
                    yield f"turn {event.turn} of {event.seat} is out of order"
                self.turns[event.seat] = event.turn

    def _refusals(self, before: TabletopState, command: commands.Command, game: Session) -> Any:
        kinds = {type(event) for event in game.last}
        if isinstance(command, commands.Say) and kinds == {MessageRefused} and game.state != before:
            yield "a refused message has changed the state"
        if before.hold is None and isinstance(command, commands.Say):
            first = next(iter(game.last), None)
            if isinstance(first, MessageRefused) and kinds != {MessageRefused}:
                yield f"a refused message was followed by {kinds}"
        for draft in game.play.new:
            if isinstance(draft.event, MessageRefused | AttemptFailed) and draft.audience.seats != frozenset(
                {draft.event.seat}
            ):
                yield "a refusal was seen by others"

    def _ending(self, before: TabletopState, game: Session) -> Any:
        if before.ending:
            self.told_after_end += sum(isinstance(e, MessageSent) and e.tag == "NARRATIVE" for e in game.last)
        if self.told_after_end > 1:
            yield "more than one NARRATIVE after end"
        turn = next((turn for turn in game.state.turns.values() if turn.seat == GM), None)
        if game.state.ending and not game.state.ended and turn is None:
            yield "the GM is not asked to end"

    def _human(self, before: TabletopState, events: tuple[Event, ...]) -> Any:
        """T-167: what the human has decided is passed over by nobody."""
        request = before.requests.get(before.character or "")
        for event in events:
            if isinstance(event, RequestPassed) and event.character == before.character and before.has_human:
                if request is None or request.type == "INTERACTION" or before.mode == "AUTONOMOUS":
                    continue
                if request.decision is not None and not is_pass(request.decision):
                    yield "the human's decision was passed over"
                if request.decision is None and not request.alone and event.fallback and not request.relayed:
                    yield "the human was not asked"

    def _prompts(self, game: Session) -> Any:
        """The prompt of each new turn can be made from the seat's own view, and the GM's and human's say the same."""
        for event in game.last:
            if isinstance(event, TurnOpened) and (event.seat, event.turn) in game.state.turns:
                view = self.views[event.seat]
                own = TABLETOP.request(view, view.turns[event.seat, event.turn])
                full = TABLETOP.request(game.state, game.state.turns[event.seat, event.turn])
                if event.seat in (GM, HUMAN) and own.whole != full.whole:
                    yield f"{event.seat} is asked {own.whole!r} instead of {full.whole!r}"


@pytest.mark.spec("T-039", "T-137", "T-157", "T-158", "T-162", "T-164", "T-167")
@pytest.mark.parametrize("part", range(4))
def test_no_storm_of_messages_breaks_or_stalls_a_session(part: int) -> None:
    for seed in range(part, SEEDS, 4):
        random = Random(f"storm {seed}")
        game, wild = begin(random), random.choice((0.02, 0.05, 0.3, 0.6))
        watch = Watch(game)
        for number in range(STEPS):
            before, command = game.state, step(game, random, wild)
            try:
                game = game.when(command)
                watch.check(before, command, game)
            except Exception as error:
                raise AssertionError(f"seed {seed}, step {number}: {shown(command)}: {error}") from error
            if game.state.over:
                break


@pytest.mark.spec("T-105", "T-157", "T-158")
def test_from_anywhere_in_a_storm_an_end_comes_to_its_end() -> None:
    for seed in range(sized(40, 800)):
        random = Random(f"ending {seed}")
        game = begin(random)
        for _ in range(random.randint(0, 40)):
            game = game.when(step(game, random, 0.2))
        if not game.state.started or game.state.ending:
            continue
        game = game.say("team-lead", "@gm\n[SESSION_COMMAND]\ncommand: end")
        allowed = game.state.options.max_attempts
        for attempt in range(1, allowed + 1):
            assert not game.state.ended
            game = game.reply(GM, random.choice(("", "Not yet.", "[narrative]", "[NARRATIVE]\n\nOne more thing.")))
            assert game.state.ended == (attempt == allowed)
        for _ in range(60):
            if game.state.over:
                break
            turn = next(iter(game.state.turns.values()))
            game = game.when(commands.Expire(game.play.at, turn.seat, turn.number, turn.attempt))
        assert game.state.over, seed
