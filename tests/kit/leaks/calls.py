"""Planted leaks in how the server calls an agent: its random stream, its record, its view, its time limit, and when
it is called."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast
from unittest import mock

from msgspec import structs

from sottovoce.agents.agent import CallRecord, seat_random
from sottovoce.domain.draws import generator
from sottovoce.domain.events import TurnOpened
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.turns import Turn
from sottovoce.isolation.system import System
from sottovoce.projections.view import View
from sottovoce.server import inbox
from sottovoce.server.games import Games
from sottovoce.server.live import LiveGame
from sottovoce.server.runner import Runner

_handed_view = LiveGame.view
_changes = Games._turn_changes
_answer: Callable[..., dict[str, Any]] = cast(Any, inbox.answer)
_drop_stale = Runner._drop_stale
_act = Runner._act


def patched(ruleset: str, *targets: tuple[str, Callable[[], Any]]) -> System:
    """Return the product of that ruleset with parts of the server replaced.

    Each maker makes a new one for every game.
    """

    @contextmanager
    def entered() -> Iterator[None]:
        with ExitStack() as stack:
            for target, make in targets:
                stack.enter_context(mock.patch(target, make()))
            yield

    return replace(System(RULESETS[ruleset]), serving=entered)


def always(value: Any) -> Callable[[], Any]:
    return lambda: value


# an agent's random stream


def _one_stream() -> Callable[..., random.Random]:
    """All seats share one stream."""
    kept: dict[Any, random.Random] = {}
    return lambda seed, *purpose: kept.setdefault(seed, generator(seed, "agents"))


def _by_calls() -> Callable[..., random.Random]:
    """The stream depends on the number of the call in the game."""
    calls = Counter[Any]()

    def stream(seed: Any, *purpose: Any) -> random.Random:
        calls[seed] += 1
        return generator(seed, "call", calls[seed])

    return stream


def _by_attempts_of_all() -> Callable[..., random.Random]:
    """A seat's stream moves on with every second attempt that anyone needs."""
    again = Counter[Any]()

    def stream(seed: Any, seat: str, turn: int, attempt: int = 1) -> random.Random:
        again[seed] += attempt > 1
        return seat_random(seed, seat, turn, attempt + again[seed])

    return stream


# an agent's record


def _numbered() -> Callable[[], CallRecord]:
    """Every record has the number of the call."""
    calls = Counter[str]()

    def record(**given: Any) -> CallRecord:
        calls["all"] += 1
        return CallRecord(notes={"call": calls["all"]}, **given)

    return record


def _used_again() -> Callable[[], CallRecord]:
    """One record serves all calls, with what other agents noted."""
    one = CallRecord()

    def record(**given: Any) -> CallRecord:
        return one

    return record


# an agent's view and turn


def _full_state(live: LiveGame, seat: str) -> View[Any]:
    view = _handed_view(live, seat)
    return View(view.ruleset, seat, view.entries, view.seq, live.state)


def _now_and_then() -> Callable[[LiveGame, str], View[Any]]:
    """A seat's view is updated only after some events of the game."""
    kept: dict[tuple[str, str], tuple[int, View[Any]]] = {}

    def view(live: LiveGame, seat: str) -> View[Any]:
        length, held = kept.get((live.id, seat), (-9, None))
        if held is None or live.length - length > 3:
            held = _handed_view(live, seat)
            kept[live.id, seat] = live.length, held
        return held

    return view


async def _fewer_attempts(self: Runner, turn: Turn, epoch: int) -> None:
    """An agent that is called while others are failing is told of one attempt less for each."""
    others = [other for other in self.live.state.turns.values() if other.seat != turn.seat and other.failures]
    await _act(self, turn.but(attempts=max(1, turn.attempts - len(others))), epoch)


async def _choices_left(self: Runner, turn: Turn, epoch: int) -> None:
    """What another seat has chosen in the ballot is offered last."""
    taken = self.live.state.ballots.get(turn.ballot or "", {}).values()
    await _act(self, turn.but(choices=tuple(sorted(turn.choices, key=lambda one: one in taken))), epoch)


