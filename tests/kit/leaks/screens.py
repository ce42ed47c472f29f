"""Planted leaks in commands and screens: what a command may do wrong though views and prompts are right."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from leaks.views import NumberedByPosition, Omniscient, WithSeconds, letting_in
from sottovoce.agents.bridge.agent import FilesAgent
from sottovoce.agents.folder import write_file
from sottovoce.cli import files, source
from sottovoce.cli import games as games_command
from sottovoce.cli.output import Output
from sottovoce.domain.events import Recorded
from sottovoce.domain.game import fold
from sottovoce.domain.ruleset import Ruleset
from sottovoce.projections.perspective import FULL
from sottovoce.projections.view import SeatProjection, View, public_view
from sottovoce.server import entries
from sottovoce.server.entries import Entries

Patch = Callable[[], Any]


class ScreenLeak(NamedTuple):
    """A leak in what commands give, in games of one ruleset: `patch` is entered while they run."""

    ruleset: str
    patch: Patch


def _in_place(target: str, value: Any) -> Patch:
    return lambda: mock.patch(target, value)


def _everything(ruleset: Ruleset[Any], recorded: Any, seat: str, upto: int | None = None) -> View[Any]:
    """The view with the state of everything."""
    events = list(recorded)
    seen = public_view(ruleset, events).entries
    return View(ruleset, seat, seen, len(seen), fold(ruleset, [item.event for item in events]))


def _everyone_awaited(ruleset: Ruleset[Any], recorded: Any, *rest: Any) -> tuple[str, ...]:
    state = fold(ruleset, [item.event for item in recorded])
    return tuple(sorted(seat for seat, _ in state.turns))


def _placed_verdict(events: list[Recorded], seat: str) -> dict[str, Any]:
    return {"accepted": False, "message": f"Recorded at position {events[0].position if events else 0}."}


def _live(kind: Any) -> type[SeatProjection[Any]]:
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


# files: the names, modes, times, order and leftovers of what is written

_WRITE_DOCUMENTS, _LOAD = files.write_documents, source.load_game
_ASK = FilesAgent._ask


class _Full:
    """The game that was loaded last, for what knows more than it may."""

    live: Any = None


def _loaded(log: Any, game: str) -> Any:
    _Full.live = _LOAD(log, game)
    return _Full.live


def _with_all(target: Any, name: str, value: Any) -> Any:
    """Something is replaced that looks at the game that was loaded last."""
    stack = ExitStack()
    stack.enter_context(mock.patch.object(source, "load_game", _loaded))
    stack.enter_context(mock.patch.object(target, name, value))
    return stack


def _writing(touch: Callable[[Path, Mapping[str, bytes], Any], None]) -> Patch:
    """After the documents have been written, something is done to them by all that the game holds."""

    def write(documents: Mapping[str, bytes], into: Path, *rest: Any) -> tuple[str, ...]:
        written = _WRITE_DOCUMENTS(documents, into, *rest)
        touch(Path(into), documents, _Full.live)
        return written

    return lambda: _with_all(files, "write_documents", write)


def _all_documents(live: Any) -> Mapping[str, bytes]:
    documents: Mapping[str, bytes] = live.ruleset.documents(live.state)
    return documents


def _dated_by_the_game(into: Path, documents: Mapping[str, bytes], live: Any) -> None:
    """Files bear the time of the last thing that happened."""
    at = live.recorded[-1].at.timestamp()
    for path in documents:
        os.utime(into / path, (at, at))


def _closed_where_more_is(into: Path, documents: Mapping[str, bytes], live: Any) -> None:
    """What a seat has not whole may not be written to."""
    whole = _all_documents(live)
    for path, content in documents.items():
        if whole.get(path) != content:
            (into / path).chmod(0o444)


def _folders_of_all(into: Path, documents: Mapping[str, bytes], live: Any) -> None:
    """There is a folder for each that the game has."""
    for path in _all_documents(live):
        (into / path).parent.mkdir(parents=True, exist_ok=True)


def _linked(into: Path, documents: Mapping[str, bytes], live: Any) -> None:
    """Files that somebody else has as well are written once."""
    (into / ".all").mkdir(exist_ok=True)
    for number, path in enumerate(sorted(_all_documents(live))):
        if path in documents:
            os.link(into / path, into / ".all" / str(number))


def _by_size() -> Any:
    """Files are written largest first, by the size that they have for everybody."""

    def write(documents: Mapping[str, bytes], into: Path, *rest: Any) -> tuple[str, ...]:
        whole = _all_documents(_Full.live)
        placed = sorted(documents, key=lambda path: (-len(whole.get(path, b"")), path))
        for path in placed:
            _WRITE_DOCUMENTS({name: documents[name] for name in placed[: placed.index(path) + 1]}, into, *rest)
        return tuple(placed)

    return _with_all(files, "write_documents", write)


def _listed_in_full(into: Path, documents: Mapping[str, bytes], live: Any) -> None:
    """The list of what was written counts what was not."""
    (into / ".sottovoce-left-out").write_text(str(len(_all_documents(live)) - len(documents)))


def _as_long_as_the_original(into: Path, documents: Mapping[str, bytes], live: Any) -> None:
    """A file takes as much room as the whole one, with nothing in the rest."""
    for path, content in _all_documents(live).items():
        if path in documents and len(content) > len(documents[path]):
            os.truncate(into / path, len(content))


def _bridge(asked: Callable[[int, Any, Any], None]) -> Patch:
    """The bridge's folder is given something more, by all that the game holds."""

    def ask(top: int, memory: Any, call: Any) -> None:
        asked(top, memory, call)
        _ASK(top, memory, call)

    def entered() -> Any:
        stack = ExitStack()
        stack.enter_context(mock.patch("sottovoce.server.live.SeatProjection", _live(Omniscient)))
        stack.enter_context(mock.patch.object(FilesAgent, "_ask", staticmethod(ask)))
        return stack

    return entered


