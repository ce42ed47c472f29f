"""The test of what answers from outside, before a game depends on it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

from sottovoce.agents.agent import AgentUnreachable, RemoteAgent
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.kinds import agent_for
from sottovoce.cli.output import say
from sottovoce.domain.errors import SottovoceError


class NothingAnswers(SottovoceError):
    """An agent is unreachable."""


def try_agents(agents: Iterable[str], *, quiet: bool, otherwise: str = "No game was started.") -> None:
    """Ask each agent that something outside this process answers for, once; NothingAnswers before anything is played.
    `otherwise` says what that means.

    Raises what `check_agent` raises, too.
    """
    asyncio.run(_reach(sorted(set(agents)), quiet, otherwise))


async def _reach(agents: Iterable[str], quiet: bool, otherwise: str) -> None:
    for spec in agents:
        agent = agent_for(spec, HouseAgent)
        if not isinstance(agent, RemoteAgent):
            continue
        if not quiet:
            say(f"Testing {spec} …", err=True)
        try:
            await agent.reach()
        except AgentUnreachable as error:
            raise NothingAnswers(f"{error} {otherwise} Fix this or choose another agent.") from None


def unboxed(agents: Iterable[str]) -> Iterator[str]:
    """A line for each reason why programs in seats run without a sandbox."""
    from sottovoce.agents.acp.sandbox import WITHOUT
    from sottovoce.agents.acp.settings import KIND, settings_for

    details = {spec.removeprefix(KIND) for spec in agents if spec.startswith(KIND)}
    for why in sorted({settings_for(detail).unboxed for detail in details} - {""}):
        yield WITHOUT.format(why=why)