def _called_again(self: Runner) -> None:
    """As soon as anyone has answered, everyone else who has not is called again."""
    grown, self.seen_length = self.live.length > getattr(self, "seen_length", 0), self.live.length  # type: ignore[attr-defined]
    for key, call in self._calls.items():
        agent: Any = self.agents[key[0]]
        # An answer that is being sent must arrive, otherwise the game itself would change.
        if grown and agent.table.waiting.pop((*key, call.attempt), None) is not None:
            call.task.cancel()
    _drop_stale(self)


CALLS = Counter[str]()
"""How many calls have been made in the current game."""


def _counting() -> Callable[..., dict[str, Any]]:
    """Count calls as they begin, for all seats."""
    from sottovoce.server.receipts import begun

    CALLS.clear()

    def counted(*args: Any) -> dict[str, Any]:
        CALLS["all"] += 1
        return begun(*args)

    return counted


def _lines_of_work() -> Callable[..., tuple[str, ...]]:
    """The texts of a prompt end with the number of calls made in this game."""
    from sottovoce.server.receipts import build_blocks

    def blocks(agent: Any, view: View[Any], turn: Turn) -> tuple[str, ...]:
        found = build_blocks(agent, view, turn)
        return (*found, f"Prompt {CALLS['all']}.") if found else ()

    return lambda *args: _noting(blocks(*args), args[0])


def _noting(blocks: tuple[str, ...], agent: Any) -> tuple[str, ...]:
    """Also gives the texts to the agent, like an agent that sends them elsewhere."""
    if hasattr(agent, "given"):
        agent.given = blocks
    return blocks


# an agent's time


def _from_the_last_event(self: Games, live: LiveGame, drafts: Any, at: datetime, *rest: Any) -> Any:
    """An attempt gets more time the older the previous event is, no matter whose it is."""
    idle = at - live.recorded[-1].at if live.recorded else timedelta()
    return _changes(self, live, drafts, at + idle, *rest)


def _with_the_others(self: Games, live: LiveGame, *rest: Any) -> Any:
    """A new attempt ends with the first of the running ones."""
    limits = [due.expires for due in self.log.due(live.id) if due.expires is not None and due.expires > self.clock()]
    return tuple(
        structs.replace(change, expires=min(limits)) if change.what == "retry" and change.expires and limits else change
        for change in _changes(self, live, *rest)
    )


