"""Playing one game at this terminal: what every `play` command shares, and what `resume` shares with them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, NoReturn, TypeVar

import click

from sottovoce.agents.human import PlayerLeft
from sottovoce.agents.kinds import agent_for, parsed
from sottovoce.cli.agent_check import try_agents, unboxed
from sottovoce.cli.doing import told_doing
from sottovoce.cli.extras import EXTRAS
from sottovoce.cli.game_over import close, left_open
from sottovoce.cli.limits import asked_for_more, limit_options, told_budget
from sottovoce.cli.output import say
from sottovoce.cli.place import Place, json_option
from sottovoce.cli.play_screen import PlayScreen, at_terminal
from sottovoce.cli.seeds import GUESSABLE, SEED, fresh_seed
from sottovoce.domain.commands import Say
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import Recorded
from sottovoce.domain.ruleset import Ruleset
from sottovoce.eventlog.log import Receipt
from sottovoce.projections.view import View, public_view
from sottovoce.server.extras import EXTRAS as SERVER_EXTRAS
from sottovoce.server.games import Games
from sottovoce.server.ids import fresh_id
from sottovoce.server.limits import NO_LIMITS, Limits, set_limits
from sottovoce.server.live import LiveGame
from sottovoce.server.plan import Plan
from sottovoce.server.runner import Runner
from sottovoce.server.seating import cautions

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """What `play` is asked for: the seed of the game, and what is shown of it."""

    seed: Seed
    quiet: bool
    as_json: bool
    limits: Limits = NO_LIMITS


def seed_option(command: F) -> F:
    """`--seed`, above `play_options`."""
    text = f"Number or text for reproducible games. {GUESSABLE}"
    return click.option("--seed", metavar="SEED", type=SEED, help=text)(command)


def play_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add `--quiet`, `--json`, limits, and `--seed` if that is an option too, passed as one `play` with a seed."""

    @wraps(command)
    def collected(
        *args: Any, quiet: bool, as_json: bool, limits: Limits, seed: Seed | None = None, **others: Any
    ) -> None:
        command(*args, play=PlayOptions(seed or fresh_seed(), quiet, as_json, limits), **others)

    return limit_options(click.option("--quiet", is_flag=True, help="Print only the result.")(json_option(collected)))


class LocalGame:
    """A game of this machine's log, as a sitting has it."""

    def __init__(self, games: Games, live: LiveGame) -> None:
        self.games = games
        self.live = live

    @property
    def ruleset(self) -> Ruleset[Any]:
        return self.live.ruleset

    def view(self, chair: str | None) -> View[Any]:
        return self.live.view(chair) if chair is not None else public_view(self.live.ruleset, self.live.recorded)

    def look(self, seat: str) -> View[Any]:
        return self.live.view(seat)

    async def say(self, seat: str, text: str) -> None:
        await self.games.submit(self.live, Say(self.games.clock(), seat, text))


