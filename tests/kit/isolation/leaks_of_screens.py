"""Planted leaks in commands and screens: what a command may do wrong though views and prompts are right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

from domain.events import Recorded
from domain.ruleset import Ruleset, fold
from isolation.leaks_of_views import NumberedByPosition, WithSeconds, letting_in
from projections.view import SeatProjection, View, public_view

Patch = Callable[[], Any]


def _in_place(target: str, value: Any) -> Patch:
    return lambda: mock.patch(target, value)


def _everything(ruleset: Ruleset[Any], recorded: Any, seat: str, upto: int | None = None) -> View[Any]:
    """The view with the state of everything."""
    events = list(recorded)
    entries = public_view(ruleset, events).entries
    return View(ruleset, seat, entries, len(entries), fold(ruleset, [item.event for item in events]))


def _everyone_awaited(ruleset: Ruleset[Any], recorded: Any, *rest: Any) -> tuple[str, ...]:
    state = fold(ruleset, [item.event for item in recorded])
    return tuple(sorted(seat for seat, _ in state.turns))


def _placed_verdict(events: list[Recorded], seat: str) -> dict[str, Any]:
    return {"accepted": False, "message": f"Recorded at position {events[0].position if events else 0}."}


def _live(kind: type[SeatProjection[Any]]) -> type[SeatProjection[Any]]:
    """The projection for a live game, which takes events in by many: the leak sits where they come in one by one."""

    class OneByOne(kind):  # type: ignore[misc, valid-type]
        within = False

        def take_all(self, recorded: Any) -> None:
            for item in recorded:
                if self.within:
                    super().take_all((item,))
                    continue
                self.within = True
                try:
                    self.take(item)
                finally:
                    self.within = False

    return OneByOne


def screen_leaks() -> dict[str, Patch]:
    """Every planted leak of this module by name, as a patch to enter while commands run."""
    from cli import inbox

    answer = inbox._answer

    def longer(games: Any, live: Any, view: Any, since: int) -> dict[str, Any]:
        return {**answer(games, live, view, since), "length": live.length}

    return {
        "seconds_on_the_screen": _in_place("server.live.SeatProjection", _live(WithSeconds)),
        "positions_on_the_screen": _in_place("server.live.SeatProjection", _live(NumberedByPosition)),
        "others_on_the_screen": _in_place(
            "server.live.SeatProjection", _live(letting_in(lambda projection, item: projection.present).projection)
        ),
        "transcript_of_everything": _in_place("projections.perspective.view", _everything),
        "awaited_by_name": _in_place("projections.summary._waiting_for", _everyone_awaited),
        "length_in_the_inbox": _in_place("cli.inbox._answer", longer),
        "position_in_the_refusal": _in_place("cli.send._verdict", _placed_verdict),
    }
