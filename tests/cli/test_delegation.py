"""`play delegation` and every general command on its games; sessions as programs of their own."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from commands import ROOT, SOTTOVOCE, Cli
from delegating import TASK, message
from patience import PATIENCE

from sottovoce.domain.draws import Seed
from sottovoce.eventlog import open_log
from sottovoce.server.games import Games

EXAMPLE = ROOT / "examples" / "delegation" / "village-paper"
OUTSIDER = ROOT / "tests" / "kit" / "outsider.py"


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """A copy of the example."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "paper", ignore=shutil.ignore_patterns(".*")))


@pytest.fixture
def sv(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "games.db")


def events(sv: Cli, game: str = "latest") -> list[dict[str, Any]]:
    return sv("export", game).rows


def actions(sv: Cli, game: str = "latest") -> list[str]:
    sent = [event["data"]["message"] for event in events(sv, game) if event["name"] == "delegation.message-sent.v1"]
    return [f"{one['action']} {one['round']}" for one in sent]


@pytest.mark.spec("D-041", "D-049", "D-055")
def test_the_examples_are_played_offline(sv: Cli, paper: Path) -> None:
    played = sv("play", "delegation", paper, "--json").json
    assert played == {"game": played["game"], "status": "over", "winner": None, "fallbacks": 0}
    done = Counter(action.split()[0] for action in actions(sv))
    assert done["closeout_delivered"] == 2
    assert done["user_requested_iteration"] == 1
    assert done["rework_required"] >= 6
    assert done["review_requested"] == 10, "one of them ran to the iteration cap"
    for task in (paper / ".agent-artifacts").iterdir():
        assert (task / f"closeout-{task.name}.md").exists()
    assert sv("audit", "verify", "latest", "--json").json["ok"]
    assert sv("audit", "leaks", "latest").code == 0


def test_one_task_alone_is_played_and_shown_as_its_user_sees_it(sv: Cli, paper: Path) -> None:
    said = sv("play", "delegation", paper, "--task", "spring-fair", env={"SOTTOVOCE_PACE": "0"})
    assert said.code == 0
    assert "council-minutes" not in said.out
    for part in (
        "reviewer → executor: requires rework",
        "closed",
        "open",
        "Nothing must be fixed.",
        "accepts the work",
    ):
        assert part in said.out
    assert '"schema_version"' not in said.out, "a user is shown no raw JSON"


@pytest.mark.spec("D-004", "D-018")
def test_ten_tasks_at_once_with_shared_sessions_come_to_their_ends(sv: Cli, tmp_path: Path) -> None:
    tasks = tmp_path / "shared" / "tasks"
    tasks.mkdir(parents=True)
    crosswise = "---\nplanner: reviewer\nexecutor: planner\nreviewer: executor\n---\n"
    for number in range(10):
        lines = [f'- "word{number}" is written "term{number}".', "- Words are one space apart.", "- It is nice."]
        text = f"Each  word{number} of this is word{number}."
        brief = f"# Task {number}\n\n## Text\n\n{text}\n\n## Checklist\n\n" + "\n".join(lines)
        (tasks / f"task-{number}.md").write_text((crosswise if number % 3 == 2 else "") + brief)
    assert sv("play", "delegation", tmp_path / "shared", "--quiet").code == 0
    for number in range(10):
        closeout = next((tmp_path / "shared" / ".agent-artifacts").glob(f"*-task-{number}/closeout-*.md")).read_text()
        assert f"Each term{number} of this is term{number}." in closeout
    board = sv("show", "latest", "--as", "user").out.splitlines()[1:11]
    assert all(" complete " in line for line in board)
    assert sv("audit", "leaks", "latest").code == 0


