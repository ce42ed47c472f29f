"""A command loads what it needs and no more: what a start takes is nearly all imports."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from commands import ROOT, Cli
from patience import PATIENCE

OWN = {"sottovoce"}
MODELS = {"annotated_types", "msgspec", "pydantic", "pydantic_core", "typing_extensions", "typing_inspection"}
"""pydantic and what it brings along, and msgspec."""

LOOKING = {"click", "eventsourcing", "rich", *MODELS}
"""Of rich only what measures texts: see `HEAVY`."""

ALLOWED = {
    "--help": {"click"},
    "--version": {"click"},
    "games": LOOKING,
    "show latest": LOOKING,
    "play --help": {"click", *MODELS},
}

HEAVY = {
    "asyncio",
    "rich.console",
    "multiprocessing",
    "sottovoce.rulesets.tabletop.rules",
    "sottovoce.rulesets.delegation.rules",
}
"""Modules that a start of none of these needs: the game shown is one of Mafia."""

PROBE = """
import json, sys
from sottovoce.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def loaded(sv: Cli, words: str) -> set[str]:
    environ = {**os.environ, "SOTTOVOCE_DB": sv.url}
    command = [sys.executable, "-c", PROBE, *words.split()]
    run = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert run.returncode == 0, run.stderr
    return set(json.loads(run.stderr.splitlines()[-1]))


@pytest.mark.parametrize("words", ALLOWED)
def test_a_start_imports_nothing_beyond_what_is_listed(sv: Cli, over: str, words: str) -> None:
    assert sv("games").code == 0  # so that the list is up to date, as it is save after a game
    modules = loaded(sv, words.replace("latest", over))
    packages = {name.partition(".")[0] for name in modules}
    outside = {name for name in packages - set(sys.stdlib_module_names) - OWN if not name.startswith("_")}
    assert outside - {"cython_runtime"} <= ALLOWED[words]
    if words != "play --help":
        assert modules & HEAVY == set()
