"""How programs that fill seats are run, from environment variables, and which of them may be run here."""

from __future__ import annotations

import math
import os
import shlex
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sottovoce.domain.errors import SottovoceError

HANDED_ON = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "TMPDIR", "LANG", "LANGUAGE"),
    *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"),
)
"""Variables that every program gets, in addition to those that begin with LC_. Others, such as keys, must be named."""

KIND = "command:"
KINDS = (KIND, "acp:")
"""The kinds of agents that are programs of this machine."""
SECONDS = "SOTTOVOCE_COMMAND_SECONDS"
ANY = "*"


class CommandUnusable(SottovoceError):
    """No program can fill a seat with this command or these settings."""

    exit_code = 2


class CommandNotAllowed(SottovoceError):
    """A log names a program that nobody named on this machine."""

    exit_code = 2

    def __init__(self, command: str) -> None:
        super().__init__(
            f"A seat of this game uses the program {command!r}, which is not allowed on this computer. To "
            "allow it, give --seat NAME=AGENT again or add it to SOTTOVOCE_COMMANDS."
        )


@dataclass(frozen=True, slots=True)
class Settings:
    """How programs are run: `concurrency` of them at once, each for `seconds` at most, or `work_seconds` where a turn
    is about a task; with a prompt of about `prompt_tokens`. `folder` is where they run, None for a fresh empty one each
    time. The values of the `named` variables are handed on and show in no repr.
    """

    folder: Path | None = None
    seconds: float = 300.0
    work_seconds: float = 1800.0
    concurrency: int = 4
    prompt_tokens: int = 6000
    handed_on: Mapping[str, str] = field(default_factory=dict, repr=False)
    named: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        """The settings, or CommandUnusable naming the variable at fault."""
        folder = environ.get("SOTTOVOCE_COMMAND_FOLDER", "").strip()
        if folder and not Path(folder).expanduser().is_dir():
            raise CommandUnusable(
                f"SOTTOVOCE_COMMAND_FOLDER is {folder!r}, which is not a folder. Create it, or fix the path."
            )
        own = bool(environ.get(SECONDS, "").strip())
        wanted = environ.get("SOTTOVOCE_COMMAND_ENVIRONMENT", "").replace(",", " ").split()
        return cls(
            folder=Path(folder).expanduser().absolute() if folder else None,
            seconds=_number(environ, SECONDS, 300, 0.05, 86_400),
            work_seconds=_number(environ, SECONDS, 300 if own else 1800, 0.05, 86_400),
            concurrency=int(_number(environ, "SOTTOVOCE_COMMAND_CONCURRENCY", 4, 1, 1024)),
            prompt_tokens=int(_number(environ, "SOTTOVOCE_PROMPT_TOKENS", 6000, 1500, 1_000_000)),
            handed_on={name: value for name, value in environ.items() if name in HANDED_ON or name.startswith("LC_")},
            named={name: environ[name] for name in wanted if name in environ},
        )

    @property
    def environment(self) -> dict[str, str]:
        """All that a program finds in its environment."""
        return {**self.handed_on, **self.named}

    def without_secrets(self, text: str) -> str:
        """Text of a program, in which it may repeat the value of a variable that was named for it."""
        for name, value in self.named.items():
            if len(value) >= 8:
                text = text.replace(value, f"[{name}]")
        return text


def words_of(command: str, kind: str = KIND) -> list[str]:
    """The command's words, split as a shell would. Raises CommandUnusable."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise CommandUnusable(f"{kind}{command} cannot be split into words ({error}). Fix the quotes.") from None
    if not words or "\0" in command:
        raise CommandUnusable(f"{kind}{command} names no program. Write {kind}PROGRAM ARGUMENTS.")
    return words


def program_of(words: list[str], settings: Settings) -> str | None:
    """Where the program of a command lies; None if it is not there or cannot be run."""
    return shutil.which(words[0], path=settings.environment.get("PATH", os.defpath))


def with_whole_paths(command: str) -> str:
    """The command with words such as `./bot.py`, `../bot.py` and `~/bot.py` made absolute: it runs in another folder.

    One that cannot be split is left as it is.
    """
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    whole = [_whole(word) for word in words]
    if words and "/" in words[0]:
        whole[0] = str(Path(words[0]).expanduser().absolute())
    return command if whole == words else shlex.join(whole)


def _whole(word: str) -> str:
    return str(Path(word).expanduser().absolute()) if word.startswith(("./", "../", "~/")) else word


def check_allowed(
    agents: Iterable[str], environ: Mapping[str, str] = os.environ, named: Callable[[str], bool] = lambda name: False
) -> None:
    """Raise CommandNotAllowed for an agent that runs a program which only a log names and SOTTOVOCE_COMMANDS does not
    allow. `named` says of the detail of an `acp:` agent whether it is a name of this machine's `agents.toml`.

    So a person who can write to a log, or imports a game, cannot run programs on the machines that play it.
    """
    listed = _commands(environ.get("SOTTOVOCE_COMMANDS", ""))
    if [ANY] in listed:
        return
    for agent in agents:
        for kind in KINDS:
            command = agent.removeprefix(kind)
            if command == agent:
                continue
            words = words_of(command, kind)
            # A program for one kind is not one for the other: of `acp:` the whole name stands in the list.
            if [kind.removeprefix(KIND) + words[0], *words[1:]] not in listed and not (kind != KIND and named(command)):
                raise CommandNotAllowed(agent if kind != KIND else command)


def _commands(listed: str) -> list[list[str]]:
    """Commands between semicolons or line ends, each as its words."""
    split = shlex.shlex(listed.replace("\n", ";"), posix=True, punctuation_chars=";")
    split.whitespace_split, split.commenters = True, ""
    commands: list[list[str]] = [[]]
    try:
        for word in split:
            if word.strip(";"):
                commands[-1].append(word)
            else:
                commands.append([])
    except ValueError as error:
        raise CommandUnusable(f"SOTTOVOCE_COMMANDS cannot be split into words ({error}). Fix the quotes.") from None
    return commands


def _number(environ: Mapping[str, str], variable: str, default: float, least: float, most: float) -> float:
    text = environ.get(variable, "").strip()
    try:
        number = float(text or default)
    except ValueError:
        number = math.nan
    if not least <= number <= most:
        raise CommandUnusable(f"{variable} is {text!r}. Set it to a number from {least:g} to {most:g}.")
    return number
