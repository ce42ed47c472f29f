"""What `experiment check` finds, and what would stop an experiment in every game before the first."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from sottovoce.agents.agent import AgentFailed, CallRecord, RemoteAgent, SeatRandom
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.kinds import agent_for
from sottovoce.cli.many_games import agents_of, check_plans
from sottovoce.cli.output import say
from sottovoce.domain.commands import Open
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import Recorded
from sottovoce.domain.game import decide
from sottovoce.domain.safe_text import one_line
from sottovoce.domain.turns import Turn
from sottovoce.experiments.contests import check_rank, model_of
from sottovoce.experiments.designs import Experiment, Planned
from sottovoce.experiments.power import found_with, games_for, width_with
from sottovoce.projections.view import View, view
from sottovoce.server.games import now

SIZES = (0.05, 0.1, 0.2)
"""Differences of shares whose number of games is told."""
SHOWN = 60


def require_playable(experiment: Experiment, jobs: int) -> None:
    """Raise what would stop every game: a design that tells nothing apart, agents that can't play, wrong options."""
    check_plans([game.plan for game in experiment.deal(0)], experiment.file.on_failure, jobs)
    model = model_of(experiment)
    if model is not None:
        check_rank(model, experiment.planned())


def checked(experiment: Experiment, *, offline: bool) -> dict[str, Any]:
    """Return what there is to know before an experiment runs. Raises what `require_playable` raises."""
    require_playable(experiment, 1)
    file = experiment.file
    first = experiment.deal(0)
    agents = [] if offline else agents_of(game.plan for game in first)
    games = sum(1 for _ in experiment.planned())
    each = games // len(first)
    model = model_of(experiment)
    return {
        "experiment": file.name,
        "ruleset": file.ruleset,
        "games": games,
        "deals": -(-games // len(first)),
        "arrangements": [{"name": planned.arrangement, "seats": _seats(planned)} for planned in first],
        "strengths": None if model is None else list(model.names),
        "interval_width": round(width_with(each), 3),
        "difference_found": None if (least := found_with(each)) is None else round(least, 3),
        "games_for": {f"{size:g}": games_for(size) * len(first) for size in SIZES},
        "agents": [_tried(experiment, first[0], agent) for agent in agents],
    }


def _seats(planned: Planned) -> dict[str, int]:
    """How many seats each agent that is compared has in the first deal's game."""
    found: dict[str, int] = {}
    for label in planned.labels.values():
        found[label] = found.get(label, 0) + 1
    return found


def print_checked(found: dict[str, Any]) -> None:
    """Print what was found, for a person."""
    games, arrangements = found["games"], found["arrangements"]
    say(f"{found['experiment']}: {games} games of {found['ruleset']} on {found['deals']} deals.")
    say()
    for one in arrangements:
        seats = ", ".join(f"{label} {number}" for label, number in one["seats"].items())
        say(f"arrangement  {one['name']}  (seats: {seats})")
    if found["strengths"]:
        say(f"strengths    {', '.join(found['strengths'])}: the design tells them apart")
    else:
        say("strengths    not fitted: the design compares no agents on two sides")
    say(f"intervals    about {found['interval_width'] * 100:.0f} points wide for a share of wins in one arrangement")
    least = found["difference_found"]
    if least is None:
        say("differences  none between two arrangements is found reliably with so few games")
    else:
        say(f"differences  {least * 100:.0f} points between two arrangements are found 4 times in 5")
    for size, needed in found["games_for"].items():
        say(f"             {float(size) * 100:.0f} points would take {needed} games")
    say()
    for one in found["agents"]:
        if one["ok"] is None:
            say(f"agent        {one['agent']}: was not asked a turn here")
        elif one["ok"]:
            say(f"agent        {one['agent']}: answers in {one['seconds']:.2f} s («{one['reply']}»)")
        else:
            say(f"agent        {one['agent']}: failed: {one_line(one['error'])}")


def _opened(experiment: Experiment, planned: Planned) -> Sequence[Any]:
    plan, ruleset = planned.plan, experiment.ruleset
    return decide(ruleset, ruleset.initial, Open(now(), plan.seats, plan.agents, plan.seed, plan.options, plan.files))


def _first_turn(experiment: Experiment, planned: Planned) -> tuple[View[Any], Turn] | None:
    """The first turn of the game that a player has, as its seat sees it."""
    ruleset = experiment.ruleset
    recorded = [
        Recorded("check", at, "check", one.event.stored_name, now(), None, one.audience, None, b"", b"", b"", one.event)
        for at, one in enumerate(_opened(experiment, planned), 1)
    ]
    for seat in (*planned.labels, *planned.plan.seats):
        seen = view(ruleset, recorded, seat)
        if seen.turns:
            return seen, seen.turns[0]
    return None


def _tried(experiment: Experiment, planned: Planned, agent: str) -> dict[str, Any]:
    """Try an agent with the first turn of the first game, which is not saved."""
    turn = _first_turn(experiment, planned)
    started, made = time.monotonic(), agent_for(agent, HouseAgent)
    reply = error = None
    try:
        if turn is None or made is None:
            if isinstance(made, RemoteAgent):
                asyncio.run(made.reach())
        else:
            reply = asyncio.run(made.act(*turn, SeatRandom(bytes(32), "check"), CallRecord()))
    except (AgentFailed, SottovoceError) as failed:
        error = str(failed)
    ok = False if error is not None else None if reply is None else True
    return {
        "agent": agent,
        "ok": ok,
        "error": error,
        "reply": None if reply is None else _short(reply),
        "seconds": round(time.monotonic() - started, 3),
    }


def _short(reply: str) -> str:
    words = one_line(reply)
    return words if len(words) <= SHOWN else f"{words[:SHOWN]} […]"