def _seconds_by_length(self: Games, live: LiveGame, *rest: Any) -> Any:
    """Late in a game there is more time, counted in all events."""
    more = timedelta(seconds=live.length // 8)
    return tuple(
        structs.replace(change, expires=change.expires + more) if change.expires else change
        for change in _changes(self, live, *rest)
    )


def _deadlines_of_all(games: Games, live: LiveGame, view: View[Any], *rest: Any) -> dict[str, Any]:
    """The deadline of any seat's turn with that number."""
    given = _answer(games, live, view, *rest)
    limits = {due.turn: due.expires for due in games.log.due(live.id)}
    for turn in given["turns"]:
        turn["deadline"] = inbox.iso(limits.get(turn["turn"]))
    return given


def _quiet_since(games: Games, live: LiveGame, view: View[Any], *rest: Any) -> dict[str, Any]:
    """How long nothing has happened in the game."""
    quiet = games.clock() - live.recorded[-1].at
    return {**_answer(games, live, view, *rest), "quiet": quiet.total_seconds()}


def _asked_since(games: Games, live: LiveGame, view: View[Any], *rest: Any) -> dict[str, Any]:
    """How many minutes before or after the seat's newest event another seat's turn opened."""
    own = max(item.at for item in live.recorded if item.audience.includes(view.seat))
    asked = [item.at for item in live.recorded if isinstance(item.event, TurnOpened) and item.event.seat != view.seat]
    minutes = [(at - own).total_seconds() // 60 for at in asked[-1:]]
    return {**_answer(games, live, view, *rest), "asked": minutes}


def _others_awaited(games: Games, live: LiveGame, view: View[Any], *rest: Any) -> dict[str, Any]:
    """How many turns are open in the game."""
    return {**_answer(games, live, view, *rest), "due": len(games.log.due(live.id))}


def _retried(games: Games, live: LiveGame, view: View[Any], *rest: Any) -> dict[str, Any]:
    """The fewest attempts left of any seat."""
    given = _answer(games, live, view, *rest)
    fewest = min((turn.attempts_left for turn in live.state.turns.values()), default=0)
    for turn in given["turns"]:
        turn["attempts_left"] = min(turn["attempts_left"], fewest)
    return given


def _goes_to_who_is_awake(games: Games, live: LiveGame, view: View[Any], *rest: Any) -> dict[str, Any]:
    """Answers are said to go to everyone else who is asked at that moment, too."""
    given = _answer(games, live, view, *rest)
    awake = {seat for seat, _ in live.state.turns}
    for turn in given["turns"]:
        turn["goes_to"] = {
            choice: seats if seats is None else [seat for seat in live.state.seats if seat in {*seats, *awake}]
            for choice, seats in turn["goes_to"].items()
        }
    return given


def _goes_to_by_the_full_state(games: Games, live: LiveGame, view: View[Any], *rest: Any) -> dict[str, Any]:
    """Answers are said to go to every seat that has a part in any task under way."""
    given = _answer(games, live, view, *rest)
    parts = {seat for task in live.state.tasks.values() for seat in (task.planner, task.executor, task.reviewer)}
    for turn in given["turns"]:
        turn["goes_to"] = {"": [seat for seat in live.state.seats if seat in parts]}
    return given


def systems() -> dict[str, System]:
    """Return every planted leak of this module by name."""
    runner, live, games = (
        "sottovoce.server.runner.Runner.",
        "sottovoce.server.live.LiveGame.",
        "sottovoce.server.games.Games.",
    )
    return {
        "all_draw_from_one_stream": patched("mafia", ("sottovoce.server.runner.seat_random", _one_stream)),
        "stream_by_the_number_of_calls": patched("delegation", ("sottovoce.server.runner.seat_random", _by_calls)),
        "stream_moved_by_others_attempts": patched(
            "tabletop", ("sottovoce.server.runner.seat_random", _by_attempts_of_all)
        ),
        "call_record_numbered_over_all": patched("mafia", ("sottovoce.server.runner.CallRecord", _numbered)),
        "call_record_used_again": patched("tabletop", ("sottovoce.server.runner.CallRecord", _used_again)),
        "agent_handed_the_full_state": patched("mafia", (f"{live}view", always(_full_state))),
        "view_brought_up_to_date_by_all_events": patched("delegation", (f"{live}view", _now_and_then)),
        "attempts_of_another_s_turn": patched("mafia", (f"{runner}_act", always(_fewer_attempts))),
        "choices_sorted_by_a_sealed_ballot": patched("mafia", (f"{runner}_act", always(_choices_left))),
        "asked_anew_when_another_answers": patched("tabletop", (f"{runner}_drop_stale", always(_called_again))),
        "prompts_counted_in_the_prompt": patched(
            "delegation",
            ("sottovoce.server.runner.begun", _counting),
            ("sottovoce.server.runner.build_blocks", _lines_of_work),
        ),
        "time_runs_from_the_last_event": patched("mafia", (f"{games}_turn_changes", always(_from_the_last_event))),
        "retry_ends_with_another_s_time": patched("mafia", (f"{games}_turn_changes", always(_with_the_others))),
        "more_time_by_all_that_happened": patched("tabletop", (f"{games}_turn_changes", always(_seconds_by_length))),
        "deadline_of_another_s_turn": patched(
            "delegation", ("sottovoce.server.inbox.answer", always(_deadlines_of_all))
        ),
        "quiet_time_in_the_inbox": patched("delegation", ("sottovoce.server.inbox.answer", always(_quiet_since))),
        "others_opening_minute_in_the_inbox": patched(
            "tabletop", ("sottovoce.server.inbox.answer", always(_asked_since))
        ),
        "turns_due_in_the_inbox": patched("mafia", ("sottovoce.server.inbox.answer", always(_others_awaited))),
        "goes_to_who_is_awake": patched("mafia", ("sottovoce.server.inbox.answer", always(_goes_to_who_is_awake))),
        "goes_to_by_the_full_state": patched(
            "delegation", ("sottovoce.server.inbox.answer", always(_goes_to_by_the_full_state))
        ),
        "fewest_attempts_in_the_inbox": patched("tabletop", ("sottovoce.server.inbox.answer", always(_retried))),
    }
