"""A fake coding agent's command line: a prompt on standard input, an answer on standard output, once per turn.

    python coding_agent.py quick
    python coding_agent.py slow              progress, colours, a preamble, a fence, and words after it
    python coding_agent.py crashing FOLDER   the third run ends in the middle of its answer; FOLDER has the count

It does what a turn of delegated work requests, and requires rework in the first round.
"""

from __future__ import annotations

import json
import re
import sys
import time
from itertools import count
from pathlib import Path


def main() -> None:
    manner, prompt = sys.argv[1], sys.stdin.read()
    asked = prompt.rpartition("YOUR TURN ")[2]
    found = re.search(r"^Legal choices: (.*)\.$", asked, re.MULTILINE)
    actions = found[1].split(", ") if found else []
    if '"choice"' in asked:
        answer: dict[str, str] = {"choice": actions[0], "words": "It is done."}
    elif actions:
        first = "round 1." in prompt.rpartition("\nNOW. ")[2]
        action = actions[0] if first or len(actions) == 1 else actions[-1]
        items = "## Must-fix\n\n- The roof is not there.\n" if action == "rework_required" else "Nothing must be fixed."
        answer = {"action": action, "file": f"# A file\n\n{items}", "note": "", "to": ""}
    else:
        answer = {"text": "Do as you think best."}
    {"quick": quick, "slow": slow, "crashing": crashing}[manner](json.dumps(answer))


def quick(answer: str) -> None:
    print(answer)


def slow(answer: str) -> None:
    for step in ("Thinking", "Reading", "Writing"):
        print(f"\x1b[2m{step} …\x1b[0m", file=sys.stderr)
        print(f"\r\x1b[33m{step}\x1b[K", end="", flush=True)
        time.sleep(0.1)
    print("\r\x1b[0m\x1b]0;agent\x07Certainly! \x1b[1mHere is my answer\x1b[22m, as you asked for it:\r")
    print(f"\n```json\n\x1b[32m{answer}\x1b[0m\n```\n\nLet me know if there is anything else.")


def crashing(answer: str) -> None:
    folder = Path(sys.argv[2])
    for number in count(1):
        try:
            (folder / str(number)).touch(exist_ok=False)
        except FileExistsError:
            continue
        break
    if number == 3:
        print(answer[: len(answer) // 2], flush=True)
        sys.exit("\x1b[31mError:\x1b[0m the session was lost")
    print(answer)


if __name__ == "__main__":
    main()
