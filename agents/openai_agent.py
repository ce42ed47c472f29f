"""`openai:MODEL`: a language model behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import random as random_module
from typing import Any

from sottovoce.agents.agent import AgentFailed, AgentUnreachable, CallRecord, Mind
from sottovoce.agents.models.answers import Unreadable, reply_in, response_format, thoughts_in
from sottovoce.agents.models.blocks import model_blocks
from sottovoce.agents.models.endpoint import CallFailed, Completion, endpoint_of
from sottovoce.agents.models.prices import price_of
from sottovoce.agents.models.retries import Effort, ask
from sottovoce.agents.models.settings import Settings
from sottovoce.agents.prompt import TEMPLATE
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

KEPT_OF_UNREADABLE = 400
"""Characters of an unreadable answer that its receipt keeps."""


class OpenAIAgent:
    """Asks a model for every reply. Safe to share between games; the endpoint's limits are shared by all agents.

    `blocks` are the texts sent, and nothing else of the view is: the first two as the system's message, the others as
    the user's.
    """

    by = "prompt"

    def __init__(self, model: str, settings: Settings) -> None:
        self.model = model
        self.settings = settings
        price_of(settings.host, model)  # a price list that cannot be read is refused before the game

    def blocks(self, view: View[Any], turn: Turn) -> tuple[str, ...]:
        """The rules, who the seat is and how it speaks; then the view, the request, and how to answer."""
        return model_blocks(view, turn, self.settings.prompt_tokens)

    async def act(self, view: View[Any], turn: Turn, random: random_module.Random, record: CallRecord) -> str:
        """The reply to the turn. Raises AgentFailed when calls fail for good, or the model declines or rambles."""
        blocks = self.blocks(view, turn)
        messages = [
            {"role": "system", "content": "\n\n".join(blocks[:2])},
            {"role": "user", "content": "\n\n".join(blocks[2:])},
        ]
        effort = Effort()
        completion: Completion | None = None
        try:
            async with asyncio.timeout(turn.seconds):
                completion = await ask(
                    await endpoint_of(self.settings),
                    self.model,
                    messages,
                    response_format(view, turn),
                    random=random,
                    effort=effort,
                    seconds=turn.seconds,
                )
            return self._reply(completion, view, turn, record)
        except CallFailed as failed:
            kind = AgentUnreachable if failed.unreached else AgentFailed
            raise kind(f"{self.model} at {self.settings.shown_url} gave no answer: {failed}.") from None
        except TimeoutError:
            raise AgentFailed(f"{self.model} gave no answer within the turn's {turn.seconds:g} seconds.") from None
        finally:
            self._account(effort, completion, record)

    async def reach(self) -> None:
        """Ask for one word. Raises AgentUnreachable if no answer comes, or the request is not taken."""
        asked = [
            {"role": "system", "content": "Answer with one word."},
            {"role": "user", "content": "Are you ready?"},
        ]
        endpoint, random = await endpoint_of(self.settings), random_module.Random(0)
        try:
            await ask(endpoint, self.model, asked, None, random=random, effort=Effort(), seconds=None)
        except CallFailed as failed:
            raise AgentUnreachable(f"{self.model} at {self.settings.shown_url} gave no answer: {failed}.") from None

    def _reply(self, completion: Completion, view: View[Any], turn: Turn, record: CallRecord) -> str:
        if completion.refusal or completion.finish == "content_filter":
            record.notes["answer"] = (completion.refusal or completion.content)[:KEPT_OF_UNREADABLE]
            raise AgentFailed(f"{self.model} declined to answer.")
        if thoughts := completion.reasoning.strip() or thoughts_in(completion.content):
            record.mind = Mind(thoughts)
        try:
            return reply_in(completion.content, view, turn)
        except Unreadable as error:
            record.notes["answer"] = completion.content[:KEPT_OF_UNREADABLE]
            raise AgentFailed(f"{self.model} gave no reply: {error}.") from None

    def _account(self, effort: Effort, completion: Completion | None, record: CallRecord) -> None:
        record.notes |= {
            "model": self.model,
            "endpoint": self.settings.shown_url,
            "template": TEMPLATE,
            "attempts": len(effort.calls),
            "structured": effort.structured,
            "calls": effort.calls,
        }
        if completion is not None:
            record.notes |= {"answered_by": completion.model, "finish": completion.finish}
        if effort.uncounted:
            return
        if completion is None:  # every call was turned away before a model saw it
            record.prompt_tokens, record.reply_tokens, record.cost = 0, 0, 0.0
            return
        record.prompt_tokens, record.reply_tokens = completion.prompt_tokens, completion.reply_tokens
        price = price_of(self.settings.host, self.model)
        if price is not None and completion.prompt_tokens is not None and completion.reply_tokens is not None:
            record.cost = price.of(completion.prompt_tokens, completion.reply_tokens, completion.cached_tokens)
