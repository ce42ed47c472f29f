"""A session of delegated work as a separate program: it listens with `inbox`, writes its file, answers with `send`.

    python outsider.py SOTTOVOCE DB GAME SEAT FOLDER [read | written]

With `read` it dies after reading its turn, with `written` after writing its file and before sending the message, both
by SIGKILL, like a machine that crashes. It ends when the game is over.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

SOTTOVOCE, DB, GAME, SEAT, FOLDER = sys.argv[1:6]
DIES = sys.argv[6] if len(sys.argv) > 6 else ""


def run(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [SOTTOVOCE, "--db", DB, *words]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)


def die(where: str) -> None:
    if where == DIES:
        os.kill(os.getpid(), signal.SIGKILL)


def task_of(entries: list[dict[str, Any]], turn: int) -> str:
    found: str = next(
        entry["data"]["task_id"]
        for entry in entries
        if entry["name"] == "delegation.turn-assigned.v1" and entry["data"]["turn"] == turn
    )
    return found


def main() -> None:
    since = 0
    entries: list[dict[str, Any]] = []
    while True:
        answer = run("inbox", GAME, "--as", SEAT, "--since", str(since), "--wait", "5", "--json")
        if answer.returncode:
            sys.exit(answer.stderr)
        news = json.loads(answer.stdout)
        since = news["seq"]
        entries += news["entries"]
        for turn in news["turns"]:
            die("read")
            reply(entries, turn["turn"], turn["kind"])
        if any(entry["name"] == "delegation.work-ended.v1" for entry in entries):
            return


def reply(entries: list[dict[str, Any]], turn: int, kind: str) -> None:
    task_id = task_of(entries, turn)
    if kind == "record":
        done = any(entry["data"].get("work") == "merged" for entry in entries)
        text = "progress" if done else "merged"
    else:
        text = json.dumps(control_message(entries, task_id, kind))
    sent = run("send", GAME, "--as", SEAT, "--turn", str(turn), stdin=text)
    if sent.returncode:
        sys.exit(f"{SEAT}, turn {turn}: {sent.stderr}")


def control_message(entries: list[dict[str, Any]], task_id: str, kind: str) -> dict[str, Any]:
    """Return the message that the turn needs, after writing its file."""
    sent = [entry["data"]["message"] for entry in entries if entry["name"] == "delegation.message-sent.v1"]
    asked = [message for message in sent if message["action"] == "review_requested"]
    last = max((message["round"] for message in asked), default=0)
    final = any(message["action"] == "stop_recommended" for message in sent)
    round_: int | str
    match kind:
        case "delegate":
            action, to, round_, name = "execute_delegate_task", "executor", 1, f"delegate-task-{task_id}"
        case "implement":
            action, to, round_, name = "review_requested", "reviewer", last + 1, f"review-request-r{last + 1}"
        case "review":
            action, to = ("rework_required", "executor") if last == 1 else ("stop_recommended", "user")
            round_, name = last, f"review-report-r{last}"
        case "close":
            assert final
            action, to, round_, name = "closeout_delivered", "planner", "final", f"closeout-{task_id}"
        case _:
            sys.exit(f"{SEAT} does not know {kind}")
    path = f".agent-artifacts/{task_id}/{name}.md"
    file = Path(FOLDER) / path
    file.parent.mkdir(parents=True, exist_ok=True)
    items = "## Must-fix\n\n- One thing.\n" if action == "rework_required" else ""
    file.write_text(f"# {name}\n\n{items}", encoding="utf-8")
    die("written")
    return {
        "schema_version": "1.0",
        "task_id": task_id,
        "planner_session_id": "planner",
        "required_skills": ["agent-deck-workflow"],
        "from_session_id": SEAT,
        "to_session_id": to,
        "round": round_,
        "action": action,
        "artifact_path": path,
        "note": "Please see the file.",
    }


if __name__ == "__main__":
    main()
