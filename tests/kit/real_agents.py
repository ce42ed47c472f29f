"""Real coding agents in seats, against fake models on loopback: what `make real-agents` runs.

    python real_agents.py FOLDER [NAME]…     FOLDER has the agents' programs, as npm installs them
    python real_agents.py FOLDER --write DIR

Each agent holds the executor's and the reviewer's seat of one delegated task in a git repository, and then two seats of
a game of Mafia. The results are printed, and with `--write` kept as a page for each agent. No account is used, and
nothing leaves this machine except what an agent itself looks for.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SOTTOVOCE = [sys.executable, "-m", "sottovoce"]
NAMED = "ANTHROPIC_BASE_URL,ANTHROPIC_API_KEY,FAKE_KEY,GEMINI_API_KEY,GOOGLE_GEMINI_BASE_URL,GEMINI_CLI_TRUST_WORKSPACE"
AGENTS = {
    "claude-agent-acp": "{bin}/claude-agent-acp",
    "codex-acp": "{bin}/codex-acp",
    "opencode": "{bin}/opencode acp",
    "gemini": "{bin}/gemini --acp -m gemini-2.5-flash",
}
MAFIA = ("play", "mafia", "--names", "Ada,Bram,Cleo,Dirk", "--seed", "1", "--rule", "max_days=1")
BRIEF = """\
# Write a file

Write a line about the work of this task into work.txt.

Planner: planner
Executor: executor
Reviewer: reviewer
"""


def main() -> int:
    """Run the agents; the exit code is 1 if one of those that are there did not finish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    bins = given.folder.resolve() / "node_modules" / ".bin"
    port = _free_port()
    models = subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "kit" / "fake_models.py"), str(port)], stdout=subprocess.DEVNULL
    )
    failed = False
    try:
        for name, command in AGENTS.items():
            if given.names and name not in given.names:
                continue
            if not (bins / command.partition("/")[2].split()[0]).exists():
                print(f"{name}: not installed in {given.folder}")
                continue
            with tempfile.TemporaryDirectory(prefix="real-agents-") as folder:
                page, passed = tried(name, command.format(bin=bins), port, Path(folder))
            print(page, flush=True)
            failed = failed or not passed
            if given.write is not None:
                given.write.mkdir(parents=True, exist_ok=True)
                (given.write / f"{name}.md").write_text(page, encoding="utf-8")
    finally:
        models.terminate()
        models.wait()
    return int(failed)


