"""Playing one game at this terminal: what every `play` command shares, and what `resume` shares with them."""

from __future__ import annotations

import asyncio
import sys
import textwrap
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, NoReturn, TypeVar

import click
from rich.console import Console
from rich.text import Text

from agents.agent import Agent
from agents.human import (
    NO_PAGES,
    HumanAgent,
    Pages,
    PlayerLeft,
    Terminal,
    Unasked,
    help_lines,
    overhear,
    show_page,
)
from agents.keys import keys_here
from agents.kinds import agent_for
from cli.asides import Aside
from cli.ending import close, left_open
from cli.endpoints import try_agents
from cli.extras import EXTRAS
from cli.output import say
from cli.pace import JUMP, Pace, pause_after
from cli.place import Place, json_option
from cli.screen import Screen, draw_view
from cli.seeds import GUESSABLE, SEED, fresh_seed
from domain.commands import Say
from domain.draws import Seed
from domain.events import Recorded
from domain.piece import Chair
from eventlog.log import Receipt
from projections.view import View, public_view
from server.games import Games
from server.ids import fresh_id
from server.live import LiveGame
from server.plan import Plan
from server.runner import Runner

F = TypeVar("F", bound=Callable[..., Any])

LISTEN_AFTER = 1.5
"""Seconds without a question before a person who may speak up unasked is given the keyboard."""


LAST_TOLD = 5
"""Events that a game which is gone on with shows again."""


LOOK = 0.05
"""Seconds between looks whether that person is asked something by now."""


@dataclass(frozen=True, slots=True)
class Play:
    """What `play` is asked for: the seed of the game, and what is shown of it."""

    seed: Seed
    quiet: bool
    as_json: bool


def seed_option(command: F) -> F:
    """`--seed`, above `play_options`."""
    text = f"A number or text to draw everything from, for a game that can be repeated. {GUESSABLE}"
    return click.option("--seed", metavar="SEED", type=SEED, help=text)(command)


def play_options(command: Callable[..., None]) -> Callable[..., None]:
    """`--quiet` and `--json`, with `--seed` if that is an option too, handed over as one `play` with a seed in it."""

    @wraps(command)
    def collected(*args: Any, quiet: bool, as_json: bool, seed: Seed | None = None, **others: Any) -> None:
        command(*args, play=Play(seed or fresh_seed(), quiet, as_json), **others)

    return click.option("--quiet", is_flag=True, help="Show the result alone.")(json_option(collected))


def at_terminal() -> bool:
    """Whether somebody sits here who can be asked something."""
    return sys.stdin.isatty() and sys.stdout.isatty()