def test_many_games_are_counted_and_write_nothing_into_the_folder(sv: Cli, paper: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    words = ("run", "delegation", paper, "--games", 3, "--seed", 1, "--csv", rows, "--quiet", "--json")
    counted = sv(*words).json
    assert (counted["games"], counted["winners"], counted["refusals"]) == (3, {}, 0)
    assert not (paper / ".agent-artifacts").exists()
    assert len(rows.read_text().splitlines()) == 1 + 3 * 4
    assert sv("files", "latest", "--as", "planner", "--into", tmp_path / "out").code == 0


@pytest.mark.spec("D-004")
def test_games_that_begin_at_once_in_one_folder_have_tasks_of_their_own(sv: Cli, paper: Path) -> None:
    """The second begins before the first has written anything."""
    words = ("play", "delegation", str(paper), "--task", "spring-fair", "--seat", "planner=outside")
    begun = [subprocess.Popen([SOTTOVOCE, "--db", sv.url, *words], stderr=subprocess.DEVNULL) for _ in range(3)]
    try:
        until = time.monotonic() + PATIENCE
        while not (sv.path.exists() and len(sv("games").out.splitlines()) >= 4):
            assert time.monotonic() < until
            time.sleep(0.2)
    finally:
        for process in begun:
            process.terminate()
            process.wait()
    games = [row["game"] for row in sv("games", "--json").rows]
    ids = {event["data"]["task_id"] for game in games for event in events(sv, game) if "brief-given" in event["name"]}
    assert len(ids) == len(games) == 3
    for number, game in enumerate(games):
        text = f"execute_delegate_task\n\n# Task {number}\n\nReviewer: reviewer\n"
        assert sv("send", game, "--as", "planner", "--turn", 1, stdin=text).code == 0
    assert len(list((paper / ".agent-artifacts").glob("*/delegate-task-*.md"))) == 3
    for game in games:
        assert sv("audit", "leaks", game).code == 0


def test_a_game_that_cannot_begin_takes_no_task_id(sv: Cli, paper: Path) -> None:
    assert sv("play", "delegation", paper, "--rule", "max_rounds=0").code == 2
    assert not list((paper / ".agent-artifacts").iterdir())


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["nowhere"], "There is no folder"),
        (["{paper}", "--task", "nothing"], "There is no brief"),
        (["{paper}", "--task", "../spring-fair"], "names no task"),
        (["{empty}"], "has no brief"),
        (["{paper}", "--seat", "carla=house"], "There is no seat 'carla'"),
        (["{paper}", "--rule", "max_rounds=0"], "max_rounds"),
        (["{paper}", "--rule", "rounds=3"], "has no option 'rounds'"),
    ],
)
def test_what_is_wrong_with_the_start_is_said_in_one_line(
    words: list[str], part: str, sv: Cli, paper: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    said = sv("play", "delegation", *[word.format(paper=paper, empty=tmp_path / "empty") for word in words])
    assert said.code == 2
    assert part in said.err
    assert len(said.err.splitlines()) == 1


def test_a_scripted_user_decides_where_there_is_no_person(sv: Cli, paper: Path, tmp_path: Path) -> None:
    script = tmp_path / "user.yaml"
    script.write_text('decide: ["iterate: The word \\"only\\" is not used.", "accept"]\n')
    words = ("play", "delegation", paper, "--task", "spring-fair", "--seat", f"user=scripted:{script}", "--json")
    assert sv(*words).json["status"] == "over"
    assert "user_requested_iteration 3" in actions(sv)
    closeout = next((paper / ".agent-artifacts").glob("*/closeout-*.md")).read_text()
    assert "only" not in closeout.partition("## Text")[2]


@pytest.fixture
def waiting(sv: Cli, paper: Path) -> str:
    """A game that is opened and left at once: every seat is filled from outside."""
    log = open_log(sv.url)
    games = Games(log)
    seats = ("planner", "executor", "reviewer", "user")
    files = {f"{TASK}.md": b"Tidy the notes."}
    opening = games.open(
        "delegation", seats, dict.fromkeys(seats, "outside"), Seed.of(1), {}, files=files, folder=str(paper)
    )
    live = asyncio.run(opening)
    games.close()
    log.close()
    return live.id


def delegate(sv: Cli, game: str) -> str:
    said = sv(
        "send", game, "--as", "planner", "--turn", 1, stdin="execute_delegate_task\n\n# Task\n\nReviewer: reviewer\n"
    )
    assert said.code == 0, said.err
    return TASK


def test_the_board_says_who_is_awaited_since_when_and_what_has_no_answer(sv: Cli, waiting: str) -> None:
    task = delegate(sv, waiting)
    assert sv("send", waiting, "--as", "executor", "--turn", 1, stdin="review_requested\n\n# Request\n").code == 0
    board = sv("show", waiting, "--as", "user").out.splitlines()
    assert board[0].split() == ["task", "stands", "round", "awaited", "since", "to", "be", "fixed", "unanswered"]
    assert board[1].startswith(f"{task}  in review  1      reviewer  20")
    assert board[1].rstrip().endswith("round 1")
    planner = sv("show", waiting, "--as", "planner").out.splitlines()[1]
    assert "in review" not in planner, "the planner sees nothing of the review"
    assert "task" not in sv("show", waiting).out.split("game")[0], "in public there is no board"
    found = sv("audit", "leaks", waiting)
    assert found.code == 0
    assert "note: round unanswered at position" in found.out
    assert "Round 1 of" in found.out


@pytest.mark.spec("D-001", "D-007", "D-014", "D-015", "D-016", "D-019", "D-056")
@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"task_id": "tidy"}, "task_id: "),
        ({"from_session_id": "reviewer"}, "from_session_id: "),
        ({"to_session_id": "nobody"}, "to_session_id: "),
        ({"planner_session_id": "reviewer"}, "planner_session_id: never changes"),
        ({"artifact_path": "../../etc/passwd"}, "artifact_path: "),
        ({"artifact_path": ".agent-artifacts/{task}/link.md"}, "artifact_path: "),
        ({"round": 7}, "round: "),
        ({"note": "x" * 1001}, "note: has 1001 characters"),
        ({"note": "x" * 2**20}, "characters; send at most"),
        (None, "The message is not JSON"),
    ],
)
def test_a_message_that_is_wrong_is_one_error_to_its_sender_and_an_entry_in_the_audit(
    changes: dict[str, Any] | None, part: str, sv: Cli, waiting: str, paper: Path
) -> None:
    task = delegate(sv, waiting)
    (paper / ".agent-artifacts" / task / "link.md").symlink_to("/etc/hostname")
    fields = message("review_requested", task_id=task)
    (paper / fields["artifact_path"]).write_text("# Request\n")
    changed = {
        key: value.format(task=task) if isinstance(value, str) else value for key, value in (changes or {}).items()
    }
    text = json.dumps({**fields, **changed}) if changes is not None else '{"schema_version": "1.0",'
    before = sv("show", waiting, "--as", "user").out.splitlines()[1]
    length = len(events(sv))
    said = sv("send", waiting, "--as", "executor", "--turn", 1, stdin=text)
    assert said.code == 1
    assert part in said.err
    assert len(said.err.splitlines()) == 1
    assert len(said.err) < 1000
    assert sv("show", waiting, "--as", "user").out.splitlines()[1] == before
    new = events(sv)[length:]
    assert [event["name"] for event in new] == ["core.attempt-failed.v1"]
    assert new[0]["audience"] == ["executor"]
    told = sv("audit", "who-saw", waiting, length + 1, "--json").json
    assert [seat["seat"] for seat in told["seats"] if seat["allowed"]] == ["executor"]
    assert sv("send", waiting, "--as", "executor", "--turn", 1, stdin=json.dumps(fields)).code == 0


