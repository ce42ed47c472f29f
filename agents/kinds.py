"""How a seat's agent is named, on the command line and in the log: `NAME`, or `NAME:DETAIL`.

Nothing else reads such a name. NAME is a kind of agent: one of `KINDS`, or one that an installed package brings:

    [project.entry-points."sottovoce.agent_kinds"]
    bold = "bold:BOLD"

What DETAIL means is the kind's own matter: a file, a model, a command, one of a ruleset's house players.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from sottovoce.agents.agent import Agent
from sottovoce.agents.extras import EXTRAS
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.plugins import PluginBroken, Plugins


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentKind:
    """One kind of agent. `make(detail)` makes one; an error that it raises says what is wrong with the detail.

    `detail` is what stands behind a colon, in capitals; it can be left out if it is `optional`. `listed(ruleset)` are
    the details that there are for games of a ruleset, where they can be listed.

    `afar`: people on a server can choose it, since it costs nothing and reaches nothing of the server's machine.
    `elsewhere`: it answers in another way than by a worker's call, or on one machine only. `single`: no two seats can
    have it with the same detail. `most_tokens(detail)` are the tokens that one call can use, for a kind that costs
    some: then people on a server can choose it within a budget, and its agents are `PromptedAgent`s.

    `recorded(detail)` is the detail as games keep it, such as with a whole path: they are resumed from anywhere.
    """

    name: str
    make: Callable[[str], Agent] | None = None
    detail: str = ""
    optional: bool = False
    listed: Callable[[str], Collection[str]] | None = None
    afar: bool = False
    elsewhere: bool = False
    single: bool = False
    most_tokens: Callable[[str], int] | None = None
    recorded: Callable[[str], str] = str

    def __str__(self) -> str:
        return f"{self.name}:{self.detail}" if self.detail and not self.optional else self.name


class UnknownAgent(SottovoceError):
    """There is no such agent."""

    exit_code = 2

    def __init__(self, spec: str, there: Collection[str] = ()) -> None:
        super().__init__(f"There is no agent {spec!r}. Choose one of: {', '.join(there or known())}.")


# What only some agents need is loaded with them: a model's client alone takes over a second.


def _scripted(file: str) -> Agent:
    from sottovoce.agents.scripted import ScriptedAgent

    return ScriptedAgent.from_file(file)


def _files(folder: str) -> Agent:
    from sottovoce.agents.file_agent.agent import FilesAgent

    return FilesAgent(folder)


def _openai(model: str) -> Agent:
    from sottovoce.agents.models.settings import Settings
    from sottovoce.agents.openai_agent import OpenAIAgent

    return OpenAIAgent(model, Settings.from_environment())


def _openai_tokens(_: str) -> int:
    from sottovoce.agents.models.settings import Settings

    settings = Settings.from_environment()
    return settings.prompt_tokens + settings.reply_tokens


def _model(name: str) -> Agent:
    from sottovoce.agents.openai_agent import OpenAIAgent

    return OpenAIAgent.named(name)


def _model_tokens(name: str) -> int:
    from sottovoce.agents.models.named import named_agent

    settings = named_agent(name).settings
    return settings.prompt_tokens + settings.reply_tokens


def _command(command: str) -> Agent:
    from sottovoce.agents.command_agent import CommandAgent
    from sottovoce.agents.programs.settings import Settings

    return CommandAgent(command, Settings.from_environment())


def _acp(detail: str) -> Agent:
    from sottovoce.agents.acp.agent import AcpAgent
    from sottovoce.agents.acp.settings import settings_for

    return AcpAgent(settings_for(detail))


def is_named(name: str) -> bool:
    """Whether `acp:NAME` is an agent of this machine's `agents.toml`."""
    from sottovoce.agents.acp.settings import named_protocols

    return name in named_protocols()


def _whole_paths(command: str) -> str:
    from sottovoce.agents.programs.settings import with_whole_paths

    return with_whole_paths(command)


