"""How a seat's agent is named on the command line and in the log: `house`, `random`, `scripted:FILE`, …"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sottovoce.agents.agent import Agent
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.domain.errors import SottovoceError


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of agent: its name, and what stands behind a colon, if anything does.

    With `afar` somebody far away may put it into a seat: it costs nothing and reaches nothing of this machine. With
    `elsewhere` it answers by another way than a worker's call, or at one machine only.
    """

    name: str
    detail: str = ""
    afar: bool = False
    elsewhere: bool = False

    def __str__(self) -> str:
        return f"{self.name}:{self.detail}" if self.detail else self.name


KINDS = (
    Kind("house", afar=True),
    Kind("random", afar=True),
    Kind("human", elsewhere=True),
    Kind("outside", afar=True, elsewhere=True),
    Kind("scripted", "FILE"),
    Kind("files", "DIR", elsewhere=True),
    Kind("openai", "MODEL"),
    Kind("command", "CMD"),
)
"""Every kind there is, in the order in which users are told of them."""

KNOWN = tuple(map(str, KINDS))
AFAR = tuple(kind.name for kind in KINDS if kind.afar)


class UnknownAgent(SottovoceError):
    """There is no such agent."""

    exit_code = 2

    def __init__(self, spec: str) -> None:
        super().__init__(f"There is no agent {spec!r}. Choose one of: {', '.join(KNOWN)}.")


def kind_of(spec: str) -> Kind:
    """The kind of the agent of that name. Raises UnknownAgent."""
    name, _, detail = spec.partition(":")
    for kind in KINDS:
        if kind.name == name and bool(kind.detail) == bool(detail):
            return kind
    raise UnknownAgent(spec)


def agent_for(spec: str, human: Callable[[], Agent]) -> Agent | None:
    """The agent that a name stands for; None for `outside`, whose replies arrive through `send`.

    `human` makes the agent that asks at this terminal. Raises UnknownAgent, ScriptUnusable for a bad script,
    FolderUnusable for a folder that holds other things, CommandUnusable for a program that is not there, or
    ModelUnusable where the environment does not say how to reach models.
    """
    detail = spec.partition(":")[2]
    # What only some agents need is loaded with them: a model's client alone takes over a second.
    match kind_of(spec).name:
        case "house":
            return HouseAgent()
        case "random":
            return RandomAgent()
        case "human":
            return human()
        case "outside":
            return None
        case "scripted":
            from sottovoce.agents.scripted import ScriptedAgent

            return ScriptedAgent.from_file(detail)
        case "files":
            from sottovoce.agents.bridge.agent import FilesAgent

            return FilesAgent(detail)
        case "openai":
            from sottovoce.agents.models.settings import Settings
            from sottovoce.agents.openai_agent import OpenAIAgent

            return OpenAIAgent(detail, Settings.from_environment())
        case "command":
            from sottovoce.agents.command_agent import CommandAgent
            from sottovoce.agents.programs.settings import Settings as ProgramSettings

            return CommandAgent(detail, ProgramSettings.from_environment())
    raise UnknownAgent(spec)


def check_agent(spec: str) -> None:
    """What `agent_for` raises, if the name stands for no agent that can play."""
    agent_for(spec, HouseAgent)
