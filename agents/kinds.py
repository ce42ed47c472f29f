"""How a seat's agent is named on the command line and in the log: `house`, `random`, `scripted:FILE`, …"""

from __future__ import annotations

from collections.abc import Callable

from agents.agent import Agent
from agents.bridge.agent import FilesAgent
from agents.house import HouseAgent
from agents.models.settings import Settings
from agents.random_agent import RandomAgent
from agents.scripted import ScriptedAgent
from domain.errors import SottovoceError

KNOWN = ("house", "random", "human", "outside", "scripted:FILE", "openai:MODEL", "command:CMD", "files:DIR")


class UnknownAgent(SottovoceError):
    """There is no such agent."""

    exit_code = 2

    def __init__(self, spec: str) -> None:
        super().__init__(f"There is no agent {spec!r}; use one of: {', '.join(KNOWN)}.")


def agent_for(spec: str, human: Callable[[], Agent]) -> Agent | None:
    """The agent that a name stands for; None for `outside`, whose replies arrive through `send`.

    `human` makes the agent that asks at this terminal. Raises UnknownAgent, ScriptUnusable for a bad script,
    FolderUnusable for a folder that holds other things, CommandUnusable for a program that is not there, or
    ModelUnusable where the environment does not say how to reach models.
    """
    kind, _, detail = spec.partition(":")
    match kind, bool(detail):
        case "house", False:
            return HouseAgent()
        case "random", False:
            return RandomAgent()
        case "human", False:
            return human()
        case "outside", False:
            return None
        case "scripted", True:
            return ScriptedAgent.from_file(detail)
        case "files", True:
            return FilesAgent(detail)
        case "openai", True:
            # Loading the client takes over a second, which games without models need not spend.
            from agents.openai_agent import OpenAIAgent

            return OpenAIAgent(detail, Settings.from_environment())
        case "command", True:
            from agents.command_agent import CommandAgent
            from agents.programs.settings import Settings as ProgramSettings

            return CommandAgent(detail, ProgramSettings.from_environment())
    raise UnknownAgent(spec)


def check_agent(spec: str) -> None:
    """What `agent_for` raises, if the name stands for no agent that can play."""
    agent_for(spec, HouseAgent)
