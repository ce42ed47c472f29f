"""A folder for each seat in which its agent keeps its sessions and settings, so that no seat finds those of another.

Agents keep sessions below their home folder. Each seat's agent gets a home of its own, in which the user's logins and
tools are linked and everything else is its own.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import platformdirs

LOGINS = (
    *(".codex/auth.json", ".codex/config.toml", ".claude/.credentials.json", ".claude/settings.json"),
    *(".gemini/settings.json", ".gemini/oauth_creds.json", ".gemini/google_accounts.json", ".gemini/.env"),
    *(".qwen/settings.json", ".qwen/oauth_creds.json", ".qwen/.env", ".local/share/opencode/auth.json"),
)
"""What agents need to be logged in and set up as their user has them, without any session."""
TOOLS = (
    *(".gitconfig", ".npm", ".npmrc", ".nvm", ".volta", ".bun", ".deno", ".local/bin"),
    *(".cargo", ".rustup", ".pyenv", ".rbenv", ".asdf", ".gradle", ".m2", ".sdkman", "go"),
)
"""What the tools need that an agent runs."""
CONFIG = ".config"
COPIED = ("opencode",)
"""Settings below `.config` to which an agent itself adds files. The others there are linked."""
STORES: Mapping[str, str] = {
    "CODEX_HOME": ".codex",
    "CLAUDE_CONFIG_DIR": ".claude",
    "GEMINI_CLI_HOME": "",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
    "XDG_CACHE_HOME": ".cache",
    "XDG_CONFIG_HOME": CONFIG,
}
"""Variables that say where agents keep their sessions, each with the folder below the home."""


def homes() -> Path:
    """The folder with the homes of all seats."""
    return platformdirs.user_state_path("sottovoce") / "acp"


@dataclass(frozen=True, slots=True)
class Kept:
    """A session to take up again: its id, and what it had cost by then in US dollars."""

    id: str
    cost: float | None = None


class Home:
    """The home of one seat's agent in one game. Nothing is there before `make`."""

    def __init__(self, game: str, seat: str, command: str) -> None:
        named = sha256("\0".join((game, seat, command)).encode()).hexdigest()[:24]
        self.path = homes() / named

    @property
    def folder(self) -> Path:
        """Where it works if no folder is meant for its work."""
        return self.path / "work"

    def make(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Make what is not there yet; the environment with all places turned to it."""
        real, home = Path(environment.get("HOME") or Path.home()), self.path / "home"
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        for folder in (home, self.folder, self.path / "tmp", *(home / below for below in STORES.values())):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name in (*LOGINS, *TOOLS):
            link, target = home / name, _real(real, name, environment)
            if target.exists() and not os.path.lexists(link):
                link.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                _link(link, target)
        _settings(Path(environment.get("XDG_CONFIG_HOME") or real / CONFIG), home / CONFIG)
        own = {variable: str(home / below) for variable, below in STORES.items()}
        return {**environment, **own, "HOME": str(home), "TMPDIR": str(self.path / "tmp")}

    def session(self, about: str) -> Kept | None:
        """The session about a task, `""` for the game's only one; None where none is known."""
        kept = self._sessions().get(about)
        if not isinstance(kept, dict) or not isinstance(kept.get("id"), str):
            return None
        cost = kept.get("cost")
        return Kept(kept["id"], float(cost) if isinstance(cost, int | float) else None)

    def keep(self, about: str, session: Kept) -> None:
        """Keep a session, so that it can be taken up after a restart."""
        found = {**self._sessions(), about: {"id": session.id, "cost": session.cost}}
        fresh = self._file.with_suffix(".new")
        fresh.write_text(json.dumps(found), encoding="utf-8")
        fresh.replace(self._file)

    def remove(self) -> None:
        """Remove the home with all sessions, when the game is over. What is linked stays where it is."""
        shutil.rmtree(self.path, ignore_errors=True)

    @property
    def _file(self) -> Path:
        return self.path / "sessions.json"

    def _sessions(self) -> dict[str, Any]:
        found: Any = None
        with suppress(OSError, ValueError):
            found = json.loads(self._file.read_text(encoding="utf-8"))
        return found if isinstance(found, dict) else {}


def _settings(real: Path, own: Path) -> None:
    """Link the user's settings, and copy those to which agents add files."""
    for there in real.iterdir() if real.is_dir() else ():
        here = own / there.name
        if os.path.lexists(here):
            continue
        if there.name in COPIED and there.is_dir():
            ignored = shutil.ignore_patterns("node_modules")
            with suppress(FileExistsError):
                shutil.copytree(there, here, symlinks=True, ignore=ignored)
        else:
            _link(here, there)


def _link(here: Path, target: Path) -> None:
    """Make a link. Two calls of a seat may begin at once, and the other may have made it meanwhile."""
    with suppress(FileExistsError):
        here.symlink_to(target)


def _real(home: Path, name: str, environment: Mapping[str, str]) -> Path:
    """Where the user has it, which a variable may say."""
    for variable, below in STORES.items():
        if below and name.startswith(f"{below}/") and (own := environment.get(variable)):
            return Path(own) / name.removeprefix(f"{below}/")
    return home / name
