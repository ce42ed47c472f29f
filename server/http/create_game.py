"""Opening a game for somebody far away: with the agents and folders that the settings name, and no other."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sottovoce.domain.draws import SEED_BYTES, Seed
from sottovoce.domain.errors import SetupRefused, SottovoceError
from sottovoce.domain.events import GameRequested
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.safe_text import one_line
from sottovoce.eventlog.errors import LogError
from sottovoce.server.extras import EXTRAS, Choices, Opening, Setup, place_kind
from sottovoce.server.http.models.games import Wanted
from sottovoce.server.http.problems import Problem
from sottovoce.server.http.settings import Settings
from sottovoce.server.limits import set_limits
from sottovoce.server.live import LiveGame
from sottovoce.server.live_games import LiveGames
from sottovoce.server.seating import MOST_PLAYERS, OUTSIDE, drawn_lineup, filled_seats, spelled_seat

UNKNOWN_RULESET = "There is no ruleset of that name here whose games need a folder of this server."


def check_agents(settings: Settings, agents: Iterable[str]) -> None:
    """Problem for an agent that the settings do not allow."""
    for agent in agents:
        if agent not in settings.agents:
            allowed = ", ".join(settings.agents)
            raise Problem(
                "invalid", f"The agent {agent[:100]!r} is not allowed on this server. Choose one of: {allowed}."
            )


async def open_game(live_games: LiveGames, settings: Settings, wanted: Wanted, *, name: str | None = None) -> LiveGame:
    """The new game, under that id if it is given. Problem where the settings or the rules do not allow it."""
    wanted = _with_own(wanted)
    check_agents(settings, (wanted.agent, *wanted.agents.values()))
    if not RULESETS.listed(wanted.ruleset):
        raise Problem("invalid", f"There is no ruleset {wanted.ruleset!r}. Choose one of: {', '.join(RULESETS)}.")
    if wanted.seed is not None and wanted.options.get("keeper") == "blind":
        raise Problem("invalid", "seed: leave it out with keeper=blind. With the seed you could work out every secret.")
    seed = Seed.drawn(os.urandom(SEED_BYTES)) if wanted.seed is None else _seed(wanted.seed)
    ruleset = RULESETS[wanted.ruleset]
    chosen = _chosen(settings, wanted.ruleset, wanted.setup)
    limits = settings.limits
    if chosen is not None and (wanted.names is not None or wanted.players is not None):
        raise Problem(
            "invalid", f"names: the {chosen.what} sets the names in a game of {wanted.ruleset}. Leave them out."
        )
    try:
        async with _opening(live_games, ruleset, wanted, seed, chosen) as opening:
            seats = ruleset.seats_for(opening.players)
            agents = filled_seats(seats, wanted.agent, wanted.agents)
            own = None if wanted.own is None else spelled_seat(seats, wanted.own)
            return await live_games.games.open(
                ruleset.name,
                seats,
                agents,
                seed,
                opening.options,
                name,
                files=opening.files,
                folder=opening.folder,
                request=GameRequested(seat=own, setup=_stated(chosen)),
                receipt=set_limits(limits, live_games.games.clock()) if limits.any else None,
            )
    except LogError:
        raise
    except SottovoceError as error:
        raise Problem("invalid", one_line(_unplaced(str(error), chosen))) from None


def _with_own(wanted: Wanted) -> Wanted:
    """The same with the seat of the person who asks played through its link."""
    if wanted.own is None:
        return wanted
    agent = next((agent for seat, agent in wanted.agents.items() if seat.casefold() == wanted.own.casefold()), OUTSIDE)
    if agent != OUTSIDE:
        raise Problem(
            "invalid", f"own: you play your seat through its link, so its agent is {OUTSIDE}, not {agent[:100]}."
        )
    return wanted.model_copy(update={"agents": {**wanted.agents, wanted.own: OUTSIDE}})


def _stated(chosen: Chosen | None) -> dict[str, Any]:
    """The setup as a record states it: the folder by the name that the server shows, never by its path."""
    if chosen is None:
        return {}
    return {**chosen.setup.model_dump(mode="json", exclude_none=True), chosen.what: chosen.name}


async def preview(
    live_games: LiveGames, settings: Settings, ruleset: str, setup: Mapping[str, Any]
) -> tuple[tuple[str, ...], Choices]:
    """The seats of a game with this setup, and what else can be chosen. Problem if the setup can't be used."""
    chosen = _chosen(settings, ruleset, setup) if ruleset in RULESETS else None
    if chosen is None:
        raise Problem("unknown", UNKNOWN_RULESET)
    look = EXTRAS.of(ruleset).preview
    assert look is not None, "a setup comes with its preview"
    try:
        found = await live_games.call(look, chosen.setup)
        return RULESETS[ruleset].seats_for(found.players), found
    except LogError:
        raise
    except SottovoceError as error:
        raise Problem("invalid", one_line(_unplaced(str(error), chosen))) from None


