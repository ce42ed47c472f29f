"""`sottovoce join`."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Sequence
from typing import Any

import click

from sottovoce.agents.human import PlayerLeft
from sottovoce.cli.game_over import result
from sottovoce.cli.output import say
from sottovoce.cli.play_screen import PlayScreen
from sottovoce.cli.remote import again, link_argument, sign
from sottovoce.client.link import Link, find_link
from sottovoce.client.player import Answered, Player
from sottovoce.client.seat import RemoteSeat, seated
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.ruleset import Ruleset
from sottovoce.projections.summary import status_of
from sottovoce.projections.view import Entry, View


@click.command()
@link_argument
@click.option("--quiet", is_flag=True, help="Print only your turns and the result.")
def join(link: str | None, quiet: bool) -> None:
    """Join a game on a server from this terminal.

    LINK is a seat link, or a file that contains one. Without it, SOTTOVOCE_LINK is used, which process lists don't
    show. The game looks the same as a local one. If you leave, or the server restarts, use the same link to continue.

    \b
    Example:  sottovoce join http://127.0.0.1:8000/games/m5x8kq2w7h#svs_TOKEN
    """
    given = find_link(link)
    try:
        code = asyncio.run(_join(given, link, quiet))
    except (KeyboardInterrupt, asyncio.CancelledError):
        say(f"\nYou still have the seat. To continue: {again('join', link)}", err=True)
        code = 130
    sys.exit(code)


class JoinedGame:
    """A remote game as the play screen needs it."""

    def __init__(self, seat: RemoteSeat) -> None:
        self.seat = seat

    @property
    def ruleset(self) -> Ruleset[Any]:
        return self.seat.table.ruleset

    def view(self, chair: str | None) -> View[Any]:
        assert chair == self.seat.name, "a link opens one seat"
        return self.seat.view()

    def look(self, seat: str) -> View[Any] | None:
        return self.seat.view() if seat == self.seat.name else None

    async def say(self, seat: str, text: str) -> str | None:
        try:
            await self.seat.say(text)  # what the rules refuse is told by the game itself
        except SottovoceError as error:
            return str(error)
        return None


class _Guest:
    """One person at a remote game."""

    def __init__(self, seat: RemoteSeat, quiet: bool) -> None:
        self.seat = seat
        self.play_screen = PlayScreen(JoinedGame(seat), [seat.name], quiet=quiet)
        self._held = False

    async def play(self) -> None:
        seat, play_screen = self.seat, self.play_screen
        if not seat.first:
            play_screen.go_on(seat.history)
        player = Player(seat, play_screen.human(seat.name), observe=self._observe, report=self._report, failures=None)
        await play_screen.play(player.play(seat.history if seat.first else ()))

    def server(self, back: bool) -> None:
        """Say once that the server is away, and that it is back."""
        self.play_screen.hint("(Reconnected.)" if back else "(Can't reach the server. Reconnecting …)")

    async def _observe(self, fresh: Sequence[Entry]) -> None:
        await self.play_screen.observe(fresh)
        held = self.seat.state.hold is not None
        if held and not self._held:
            self.play_screen.hint("(The game is on hold until the keeper resumes it. You can wait here or leave.)")
        self._held = held

    def _report(self, answered: Answered) -> None:
        wrong = answered.wrong
        if answered.verdict is not None and answered.verdict.closed:
            wrong = f"Too late: {answered.verdict.message}"
        if wrong is not None:
            self.play_screen.terminal.say(wrong, "class:hint")


async def _join(link: Link, given: str | None, quiet: bool) -> int:
    guests: list[_Guest] = []

    def heard(back: bool) -> None:
        for guest in guests:
            guest.server(back)

    async with seated(link, patience=math.inf, heard=heard) as seat:
        if seat.state.over:
            say(f"Game {seat.game} is over. {result(seat.state, seat.history)}")
            return 0
        if not seat.first and not quiet:
            say(f"Continuing game {seat.game} as {seat.name}.\n", err=True)
        guests.append(_Guest(seat, quiet))
        try:
            await guests[0].play()
        except PlayerLeft as left:
            say(f"\nYou still have the seat. To continue: {again('join', given)}", err=True)
            return 130 if left.interrupted else 0
        return _close(seat, given)


def _close(seat: RemoteSeat, link: str | None) -> int:
    say(f"\n{result(seat.state, seat.view().entries)} This was game {seat.game}.\n\nTry next:")
    say(f"  {sign(link, 'view')}")
    say(f"  {sign(link, 'transcript', '-o', 'game.html')}")
    return 0 if status_of(seat.state) == "over" else 1
