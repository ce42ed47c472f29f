"""A program that fills any session of delegated work in a repository: it reads a prompt and really works.

    python task_agent.py MANNER…

It writes a file that is called after the task into the folder it runs in, and merges the task's branch when it is told
to. Manners change what it does:

    slow             each turn takes a while
    lying            the planner says `merged` and merges nothing
    idle             the executor changes nothing after the first round
    wanting          the reviewer wants something fixed in every round before the third
    broken           the executor leaves a file `broken` in the first round, and takes it away in the second
    hasty            the reviewer recommends stopping in the first attempt of every turn
    files            each file is written where the program runs, and the answer is the control message as JSON
    leaving          the executor switches to another branch in its first attempt
    answering        executor and reviewer answer each item that the user asked for; there is a second file, of which
                     one line is new in every round
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ITEM = re.compile(r"^Asked for by the user, item (\d+)", re.MULTILINE)
TASK = re.compile(r"^Task (\d{8}-\d{4}-[a-z0-9-]+): .*?(?:, round (\d+))?\.$", re.MULTILINE)


def main() -> None:
    manners, prompt = set(sys.argv[1:]), sys.stdin.read()
    asked = prompt.rpartition("YOUR TURN ")[2]
    now = prompt.rpartition("\nNOW. ")[2]
    choices = found(re.compile(r"^Legal choices: (.*)\.$", re.MULTILINE), asked)[1].split(", ")
    task, round = found(TASK, now).groups()
    if "slow" in manners:
        time.sleep(0.15)
    print(answer(manners, choices, task, int(round or 0), prompt))


def found(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    match = pattern.search(text)
    assert match is not None, text
    return match


def answer(manners: set[str], choices: list[str], task: str, round: int, prompt: str) -> str:
    slug = task[14:]
    match choices[0]:
        case "execute_delegate_task":
            reviewer = found(re.compile(r"line `Reviewer: (.*?)`"), prompt.rpartition("\nNOW. ")[2])[1]
            return f"execute_delegate_task\n\n# Make {slug}\n\nReviewer: {reviewer}\n"
        case "review_requested":
            return work(manners, task, slug, round + 1, said(manners, prompt))
        case "user_requested_iteration":
            return "user_requested_iteration\nnote: One more pass.\n"
        case "closeout_delivered":
            return "closeout_delivered\n\n# Closeout\n\nAll is done.\n"
        case "merged":
            if "lying" not in manners:
                git("merge", "-q", "--no-edit", f"task/{task}")
            return "merged: it is in"
        case "progress":
            return "progress: noted"
    wanted = "wanting" in manners and round < 3
    now = prompt.rpartition("\nNOW. ")[2]
    refused = "(D-066)" in now or ("hasty" not in manners and re.search(r"^Check \S+ failed", now, re.MULTILINE))
    if "rework_required" in choices and (wanted or refused):
        return f"rework_required\n\n# Report\n\n## Must-fix\n\n- The check must pass in round {round + 1}.\n"
    return f"stop_recommended\n\n# Report\n\nNothing must be fixed.\n{said(manners, prompt)}"


def said(manners: set[str], prompt: str) -> str:
    """Return what is said of each item that the user asked for."""
    numbers = ITEM.findall(prompt.rpartition("\nNOW. ")[2]) if "answering" in manners else ()
    lines = [f"{number}. done: as item {number} says\n" for number in numbers]
    return "".join(("\n## Asked for\n\n", *lines)) if lines else ""


def work(manners: set[str], task: str, slug: str, round: int, answers: str) -> str:
    if "leaving" in manners and git("branch", "--show-current") == f"task/{task}" and round == 1:
        git("switch", "-q", "-c", f"elsewhere-{slug}")
    elif "leaving" in manners:
        git("switch", "-q", f"task/{task}")
    if round == 1 or "idle" not in manners:
        Path(f"{slug}.txt").write_text(f"{slug} in round {round}, written in {os.getcwd()}\n")
    if "broken" in manners:
        Path("broken").unlink(missing_ok=True)
        if round == 1:
            Path("broken").write_text("not yet\n")
    if "answering" in manners:
        Path("a plan für alle.txt").write_text(f"stays\nround {round}\nlast\n")
    text = f"# Round {round}\n\nDone.\n{answers}"
    if "files" not in manners:
        return f"review_requested\n\n{text}"
    path = f".agent-artifacts/{task}/review-request-r{round}.md"
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)
    return json.dumps(
        {
            "schema_version": "1.0",
            "task_id": task,
            "planner_session_id": "planner",
            "required_skills": ["agent-deck-workflow"],
            "from_session_id": "executor",
            "to_session_id": "reviewer",
            "round": round,
            "action": "review_requested",
            "artifact_path": path,
            "note": "Please review.",
        }
    )


def git(*words: str) -> str:
    """Run git where the program runs."""
    done = subprocess.run(["git", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout.strip()


if __name__ == "__main__":
    main()
