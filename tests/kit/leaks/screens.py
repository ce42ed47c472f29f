"""Planted leaks in commands and screens: what a command can do wrong although views and prompts are right."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from leaks.minds import suspicion_in_the_status, thoughts_in_the_inbox
from leaks.views import NumberedByPosition, Omniscient, WithSeconds, letting_in
from sottovoce.agents.file_agent.agent import FilesAgent
from sottovoce.agents.folder import write_file
from sottovoce.cli import files, source
from sottovoce.cli import games as games_command
from sottovoce.cli.output import Output
from sottovoce.domain.events import Recorded
from sottovoce.domain.game import fold
from sottovoce.domain.ruleset import Ruleset
from sottovoce.projections.novel import novel
from sottovoce.projections.perspective import FULL
from sottovoce.projections.view import SeatProjection, View, public_view
from sottovoce.server import entries
from sottovoce.server.entries import Entries

Patch = Callable[[], Any]


class ScreenLeak(NamedTuple):
    """A leak in the output of commands, in games of one ruleset. `patch` is entered while they run."""

    ruleset: str
    patch: Patch


def _in_place(target: str, value: Any) -> Patch:
    return lambda: mock.patch(target, value)


def _everything(ruleset: Ruleset[Any], recorded: Any, seat: str, upto: int | None = None) -> View[Any]:
    """The view with the full state."""
    events = list(recorded)
    seen = public_view(ruleset, events).entries
    return View(ruleset, seat, seen, len(seen), fold(ruleset, [item.event for item in events]))


def _everyone_awaited(ruleset: Ruleset[Any], recorded: Any, *rest: Any) -> tuple[str, ...]:
    state = fold(ruleset, [item.event for item in recorded])
    return tuple(sorted(seat for seat, _ in state.turns))


def _placed_verdict(events: list[Recorded], seat: str) -> dict[str, Any]:
    return {"accepted": False, "message": f"Recorded at position {events[0].position if events else 0}."}


def _live(kind: Any) -> type[SeatProjection[Any]]:
    """Return the projection for a live game, which accepts many events at once; the leak is where they come one by
    one."""

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
    """The game that was loaded last, for leaks that know more than they may."""

    live: Any = None


def _loaded(log: Any, game: str) -> Any:
    _Full.live = _LOAD(log, game)
    return _Full.live


def _with_all(target: Any, name: str, value: Any) -> Any:
    """Replace something with a version that uses the game that was loaded last."""
    stack = ExitStack()
    stack.enter_context(mock.patch.object(source, "load_game", _loaded))
    stack.enter_context(mock.patch.object(target, name, value))
    return stack


def _writing(touch: Callable[[Path, Mapping[str, bytes], Any], None]) -> Patch:
    """Change the documents after they were written, by everything in the game."""

    def write(documents: Mapping[str, bytes], into: Path, *rest: Any) -> tuple[str, ...]:
        written = _WRITE_DOCUMENTS(documents, into, *rest)
        touch(Path(into), documents, _Full.live)
        return written

    return lambda: _with_all(files, "write_documents", write)


def _all_documents(live: Any) -> Mapping[str, bytes]:
    documents: Mapping[str, bytes] = live.ruleset.documents(live.state)
    return documents


def _dated_by_the_game(into: Path, documents: Mapping[str, bytes], live: Any) -> None:
    """Files have the time of the last event."""
    at = live.recorded[-1].at.timestamp()
    for path in documents:
        os.utime(into / path, (at, at))


def _closed_where_more_is(into: Path, documents: Mapping[str, bytes], live: Any) -> None:
    """A file that the seat can read only in part is read-only."""
    whole = _all_documents(live)
    for path, content in documents.items():
        if whole.get(path) != content:
            (into / path).chmod(0o444)


def _folders_of_all(into: Path, documents: Mapping[str, bytes], live: Any) -> None:
    """There is a folder for each one in the game."""
    for path in _all_documents(live):
        (into / path).parent.mkdir(parents=True, exist_ok=True)


def _linked(into: Path, documents: Mapping[str, bytes], live: Any) -> None:
    """Files that another seat also has are written once."""
    (into / ".all").mkdir(exist_ok=True)
    for number, path in enumerate(sorted(_all_documents(live))):
        if path in documents:
            os.link(into / path, into / ".all" / str(number))


def _by_size() -> Any:
    """Files are written largest first, by their full size."""

    def write(documents: Mapping[str, bytes], into: Path, *rest: Any) -> tuple[str, ...]:
        whole = _all_documents(_Full.live)
        placed = sorted(documents, key=lambda path: (-len(whole.get(path, b"")), path))
        for path in placed:
            _WRITE_DOCUMENTS({name: documents[name] for name in placed[: placed.index(path) + 1]}, into, *rest)
        return tuple(placed)

    return _with_all(files, "write_documents", write)


def _listed_in_full(into: Path, documents: Mapping[str, bytes], live: Any) -> None:
    """The list of written files counts those not written."""
    (into / ".sottovoce-left-out").write_text(str(len(_all_documents(live)) - len(documents)))


def _as_long_as_the_original(into: Path, documents: Mapping[str, bytes], live: Any) -> None:
    """A file takes as much space as the full one, with nothing in the rest."""
    for path, content in _all_documents(live).items():
        if path in documents and len(content) > len(documents[path]):
            os.truncate(into / path, len(content))


def _bridge(asked: Callable[[int, Any, Any], None]) -> Patch:
    """Something is added to the file agent's folder, by everything in the game."""

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
    """The prompt has the time of the last event."""
    last: datetime = call.view.log[-1].at
    call.since = int(last.timestamp() * 1e9)