def _prompt_dated(top: int, memory: Any, call: Any) -> None:
    """The prompt bears the time of the last thing that happened."""
    last: datetime = call.view.log[-1].at
    call.since = int(last.timestamp() * 1e9)


def _draft_left(top: int, memory: Any, call: Any) -> None:
    """A draft is left behind, named by how long the game is."""
    write_file(top, f"tmp/.{len(call.view.log)}.new", b"")


def _memory_of_all(top: int, memory: Any, call: Any) -> None:
    """The folder's own file tells games apart by how far they are."""
    memory.game += f"-{call.view.log[-1].position}"


# other screens


def _transcript_mode(target: Any, texts: Any) -> None:
    """A transcript that tells not all is for its owner alone."""
    _OUTPUT_WRITE(target, texts)
    if target.target is not None and len(_Full.live.recorded) % 2:
        Path(target.target).chmod(0o600)


_OUTPUT_WRITE = Output.write


def _all_chairs(seats: Any, whose: Any) -> Any:
    """The file to share holds all that there is, and begins with what is its owner's."""
    return {**_CHAIRS(seats, whose), **_CHAIRS(seats, FULL)}


def _placed(self: Entries, live: Any, *, audited: bool = False) -> Any:
    """The file says where in the log each entry stands."""
    return _TRACK(self, live, audited=True)


_CHAIRS, _TRACK = entries.chairs, Entries.track


def _listed_by_length(log: Any, wanted: Any) -> Any:
    """Games are listed by how much has happened in them."""
    found, more = _LISTED(log, wanted)
    games: list[Any] = list(found)
    return sorted(games, key=lambda one: -log.head(one.game).length), more


def _listed_by_links(log: Any, wanted: Any) -> Any:
    """Games are listed by how many links to them are in use."""
    found, more = _LISTED(log, wanted)
    games: list[Any] = list(found)
    return sorted(games, key=lambda one: -sum(link.ended is None for link in log.links(one.game))), more


_LISTED = games_command.listed


