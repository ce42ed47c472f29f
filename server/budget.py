"""The agents that people far away may choose, and what the models among them may cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sottovoce.agents.agent import Agent, AgentFailed, AgentUnreachable, CallRecord, PromptedAgent, SeatRandom
from sottovoce.agents.kinds import parsed
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View
from sottovoce.server.worker import called_here


class BudgetSpent(AgentUnreachable):
    """The model's budget is spent. The person who runs the server can raise it."""


class Metered:
    """An agent that uses so many tokens at most, in all games together, for as long as this process runs."""

    def __init__(self, agent: PromptedAgent, name: str, budget: int, most: int) -> None:
        self._agent = agent
        self._name = name
        self._left = budget
        self._most = most  # of one call, which is kept back while it is under way

    @property
    def by(self) -> str:
        """As the agent itself."""
        return self._agent.by

    def blocks(self, view: View[Any], turn: Turn) -> tuple[str, ...]:
        """The texts that the agent sends, which are receipted though it is metered."""
        return self._agent.blocks(view, turn)

    async def act(self, view: View[Any], turn: Turn, random: SeatRandom, record: CallRecord) -> str:
        """The agent's reply. Raises BudgetSpent where a call might take more than is left."""
        if self._left < self._most:
            raise BudgetSpent(f"The budget of {self._name} is spent. The person who runs the server can raise it.")
        self._left -= self._most
        try:
            return await self._agent.act(view, turn, random, record)
        finally:
            used = self._most
            if record.prompt_tokens is not None and record.reply_tokens is not None:
                used = record.prompt_tokens + record.reply_tokens
            self._left += self._most - used


class AllowedAgents:
    """Gives the agents of these names, models with their budgets of tokens, and of no others.

    Raises at once what is wrong with an agent that has a budget: ModelUnusable where a model is allowed that neither
    the environment nor the settings file says how to reach.
    """

    def __init__(self, agents: Mapping[str, int | None]) -> None:
        self._budgets = dict(agents)
        self._made: dict[str, Agent | None] = {}
        kinds = {name: parsed(name) for name, budget in agents.items() if budget is not None}
        self._most = {
            name: kind.most_tokens(detail) for name, (kind, detail) in kinds.items() if kind.most_tokens is not None
        }

    def __call__(self, name: str) -> Agent | None:
        """The agent of that name; None where it is not allowed, or answers by another way."""
        if name not in self._made:
            self._made[name] = self._make(name) if name in self._budgets else None
        return self._made[name]

    def _make(self, name: str) -> Agent | None:
        agent, budget = called_here(name), self._budgets[name]
        if agent is None or budget is None:
            return agent
        if not isinstance(agent, PromptedAgent):
            raise AgentFailed(f"The agent {name} can't have a budget, since it does not say what it sends.")
        return Metered(agent, name, budget, self._most[name])
