"""`openai:MODEL` and `model:NAME`: a language model behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import random as random_module
from dataclasses import replace
from typing import Any

from sottovoce.agents.agent import TOLD, AgentFailed, AgentUnreachable, CallRecord, Considered, Mind
from sottovoce.agents.models.answers import Unreadable, read
from sottovoce.agents.models.blocks import model_blocks
from sottovoce.agents.models.bodies import Completion
from sottovoce.agents.models.caching import cache_of, cached
from sottovoce.agents.models.endpoint import endpoint_of
from sottovoce.agents.models.forms import SMALL_WINDOW, answers_of
from sottovoce.agents.models.manners import Place
from sottovoce.agents.models.named import FILE, Style, named_agent
from sottovoce.agents.models.prices import Price, price_of
from sottovoce.agents.models.refusals import CallFailed, shown
from sottovoce.agents.models.retries import Effort, ask
from sottovoce.agents.models.settings import Settings
from sottovoce.agents.prompt import TEMPLATE
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

USUAL = Style()
MOST_LONGER = 4
"""How many times longer an answer may become, attempt by attempt, where the ones before were cut off."""
KEPT_OF_UNREADABLE = 400
"""Characters of an unreadable answer that its receipt keeps."""
REFUSED = 2
"""Refused attempts at a turn after which only what is legal in it fits the schema."""

_thinking: set[Place] = set()
"""Addresses and models that have returned thoughts of their own in this process."""
_left: dict[tuple[str, int], int] = {}
"""Tokens that are left of the budgets of named agents, in this process."""


class OpenAIAgent:
    """Asks a model for every reply. Safe to share between games; the endpoint's limits are shared by all agents.

    `blocks` are the texts sent, and nothing else of the view is but the names in the schema: the first as the system's
    message, the others as the user's.
    """

    by = "prompt"

    def __init__(
        self,
        model: str,
        settings: Settings,
        style: Style = USUAL,
        price: Price | None = None,
        budget: int | None = None,
        name: str = "",
    ) -> None:
        self.model = model
        self.settings = settings
        self.style = style
        self.beside = replace(style.beside, brief=settings.prompt_tokens < SMALL_WINDOW)
        self._name = name
        self._budget = budget
        # a price list that cannot be read is refused before the game
        self._price = price or price_of(settings.host, model)

    @classmethod
    def named(cls, name: str) -> OpenAIAgent:
        """The agent of that name in the settings file. Raises ModelUnusable."""
        found = named_agent(name)
        return cls(found.model, found.settings, found.style, found.price, found.budget, found.name)

    def blocks(self, view: View[Any], turn: Turn) -> tuple[str, ...]:
        """What seats share; who the seat is; what it has seen; its state, the request, and what is legal now."""
        style, most = self.style, self.settings.prompt_tokens
        return model_blocks(view, turn, most, persona=style.persona, system=style.system, beside=self.beside)

    def schema(self, view: View[Any], turn: Turn) -> dict[str, Any]:
        """The schema of the answer: the same all game long, or the turn's own, as the endpoint wants it."""
        answers = answers_of(view, self.beside)
        thoughts = self.beside.thoughts == "on" or self._place not in _thinking
        by_grammar = self.settings.constrains
        if by_grammar or len(turn.failures) >= REFUSED or not answers.takes(view, turn):
            return answers.exact(view, turn, thoughts=thoughts, bounded=by_grammar)
        return answers.schema(thoughts=thoughts)

    @property
    def _place(self) -> Place:
        return self.settings.base_url, self.model

    async def act(self, view: View[Any], turn: Turn, random: random_module.Random, record: CallRecord) -> str:
        """The reply to the turn. Raises AgentFailed when calls fail for good, or the model declines or rambles."""
        most = self._spare(turn)
        settings = cached(self.settings, self.model, view)
        messages = messages_of(self.blocks(view, turn))
        effort = Effort()
        completion: Completion | None = None
        record.notes["tokens"] = tokens = self._tokens(turn)
        try:
            async with asyncio.timeout(turn.seconds):
                completion = await ask(
                    await endpoint_of(self.settings),
                    settings,
                    self.model,
                    messages,
                    response_format(self.schema(view, turn)),
                    random=random,
                    effort=effort,
                    seconds=turn.seconds,
                    tokens=tokens,
                )
            return self._reply(completion, view, turn, record)
        except CallFailed as failed:
            what = f"{self.model} at {self.settings.shown_url} gave no answer: {failed}."
            if failed.unreached:
                raise AgentUnreachable(what) from None
            raise AgentFailed(what, failed.reason) from None
        except TimeoutError:
            late = f"{self.model} gave no answer within the turn's {turn.seconds:g} seconds."
            raise AgentFailed(late, "timeout") from None
        finally:
            self._account(effort, completion, record)
            self._spend(most, record)

    def _spare(self, turn: Turn) -> int:
        """The most tokens that a call may use, kept back from the budget; AgentUnreachable where fewer are left."""
        most = self.settings.prompt_tokens + self._tokens(turn)
        if self._budget is not None:
            left = _left.setdefault((self._name, self._budget), self._budget)
            if left < most:
                what = (
                    f"The budget of the agent {self._name!r} is spent. Raise `budget` in {FILE}, and resume the game."
                )
                raise AgentUnreachable(what)
            _left[self._name, self._budget] = left - most
        return most

    def _spend(self, most: int, record: CallRecord) -> None:
        if self._budget is not None:
            counted = record.prompt_tokens is not None and record.reply_tokens is not None
            used = (record.prompt_tokens or 0) + (record.reply_tokens or 0) if counted else most
            _left[self._name, self._budget] += most - used

    def _tokens(self, turn: Turn) -> int:
        """The most tokens of an answer: twice as many after each attempt that was cut off."""
        cut = sum(message == TOLD["truncated"] for message in turn.failures)
        return self.settings.reply_tokens * min(1 << cut, MOST_LONGER)

    async def reach(self) -> None:
        """Ask for one word. Raises AgentUnreachable if no answer comes, or the request is not taken."""
        asked = [
            {"role": "system", "content": "Answer with one word."},
            {"role": "user", "content": "Are you ready?"},
        ]
        endpoint, random = await endpoint_of(self.settings), random_module.Random(0)
        try:
            completion = await ask(
                endpoint,
                self.settings,
                self.model,
                asked,
                None,
                random=random,
                effort=Effort(),
                seconds=None,
                warn=False,
            )
            self._learn(completion)
        except CallFailed as failed:
            if failed.cause == "filtered":  # it answers, and did not like this question
                return
            raise AgentUnreachable(f"{self.model} at {self.settings.shown_url} gave no answer: {failed}.") from None

    def _reply(self, completion: Completion, view: View[Any], turn: Turn, record: CallRecord) -> str:
        self._learn(completion)
        thoughts = completion.reasoning.strip()
        if thoughts:
            record.mind = Mind(thoughts)
        if completion.refusal or completion.finish == "content_filter":
            record.notes["answer"] = (completion.refusal or completion.content)[:KEPT_OF_UNREADABLE]
            if completion.refusal:
                said = shown(completion.refusal, self.settings)
                raise AgentFailed(f"{self.model} declined to answer ({said}).", "declined")
            raise AgentFailed(f"A content filter stopped the answer of {self.model}.", "filtered")
        try:
            answer = read(completion.content, view, turn, whole=completion.finish != "length", brief=self.beside.brief)
        except Unreadable as error:
            record.notes["answer"] = completion.content[:KEPT_OF_UNREADABLE]
            if kept := "\n".join(filter(None, (thoughts, error.thoughts))):
                record.mind = Mind(kept)
            hint, limited = "", completion.finish == "length"
            if limited:
                hint = f" The limit was {record.notes['tokens']} tokens; raise {self.settings.length_name}."
            what = f"{self.model} gave no reply: {error}.{hint}"
            raise AgentFailed(what, error.reason, str(error), nothing=limited or error.reason == "empty") from None
        kept = "\n".join(filter(None, (thoughts, answer.thoughts)))
        record.mind = Mind(kept, answer.suspicion) if kept or answer.suspicion else None
        return Considered(answer.reply, record.mind, answer.notes)

    def _learn(self, completion: Completion) -> None:
        """Remember that the model thinks by itself, so that its answers need no field for that."""
        if completion.reasoning.strip():
            _thinking.add(self._place)

    def _account(self, effort: Effort, completion: Completion | None, record: CallRecord) -> None:
        record.notes |= {
            "model": self.model,
            "endpoint": self.settings.shown_url,
            "template": TEMPLATE,
            "attempts": len(effort.calls),
            "structured": effort.structured,
            "manner": effort.manner,
            **({"settings": self.settings.without_secrets(effort.sent)} if effort.sent else {}),
            **({"cache": cache} if (cache := cache_of(self.settings, self.model)) != "none" else {}),
            "calls": effort.calls,
        }
        if completion is not None:
            record.notes |= {"answered_by": completion.model, "finish": completion.finish}
            record.keep_answer(completion.shown, completion.body)
        if effort.uncounted:
            return
        if completion is None:  # every call was turned away before a model saw it
            record.prompt_tokens, record.reply_tokens, record.cost = 0, 0, 0.0
            return
        record.prompt_tokens, record.reply_tokens = completion.prompt_tokens, completion.reply_tokens
        record.cached_tokens, record.reasoning_tokens = completion.cached_tokens, completion.reasoning_tokens
        price = self._price
        if price is not None and completion.prompt_tokens is not None and completion.reply_tokens is not None:
            record.cost = price.of(completion.prompt_tokens, completion.reply_tokens, completion.cached_tokens or 0)


def messages_of(blocks: tuple[str, ...]) -> list[dict[str, Any]]:
    """The messages that are made of a prompt's blocks. `stable` says how much of one is the same at the next turn."""
    shared, *own = blocks
    stable = len("\n\n".join(own[:-1]))
    return [
        {"role": "system", "content": shared, "stable": len(shared)},
        {"role": "user", "content": "\n\n".join(own), "stable": stable},
    ]


def response_format(schema: dict[str, Any]) -> dict[str, Any]:
    """The response format that asks for answers by a schema."""
    return {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": schema}}