KINDS = (
    AgentKind(
        name="house",
        make=HouseAgent,
        detail="NAME",
        optional=True,
        listed=lambda ruleset: EXTRAS.of(ruleset).others,
        afar=True,
    ),
    AgentKind(name="random", make=lambda _: RandomAgent(), afar=True),
    AgentKind(name="human", elsewhere=True),
    AgentKind(name="outside", afar=True, elsewhere=True),
    AgentKind(
        name="scripted", make=_scripted, detail="FILE", recorded=lambda file: str(Path(file).expanduser().absolute())
    ),
    AgentKind(
        name="files",
        make=_files,
        detail="DIR",
        elsewhere=True,
        single=True,
        # Links are resolved too, so that none that is put in its place later leads elsewhere.
        recorded=lambda folder: str(Path(folder).expanduser().resolve()),
    ),
    AgentKind(name="openai", make=_openai, detail="MODEL", most_tokens=_openai_tokens),
    AgentKind(name="model", make=_model, detail="NAME", most_tokens=_model_tokens),
    AgentKind(name="command", make=_command, detail="CMD", recorded=_whole_paths),
    AgentKind(name="acp", make=_acp, detail="CMD", recorded=_whole_paths),
)
"""The kinds that ship, in the order in which users are told of them."""

_SHIPPED = {kind.name: kind for kind in KINDS}

PACKAGES: Plugins[AgentKind] = Plugins(
    "sottovoce.agent_kinds", AgentKind, lambda kind: kind.name, what="agent", shipped=False
)
"""The kinds that installed packages bring. The names of those that ship stay theirs."""

AFAR = tuple(kind.name for kind in KINDS if kind.afar)
"""The kinds that a server offers if nothing else is said."""


def known() -> tuple[str, ...]:
    """Every agent that there is, as users write it."""
    usable = {kind.name: str(kind) for kind in PACKAGES.usable()}
    return (*map(str, KINDS), *(usable.get(name, name) for name in PACKAGES if name not in _SHIPPED))


def _split(spec: str) -> tuple[AgentKind | None, str]:
    """The kind of that name, if there is one, and the detail, right or wrong."""
    name, _, detail = spec.partition(":")
    if name in _SHIPPED:
        return _SHIPPED[name], detail
    return PACKAGES[name] if name in PACKAGES else None, detail  # noqa: SIM401 - `get` hides what is broken


def parsed(spec: str) -> tuple[AgentKind, str]:
    """The kind and the detail of an agent. Raises UnknownAgent, or PluginBroken for one that can't be loaded."""
    kind, detail = _split(spec)
    if kind is None or spec.endswith(":") or not (bool(kind.detail) == bool(detail) or kind.optional):
        raise UnknownAgent(spec)
    return kind, detail


def kind_of(spec: str) -> AgentKind:
    """The kind of the agent of that name. Raises as `parsed` does."""
    return parsed(spec)[0]


def agent_for(spec: str, human: Callable[[], Agent]) -> Agent | None:
    """The agent that a name stands for; None for `outside`, whose replies arrive through `send`.

    `human` makes the agent that asks at this terminal. Raises as `parsed` does, and what the kind's `make` raises:
    ScriptUnusable for a bad script, FolderUnusable for a folder that holds other things, CommandUnusable for a program
    that is not there, ModelUnusable where neither the environment nor the settings file says how to reach a model.
    """
    kind, detail = parsed(spec)
    if kind.name == "human":
        return human()
    return None if kind.make is None else kind.make(detail)


def check_agent(spec: str, ruleset: str = "") -> None:
    """What `agent_for` raises, if the name stands for no agent that can play; with a ruleset, for one of its games."""
    agent_for(spec, HouseAgent)
    if ruleset:
        check_detail(spec, ruleset)


def check_detail(spec: str, ruleset: str) -> None:
    """UnknownAgent for a detail that is not among those that the kind lists for the ruleset."""
    kind, detail = _split(spec)
    if kind is None or kind.listed is None or not detail or detail in (there := kind.listed(ruleset)):
        return
    raise UnknownAgent(spec, (*([kind.name] if kind.optional else []), *(f"{kind.name}:{one}" for one in there)))


def recorded(spec: str) -> str:
    """The agent's name as games keep it; one that is not known stays as it is."""
    try:
        kind, detail = parsed(spec)
    except (UnknownAgent, PluginBroken):
        return spec
    return f"{kind.name}:{kind.recorded(detail)}" if detail else spec


def costs(spec: str) -> bool:
    """Whether an agent of this kind uses tokens, so that it needs a budget on a server."""
    kind, _ = _split(spec)
    return kind is not None and kind.most_tokens is not None


def is_single(spec: str) -> bool:
    """Whether no two seats can have this agent."""
    kind, _ = _split(spec)
    return kind is not None and kind.single
