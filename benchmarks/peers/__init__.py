"""Measure two peers on the same machine in the same hour, each in its own process.

They are installed at first use, into their own virtual environment below `.venv`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENV = HERE.parent.parent / ".venv" / "peers"
PACKAGES = ("textarena==0.7.4", "langgraph==1.2.22", "langgraph-checkpoint-sqlite==3.1.2")
PEERS = {
    "TextArena, SecretMafia in memory": "textarena_mafia.py",
    "LangGraph, checkpoints on SQLite": "langgraph_mafia.py",
}


def installed() -> Path:
    """Return the interpreter that has the peers; install them first if needed."""
    python = VENV / "bin" / "python"
    done = VENV / "installed"
    if not done.exists() or done.read_text() != " ".join(PACKAGES):
        uv = str(Path(sys.executable).parent / "uv")
        subprocess.run([uv, "venv", "-q", "--clear", "--python", sys.executable, VENV], check=True)
        subprocess.run([uv, "pip", "install", "-q", "--python", python, *PACKAGES], check=True)
        done.write_text(" ".join(PACKAGES))
    return python


def measured_peers(rounds: int) -> dict[str, float]:
    """Return each peer's microseconds of processor time per decision, by its label in the table."""
    python = installed()
    found = {}
    for name, script in PEERS.items():
        command = [str(python), str(HERE / script), str(rounds)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found[name] = float(json.loads(said.splitlines()[-1])["cpu"])
    return found
