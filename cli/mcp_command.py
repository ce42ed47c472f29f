"""`sottovoce mcp`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import click

from client.link import find_link

if TYPE_CHECKING:
    from agents.mcp_tools.seat import Verdict
    from client.api import Api
    from projections.view import View

SLICE = 40.0
"""Seconds that one request to the server may wait."""


@click.command()
@click.argument("link", required=False)
def mcp(link: str | None) -> None:
    """Hold a far seat for an MCP client, over standard input and output.

    LINK is a seat's link, or a file that holds it. Other programs see a command's arguments: a file, or the variable
    SOTTOVOCE_LINK, keeps it to yourself. An MCP client starts this by itself; docs/mcp.md says how it is told to.

    \b
    Example:  claude mcp add sottovoce --env SOTTOVOCE_LINK=LINK -- sottovoce mcp
    """
    asyncio.run(_serve(link))


async def _serve(given: str | None) -> None:
    from client.api import connected

    found = find_link(given)
    async with connected(found) as api:
        seat = await FarSeat.taken(api)
        from agents.mcp_tools.seat import Seat
        from agents.mcp_tools.server import seat_server

        @asynccontextmanager
        async def door(ctx: Any) -> AsyncIterator[Seat]:
            yield seat

        await seat_server(door).run_stdio_async()


class FarSeat:
    """A seat at a far table, as the tools use it: what is asked for is what the server has by then."""

    def __init__(self, api: Api, name: str) -> None:
        from client.table import FarTable

        self._api = api
        self._table = FarTable(name)

    @classmethod
    async def taken(cls, api: Api) -> FarSeat:
        """The seat that the link opens, claimed. Raises NoSeat for another's link."""
        opened = await api.link()
        if opened.kind != "seat" or opened.seat is None:
            raise click.UsageError(f"this is a {opened.kind}'s link, and not a seat's; ask for the link of a seat")
        await api.claim()
        return cls(api, opened.seat)

    async def seen(self) -> View[Any]:
        """What the seat has seen by now."""
        return await self._look(0.0)

    async def asked(self, seconds: float) -> View[Any]:
        """The same once a turn is open or the game is over, or after so long."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        view = await self._look(0.0)
        while not (view.turns or view.state.over) and (left := until - loop.time()) > 0:
            view = await self._look(min(left, SLICE))
        return view

    async def reply(self, turn: int, text: str) -> Verdict:
        """Answer a turn, once however often the network fails."""
        return _verdict(await self._api.reply(turn, text))

    async def say(self, text: str) -> Verdict:
        """Send an unprompted message."""
        return _verdict(await self._api.say(text))

    async def handed(self, view: View[Any], since: int, text: str) -> None:
        """Nothing: the server recorded what it sent, of which the text is made."""

    async def _look(self, seconds: float) -> View[Any]:
        """The view with all that the server has for it: at once, or after waiting so long for news."""
        if not self._table.seq:
            self._table.take(await self._api.entries())
        told = await self._api.turns(self._table.seq, seconds)
        self._table.take(told["entries"])
        return self._table.view()


def _verdict(told: Any) -> Verdict:
    from agents.mcp_tools.seat import Verdict

    return Verdict(told.accepted, told.message, told.closed)
