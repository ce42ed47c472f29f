"""How an endpoint is told what of a prompt it has seen before, where it wants to be told.

key          a name for the prompts of a game, by which the endpoint finds the machine that has them in its cache
breakpoint   the same, and a mark where the stable part of a prompt ends, as OpenAI takes it
marks        `cache_control` where stable parts end, as Anthropic takes it
none         nothing: it finds out by itself, or has no cache
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any, Literal

from sottovoce.agents.models.settings import Settings
from sottovoce.projections.view import View

Cache = Literal["key", "breakpoint", "marks", "none"]

MARKED: Mapping[str, dict[str, Any]] = {
    "breakpoint": {"prompt_cache_breakpoint": {"mode": "explicit"}},
    "marks": {"cache_control": {"type": "ephemeral"}},
}
"""What stands beside a part of a message that ends what is stable."""
BY_KEY = ("api.openai.com", "api.mistral.ai")
AZURE = (".openai.azure.com", ".cognitiveservices.azure.com")

_VERSION = re.compile(r"gpt-(\d+)(?:\.(\d+))?")


def cache_of(settings: Settings, model: str) -> Cache:
    """How the endpoint is told: as its settings say, else by its host and the model."""
    if settings.cache != "auto":
        return settings.cache
    host = settings.host
    if host == "openrouter.ai":
        return "marks" if model.startswith("anthropic/") else "none"
    if host == BY_KEY[0] and (found := _VERSION.match(model)) and (int(found[1]), int(found[2] or 0)) >= (5, 6):
        return "breakpoint"
    return "key" if host in BY_KEY or host.endswith(AZURE) else "none"


def cached(settings: Settings, model: str, view: View[Any]) -> Settings:
    """The settings of a call for that seat, with the key of its game where the endpoint wants one."""
    if cache_of(settings, model) not in ("key", "breakpoint"):
        return settings
    return replace(settings, options=(*settings.options, ("prompt_cache_key", _key(settings, model, view))))


def _key(settings: Settings, model: str, view: View[Any]) -> str:
    """An opaque name for the game at that endpoint, the same for all its seats; made of the opening that all see."""
    opening: str | None = view.kept.get("opening")
    if opening is None:
        [entry] = view.entries[:1]
        opening = view.kept["opening"] = json.dumps(entry.to_json(), sort_keys=True)
    return sha256("\x1f".join((opening, settings.base_url, model)).encode()).hexdigest()[:32]
