"""How a game that was played here closes: who wins, the game's id, and what to try next."""

from __future__ import annotations

import sys
from typing import Any

import click

from cli.place import Place, print_json
from server.live import LiveGame


def close(place: Place, live: LiveGame, *, as_json: bool, seat: str | None = None) -> int:
    """Print the closing lines; the exit code of the command that played."""
    state = live.state
    status = "over" if state.over else "held" if state.hold else "open"
    if as_json:
        line: dict[str, Any] = {"game": live.id, "status": status, "winner": state.winner}
        print_json(line)
    elif status == "over":
        chair = seat or next(name for name in state.seats)
        click.echo(f"\n{result(state.winner)} This was game {live.id}.\n\nTry next:")
        click.echo(f"  {place.command('replay', live.id)}")
        click.echo(f"  {place.command('view', live.id, '--as', chair)}")
        click.echo(f"  {place.command('audit', 'saw', live.id, chair)}")
    elif status == "held":
        click.echo(f"\nGame {live.id} is on hold, waiting for {state.hold.waiting_for}: {state.hold.why}", err=True)
        click.echo(f"Go on with: {place.command('resume', live.id)}", err=True)
    return 0 if status == "over" else 1


def result(winner: str | None) -> str:
    """How a game that is over came out, in one sentence."""
    if winner is None:
        return "It is over."
    return "It is a draw; nobody wins." if winner == "draw" else f"The winner is: {winner}."


def left_open(place: Place, live: LiveGame) -> None:
    """Say how to go on with a game that was left."""
    sys.stdout.flush()
    click.echo(f"\nGame {live.id} is not over. Go on with: {place.command('resume', live.id)}", err=True)
