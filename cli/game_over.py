"""How a game that was played here closes: who wins, the game's id, and what to try next."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

from sottovoce.cli.output import say
from sottovoce.cli.place import Place, print_json
from sottovoce.domain.events import FallbackApplied, Recorded
from sottovoce.domain.safe_text import one_line
from sottovoce.domain.turns import Table
from sottovoce.projections.models import substitutes, told_substitutes
from sottovoce.projections.receipts import Receipt
from sottovoce.projections.seat_counts import failures, told_failures
from sottovoce.projections.summary import status_of
from sottovoce.projections.tally import went_wrong
from sottovoce.projections.view import Entry
from sottovoce.server.live import LiveGame
from sottovoce.server.workplaces import site_of, workspaces


def close(
    place: Place, live: LiveGame, *, as_json: bool, seat: str | None = None, receipts: Sequence[Receipt] = ()
) -> int:
    """Print the closing lines; the exit code of the command that played. `receipts` say how its calls went."""
    state = live.state
    status = status_of(state)
    if as_json:
        stood_in = stand_ins(live.recorded)
        line: dict[str, Any] = {
            "game": live.id,
            "status": status,
            "winner": state.winner,
            "fallbacks": sum(stood_in.values()),
        }
        print_json(line)
    elif status in ("over", "void"):
        chair = seat or next(name for name in state.seats)
        say(f"\n{result(state, live.recorded)} This was game {live.id}.\n\nTry next:")
        if (found := workspaces(live)) is not None and found.survey(site_of(live), state)[1]:
            say(f"  {place.command('work', live.id)}")
        say(f"  {place.command('replay', live.id)}")
        say(f"  {place.command('view', live.id, '--as', chair)}")
        say(f"  {place.command('audit', 'saw', live.id, chair)}")
        if others := substitutes(receipts):
            say(f"Models that were not the one asked for: {one_line(told_substitutes(others))}", err=True)
        for error, count in went_wrong(receipts).items():
            say(f"What went wrong, {count} time{'s' if count > 1 else ''}: {one_line(error)}", err=True)
    elif status == "held":
        why = one_line(f"waiting for {state.hold.waiting_for}: {state.hold.why}")
        say(f"\nGame {live.id} is on hold, {why}", err=True)
        say(f"To continue: {place.command('resume', live.id)}", err=True)
        seat = state.hold.waiting_for
        if state.agents.get(seat, "house").partition(":")[0] not in ("house", "human", "outside"):
            bot = place.command("resume", live.id, "--seat", f"{seat}=house")
            say(f"To let a bot continue instead: {bot}", err=True)
    return 0 if status == "over" else 1


def stand_ins(told: Sequence[Recorded | Entry]) -> Counter[str]:
    """Return, by seat, the number of fallback moves."""
    return Counter(item.event.seat for item in told if isinstance(item.event, FallbackApplied))


def result(state: Table, told: Sequence[Recorded | Entry]) -> str:
    """Return how a finished game came out, and how many of its moves are fallbacks."""
    winner = state.winner
    if state.voided:
        return "The game was aborted and does not count."
    if winner is None:
        said = "The game is over."
    else:
        said = "The game is a draw." if winner == "draw" else f"The winner is: {winner}."
    stood_in = stand_ins(told)
    if not stood_in:
        return said
    listed = ", ".join(f"{seat} {count}" for seat, count in sorted(stood_in.items()))
    why = told_failures(failures(item.event for item in told))
    return (
        f"{said} Fallback moves replaced answers that failed or came too late: {listed}."
        f"{f' Attempts without an answer: {why}.' if why else ''}"
    )


def left_open(place: Place, live: LiveGame) -> None:
    """Say how to continue a game that was left."""
    sys.stdout.flush()
    say(f"\nGame {live.id} is not over. To continue: {place.command('resume', live.id)}", err=True)
