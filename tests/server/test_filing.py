"""A game's files: read before a decision, written with an accepted reply, apart in a fork, compared by the audit."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from os import mkfifo
from pathlib import Path
from typing import Any

import pytest
from delegating import TASK, message

from sottovoce.domain.commands import Reply, Say
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import AttemptFailed, MessageRefused
from sottovoce.eventlog import open_log
from sottovoce.rulesets.delegation.rules.events import ArtifactFiled, FolderGiven, MessageSent
from sottovoce.server.files import altered, folder_of
from sottovoce.server.games import Games, now
from sottovoce.server.live import LiveGame

HOME = f".agent-artifacts/{TASK}"
SEATS = ("planner", "executor", "reviewer", "user")


@pytest.fixture
def games(tmp_path: Path) -> Any:
    log = open_log(f"sqlite:///{tmp_path / 'games.db'}")
    games = Games(log)
    yield games
    games.close()
    log.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    return path


@pytest.fixture
def live(games: Games, folder: Path) -> LiveGame:
    opening = games.open(
        "delegation",
        SEATS,
        dict.fromkeys(SEATS, "outside"),
        Seed.of(1),
        {},
        files={f"{TASK}.md": b"Tidy the notes."},
        folder=str(folder),
    )
    return asyncio.run(opening)


def send(games: Games, live: LiveGame, seat: str, text: str) -> list[Any]:
    turn = next(turn for turn in live.state.turns.values() if turn.seat == seat)
    return [item.event for item in asyncio.run(games.submit(live, Reply(now(), seat, turn.number, text)))]


def delegate(games: Games, live: LiveGame) -> None:
    send(games, live, "planner", "execute_delegate_task\n\n# Task\n\nReviewer: reviewer\n")


def test_a_reply_brings_its_file_along(games: Games, live: LiveGame, folder: Path) -> None:
    delegate(games, live)
    path = folder / HOME / f"delegate-task-{TASK}.md"
    assert path.read_text() == "# Task\n\nReviewer: reviewer\n"
    filed = next(item.event for item in live.recorded if isinstance(item.event, ArtifactFiled))
    assert filed.size == path.stat().st_size
    assert altered(live) == []


@pytest.mark.spec("D-015")
def test_a_message_points_to_a_file_that_its_sender_has_written(games: Games, live: LiveGame, folder: Path) -> None:
    delegate(games, live)
    fields = message("review_requested")
    (failed,) = send(games, live, "executor", json.dumps(fields))
    assert isinstance(failed, AttemptFailed)
    assert "no such file" in failed.message
    (folder / fields["artifact_path"]).write_text("# Request\n")
    sent = send(games, live, "executor", json.dumps(fields))
    assert any(isinstance(event, MessageSent) for event in sent)
    assert next(event for event in sent if isinstance(event, ArtifactFiled)).text == "# Request\n"


@pytest.mark.spec("D-014", "D-056")
def test_a_refused_reply_writes_nothing(games: Games, live: LiveGame, folder: Path) -> None:
    delegate(games, live)
    send(games, live, "executor", "review_requested\nto: nobody\n\n# Request\n")
    assert not (folder / HOME / "review-request-r1.md").exists()
    say = Say(now(), "reviewer", "rework_required\n\n## Must-fix\n- a\n")
    refused = asyncio.run(games.submit(live, say))
    assert isinstance(refused[0].event, MessageRefused)
    assert [path.name for path in (folder / HOME).iterdir()] == [f"delegate-task-{TASK}.md"]


def link(path: Path) -> None:
    path.symlink_to("/etc/hostname")


def link_to_a_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("moved"))
    path.parent.symlink_to(path.parent.with_name("moved"))
    path.write_text("# Request\n")


@pytest.mark.spec("D-014")
@pytest.mark.parametrize(
    ("made", "what"),
    [
        (link, f"{HOME}/review-request-r1.md is a symbolic link; put a plain file"),
        (link_to_a_folder, f"{HOME} is a symbolic link; put a plain file"),
        (Path.mkdir, f"{HOME}/review-request-r1.md is a folder; put a plain file"),
        (mkfifo, f"{HOME}/review-request-r1.md is no plain file; put a plain file"),
    ],
)
@pytest.mark.parametrize("text", [json.dumps(message("review_requested")), "review_requested\n\n# Request\n"])
def test_what_is_no_plain_file_is_refused_for_what_it_is(
    games: Games, live: LiveGame, folder: Path, made: Callable[[Path], None], what: str, text: str
) -> None:
    delegate(games, live)
    made(folder / HOME / "review-request-r1.md")
    (failed,) = send(games, live, "executor", text)
    assert failed.message.startswith(f"artifact_path: {what}")
    assert failed.message.endswith("(D-014).")
    assert Path("/etc/hostname").read_text().strip() not in str([item.body for item in live.recorded])


def test_a_reply_that_comes_too_late_leaves_no_file_behind(games: Games, live: LiveGame, folder: Path) -> None:
    """It was accepted by what was known when it came, and its file placed; then the append found the task held."""
    delegate(games, live)
    late = games.load(live.id)
    for _ in range(3):
        send(games, live, "executor", "I do not know.")
    refused = send(games, late, "executor", "review_requested\n\n# The late one\n")
    assert [type(event) for event in refused] == [MessageRefused]
    assert [path.name for path in (folder / HOME).iterdir()] == [f"delegate-task-{TASK}.md"]


def test_what_a_crash_left_behind_is_written_over_and_what_is_recorded_is_not(
    games: Games, live: LiveGame, folder: Path
) -> None:
    delegate(games, live)
    (folder / HOME / "review-request-r1.md").write_text("half of an ans")
    send(games, live, "executor", "review_requested\n\n# Request\n")
    assert (folder / HOME / "review-request-r1.md").read_text() == "# Request\n"
    send(games, live, "reviewer", "rework_required\n\n# R\n\n## Must-fix\n\n- It.\n")
    report = folder / HOME / "review-report-r1.md"
    report.write_text("Nothing must be fixed, says somebody.\n")
    assert altered(live) == [(f"{HOME}/review-report-r1.md", "changed")]
    report.unlink()
    assert altered(live) == [(f"{HOME}/review-report-r1.md", "missing")]


@pytest.mark.spec("D-015", "D-047")
def test_a_file_that_was_changed_since_is_refused(games: Games, live: LiveGame, folder: Path) -> None:
    delegate(games, live)
    send(games, live, "executor", "review_requested\n\n# Request\n")
    send(games, live, "reviewer", "stop_recommended\n\n# Report\n")
    send(games, live, "user", "iterate")
    report = folder / HOME / "review-report-r1.md"
    report.write_text("# Report, touched up\n")
    before = live.state.tasks
    for text in (json.dumps(message("user_requested_iteration")), "user_requested_iteration"):
        (failed,) = send(games, live, "reviewer", text)
        assert failed.message.startswith("artifact_path: the file differs from the one recorded")
    assert live.state.tasks == before
    report.write_text("# Report\n")
    assert any(isinstance(event, MessageSent) for event in send(games, live, "reviewer", "user_requested_iteration"))


@pytest.mark.spec("D-015", "D-047")
@pytest.mark.parametrize(
    ("brought", "on_disk"),
    [
        ("# Report\n", "# Report, touched up\n"),
        ("# Report\n", None),
        ("# Report, touched up\n", "# Report\n"),
        ("# Report, touched up\n", "# Report, touched up\n"),
        ("# Report, touched up\n", None),
    ],
)
def test_a_recorded_file_that_is_brought_again_is_the_recorded_one_and_lies_there_unchanged(
    games: Games, live: LiveGame, folder: Path, brought: str, on_disk: str | None
) -> None:
    delegate(games, live)
    send(games, live, "executor", "review_requested\n\n# Request\n")
    send(games, live, "reviewer", "stop_recommended\n\n# Report\n")
    send(games, live, "user", "iterate")
    report = folder / HOME / "review-report-r1.md"
    report.unlink()
    if on_disk is not None:
        report.write_text(on_disk)
    before = live.state.tasks
    (failed,) = send(games, live, "reviewer", f"user_requested_iteration\n\n{brought}")
    assert failed.message == (
        "artifact_path: the file differs from the one recorded under this name; restore that one (D-015)."
    )
    assert live.state.tasks == before
    assert (report.read_text() if report.exists() else None) == on_disk, "and nobody has put it back or written it over"
    report.write_text("# Report\n")
    sent = send(games, live, "reviewer", "user_requested_iteration\n\n# Report\n")
    assert any(isinstance(event, MessageSent) for event in sent)
    assert not any(isinstance(event, ArtifactFiled) for event in sent), "a file is recorded once"


def test_a_reply_that_comes_late_does_not_touch_the_file_of_the_one_that_was_quicker(
    games: Games, live: LiveGame, folder: Path
) -> None:
    delegate(games, live)
    late = games.load(live.id)
    send(games, live, "executor", "review_requested\n\n# The quicker one\n")
    refused = send(games, late, "executor", "review_requested\n\n# The late one\n")
    assert [type(event) for event in refused] == [MessageRefused]
    assert (folder / HOME / "review-request-r1.md").read_text() == "# The quicker one\n"
    assert altered(games.load(live.id)) == []


def test_another_process_finds_the_folder(games: Games, live: LiveGame, folder: Path) -> None:
    given = [item for item in live.recorded if isinstance(item.event, FolderGiven)]
    assert [item.audience.to_json() for item in given] == [[]]
    again = games.load(live.id)
    assert folder_of(again) == folder
    assert all(str(folder) not in str(again.view(seat).entries) for seat in SEATS)


def test_a_fork_has_a_folder_of_its_own(games: Games, live: LiveGame, folder: Path) -> None:
    delegate(games, live)
    position = live.length
    send(games, live, "executor", "review_requested\n\n# Request\n")
    fork = asyncio.run(games.fork(live, position))
    own = folder_of(fork)
    assert own is not None
    assert own.is_relative_to(folder)
    assert own != folder
    assert (own / HOME / f"delegate-task-{TASK}.md").read_text() == "# Task\n\nReviewer: reviewer\n"
    send(games, fork, "executor", "review_requested\n\n# Another request\n")
    assert (folder / HOME / "review-request-r1.md").read_text() == "# Request\n"
    assert (own / HOME / "review-request-r1.md").read_text() == "# Another request\n"
    assert altered(live) == altered(fork) == []


def test_where_the_folder_is_gone_a_reply_is_not_accepted(games: Games, live: LiveGame, folder: Path) -> None:
    folder.rmdir()
    with pytest.raises(Exception, match="Cannot write"):
        delegate(games, live)
    assert live.state.tasks[TASK].step == "proposed"
    assert games.load(live.id).length == live.length
    folder.mkdir()
    delegate(games, live)
    assert live.state.tasks[TASK].step == "delegated"
