"""What the built-in game master answers to the lines of `benchmarks/lines`, as a table to be judged by hand.

    python benchmarks/answers.py examples/campaigns/ten-past-four --without beats
    python benchmarks/answers.py FOLDER

The lines for a folder are those of `benchmarks/lines`, in the file with the folder's name, or those of `--lines FILE`.
A line that begins with `#` begins the next evening. Evenings have the seeds 1, 2, 3, and so on. An answer is every
narrative between this line and the next, with ¶ between its paragraphs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "kit"))

from evenings import folder
from table import Table
from worlds import open_evening

from sottovoce import Refused
from sottovoce.rulesets.tabletop.rules.messages import MessageSent

LINES = Path(__file__).resolve().parent / "lines"
HEAD = "| | campaign | said | answered | fits |\n|---|---|---|---|---|"


def evenings(path: Path) -> list[list[str]]:
    """The person's lines of each evening."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise Refused(f"There are no lines in {path}. Write what the person says, one sentence a line.") from error
    found: list[list[str]] = [[]]
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("#"):
            found.append([])
        else:
            found[-1].append(line)
    if not any(found):
        raise Refused(f"{path} has no lines. Write what the person says, one sentence a line.")
    return [lines for lines in found if lines]


def answers(table: Table, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each line that was said, with what the person read until the next."""
    said, read = 0, list[str]()
    for recorded in table.recorded:
        event = recorded.event
        if not isinstance(event, MessageSent):
            continue
        if event.tag == "HUMAN_DECISION" and said <= len(lines):
            if said:
                yield lines[said - 1], " ".join(" ¶ ".join(read).replace("|", "\\|").split())
            said, read = said + 1, []
        elif event.tag == "NARRATIVE":
            read.extend(event.body.split("\n\n"))
    if 0 < said <= len(lines):
        yield lines[said - 1], " ".join(" ¶ ".join(read).replace("|", "\\|").split())


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="What the built-in game master answers, to be judged by hand.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--lines", type=Path, help="what the person says, for every folder")
    parser.add_argument("--without", metavar="NAME", help="leave out what lies under NAME in the folder, as `beats`")
    options = parser.parse_args(given)
    rows: list[str] = []
    for path in options.folders:
        name = path.resolve().name
        if not path.is_dir():
            parser.error(f"{path} is no folder. Give a campaign folder.")
        files = {at: body for at, body in folder(path).items() if not at.startswith(f"{options.without}/")}
        try:
            of = evenings(options.lines or LINES / f"{name}.txt")
        except Refused as error:
            parser.error(str(error))
        for seed, lines in enumerate(of, 1):
            table = open_evening(lines, seed, files, campaign=name)
            rows.extend(f"| {name} | {said} | {answer} |  |" for said, answer in answers(table, lines))
    print(HEAD)
    print("\n".join(f"| {number} {row}" for number, row in enumerate(rows, 1)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
