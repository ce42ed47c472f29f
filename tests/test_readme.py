"""The README is true: what it tells a newcomer to type works."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from golden_readme import README, with_sample

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = [
    line.split("#")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    for line in block.splitlines()
    if line.strip()
]


def test_the_sample_is_what_its_command_plays() -> None:
    text = README.read_text(encoding="utf-8")
    assert with_sample(text) == text, "read the difference, then run: make golden"


def test_every_command_of_the_readme_works(tmp_path: Path) -> None:
    for kind in ("delegation", "campaigns"):
        shutil.copytree(ROOT / "examples" / kind, tmp_path / "examples" / kind)
    (tmp_path / "reply.txt").write_text("I pass.\n", encoding="utf-8")
    environment = {**os.environ, "SOTTOVOCE_DB": f"sqlite:///{tmp_path / 'games.db'}"}

    def run(command: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-m", "sottovoce", *shlex.split(command)[1:]]
        return subprocess.run(
            words, cwd=tmp_path, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120
        )

    assert len(COMMANDS) > 12
    for command in COMMANDS:
        if "human" in command or "_LINK" in command or command == "sottovoce serve":
            continue  # it waits for a person, or is a server and its clients; tests/cli has them
        done = run(command)
        expected = 1 if command.startswith("sottovoce send") else 0  # the game is over by then, so it is refused
        assert done.returncode == expected, (command, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("link", re.findall(r"\]\((docs/[^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8")))
def test_every_link_of_the_readme_leads_somewhere(link: str) -> None:
    path, _, heading = link.partition("#")
    assert (ROOT / path).exists()
    headings = re.findall(r"(?m)^#+ (.+)$", (ROOT / path).read_text(encoding="utf-8")) if heading else []
    assert not heading or heading in {re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in headings}
