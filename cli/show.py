"""`sottovoce show`."""

from __future__ import annotations

import json
from typing import Any

import click

from sottovoce.cli.budget import budget_lines
from sottovoce.cli.columns import print_table
from sottovoce.cli.output import say
from sottovoce.cli.place import Place, as_option, auditor_option, game_argument, json_option, print_json
from sottovoce.cli.view_options import LookingCommand, source
from sottovoce.domain.safe_text import one_line
from sottovoce.projections.models import told_substitutes
from sottovoce.projections.seat_counts import told_failures
from sottovoce.projections.summary import Show


@click.command(cls=LookingCommand)
@game_argument
@as_option
@auditor_option
@json_option
@click.pass_obj
def show(place: Place, game: str, seat: str | None, auditor: bool, as_json: bool) -> None:
    """Show a game's seats, phase, options, and whose turn it is.

    \b
    Example:  sottovoce show latest
    """
    with source(place, game) as found:
        where = found.show(found.perspective(seat, auditor))
        due, budget = found.waits(), found.budget(found.perspective(seat, auditor))
    if as_json:
        print_json({**where.to_json(), "budget": budget})
        return
    if where.board is not None:
        print_table(where.board.header, where.board.rows)
        say()
    before = None
    for name, value in (*_lines(where), *(("budget", line) for line in budget_lines(budget))):
        say(f"{name if name != before else '':<13}{one_line(value)}")
        before = name
    for turn in where.turns:
        item = due.get((turn.seat, turn.number))
        since = f", open since {item.opened_at:%Y-%m-%d %H:%M} UTC" if item and item.opened_at else ""
        limit = f", until {item.expires:%H:%M:%S} UTC" if item and item.expires else ""
        left = f"attempts left: {turn.attempts_left}"
        holder = f", claimed by worker {item.worker}" if auditor and item and item.worker else ""
        told = f"{turn.seat}, turn {turn.number}: {turn.kind} ({left}{since}{limit}{holder})"
        say(f"{'open turn':<13}{one_line(told)}")
        if turn.choices:
            say(f"{'':<13}choices: {one_line(', '.join(turn.choices))}")


def _lines(where: Show) -> list[tuple[str, str]]:
    summary = where.summary
    lines = [
        ("game", summary.game),
        ("ruleset", summary.ruleset),
        ("status", summary.status),
        ("started", f"{summary.started:%Y-%m-%d %H:%M} UTC"),
    ]
    if summary.ended:
        lines.append(("ended", f"{summary.ended:%Y-%m-%d %H:%M} UTC"))
    if summary.winner:
        lines.append(("winner", summary.winner))
    if summary.ended and summary.fallbacks:
        lines.append(("stand-ins", f"{summary.fallbacks}, so the result is not only the seats' own"))
    if where.failures:
        lines.append(("failed", f"answers that could not be used: {told_failures(where.failures)}"))
    if where.substitutes:
        lines.append(("models", f"not the one asked for: {told_substitutes(where.substitutes)}"))
    lines += [("seats", ", ".join(where.seats)), ("phase", where.phase)]
    if where.waiting_for:
        lines.append(("waiting for", ", ".join(where.waiting_for)))
    if where.hold:
        lines.append(("on hold", where.hold.why))
    lines += [("rules", f"{key}={_value(value)}") for key, value in where.options.items()]
    if where.agents:
        lines += [("agents", f"{seat}={agent}") for seat, agent in where.agents.items()]
    if where.seed and where.seed.text:
        lines.append(("seed", where.seed.text))
    if where.seed and where.seed.by_hand:
        lines.append(("repeatable", "the seed was chosen by hand; a player who guesses it knows every draw"))
    return lines


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
