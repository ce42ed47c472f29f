"""How agents of `acp:` are run: from environment variables, and by name from `agents.toml`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, cast, get_args

from sottovoce.agents.acp.sandbox import lacking
from sottovoce.agents.models.named import ProtocolFile, agents_file, read_agents
from sottovoce.agents.programs.settings import CommandUnusable, Settings, program_of, words_of

Permissions = Literal["inside", "none", "all"]
"""What an agent may do that asks first: what lies in its folder, nothing, or everything."""
Sandbox = Literal["auto", "on", "off"]
KIND = "acp:"
PROCESSES = "SOTTOVOCE_ACP_PROCESSES"


@dataclass(frozen=True, slots=True)
class AcpSettings:
    """How one agent is run. `run` has what all programs share; `mode` is one of the agent's own modes.

    `permissions` is empty for what the game needs: the folder where there is work to do, else nothing. `processes` may
    run at the same time, idle ones among them, and an idle one ends after `idle` seconds.
    """

    command: str
    run: Settings = field(repr=False)
    mode: str = ""
    permissions: Permissions | Literal[""] = ""
    sandbox: Sandbox = "auto"
    processes: int = 4
    idle: float = 600.0

    @property
    def path(self) -> str:
        return self.run.environment.get("PATH", os.defpath)

    @property
    def unboxed(self) -> str:
        """Why it runs without a sandbox; empty where it has one."""
        return "SOTTOVOCE_ACP_SANDBOX or agents.toml says off" if self.sandbox == "off" else lacking(self.path)


def settings_for(detail: str, environ: Mapping[str, str] = os.environ) -> AcpSettings:
    """The settings for `acp:DETAIL`, where the detail is a command or a name from `agents.toml`.

    Raises CommandUnusable, or ModelUnusable for what is wrong in the file.
    """
    run = Settings.from_environment(environ)
    given = AcpSettings(
        detail,
        run,
        permissions=cast(Permissions, _one_of(environ, "SOTTOVOCE_ACP_PERMISSIONS", (*get_args(Permissions), ""), "")),
        sandbox=cast(Sandbox, _one_of(environ, "SOTTOVOCE_ACP_SANDBOX", get_args(Sandbox), "auto")),
        processes=_whole(environ, PROCESSES, 4),
    )
    named = named_protocols(environ).get(detail)
    if named is not None:
        given = _with(given, named, environ)
    words = words_of(given.command, KIND)
    given = replace(given, mode=given.mode or _mode(environ, Path(words[0]).name))
    if program_of(words, run) is None:
        raise CommandUnusable(
            f"There is no program {words[0]!r} for acp:{detail[:200]}; install it, give its full path, or name an "
            "agent of agents.toml."
        )
    if given.sandbox == "on" and given.unboxed:
        raise CommandUnusable(f"acp:{detail[:200]} must run in a sandbox, and {given.unboxed}. Install bubblewrap.")
    return given


def named_protocols(environ: Mapping[str, str] = os.environ) -> Mapping[str, ProtocolFile]:
    """The agents in the tables `[acp.NAME]` of `agents.toml`; none where there is no file."""
    path = agents_file(environ)
    return {} if path is None else read_agents(path).acp


def named_settings(environ: Mapping[str, str] = os.environ) -> dict[str, AcpSettings]:
    """All agents in the tables `[acp.NAME]`, ready to be made. Raises as `settings_for` does."""
    return {name: settings_for(name, environ) for name in named_protocols(environ)}


def _with(given: AcpSettings, named: ProtocolFile, environ: Mapping[str, str]) -> AcpSettings:
    more = {name: environ[name] for name in named.environment if name in environ}
    run = replace(given.run, named={**given.run.named, **more}, prompt_tokens=named.prompt_tokens)
    if named.seconds is not None:
        run = replace(run, seconds=named.seconds, work_seconds=named.seconds)
    return replace(
        given,
        command=named.command,
        run=run,
        mode=named.mode or given.mode,
        permissions=named.permissions or given.permissions,
        sandbox=named.sandbox or given.sandbox,
    )


def _mode(environ: Mapping[str, str], program: str) -> str:
    """The mode that SOTTOVOCE_ACP_MODE gives a program: `MODE` for all, `PROGRAM=MODE` for one."""
    mode = ""
    for item in environ.get("SOTTOVOCE_ACP_MODE", "").replace(",", " ").split():
        name, equals, own = item.rpartition("=")
        if equals and name == program:
            return own
        mode = mode if equals else item
    return mode


def _one_of(environ: Mapping[str, str], variable: str, choices: tuple[str, ...], default: str) -> str:
    value = environ.get(variable, "").strip() or default
    if value not in choices:
        listed = ", ".join(filter(None, choices))
        raise CommandUnusable(f"{variable} is {value!r}. Set it to one of: {listed}.")
    return value


def _whole(environ: Mapping[str, str], variable: str, default: int) -> int:
    text = environ.get(variable, "").strip() or str(default)
    if not (text.isdecimal() and 1 <= int(text) <= 1024):
        raise CommandUnusable(f"{variable} is {text!r}. Set it to a whole number from 1 to 1024.")
    return int(text)
