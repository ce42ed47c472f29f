"""Play the league and write its report: python examples/experiments/league.py [FILE.yaml]

FILE is `league.yaml` if nothing is said. The agent `follower` is a package in `examples/agents/follower`; here it is
made known without being installed. Games are kept in a new database, whose path is printed.

A file whose agents name `openai:smollm2` is played with the small language model of `make play-llm`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLLOWER = HERE.parent / "agents" / "follower"
MODEL = "openai:smollm2"


def with_follower(folder: Path) -> dict[str, str]:
    """The environment of a process in which the package of the follower counts as installed."""
    known = folder / "sottovoce_follower-1.0.0.dist-info"
    known.mkdir()
    (known / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: sottovoce-follower\nVersion: 1.0.0\n", encoding="utf-8"
    )
    entry = "[sottovoce.agent_kinds]\nfollower = follower:FOLLOWER\n"
    (known / "entry_points.txt").write_text(entry, encoding="utf-8")
    paths = [str(folder), str(FOLLOWER), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def played(file: Path, folder: Path, environment: dict[str, str]) -> int:
    """Play the file, and write its report beside it as Markdown and as a page."""
    sottovoce = [sys.executable, "-m", "sottovoce", "--db", str(folder / "league.db"), "experiment"]
    code = subprocess.run([*sottovoce, "run", str(file), "--jobs", "2"], env=environment, check=False).returncode
    for form, end in (("markdown", ".md"), ("html", ".html")) if code in (0, 1) else ():
        words = ["report", str(file), "--format", form, "-o", str(file.with_suffix(end))]
        code = max(code, subprocess.run([*sottovoce, *words], env=environment, check=False).returncode)
    sys.stderr.write(f"The games are in {folder / 'league.db'}\n")
    return code


def limits(file: Path, folder: Path, environment: dict[str, str]) -> str:
    """What `experiment check` says of the design: which differences so many games can find."""
    command = [sys.executable, "-m", "sottovoce", "--db", str(folder / "check.db"), "experiment", "check", str(file)]
    said = subprocess.run(command, env=environment, check=False, capture_output=True, text=True).stdout
    kept = [line for line in said.splitlines() if line.startswith(("strengths", "intervals", "differences", "  "))]
    return "\n".join(["## What so many games can tell apart", "", "```text", *kept, "```", ""])


def with_the_model(file: Path, folder: Path, environment: dict[str, str]) -> int:
    """The same with the small language model, which is started for it; the report also says how long it took."""
    sys.path.insert(0, str(HERE.parent))
    from local_model import served

    with served() as variables:
        environment |= variables
        begun = time.monotonic()
        code = played(file, folder, environment)
        minutes = (time.monotonic() - begun) / 60
        if code in (0, 1):
            with file.with_suffix(".md").open("a", encoding="utf-8") as report:
                report.write(f"\n{limits(file, folder, environment)}\nPlayed in {minutes:.1f} minutes.\n")
    return code


def main() -> int:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "league.yaml"
    folder = Path(tempfile.mkdtemp(prefix="sottovoce-league-"))
    environment = with_follower(folder)
    if MODEL not in file.read_text(encoding="utf-8"):
        return played(file, folder, environment)
    return with_the_model(file, folder, environment)


if __name__ == "__main__":
    sys.exit(main())