class Session:
    """One game of this machine's log, played here: its agents, a sitting, and receipts for what screens show."""

    def __init__(self, place: Place, games: Games, live: LiveGame, *, quiet: bool) -> None:
        self.place = place
        self.games = games
        self.live = live
        self.quiet = quiet
        self.unreached: str | None = None
        self.spent: str | None = None
        agents = live.state.agents
        self.humans = [seat for seat, agent in agents.items() if agent == "human"]
        watched = EXTRAS.of(live.ruleset.name).watched
        if agents.get(watched or "") in (None, "outside"):
            watched = None
        self.play_screen = PlayScreen(LocalGame(games, live), self.humans, watched=watched, quiet=quiet)
        self._seen = 0
        self._recorded = {chair: 0 for chair in self.play_screen.screens if chair is not None}

    def go_on(self) -> None:
        """Take what was played before as told, and show the last few lines of it."""
        self._seen = self.live.length
        self.play_screen.go_on(self.live.recorded)

    async def play(self) -> None:
        """Play the game to its end, a hold, or until somebody leaves."""
        agents = self.live.state.agents
        outside = [seat for seat, agent in agents.items() if agent == "outside"]
        if outside and not self.quiet:
            listen = self.place.command("inbox", self.live.id, "--as", outside[0])
            say(f"Seats played by outside programs: {', '.join(outside)}. In another terminal: {listen}", err=True)
            for caution in cautions(self.live):
                say(caution, err=True)
        for seat, agent in agents.items():
            kind, detail = parsed(agent)
            if kind.name == "files" and not self.quiet:
                say(f"{seat} is played through the files in {detail}.", err=True)
        for line in () if self.quiet else unboxed(agents.values()):
            say(line, err=True)
        players = {seat: agent_for(agent, partial(self.play_screen.human, seat)) for seat, agent in agents.items()}
        follow = bool(outside or self.humans)
        runner = Runner(
            *(self.games, self.live, players),
            observe=self._observe,
            follow=follow,
            seen=self._seen,
            tell=partial(say, err=True),
        )
        telling = asyncio.create_task(
            told_doing(self.live, self.play_screen, SERVER_EXTRAS.of(self.live.ruleset.name).overseer)
        )
        try:
            await self.play_screen.play(runner.run())
        finally:
            telling.cancel()
            self.unreached, self.spent = runner.unreached, runner.spent

    async def _observe(self, live: LiveGame, fresh: Sequence[Recorded]) -> None:
        for seat in self._recorded:
            await self._record(seat)
        await self.play_screen.observe(fresh)

    async def _record(self, seat: str) -> None:
        """A receipt for what a seat's screen is about to show."""
        first, last = self._recorded[seat] + 1, self.live.projection(seat).seq
        if first <= last:
            self._recorded[seat] = last
            call = fresh_id()
            agent = self.live.state.agents.get(seat, "")
            data = {"call": call, "turn": None, "from": first, "to": last, "by": "screen", "agent": agent}
            await self.games.record(
                self.live.id, [Receipt("core.handed-over.v1", self.games.now(self.live), seat, data)]
            )


def play_through(
    place: Place, games: Games, live: LiveGame, *, quiet: bool, as_json: bool, resumed: bool = False
) -> int:
    """Play a game at this terminal and close it; the exit code."""
    while True:
        session = Session(place, games, live, quiet=quiet or as_json)
        if resumed:
            session.go_on()
        code = _sat_through(place, session, live)
        if code is not None:
            return code
        if session.spent is None or live.state.hold is None:
            break
        resumed = at_terminal() and not (quiet or as_json) and asked_for_more(games, live, session.spent)
        if not resumed:
            break
    if live.state.hold is not None and session.unreached is not None and not session.humans:
        say(f"\n{session.unreached}", err=True)
    if session.spent is not None:
        say(f"\n{session.spent} To continue, resume it with a higher limit, such as --max-tokens.", err=True)
    for line in () if quiet or as_json else told_budget(games, live):
        say(line, err=True)
    receipts = games.log.receipts(live.id) if live.state.over and not as_json else ()
    return close(place, live, as_json=as_json, seat=session.play_screen.seat, receipts=receipts)


def _sat_through(place: Place, session: Session, live: LiveGame) -> int | None:
    """Play until the game is over or on hold; the exit code where somebody left before."""
    try:
        asyncio.run(session.play())
    except PlayerLeft as left:
        left_open(place, live)
        return 130 if left.interrupted else 0
    except (KeyboardInterrupt, asyncio.CancelledError):
        left_open(place, live)
        return 130
    return None


def play_plan(place: Place, plan: Plan, play: PlayOptions, folder: str | None = None) -> NoReturn:
    """Open the game, in the folder that it works in if any, play it through and leave with the exit code."""
    try_agents(plan.agents.values(), quiet=play.quiet or play.as_json)
    with place.games(create=True) as games:
        opening = games.open(
            *(plan.ruleset, plan.seats, plan.agents, plan.seed, plan.options),
            files=plan.files,
            folder=folder,
            receipt=set_limits(play.limits, games.clock()) if play.limits.any else None,
        )
        live = asyncio.run(opening)
        sys.exit(play_through(place, games, live, quiet=play.quiet, as_json=play.as_json))
