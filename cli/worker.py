"""`sottovoce worker`."""

from __future__ import annotations

import asyncio
import signal

import click

from agents.visible import one_line
from cli.place import Place
from server.games import Games
from server.worker import AT_ONCE, Worker


@click.command()
@click.option(
    "--at-once",
    metavar="N",
    type=click.IntRange(1, 10_000),
    default=AT_ONCE,
    show_default=True,
    help="Games under way at once.",
)
@click.pass_obj
def worker(place: Place, at_once: int) -> None:
    """Share the games of the log with other workers, until stopped.

    Any number may run, on any number of machines; each takes the turns that nobody living holds. Ctrl-C or SIGTERM
    ends the calls under way and hands their turns back. Seats filled by people or from outside are left to them.

    \b
    Example:  sottovoce --db postgresql://app@db.example/games worker
    """
    with place.games(create=True) as games:
        click.echo(f"Working as {games.worker}; Ctrl-C stops.", err=True)
        played = asyncio.run(_work(games, at_once))
    click.echo(f"Stopped after {played} game{'' if played == 1 else 's'} played to the end here.", err=True)


async def _work(games: Games, at_once: int) -> int:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    working = Worker(games, lambda line: click.echo(f"sottovoce: {one_line(line)}", err=True), at_once)
    await working.run(stop)
    return working.played
