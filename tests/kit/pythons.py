"""Run the tests on every supported Python that this machine has: `make test-pythons`.

Each has its own virtual environment, such as `.venv-3.13`, set up like `.venv`. The page is built once. For each minor
version, the newest one on the PATH, in pyenv and in uv's installations is used.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OLDEST = (3, 11)
NEWEST_LOOKED_FOR = 20
WHICH = "import platform, sys; print(platform.python_implementation(), *sys.version_info[:3])"

Version = tuple[int, int, int]


def found() -> Mapping[Version, Path]:
    """Return the newest interpreter of each minor version, by version, the oldest first."""
    newest: dict[tuple[int, int], tuple[Version, Path]] = {}
    for path in _candidates():
        version = version_of(path)
        if version is None or version[:2] < OLDEST:
            continue
        if version[:2] not in newest or version > newest[version[:2]][0]:
            newest[version[:2]] = version, path
    return dict(newest[minor] for minor in sorted(newest))


def version_of(python: Path) -> Version | None:
    """Return the version of a CPython, or None for another implementation or one that does not start, such as some
    pyenv shims."""
    try:
        asked = subprocess.run([python, "-c", WHICH], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = asked.stdout.split()
    if asked.returncode != 0 or words[:1] != ["CPython"]:
        return None
    major, minor, micro = map(int, words[1:])
    return major, minor, micro


def _candidates() -> Iterator[Path]:
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    yield from sorted(pyenv.glob("versions/*/bin/python3"))
    kept = Path(os.environ.get("UV_PYTHON_INSTALL_DIR", "~/.local/share/uv/python")).expanduser()
    yield from sorted(kept.glob("*/bin/python3"))
    for folder in map(Path, os.get_exec_path()):
        for name in ("python3", *(f"python3.{minor}" for minor in range(OLDEST[1], NEWEST_LOOKED_FOR))):
            if (path := folder / name).is_file():
                yield path


def run(python: Path, minor: str, words: Sequence[str]) -> tuple[bool, str]:
    """Return whether the tests pass on that interpreter, and their last line."""
    venv = f".venv-{minor}"
    environment = {name: text for name, text in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    made = ["make", "--no-print-directory", f"VENV={venv}", f"PYTHON={python}", f"{venv}/.dev"]
    if subprocess.run(made, cwd=ROOT, env=environment).returncode != 0:
        return False, f"{venv} could not be set up"
    tests = subprocess.Popen(
        [f"{venv}/bin/python", "tests/kit/whole_suite.py", *words],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    closing = "nothing was printed"
    assert tests.stdout is not None
    for line in tests.stdout:
        print(line, end="", flush=True)
        closing = line.strip(" =\n") or closing
    return tests.wait() == 0, closing


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the tests on every Python that is here.")
    parser.add_argument("--only", metavar="VERSIONS", default="", help='minor versions, such as "3.12 3.13"')
    parser.add_argument("words", nargs="*", help="what else pytest is given")
    options = parser.parse_args()
    here = {".".join(map(str, version)): path for version, path in found().items()}
    wanted = options.only.split()
    chosen = {v: path for v, path in here.items() if not wanted or v.rpartition(".")[0] in wanted}
    missing = set(wanted) - {version.rpartition(".")[0] for version in chosen}
    if missing or not chosen:
        print(f"There is no Python {' or '.join(sorted(missing)) or '3.11 or newer'} here.", file=sys.stderr)
        return 2
    ends = {version: run(path, version.rpartition(".")[0], options.words) for version, path in chosen.items()}
    print()
    for version, (passed, closing) in ends.items():
        print(f"Python {version}: {'' if passed else 'FAILED: '}{closing}")
    return 0 if all(passed for passed, _ in ends.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
