"""Measure whether long games stay cheap: a Mafia game of thousands of events, a session of hundreds of beats."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from workload import RULES, SEATS, SEED

from sottovoce.agents.prompt import build_prompt
from sottovoce.agents.quoting import tokens
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.domain.draws import Seed
from sottovoce.domain.game import fold
from sottovoce.domain.rulesets import RULESETS
from sottovoce.eventlog import open_log
from sottovoce.eventlog.log import RecordedReceipt
from sottovoce.projections.view import view
from sottovoce.server.entries import Entries
from sottovoce.server.games import Games
from sottovoce.server.http.compression import pack
from sottovoce.server.live import LiveGame
from sottovoce.server.runner import Runner

PARTY = ("tilda-brannock", "corwin-voss", "bryn-oake")
WORDS = ("rope", "quay", "bell", "fog", "lamp", "keeper", "storm", "oar", "tide", "stone", "stair", "gull")


class LongEnough(Exception):
    """The game has enough events."""


def flatness(rounds: int) -> tuple[float, float]:
    """Return microseconds per event near position 100 and near 10,000 of one long game in memory."""
    early = late = float("inf")
    for _ in range(rounds):
        times, _ = asyncio.run(long_game(11_000))
        early, late = min(early, near(times, 100)), min(late, near(times, 10_000))
    return early, late


class Talkative(RandomAgent):
    """Calls on someone while speeches remain."""

    async def act(self, view: Any, turn: Any, random: Any, record: Any) -> str:
        if turn.kind == "moderate":
            return str(random.choice(view.state.living))
        return await super().act(view, turn, random, record)


def replayed(rounds: int) -> tuple[float, float, float]:
    """Return milliseconds for an auditor's whole record of a game of 10,000 events, compressed as it is sent: for the
    first request and for the second. Also return its kilobytes."""
    _, live = asyncio.run(long_game(10_000))
    first = again = float("inf")
    for _ in range(rounds):
        entries = Entries(live.ruleset, None, auditor=True)
        started = time.process_time()
        packed = pack(entries.track(live, audited=True).to_bytes())
        told = time.process_time()
        pack(entries.track(live, audited=True).to_bytes())
        first, again = min(first, told - started), min(again, time.process_time() - told)
    return first * 1000, again * 1000, len(packed) / 1000


async def long_game(length: int) -> tuple[list[tuple[int, float]], LiveGame]:
    """Play one long game. Return its times by number of events, and the game."""
    times: list[tuple[int, float]] = []

    async def observe(live: LiveGame, fresh: Any) -> None:
        times.append((live.length, time.process_time()))
        if live.length > length:
            raise LongEnough

    games = Games(open_log("memory:"))
    rules = {**RULES, "max_speeches": length}
    live = await games.open("mafia", SEATS, dict.fromkeys(SEATS, "random"), Seed.of(SEED), rules)
    try:
        await Runner(games, live, dict.fromkeys(SEATS, Talkative()), observe=observe).run()
    except LongEnough:
        return times, live
    finally:
        games.close()
    raise AssertionError(f"the game ended before it had {length} events")


class Droning:
    """Plays every seat of a session that never ends: the GM narrates and asks everyone, the characters answer at
    length."""

    by = "view"
    immediate = True

    async def act(self, view: Any, turn: Any, random: Any, record: Any) -> str:
        words = " ".join(f"{random.choice(WORDS)}{random.randrange(1000)}" for _ in range(60))
        if turn.seat != "gm":
            told = f"[PLAYER_TO_GM]\ntype: ACTION\ncharacter: {turn.seat}\n\n{words}"
            return "pass" if turn.seat == "narrator" else told
        asked = f"## Scene\n{words}\n\n## Just Happened\nNothing.\n\n## Request\nWhat now?"
        scene = "request_type: FULL_CONTEXT\nscene_number: 001\nscene_slug: opening"
        prompts = [
            {"type": "message", "recipient": name, "content": f"[GM_TO_PLAYER]\n{scene}\n\n{asked}"} for name in PARTY
        ]
        return json.dumps({"messages": [{"type": "broadcast", "content": f"[NARRATIVE]\n\n{words}"}, *prompts]})


async def long_session(beats: int) -> tuple[list[tuple[int, float]], LiveGame, list[RecordedReceipt]]:
    """Play a session of this many beats. Return the start time of each beat, the session and its receipts."""
    times: list[tuple[int, float]] = []

    async def observe(live: LiveGame, fresh: Any) -> None:
        if live.state.beat > len(times):
            times.append((live.length, time.process_time()))
            if live.state.beat > beats:
                raise LongEnough

    games = Games(open_log("memory:"))
    files = {f"party/{name}.md": f"# {name}\n\nHP: 9/9\n".encode() for name in PARTY}
    seats = RULESETS["tabletop"].seats_for(PARTY)
    options = {"campaign": "long-road", "player_character": PARTY[0]}
    live = await games.open("tabletop", seats, dict.fromkeys(seats, "random"), Seed.of(SEED), options, files=files)
    try:
        await Runner(games, live, dict.fromkeys(seats, Droning()), observe=observe).run()
    except LongEnough:
        return times, live, games.log.receipts(live.id)
    finally:
        games.close()
    raise AssertionError(f"the session ended before it had {beats} beats")


def near(times: list[tuple[int, float]], position: int, width: int = 600) -> float:
    part = [(length, at) for length, at in times if position <= length < position + width]
    return (part[-1][1] - part[0][1]) / (part[-1][0] - part[0][0]) * 1e6


def taken_up(live: LiveGame, seat: str) -> tuple[float, float, int]:
    """Return events per second, folded again, for the game and for one seat's view, and the tokens of a prompt at the
    end."""
    asked = next(iter(live.view("gm").turns), None) or next(iter(live.view(seat).turns))
    length = tokens(build_prompt(live.view(asked.seat), asked).text)
    started = time.process_time()
    fold(live.ruleset, [item.event for item in live.recorded])
    folded = live.length / (time.process_time() - started)
    started = time.process_time()
    view(live.ruleset, live.recorded, seat)
    return folded, live.length / (time.process_time() - started), length