@pytest.mark.spec("D-015")
def test_a_changed_artifact_is_refused_and_found(sv: Cli, waiting: str, paper: Path) -> None:
    task = delegate(sv, waiting)
    for seat, turn, text in (
        ("executor", 1, "review_requested\n\n# Request\n"),
        ("reviewer", 1, "stop_recommended\n\n# Report\n"),
        ("user", 1, "iterate: more"),
    ):
        assert sv("send", waiting, "--as", seat, "--turn", turn, stdin=text).code == 0
    report = paper / ".agent-artifacts" / task / "review-report-r1.md"
    report.write_text("# Report, and it was all fine\n")
    said = sv("send", waiting, "--as", "reviewer", "--turn", 2, stdin="user_requested_iteration")
    assert said.code == 1
    assert "differs from the one recorded" in said.err
    found = sv("audit", "leaks", waiting)
    assert found.code == 1
    assert "finding: file changed" in found.out
    assert "review-report-r1.md: changed since it was recorded." in found.out
    report.write_text("# Report\n")
    assert sv("send", waiting, "--as", "reviewer", "--turn", 2, stdin="user_requested_iteration").code == 0
    assert sv("audit", "leaks", waiting).code == 0


def test_an_accepted_message_may_be_sent_again_and_is_not_done_twice(sv: Cli, waiting: str, paper: Path) -> None:
    task = delegate(sv, waiting)
    fields = message("review_requested", task_id=task)
    (paper / fields["artifact_path"]).write_text("# Request\n")
    words = ("send", waiting, "--as", "executor", "--turn", 1)
    assert sv(*words, stdin=json.dumps(fields)).out == "Accepted.\n"
    length = len(events(sv))
    assert sv(*words, stdin=json.dumps(fields)).out == "Accepted (it was already sent before).\n"
    assert len(events(sv)) == length


