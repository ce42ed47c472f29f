"""`sottovoce replay`."""

from __future__ import annotations

import sys
import time

import click
from rich.console import Console

from sottovoce.cli.auditor import auditor as asking
from sottovoce.cli.numbers import Amount, WholeNumber
from sottovoce.cli.output import say
from sottovoce.cli.place import (
    Place,
    UnknownName,
    as_option,
    auditor_option,
    game_argument,
    json_option,
    print_json,
)
from sottovoce.cli.screen import Screen
from sottovoce.cli.thinking import told_thought
from sottovoce.cli.view_options import LookingCommand, source
from sottovoce.domain.events import Recorded
from sottovoce.domain.safe_text import one_line
from sottovoce.projections.exports import export_event
from sottovoce.projections.pieces import Teller
from sottovoce.projections.view import Entry

LONGEST_PAUSE = 5.0
LEAST_PAUSE = 0.3


@click.command(cls=LookingCommand)
@game_argument
@as_option
@click.option("--from", "first", metavar="N", type=WholeNumber(), help="Start at this event number.")
@click.option("--to", "last", metavar="N", type=WholeNumber(), help="Stop after this event number.")
@click.option("--step", is_flag=True, help="Wait for Enter after each event.")
@click.option("--speed", metavar="X", type=Amount(above_zero=True), help="Play in real time at X times the speed.")
@auditor_option
@click.option("--thoughts", "thinking", is_flag=True, help="Add what the agents thought and noted; for auditors.")
@json_option
@click.pass_obj
def replay(
    place: Place,
    game: str,
    seat: str | None,
    first: int | None,
    last: int | None,
    step: bool,
    speed: float | None,
    auditor: bool,
    thinking: bool,
    as_json: bool,
) -> None:
    """Replay a game event by event, as any seat saw it. No agent is called and no dice are rolled again.

    Without --as, shows the public view during the game and everything after it. With --step, `q` stops.

    \b
    Example:  sottovoce replay latest --as Ada --from 20 --step
    """
    with source(place, game) as found:
        chair = found.perspective(seat, auditor)
        items, ruleset = found.items(chair), found.ruleset
    if thinking and as_json:
        raise click.UsageError("Use either --thoughts or --json; for thoughts as JSON, use audit thoughts --json")
    thought = _thoughts(place, game, chair.full) if thinking else {}
    _check("--from", first, len(items))
    _check("--to", last, len(items))
    if first is not None and last is not None and first > last:
        raise UnknownName(f"--from {first} comes after --to {last}. Swap them.")
    screen, teller = Screen(Console(highlight=False), ruleset, chair.seat), Teller(ruleset, chair.seat)
    before: Entry | Recorded | None = None
    for number, item in enumerate(items, 1):
        if last is not None and number > last:
            break
        if first is not None and number < first:
            screen.skip(item)
            teller.mark(item.event)
            continue
        if speed is not None and before is not None:
            time.sleep(_pause((item.at - before.at).total_seconds(), speed))
        before = item
        if as_json:
            print_json(export_event(item) if isinstance(item, Recorded) else teller.to_json(item))
        else:
            screen.show(item)
            for line in thought.get(number, ()):
                say(f"    {line}")
        if step and number < min(last or len(items), len(items)) and not _go_on(number):
            return


def _thoughts(place: Place, game: str, full: bool) -> dict[int, list[str]]:
    """What the agents had in mind, as lines by position."""
    if not full:
        raise UnknownName("Only auditors see thoughts. Leave --as out, and while the game runs add --auditor.")
    found: dict[int, list[str]] = {}
    with asking(place, game) as asked:
        for one in asked.thoughts(None):
            found.setdefault(one.position, []).extend(f"{one_line(one.seat)} {line}" for line in told_thought(one))
    return found


def _check(option: str, number: int | None, most: int) -> None:
    if number is not None and not 1 <= number <= most:
        raise UnknownName(f"{option} {number} does not exist. Give a number from 1 to {most}.")


def _pause(seconds: float, speed: float) -> float:
    """Real time, made bearable: a night that lasted an hour is not sat out."""
    return max(LEAST_PAUSE, min(seconds, LONGEST_PAUSE)) / speed


def _go_on(number: int) -> bool:
    sys.stdout.flush()
    say(f"[{number}] ", end="", err=True)
    try:
        line = sys.stdin.readline()
    except UnicodeDecodeError:  # whatever was typed, it was not q
        return True
    return bool(line) and line.strip().casefold() not in ("q", "quit")
