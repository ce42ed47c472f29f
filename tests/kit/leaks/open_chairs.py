"""Planted leaks of what a finished game opens, of the host's own seat, and of playing again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from unittest import mock

import msgspec

from sottovoce.projections.perspective import FULL
from sottovoce.server import game_feed
from sottovoce.server.game_feed import GameFeed
from sottovoce.server.http.routes import again, links, views

Patch = Callable[[], Any]

_RECORD = game_feed.open_record


class OpenLeak(NamedTuple):
    """A leak. `found_by` says which search finds it: the looks after the end, or the requests for seats."""

    found_by: str
    ruleset: str
    patch: Patch


def _put(owner: Any, name: str, value: Any) -> Patch:
    return lambda: mock.patch.object(owner, name, value)


def _numbered_by_the_log(ruleset: Any, recorded: Any, chairs: Any) -> Any:
    """The record's last entry has the position that it has in the log."""
    found = _RECORD(ruleset, recorded, chairs)
    found[-1] = msgspec.structs.replace(found[-1], cause=len(recorded))
    return found


def _hashed(ruleset: Any, recorded: Any, chairs: Any) -> Any:
    """The record has the log's hash of its first entry: of a game that was dealt otherwise it is another."""
    found = _RECORD(ruleset, recorded, chairs)
    return [msgspec.structs.replace(found[0], hash=recorded[len(recorded) // 2].body[:8]), *found[1:]]


def _everything(ruleset: Any, recorded: Any, chairs: Any) -> Any:
    """The record has every event, those that nobody saw too."""
    return [msgspec.structs.replace(item, position=number) for number, item in enumerate(recorded, 1)]


def _told_to_all(ruleset: Any, recorded: Any, chairs: Any) -> Any:
    """The record says which closed chairs were told."""
    found = _RECORD(ruleset, recorded, chairs)
    audiences = {item.body: item.audience for item in recorded}
    return [msgspec.structs.replace(item, audience=audiences.get(item.body, item.audience)) for item in found]


def _every_chair(feed: GameFeed) -> tuple[str, ...]:
    """After the end every chair is open, whatever the opening said."""
    return tuple(feed.live.state.seats) if feed.live.state.over else ()


def _always_open(feed: GameFeed) -> tuple[str, ...]:
    """The chairs are open from the beginning."""
    return tuple(feed.live.state.seats)


async def _all_of_it(asked: Any, table: Any, wanted: Any) -> Any:
    """A seat gets the text of the whole game where it asks for it, also before the end."""
    return (table, FULL, ()) if wanted.whole else await _FOR(asked, table, wanted)


_FOR = views.record_for


def _whatever_seat(live: Any, wanted: Any) -> str:
    """The host gets the link of any seat."""
    return str(wanted.seat or live.state.own)


async def _of_any_age(asked: Any, old: Any) -> None:
    """A seat link that the keeper made after the end leads into the next game."""


def open_leaks() -> dict[str, OpenLeak]:
    """Return every planted leak by name."""
    return {
        "open_record_with_a_position_of_the_log": OpenLeak(
            "looks", "tabletop", _put(game_feed, "open_record", _numbered_by_the_log)
        ),
        "open_record_with_bytes_of_the_log": OpenLeak("looks", "tabletop", _put(game_feed, "open_record", _hashed)),
        "open_record_of_every_event": OpenLeak("looks", "mafia", _put(game_feed, "open_record", _everything)),
        "open_record_names_closed_chairs": OpenLeak("looks", "tabletop", _put(game_feed, "open_record", _told_to_all)),
        "closed_chairs_open_after_the_end": OpenLeak(
            "looks", "tabletop", _put(GameFeed, "open_chairs", property(_every_chair))
        ),
        "chairs_open_before_the_end": OpenLeak("wire", "mafia", _put(GameFeed, "open_chairs", property(_always_open))),
        "transcript_of_every_chair": OpenLeak("wire", "mafia", _put(views, "record_for", _all_of_it)),
        "host_gets_any_seat": OpenLeak("seats", "mafia", _put(links, "_own_seat", _whatever_seat)),
        "next_game_by_a_late_link": OpenLeak("seats", "mafia", _put(again, "_check_age", _of_any_age)),
    }