def test_what_is_sent_may_be_wrapped_as_models_wrap_it(sv: Cli, waiting: str, paper: Path) -> None:
    task = delegate(sv, waiting)
    fields = message("review_requested", task_id=task)
    (paper / fields["artifact_path"]).write_text("# Request\n")
    text = f"Here is my message:\n\n```json\n{json.dumps(fields, indent=2)}\n```\n"
    words = ("send", waiting, "--as", "executor", "--turn", 1)
    assert sv(*words, stdin=text).out == "Accepted.\n"
    assert sv(*words, stdin=text).out == "Accepted (it was already sent before).\n"
    report = "I looked at it.\n```\nrework_required\n\n## Must-fix\n\n- The title.\n```\n"
    assert sv("send", waiting, "--as", "reviewer", "--turn", 1, stdin=report).code == 0
    assert (paper / ".agent-artifacts" / task / "review-report-r1.md").read_text() == "## Must-fix\n\n- The title.\n"


def test_a_message_needs_no_turn_number(sv: Cli, waiting: str, paper: Path) -> None:
    task = delegate(sv, waiting)
    fields = message("review_requested", task_id=task)
    (paper / fields["artifact_path"]).write_text("# Request\n")
    assert sv("send", waiting, "--as", "executor", stdin=json.dumps(fields)).code == 0
    assert sv("send", waiting, "--as", "executor", stdin=json.dumps(fields)).code == 1, "it is in review now"
    assert sv("inbox", waiting, "--as", "executor", "--json").json["turns"] == []


def test_the_transcript_shows_the_rounds_with_items_opened_and_closed(sv: Cli, paper: Path) -> None:
    assert sv("play", "delegation", paper, "--task", "spring-fair", "--quiet").code == 0
    page = sv("transcript", "latest", "--as", "user", "--format", "html").out
    text = sv("transcript", "latest", "--as", "user").out
    for part in ("Round 2 of", "opened", "closed", "No line is longer than 72 characters", "The user decides on"):
        assert part in page
        assert part in text
    assert "| opened |" in text
    assert "| closed |" in text
    executor = sv("transcript", "latest", "--as", "executor").out
    assert "Round 2 of" in executor
    assert "The user decides" not in executor
    planner = sv("transcript", "latest", "--as", "planner").out
    assert "Round 2 of" not in planner


