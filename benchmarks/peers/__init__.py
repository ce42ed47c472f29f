"""Two peers, measured beside Sottovoce on the same machine in the same hour, each by a process of its own.

They are installed when they are first asked for, into a virtual environment of their own below `.venv`.
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
    """The interpreter that has the peers, made and filled where there is none yet."""
    python = VENV / "bin" / "python"
    done = VENV / "installed"
    if not done.exists() or done.read_text() != " ".join(PACKAGES):
        uv = str(Path(sys.executable).parent / "uv")
        subprocess.run([uv, "venv", "-q", "--clear", "--python", sys.executable, VENV], check=True)
        subprocess.run([uv, "pip", "install", "-q", "--python", python, *PACKAGES], check=True)
        done.write_text(" ".join(PACKAGES))
    return python


def measured_peers(rounds: int) -> dict[str, float]:
    """Microseconds of processor time per decision of each peer, by what it is called in the table."""
    python = installed()
    found = {}
    for name, script in PEERS.items():
        command = [str(python), str(HERE / script), str(rounds)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found[name] = float(json.loads(said.splitlines()[-1])["cpu"])
    return found