def _draft_left(top: int, memory: Any, call: Any) -> None:
    """A draft is left behind, named by the length of the game."""
    write_file(top, f"tmp/.{len(call.view.log)}.new", b"")


def _memory_of_all(top: int, memory: Any, call: Any) -> None:
    """The folder's own file distinguishes games by their length."""
    memory.game += f"-{call.view.log[-1].position}"


# other screens


def _transcript_mode(target: Any, texts: Any) -> None:
    """Only the owner can read a transcript that is not full."""
    _OUTPUT_WRITE(target, texts)
    if target.target is not None and len(_Full.live.recorded) % 2:
        Path(target.target).chmod(0o600)


_OUTPUT_WRITE = Output.write


def _all_chairs(seats: Any, whose: Any) -> Any:
    """The file to share has everything, and begins with its owner's part."""
    return {**_CHAIRS(seats, whose), **_CHAIRS(seats, FULL)}


def _placed(self: Entries, live: Any, *, audited: bool = False) -> Any:
    """The file says where in the log each entry is."""
    return _TRACK(self, live, audited=True)


_CHAIRS, _TRACK = entries.chairs, Entries.track


def _listed_by_length(log: Any, wanted: Any) -> Any:
    """Games are listed by how much has happened in them."""
    found, more = _LISTED(log, wanted)
    games: list[Any] = list(found)
    return sorted(games, key=lambda one: -log.head(one.game).length), more


def _listed_by_links(log: Any, wanted: Any) -> Any:
    """Games are listed by how many of their links are in use."""
    found, more = _LISTED(log, wanted)
    games: list[Any] = list(found)
    return sorted(games, key=lambda one: -sum(link.ended is None for link in log.links(one.game))), more


_LISTED = games_command.listed


def _shown_for_all(ruleset: Ruleset[Any], recorded: Any, chair: Any, *rest: Any) -> Any:
    """The board of a seat that has one shows all tasks."""
    where = _SHOWN(ruleset, recorded, chair, *rest)
    return replace(where, board=_SHOWN(ruleset, recorded, FULL).board) if chair.seat else where


def _shown_until(ruleset: Ruleset[Any], recorded: Any, chair: Any, *rest: Any) -> Any:
    """The open turns are repeated as often as anyone has one."""
    where = _SHOWN(ruleset, recorded, chair, *rest)
    full = fold(ruleset, [item.event for item in recorded])
    return replace(where, turns=where.turns * len(full.turns))


_SHOWN = source.show


def _told_by_the_gm() -> Any:
    """A chapter is made of the GM's view for every seat."""
    looked: list[Any] = []
    seen = source.RecordedGame.view

    def view(self: Any, seat: str, upto: int | None = None) -> View[Any]:
        looked.append(self)
        return seen(self, seat, upto)

    def told(own: View[Any]) -> Any:
        return novel(seen(looked[-1], "gm"))

    @contextmanager
    def entered() -> Iterator[None]:
        with (
            mock.patch.object(source.RecordedGame, "view", view),
            mock.patch("sottovoce.cli.novelize.novel", told),
        ):
            yield

    return entered()


def screen_leaks() -> dict[str, ScreenLeak]:
    """Return every planted leak of this module by name."""
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
        "thoughts_in_the_inbox": thoughts_in_the_inbox,
        "suspicion_in_the_status": suspicion_in_the_status,
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
        "chapter_of_the_gm": _told_by_the_gm,
        "prompt_file_dated_by_the_last_event": _bridge(_prompt_dated),
    }
    delegation = {
        "artifacts_dated_by_the_last_event": _writing(_dated_by_the_game),
        "artifact_folders_of_others": _writing(_folders_of_all),
        "board_of_all_tasks_shown": _in_place("sottovoce.cli.source.show", _shown_for_all),
    }
    by_ruleset = {"mafia": mafia, "tabletop": tabletop, "delegation": delegation}
    return {name: ScreenLeak(ruleset, patch) for ruleset, leaks in by_ruleset.items() for name, patch in leaks.items()}