@dataclass(frozen=True, slots=True)
class Chosen:
    """A setup that the settings allow: its kind of folder, the folder's name in the settings, and its path."""

    setup: Setup
    what: str
    name: str
    path: Path


def _chosen(settings: Settings, ruleset: str, given: Mapping[str, Any]) -> Chosen | None:
    """The setup of a game; None for a ruleset that needs none."""
    kind = EXTRAS.of(ruleset).setup
    values = {name: value for name, value in given.items() if value is not None}
    for name in values:
        if kind is None or name not in kind.model_fields:
            raise Problem("invalid", f"{name}: a game of {ruleset} has no {name}. Leave it out.")
    if kind is None:
        return None
    what = place_kind(kind).name
    offered, name = settings.places.get(what, {}), str(values.get(what, ""))
    if name not in offered:
        there = ", ".join(offered) or "none"
        raise Problem("invalid", f"{what}: a game of {ruleset} needs a {what} that this server offers: {there}.")
    try:
        return Chosen(kind.checked({**values, what: offered[name]}), what, name, offered[name])
    except SetupRefused as error:
        raise Problem("invalid", one_line(str(error))) from None


def _seed(text: str) -> Seed:
    if not text.strip().isprintable() or not text.strip():
        raise Problem("invalid", "seed: use a number, or a text of printable characters.")
    return Seed.of(text.strip())


@asynccontextmanager
async def _opening(
    live_games: LiveGames, ruleset: Ruleset[Any], wanted: Wanted, seed: Seed, chosen: Chosen | None
) -> AsyncIterator[Opening]:
    load = EXTRAS.of(ruleset.name).load
    if chosen is None or load is None:
        yield Opening(tuple(_players(ruleset, wanted, seed)), wanted.options, {})
        return
    loading = load(chosen.setup, wanted.options)
    opening = await live_games.call(loading.__enter__)
    try:
        yield opening
    except BaseException as error:
        await live_games.call(loading.__exit__, type(error), error, error.__traceback__)
        raise
    else:
        await live_games.call(loading.__exit__, None, None, None)


def _players(ruleset: Ruleset[Any], wanted: Wanted, seed: Seed) -> list[str]:
    if wanted.names is not None:
        if wanted.players not in (None, len(wanted.names)):
            raise Problem(
                "invalid",
                f"players: there are {len(wanted.names)} names, but {wanted.players} players. Give only one of them.",
            )
        return wanted.names
    if (wanted.players or 0) > MOST_PLAYERS:
        raise Problem("invalid", f"players: the server picks at most {MOST_PLAYERS} names. Give names.")
    count = wanted.players or ruleset.players
    if len(wanted.agents) > count + sum(isinstance(seat, str) for seat in ruleset.seats):
        raise SetupRefused(f"{len(wanted.agents)} seats have agents, but there are {count} players. Give names.")
    return drawn_lineup(ruleset, wanted.players, wanted.agents, seed)


def _unplaced(words: str, chosen: Chosen | None) -> str:
    """An error without where on this machine something lies."""
    return words if chosen is None else words.replace(str(chosen.path), chosen.name)


def outside_seats(live: LiveGame) -> list[str]:
    """Return the seats that people and programs play through links, in seating order."""
    agents: Mapping[str, str] = live.state.agents
    return [seat for seat in live.state.seats if agents.get(seat) == OUTSIDE]
