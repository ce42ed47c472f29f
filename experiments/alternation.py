"""A game as a PettingZoo environment in which agents act one after another. Needs the extra `pettingzoo`.

An action is a number: 0 says the agent's words, for turns that take any text, and the others are the choices of the
game. An observation is the prompt of the seat, as UTF-8 bytes, with a mask of the legal actions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.rulesets import RULESETS
from sottovoce.experiments.environment import Environment, Observation
from sottovoce.server.seating import NAMES

OBSERVED = 16_384
"""Bytes of an observation; of a longer prompt its end is kept, where the request stands."""
SAY = 0
"""The action for turns that take any text."""
MOST_MOVES = 256
"""Actions of a ruleset whose choices cannot be listed beforehand; they are then the places of the legal moves."""

Speak = Callable[[Observation], str]
"""Makes the words of a turn that takes any text."""


def _nothing(seen: Observation) -> str:
    return "I have nothing to add."


def env(ruleset: str, players: Sequence[str] | int, **given: Any) -> Any:
    """Return the environment with PettingZoo's usual checks around it. Takes what `GameAEC` takes."""
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(GameAEC(ruleset, players, **given)))


class GameAEC(AECEnv):  # type: ignore[misc]
    """One seat after another. Rewards come at the end: 1 for each seat that won, -1 for those that did not.

    `fill` gives seats to agents in this process; the others are the environment's agents. `speak` makes words where a
    turn takes any text. `text(agent)` is the observation as text.
    """

    metadata = {"name": "sottovoce_v0", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(
        self,
        ruleset: str,
        players: Sequence[str] | int,
        *,
        options: Mapping[str, Any] | None = None,
        fill: Mapping[str, str] | None = None,
        speak: Speak = _nothing,
        observed: int = OBSERVED,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.render_mode = render_mode
        names = list(NAMES[:players]) if isinstance(players, int) else list(players)
        self._given = (ruleset, names, dict(options or {}), dict(fill or {}))
        self._speak, self._observed = speak, observed
        self._game = self._opened(0)
        self.possible_agents = [seat for seat in self._game.seats if seat not in (fill or {})]
        if not self.possible_agents:
            raise SottovoceError("fill has every seat. Leave at least one to the environment's agents.")
        known = RULESETS[ruleset]
        states = {seat: self._game.view(seat).state for seat in self.possible_agents}
        words = dict.fromkeys(word for seat, state in states.items() for word in known.possible(state, seat))
        self._words = tuple(words)
        size = 1 + (len(self._words) or MOST_MOVES)
        self.action_spaces = {agent: spaces.Discrete(size) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 255, (observed,), numpy.uint8),
                    "action_mask": spaces.Box(0, 1, (size,), numpy.int8),
                }
            )
            for agent in self.possible_agents
        }

    def _opened(self, seed: int) -> Environment:
        ruleset, names, options, fill = self._given
        return Environment(ruleset, names, seed=seed, options=options, fill=fill)

    @property
    def game(self) -> Environment:
        """The game that is played."""
        return self._game

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal again. Without a seed, from one that nobody chose."""
        if seed is None:
            seed = int(numpy.random.default_rng().integers(2**31))
        self._game = self._opened(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = (*self._game.to_move, self.agents[0])[0]
        self._finish()

    def step(self, action: int | None) -> None:
        """Play the selected agent's action. One that is not legal is refused, as the rules refuse any other reply."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        submitted = self._game.submit(agent, self._said(agent, action))
        self.infos[agent] = {} if submitted.accepted else {"refused": submitted.why}
        if not self._game.over:
            self.agent_selection = self._game.to_move[0]
        self._finish()
        self._accumulate_rewards()

    def _finish(self) -> None:
        if not self._game.over:
            return
        for agent, won in self._game.outcome.won.items():
            if agent in self.rewards:
                self.rewards[agent] = 1.0 if won else -1.0
        self.terminations = dict.fromkeys(self.agents, True)

    def _said(self, agent: str, action: int | None) -> str:
        seen = self._game.observe(agent)
        if action in (None, SAY):
            return self._speak(seen)
        place = int(action or 0) - 1
        words = self._words or seen.moves
        return words[place] if place < len(words) else ""

    def legal_actions(self, agent: str) -> list[int]:
        """Return the actions that the rules take now from the agent; none when it is not its turn."""
        if agent not in self._game.to_move:
            return []
        moves = self._game.legal_moves(agent)
        if not moves:
            return [SAY]
        words = self._words or moves
        return [1 + words.index(move) for move in moves if move in words]

    def text(self, agent: str) -> str:
        """Return the observation as text: the whole prompt of the agent; empty when it is not its turn."""
        return self._game.observe(agent).text if agent in self._game.to_move else ""

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the agent's prompt as bytes, filled up with zeros, and the mask of its legal actions."""
        raw = self.text(agent).encode()[-self._observed :]
        seen = numpy.zeros(self._observed, numpy.uint8)
        seen[: len(raw)] = numpy.frombuffer(raw, numpy.uint8)
        mask = numpy.zeros(self.action_spaces[agent].n, numpy.int8)
        mask[self.legal_actions(agent)] = 1
        return {"observation": seen, "action_mask": mask}

    def render(self) -> str | None:
        """Return the selected agent's prompt, with `render_mode="ansi"`."""
        return self.text(self.agent_selection) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing: a game in memory holds nothing open."""
