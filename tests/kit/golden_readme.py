"""Make README's sample game from the game that its command plays, so that it matches what users see."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from commands import Cli

README = Path(__file__).parents[2] / "README.md"
SAMPLE = re.compile(
    r"(?<=From a game of eight bots \(`sottovoce )(?P<words>[^`]+)`\), .*?\n```\n.*?(?=```\n)", re.DOTALL
)
BEFORE = 8
"""Maximum lines of the town hall before the trial."""


def with_sample(text: str) -> str:
    """Return the README with the sample as its command plays it now: the last day with an execution."""
    found = SAMPLE.search(text)
    assert found is not None, "README.md names no game that it shows"
    words = found["words"]
    with tempfile.TemporaryDirectory() as folder:
        shown = Cli(Path(folder) / "games.db")(*words.split()).out.splitlines()
    dead = max(number for number, line in enumerate(shown) if line.endswith(" is executed."))
    trial = max(number for number, line in enumerate(shown[:dead]) if line.endswith(": trial ──"))
    first = next(number for number in range(trial - BEFORE, trial) if shown[number] and shown[number][0] not in " ┌│└")
    last = next(number for number in range(dead + 1, len(shown)) if shown[number].strip())
    day = shown[trial].split(":")[0].removeprefix("── ").lower()
    sample = "\n".join([f"{words}`), {day}:", "", "```", *shown[first : last + 1], ""])
    return text[: found.start()] + sample + text[found.end() :]