class Sitting:
    """One game at one terminal: what is shown of it, and to whom.

    With one person here the screen is that seat's alone; with none it shows what everyone sees, or the seat that
    the ruleset has watched. With several, each has a page of their own, shown while they hold the keyboard.
    """

    def __init__(self, place: Place, games: Games, live: LiveGame, *, quiet: bool) -> None:
        self.place = place
        self.games = games
        self.live = live
        self.quiet = quiet
        self.unreached: str | None = None
        extras = EXTRAS.of(live.ruleset.name)
        aside = None if extras.aside is None else extras.aside()
        self.aside = aside if aside is not None and live.state.agents.get(aside.seat) == "human" else None
        self.console = Console(highlight=False)
        self.humans = [seat for seat, agent in live.state.agents.items() if agent == "human"]
        self.seat = self.humans[0] if len(self.humans) == 1 else None
        watched = extras.watched
        if self.humans or live.state.agents.get(watched or "") in (None, "outside"):
            watched = None
        chairs: Sequence[str | None] = self.humans or (watched,)
        self.screens = {chair: Screen(self.console, live.ruleset, chair) for chair in chairs}
        self.pace = Pace()
        self.keys = keys_here()
        self.terminal = Terminal(redraw=self._redraw, keys=self.keys, asked=self.pace.asked)
        self._seen = 0
        self._told_dead = False
        self._recorded = dict.fromkeys((chair for chair in chairs if chair is not None), 0)

    def agents(self) -> dict[str, Agent | None]:
        """The agent of every seat."""
        return {
            seat: agent_for(spec, partial(HumanAgent, seat, self.terminal, self._pages(seat), self._unasked(seat)))
            for seat, spec in self.live.state.agents.items()
        }

    async def play(self) -> None:
        """Play the game to its end, a hold, or until somebody leaves."""
        outside = [seat for seat, agent in self.live.state.agents.items() if agent == "outside"]
        if outside and not self.quiet:
            listen = self.place.command("inbox", self.live.id, "--as", outside[0])
            say(f"Seats filled from outside: {', '.join(outside)}. In another terminal: {listen}", err=True)
        for seat, agent in self.live.state.agents.items():
            if agent.startswith("files:") and not self.quiet:
                say(f"{seat} is filled by files in {agent.partition(':')[2]}.", err=True)
        follow = bool(outside or self.humans)
        runner = Runner(self.games, self.live, self.agents(), observe=self._observe, follow=follow, seen=self._seen)
        try:
            with nullcontext() if self.keys is None else self.keys.heard(self.pace.pressed):
                await self._run(runner)
        finally:
            self.unreached = runner.unreached

    async def _run(self, runner: Runner) -> None:
        """Let the runner play, and a person who may speak up unasked speak."""
        self._tell_keys()
        if self.aside is None or not at_terminal():
            await runner.run()
            return
        listening = asyncio.create_task(self._listen(self.aside))
        playing = asyncio.create_task(runner.run())
        try:
            done, _ = await asyncio.wait({listening, playing}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in (listening, playing):
                task.cancel()
            await asyncio.gather(listening, playing, return_exceptions=True)

    def _pages(self, seat: str) -> Pages:
        return self.aside.pages(self.live) if self.aside is not None and self.aside.seat == seat else NO_PAGES

    def _unasked(self, seat: str) -> Unasked | None:
        aside = self.aside
        if aside is None or aside.seat != seat:
            return None

        async def take(text: str) -> Sequence[str] | None:
            order = aside.order(self.live, text)
            if order is not None:
                await self.games.submit(self.live, Say(self.games.clock(), seat, order))
            return None if order is None else ()

        return Unasked(partial(aside.words, self.live), aside.help, take)

    async def _listen(self, aside: Aside) -> None:
        """Take in what the person types while it is nobody's turn that they hold. Ends when a PlayerLeft does."""
        pages = aside.pages(self.live)
        ask = [f"You may type {', '.join((*aside.commands, *pages))}; :help says more."]
        told: Sequence[str] = ()
        unasked = self._unasked(aside.seat)
        assert unasked is not None
        while True:
            await asyncio.sleep(LISTEN_AFTER)
            if self._asked(aside.seat):
                continue
            hint = aside.awaiting(self.live) or ask
            words = (*aside.commands, *pages, *unasked.words())
            fresh = [line for line in hint if line not in told]
            reading = asyncio.create_task(
                overhear(aside.seat, self.terminal, self.live.view(aside.seat), "\n".join(fresh), words)
            )
            told = hint
            try:
                while not reading.done() and not self._asked(aside.seat):
                    await asyncio.wait({reading}, timeout=LOOK)
            finally:
                reading.cancel()
                await asyncio.gather(reading, return_exceptions=True)
            if reading.cancelled():
                continue
            text = reading.result().strip()
            if not text:
                self.pace.pressed(JUMP)
            elif text.lower() in pages:
                show_page(self.terminal, pages[text.lower()]())
            elif text.lower() in (":help", ":?"):
                show_page(self.terminal, help_lines(unasked))
            elif text and await unasked.take(text) is None:
                await self.games.submit(self.live, Say(self.games.clock(), aside.seat, text))

    def _asked(self, seat: str) -> bool:
        state = self.live.state
        return state.over or state.hold is not None or any(turn.seat == seat for turn in state.turns.values())

    def go_on(self) -> None:
        """Take what was played before as told, and show the last few lines of it, on a screen of one's own."""
        self._seen = self.live.length
        for seat, screen in self.screens.items():
            for item in self.live.recorded:
                if _sees(item, seat):
                    screen.skip(item)
        alone = len(self.screens) == 1 and not self.quiet
        if alone:
            (chair,) = self.screens
            self.screens[chair] = draw_view(self.console, self._view(chair), told=LAST_TOLD)

    def _view(self, chair: str | None) -> View[Any]:
        if chair is not None:
            return self.live.view(chair)
        return public_view(self.live.ruleset, self.live.recorded)

    def _tell_keys(self) -> None:
        """Say which keys hurry what is told."""
        if self.keys is None or self.quiet or not pause_after(0):
            return
        where = "to your next question" if self.humans else "to the end"
        self.console.print(self._hint(f"(Any key hurries what is told, Enter goes on {where}, Ctrl-C leaves.)"))

    def _hint(self, text: str) -> Text:
        return Text("\n".join(textwrap.wrap(text, max(20, self.console.width - 1))), "dim")

    def _tell_the_dead(self) -> None:
        """Tell somebody who is out of the game, once, that nothing is left to wait for."""
        if self.seat is None or self._told_dead or self.keys is None or not pause_after(0):
            return
        if self.seat in getattr(self.live.view(self.seat).state, "dead", ()):
            self._told_dead = True
            self.console.print(self._hint("(You are out of the game. Enter goes on to the end, any key hurries.)"))

    async def _observe(self, live: LiveGame, fresh: Sequence[Recorded]) -> None:
        for seat in self._recorded:
            await self._record(seat)
        if self.quiet:
            return
        self.pace.turn_page()
        for item in fresh:
            shown = [self._show(item, seat) for seat in self.screens if _sees(item, seat)]
            if any(shown):
                await self.pace.rest(self._pause(item))
        self._tell_the_dead()

    def _show(self, item: Recorded, seat: str | None) -> bool:
        screen = self.screens[seat]
        if seat is None:
            screen.show(item)
            return True
        if self.terminal.print(seat, partial(screen.show, item)):
            return True
        screen.skip(item)
        return False

    def _pause(self, item: Recorded) -> float:
        told = self.live.ruleset.tell(item.event, Chair(self.seat))
        return pause_after(len(told.text) + len(told.said or "")) if told else 0.0

    async def _record(self, seat: str) -> None:
        """A receipt for what a seat's screen is about to show."""
        first, last = self._recorded[seat] + 1, self.live.projection(seat).seq
        if first <= last:
            self._recorded[seat] = last
            call = fresh_id()
            agent = self.live.state.agents.get(seat, "")
            data = {"call": call, "turn": None, "from": first, "to": last, "by": "screen", "agent": agent}
            await self.games.record(self.live, [Receipt("core.handed-over.v1", self.games.clock(), seat, data)])

    def _redraw(self, view: View[Any], count: int | None) -> None:
        """Show the last entries of a seat's newest view: on its own page, or when it asks for them."""
        self.screens[view.seat] = draw_view(self.console, self.live.view(view.seat), count)


def _sees(item: Recorded, seat: str | None) -> bool:
    return item.audience.seats is None if seat is None else item.audience.includes(seat)


def play_through(
    place: Place, games: Games, live: LiveGame, *, quiet: bool, as_json: bool, resumed: bool = False
) -> int:
    """Play a game at this terminal and close it; the exit code."""
    sitting = Sitting(place, games, live, quiet=quiet or as_json)
    if resumed:
        sitting.go_on()
    try:
        asyncio.run(sitting.play())
    except PlayerLeft as left:
        left_open(place, live)
        return 130 if left.interrupted else 0
    except (KeyboardInterrupt, asyncio.CancelledError):
        left_open(place, live)
        return 130
    if live.state.hold is not None and sitting.unreached is not None and not sitting.humans:
        say(f"\n{sitting.unreached}", err=True)
    return close(place, live, as_json=as_json, seat=sitting.seat)


def play_plan(place: Place, plan: Plan, play: Play, folder: str | None = None) -> NoReturn:
    """Open the game, in the folder that it works in if any, play it through and leave with the exit code."""
    try_agents(plan.agents.values(), quiet=play.quiet or play.as_json)
    with place.games(create=True) as games:
        opening = games.open(
            plan.ruleset, plan.seats, plan.agents, plan.seed, plan.options, files=plan.files, folder=folder
        )
        live = asyncio.run(opening)
        sys.exit(play_through(place, games, live, quiet=play.quiet, as_json=play.as_json))