def tried(name: str, command: str, port: int, folder: Path) -> tuple[str, bool]:
    """The results of one agent as a page, and whether all went through."""
    env = surroundings(port, folder)
    repository(folder / "repo")
    seat = f"acp:{command}"
    lines = [f"# {name}", "", "Against fake models on loopback (`make real-agents`).", ""]
    steps = [
        ("agents", "check", seat),
        ("play", "delegation", "repo", "--seat", f"executor={seat}", "--seat", f"reviewer={seat}"),
        (*MAFIA, "--seat", f"Ada={seat}", "--seat", f"Bram={seat}", "--quiet"),
    ]
    passed = True
    for words in steps:
        began = time.monotonic()
        try:
            ended = subprocess.run(
                [*SOTTOVOCE, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=240, check=False
            )
            said, code = f"{ended.stderr}{ended.stdout}", str(ended.returncode)
        except subprocess.TimeoutExpired as error:
            said, code = f"{(error.stdout or b'').decode()}\nno end within 240 seconds", "none"
        passed = passed and code == "0"
        shown = cleaned(" ".join(words), command, folder, name)
        lines += ["```", f"$ sottovoce {shown}", cleaned(said.strip(), command, folder, name)]
        lines += [f"(exit code {code}, {time.monotonic() - began:.1f} s)", "```", ""]
        if words[0] == "play":
            lines += [*calls(folder, env), ""]
    return cleaned("\n".join(lines).rstrip(), command, folder, name) + "\n", passed


def calls(folder: Path, env: dict[str, str]) -> list[str]:
    """A table of the latest game's calls, out of their receipts."""
    out = folder / "receipts"
    words = [*SOTTOVOCE, "export", "latest", "-o", str(folder / "events"), "--receipts", str(out)]
    subprocess.run(words, cwd=folder, env=env, capture_output=True, check=False)
    if not out.exists():
        return ["No game was opened."]
    rows = ["| seat | session | s | prompt | reply | cost | stop | steps |", "|---|---|---|---|---|---|---|---|"]
    for line in out.read_text().splitlines():
        row = json.loads(line)
        data: dict[str, Any] = row["data"]
        notes = data.get("notes") or {}
        if row["name"] != "core.call-ended.v1" or "sandbox" not in notes:
            continue
        steps = "; ".join(str(step) for _, step in notes.get("steps", ()))
        stop = notes.get("stop") or notes.get("error") or data["how"]
        cells = (row["seat"], notes.get("taken"), f"{data['seconds']:.1f}", data["prompt_tokens"], data["reply_tokens"])
        shown = [str("–" if cell is None else cell) for cell in (*cells, data["cost"], stop, steps)]
        rows.append(f"| {' | '.join(cell.replace('|', '/') for cell in shown)} |")
    return rows


def surroundings(port: int, folder: Path) -> dict[str, str]:
    """An environment in which the agents find nothing but the fake models."""
    home = folder / "user"
    base = f"http://127.0.0.1:{port}"
    (home / ".codex").mkdir(parents=True)
    provider = (
        f'[model_providers.fake]\nname = "fake"\nbase_url = "{base}/v1"\nwire_api = "responses"\nenv_key = "FAKE_KEY"\n'
    )
    (home / ".codex" / "config.toml").write_text(f'model = "fake"\nmodel_provider = "fake"\n{provider}')
    (home / ".gemini").mkdir()
    auth = {"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}}
    (home / ".gemini" / "settings.json").write_text(json.dumps(auth))
    opencode = home / ".config" / "opencode"
    opencode.mkdir(parents=True)
    models = {"fake": {"name": "fake", "tool_call": True, "limit": {"context": 100_000, "output": 4000}}}
    options = {"baseURL": f"{base}/v1", "apiKey": "fake"}
    provider_of = {"fake": {"npm": "@ai-sdk/openai-compatible", "name": "fake", "options": options, "models": models}}
    settings = {"model": "fake/fake", "small_model": "fake/fake", "provider": provider_of, "autoupdate": False}
    (opencode / "opencode.json").write_text(
        json.dumps({**settings, "share": "disabled", "permission": {"bash": "ask", "edit": "ask"}})
    )
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TERM", "PYTHONPATH")}
    return kept | {
        "HOME": str(home),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_STATE_HOME": str(folder / "state"),
        "SOTTOVOCE_DB": f"sqlite:///{folder / 'games.db'}",
        "SOTTOVOCE_COMMAND_ENVIRONMENT": NAMED,
        "SOTTOVOCE_COMMAND_SECONDS": "60",
        "SOTTOVOCE_ACP_SANDBOX": os.environ.get("SOTTOVOCE_ACP_SANDBOX", "auto"),
        "ANTHROPIC_BASE_URL": base,
        "ANTHROPIC_API_KEY": "fake",
        "FAKE_KEY": "fake",
        "GEMINI_API_KEY": "fake",
        "GOOGLE_GEMINI_BASE_URL": base,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


def repository(folder: Path) -> None:
    """A git repository with one brief."""
    (folder / "tasks").mkdir(parents=True)
    (folder / "tasks" / "write-a-file.md").write_text(BRIEF)
    names = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@a", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@a"}
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "Begin")):
        subprocess.run(["git", *words], cwd=folder, env=os.environ | names, check=True)


def cleaned(text: str, command: str, folder: Path, name: str) -> str:
    """The text without this machine's paths."""
    text = text.replace(command, name).replace(str(folder), "…")
    text = re.sub(r"sqlite:///\S+", "sqlite:///games.db", text.replace(str(ROOT), "."))
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


if __name__ == "__main__":
    sys.exit(main())
