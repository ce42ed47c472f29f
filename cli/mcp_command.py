"""`sottovoce mcp`."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import click

from sottovoce.agents.mcp_tools.seat import P, Seat, T, Verdict
from sottovoce.cli.output import say
from sottovoce.cli.remote import link_argument
from sottovoce.client.api import Api, connected
from sottovoce.client.api import Verdict as FarVerdict
from sottovoce.client.game import RemoteGame
from sottovoce.client.link import Link, find_link
from sottovoce.client.seat import NoSeat
from sottovoce.projections.view import View

SLICE = 40.0
"""Seconds that one request to the server may wait."""


@click.command()
@link_argument
def mcp(link: str | None) -> None:
    """Run an MCP server for one seat, over standard input and output.

    Your MCP client starts this command; see docs/mcp.md. LINK is a seat link, or a file that contains one. Without it,
    SOTTOVOCE_LINK is used. Don't pass the link itself: other users can see command arguments.

    \b
    Example:  sottovoce mcp ~/ada.link
    """
    found = find_link(link)
    if found.kind != "seat":
        raise NoSeat(f"This is a {found.kind} link. Ask the keeper for a seat link.")
    asyncio.run(_serve(found))


async def _serve(link: Link) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        # The SDK reads standard input in a thread that nothing wakes, and an end would wait for it. Nothing is lost:
        # what was accepted is in the server's log.
        asyncio.get_running_loop().add_signal_handler(number, os._exit, 130)
    async with connected(link) as api:
        seat = RemoteSeat(api)
        logging.basicConfig(handlers=[_OneLine()])  # else the SDK prints tracebacks
        from sottovoce.agents.mcp_tools.server import seat_server  # the SDK takes most of a second to load

        @asynccontextmanager
        async def door(ctx: Any) -> AsyncIterator[Seat]:
            yield seat

        await seat_server(door).run_stdio_async()


class RemoteSeat:
    """A seat of a remote game, as the tools use it: they answer with what the server has by then.

    The server is first asked when a tool is called, because many clients want the list of tools within a second.
    """

    def __init__(self, api: Api) -> None:
        self._api = api
        self._known: RemoteGame | None = None
        self._taking = asyncio.Lock()

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

    async def think(self, function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Work it out: nobody else waits here."""
        return function(*given, **named)

    async def handed(self, view: View[Any], since: int, text: str) -> None:
        """Nothing: the server recorded what it sent, and the text is made of that."""

    async def _look(self, seconds: float) -> View[Any]:
        """The view with all that the server has for it: at once, or after waiting so long for news."""
        table = await self._table()
        if not table.seq:
            table.take(await self._api.entries())
        told = await self._api.turns(table.seq, seconds)
        table.take(told["entries"])
        return table.view()

    async def _table(self) -> RemoteGame:
        """The table, with the seat claimed at the first look. Raises NoSeat for another's link."""
        async with self._taking:
            if self._known is None:
                opened = await self._api.link()
                if opened.kind != "seat" or opened.seat is None:
                    raise NoSeat(f"This is a {opened.kind} link. Ask the keeper for a seat link.")
                await self._api.claim()
                self._known = RemoteGame(opened.seat)
            return self._known


class _OneLine(logging.Handler):
    """Says on stderr in a line what libraries log as an error: what failed and where, and no words of it."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR:
            kind = type(record.exc_info[1]).__name__ if record.exc_info else "error"
            say(f"sottovoce: {record.name}: {kind} ({record.filename}:{record.lineno})", err=True)


def _verdict(told: FarVerdict) -> Verdict:
    return Verdict(told.accepted, told.message, told.closed)
