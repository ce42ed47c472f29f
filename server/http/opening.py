"""Opening a game for somebody far away: with the agents, campaigns and folders that the settings name, and no other."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sottovoce.domain.draws import SEED_BYTES, Seed
from sottovoce.domain.errors import SetupRefused, SottovoceError
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.visible import one_line
from sottovoce.eventlog.errors import LogError
from sottovoce.server.extras import EXTRAS, Laid, Wish
from sottovoce.server.hall import Hall
from sottovoce.server.http.models.games import Wanted
from sottovoce.server.http.problems import Problem
from sottovoce.server.http.settings import Settings
from sottovoce.server.lineup import MOST_PLAYERS, OUTSIDE, drawn_lineup, filled_seats
from sottovoce.server.live import LiveGame

UNKNOWN_RULESET = "There is no ruleset of that name here whose games need a campaign or a folder."


def check_agents(settings: Settings, agents: Iterable[str]) -> None:
    """Problem for an agent that the settings do not allow."""
    for agent in agents:
        if agent not in settings.agents:
            allowed = ", ".join(settings.agents)
            raise Problem(
                "invalid", f"The agent {agent[:100]!r} is not allowed on this server. Choose one of: {allowed}."
            )


async def open_game(hall: Hall, settings: Settings, wanted: Wanted) -> LiveGame:
    """The new game. Problem where the settings or the rules do not allow it."""
    check_agents(settings, (wanted.agent, *wanted.agents.values()))
    if wanted.ruleset not in RULESETS:
        raise Problem("invalid", f"There is no ruleset {wanted.ruleset!r}. Choose one of: {', '.join(RULESETS)}.")
    if wanted.seed is not None and wanted.options.get("keeper") == "blind":
        raise Problem("invalid", "seed: leave it out with keeper=blind. With the seed you could work out every secret.")
    seed = Seed.drawn(os.urandom(SEED_BYTES)) if wanted.seed is None else _seed(wanted.seed)
    ruleset = RULESETS[wanted.ruleset]
    folder = _folder(settings, wanted)
    try:
        async with _laid(hall, ruleset, wanted, seed, folder) as laid:
            seats = ruleset.seats_for(laid.players)
            agents = filled_seats(seats, wanted.agent, wanted.agents)
            return await hall.games.open(
                ruleset.name, seats, agents, seed, laid.options, files=laid.files, folder=laid.folder
            )
    except LogError:
        raise
    except SottovoceError as error:
        raise Problem("invalid", one_line(_unplaced(str(error), wanted, folder))) from None


async def look_into(hall: Hall, settings: Settings, wanted: Wanted) -> dict[str, Any]:
    """What may be chosen for a game in the campaign or folder that `wanted` names. Problem where it cannot be used."""
    if wanted.ruleset not in RULESETS:
        raise Problem("unknown", UNKNOWN_RULESET)
    folder, look = _folder(settings, wanted), EXTRAS.of(wanted.ruleset).look
    if folder is None or look is None:
        raise Problem("unknown", UNKNOWN_RULESET)
    wish = Wish(folder, {}, wanted.character is not None, wanted.character, None, wanted.task)
    try:
        offer = await hall.call(look, wish)
        seats = RULESETS[wanted.ruleset].seats_for(offer.players)
    except LogError:
        raise
    except SottovoceError as error:
        raise Problem("invalid", one_line(_unplaced(str(error), wanted, folder))) from None
    return {
        "seats": list(seats),
        "characters": list(offer.characters),
        "tasks": list(offer.tasks),
        "editions": list(offer.editions),
    }


def _seed(text: str) -> Seed:
    if not text.strip().isprintable() or not text.strip():
        raise Problem("invalid", "seed: use a number, or a text of printable characters.")
    return Seed.of(text.strip())


def _folder(settings: Settings, wanted: Wanted) -> Path | None:
    """The folder that the game is opened with, if its ruleset needs one."""
    needs = EXTRAS.of(wanted.ruleset).needs
    given = {"campaign": wanted.campaign, "folder": wanted.folder}
    for what, name in given.items():
        if name is not None and what != needs:
            raise Problem("invalid", f"{what}: a game of {wanted.ruleset} has no {what}. Leave it out.")
    if needs is None:
        for what in ("task", "character", "edition"):
            if getattr(wanted, what) is not None:
                raise Problem("invalid", f"{what}: a game of {wanted.ruleset} has no {what}. Leave it out.")
        return None
    if wanted.names is not None or wanted.players is not None:
        raise Problem("invalid", f"names: the {needs} sets the names in a game of {wanted.ruleset}. Leave them out.")
    named = settings.campaigns if needs == "campaign" else settings.folders
    name = given[needs]
    if name is None or name not in named:
        there = ", ".join(named) or "none"
        raise Problem(
            "invalid", f"{needs}: a game of {wanted.ruleset} needs a {needs} that this server offers: {there}."
        )
    return named[name]


@asynccontextmanager
async def _laid(
    hall: Hall, ruleset: Ruleset[Any], wanted: Wanted, seed: Seed, folder: Path | None
) -> AsyncIterator[Laid]:
    lay = EXTRAS.of(ruleset.name).lay
    if folder is None or lay is None:
        yield Laid(tuple(_players(ruleset, wanted, seed)), wanted.options, {})
        return
    human = wanted.character is not None
    laying = lay(Wish(folder, wanted.options, human, wanted.character, wanted.edition, wanted.task))
    laid = await hall.call(laying.__enter__)
    try:
        yield laid
    except BaseException as error:
        await hall.call(laying.__exit__, type(error), error, error.__traceback__)
        raise
    else:
        await hall.call(laying.__exit__, None, None, None)


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


def _unplaced(words: str, wanted: Wanted, folder: Path | None) -> str:
    """An error without where on this machine something lies."""
    name = wanted.campaign or wanted.folder
    return words if folder is None or name is None else words.replace(str(folder), name)


def outside_seats(live: LiveGame) -> list[str]:
    """The seats that are to be held from afar, in seating order."""
    agents: Mapping[str, str] = live.state.agents
    return [seat for seat in live.state.seats if agents.get(seat) == OUTSIDE]