def _shown_for_all(ruleset: Ruleset[Any], recorded: Any, chair: Any) -> Any:
    """The board of a seat that has any is that of all tasks."""
    where = _SHOWN(ruleset, recorded, chair)
    return replace(where, board=_SHOWN(ruleset, recorded, FULL).board) if chair.seat else where


def _shown_until(ruleset: Ruleset[Any], recorded: Any, chair: Any) -> Any:
    """The open turns are told as often as anybody has one."""
    where = _SHOWN(ruleset, recorded, chair)
    full = fold(ruleset, [item.event for item in recorded])
    return replace(where, turns=where.turns * len(full.turns))


_SHOWN = source.show


def screen_leaks() -> dict[str, ScreenLeak]:
    """Every planted leak of this module by name."""
    from sottovoce.server import inbox

    answer = inbox.answer

    def longer(games: Any, live: Any, view: Any, *rest: Any) -> dict[str, Any]:
        return {**answer(games, live, view, *rest), "length": live.length}

    def linked(games: Any, live: Any, view: Any, *rest: Any) -> dict[str, Any]:
        here = [link.seat for link in games.log.links(live.id) if link.claimed]
        return {**answer(games, live, view, *rest), "here": here}

    mafia = {
        "seconds_on_the_screen": _in_place("sottovoce.server.live.SeatProjection", _live(WithSeconds)),
        "positions_on_the_screen": _in_place("sottovoce.server.live.SeatProjection", _live(NumberedByPosition)),
        "others_on_the_screen": _in_place(
            "sottovoce.server.live.SeatProjection",
            _live(letting_in(lambda projection, item: projection.present).projection),
        ),
        "transcript_of_everything": _in_place("sottovoce.projections.perspective.view", _everything),
        "file_of_every_chair": _in_place("sottovoce.server.entries.chairs", _all_chairs),
        "file_with_positions": _in_place("sottovoce.server.entries.Entries.track", _placed),
        "awaited_by_name": _in_place("sottovoce.projections.summary._waiting_for", _everyone_awaited),
        "length_in_the_inbox": _in_place("sottovoce.server.inbox.answer", longer),
        "position_in_the_refusal": _in_place("sottovoce.server.replies.verdict", _placed_verdict),
        "transcript_closed_by_length": lambda: _with_all(Output, "write", _transcript_mode),
        "games_listed_by_length": _in_place("sottovoce.cli.games.listed", _listed_by_length),
        "games_listed_by_links": _in_place("sottovoce.cli.games.listed", _listed_by_links),
        "claimed_links_in_the_inbox": _in_place("sottovoce.server.inbox.answer", linked),
        "turns_of_others_shown": _in_place("sottovoce.cli.source.show", _shown_until),
        "draft_named_by_the_game_s_length": _bridge(_draft_left),
        "bridge_notes_the_position": _bridge(_memory_of_all),
    }
    tabletop = {
        "files_dated_by_the_last_event": _writing(_dated_by_the_game),
        "file_closed_where_a_secret_is": _writing(_closed_where_more_is),
        "folders_of_hidden_documents": _writing(_folders_of_all),
        "files_numbered_among_all": _writing(_linked),
        "files_written_by_their_whole_size": _by_size,
        "documents_left_out_counted": _writing(_listed_in_full),
        "files_as_long_as_the_original": _writing(_as_long_as_the_original),
        "prompt_file_dated_by_the_last_event": _bridge(_prompt_dated),
    }
    delegation = {
        "artifacts_dated_by_the_last_event": _writing(_dated_by_the_game),
        "artifact_folders_of_others": _writing(_folders_of_all),
        "board_of_all_tasks_shown": _in_place("sottovoce.cli.source.show", _shown_for_all),
    }
    by_ruleset = {"mafia": mafia, "tabletop": tabletop, "delegation": delegation}
    return {name: ScreenLeak(ruleset, patch) for ruleset, leaks in by_ruleset.items() for name, patch in leaks.items()}