def test_a_game_goes_on_where_it_was_left(sv: Cli, waiting: str, paper: Path) -> None:
    delegate(sv, waiting)
    words = [word for seat in ("planner", "executor", "reviewer", "user") for word in ("--seat", f"{seat}=house")]
    assert sv("resume", waiting, *words, "--json").json["status"] == "over"
    assert actions(sv)[-1] == "closeout_delivered final"
    assert sv("audit", "leaks", waiting).code == 0
    fork = sv("fork", waiting, "--at", 25, "--json").json["game"]
    assert sv("resume", fork, "--json").json["status"] == "over"
    assert sv("audit", "leaks", fork).code == 0
    assert sv("audit", "leaks", waiting).code == 0, "the fork wrote nothing over it"


def test_files_writes_what_a_seat_may_read(sv: Cli, paper: Path, tmp_path: Path) -> None:
    assert sv("play", "delegation", paper, "--task", "spring-fair", "--quiet").code == 0
    for seat, names in (("planner", {"delegate-task", "closeout"}), ("executor", {"delegate-task", "review"})):
        into = tmp_path / seat
        assert sv("files", "latest", "--as", seat, "--into", into).code == 0
        written = {path.name for path in into.rglob("*.md")}
        assert written
        assert all(any(name.startswith(known) for known in names) for name in written), written


@pytest.mark.spec("D-056", "D-058")
def test_three_programs_work_through_inbox_and_send_and_two_of_them_are_killed(sv: Cli, paper: Path) -> None:
    """One dies with its turn read, one with its file written: nothing is lost, and nothing is done twice."""
    words = [SOTTOVOCE, "--db", sv.url, "play", "delegation", str(paper), "--task", "council-minutes", "--json"]
    words += [word for seat in ("planner", "executor", "reviewer") for word in ("--seat", f"{seat}=outside")]
    playing = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    programs: list[subprocess.Popen[str]] = []

    def start(seat: str, *dies: str) -> subprocess.Popen[str]:
        command = [sys.executable, str(OUTSIDER), SOTTOVOCE, sv.url, "latest", seat, str(paper), *dies]
        program = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ})
        programs.append(program)
        return program

    try:
        until = time.monotonic() + PATIENCE
        while not (sv.path.exists() and sv("games", "--json").out):
            assert time.monotonic() < until
            time.sleep(0.1)
        planner = start("planner")
        executor = start("executor", "read")
        reviewer = start("reviewer", "written")
        assert executor.wait(PATIENCE) == -signal.SIGKILL
        shown = sv("inbox", "latest", "--as", "executor", "--json").json
        assert [turn["kind"] for turn in shown["turns"]] == ["implement"], "it was read, and is not done for that"
        executor = start("executor")
        assert reviewer.wait(PATIENCE) == -signal.SIGKILL
        assert [turn["kind"] for turn in sv("inbox", "latest", "--as", "reviewer", "--json").json["turns"]] == [
            "review"
        ]
        reviewer = start("reviewer")
        out, _ = playing.communicate(timeout=PATIENCE)
        for program in (planner, executor, reviewer):
            assert program.wait(PATIENCE) == 0, program.stderr and program.stderr.read()
    finally:
        for process in (playing, *programs):
            if process.poll() is None:
                process.kill()
            process.communicate()
    assert json.loads(out)["status"] == "over"
    assert actions(sv) == [
        "execute_delegate_task 1",
        "review_requested 1",
        "rework_required 1",
        "review_requested 2",
        "stop_recommended 2",
        "closeout_delivered final",
    ]
    works = [event["data"]["work"] for event in events(sv) if event["name"] == "delegation.work-recorded.v1"]
    assert works == ["merged", "progress"]
    assert not [event for event in events(sv) if event["name"] == "core.attempt-failed.v1"]
    assert sv("audit", "verify", "latest", "--json").json["ok"]
    assert sv("audit", "leaks", "latest").code == 0
