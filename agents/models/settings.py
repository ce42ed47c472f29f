"""How models are reached and how much they may take, from environment variables."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, Literal
from urllib.parse import urlsplit

from sottovoce.agents.models.manner import Manner
from sottovoce.domain.errors import SottovoceError

_SECRET = re.compile(r"(?:key|token|secret|password|authorization|auth|credential|cookie|header)s?\Z", re.IGNORECASE)
"""Names of parameters whose texts are not kept."""

OPENAI = "https://api.openai.com/v1"
LARGE_PROMPT = 16_000
SMALL_PROMPT = 6_000
"""Tokens of a prompt, about: of a hosted model, and of one near by, which may have a small window."""


class ModelUnusable(SottovoceError):
    """Models can't be used with these settings."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Settings:
    """Where models are asked, and the limits of it.

    `concurrency` calls run at once at one endpoint, each for `seconds` at most; one attempt at a turn makes up to
    `tries` calls. `reply_tokens` limit an answer and `prompt_tokens`, about, a prompt. `options` are parameters of each
    call, such as `temperature`, and `manner` is the form in which calls are made first. `schema` says whether answers
    have one schema all game long or the turn's own, `cache` how the endpoint is told what it has seen before, both by
    the address where they are `auto`. `key_name`, `address_name` and
    `length_name` are what to set where the key, the address or the limit is wrong. The key shows in no repr.
    """

    base_url: str = OPENAI
    key: str = field(default="none", repr=False)
    concurrency: int = 8
    seconds: float = 60.0
    tries: int = 4
    reply_tokens: int = 2000
    prompt_tokens: int = SMALL_PROMPT
    schema: Literal["auto", "constant", "exact"] = "auto"
    cache: Literal["auto", "key", "breakpoint", "marks", "none"] = "auto"
    options: tuple[tuple[str, Any], ...] = field(default=(), hash=False)
    manner: Manner = field(default_factory=Manner)
    key_name: str = "OPENAI_API_KEY"
    address_name: str = "OPENAI_BASE_URL"
    length_name: str = "SOTTOVOCE_MODEL_REPLY_TOKENS"

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        """The settings, or ModelUnusable naming the variable at fault."""
        base_url, key = environ.get("OPENAI_BASE_URL", "").strip(), environ.get("OPENAI_API_KEY", "").strip()
        if not base_url and not key:
            raise ModelUnusable(
                "A model needs OPENAI_API_KEY, or OPENAI_BASE_URL for your own endpoint. Set one of them."
            )
        if base_url and not is_web_address(base_url):
            raise ModelUnusable("OPENAI_BASE_URL is not an address such as http://localhost:8080/v1. Fix it.")
        if not (key.isascii() and key.isprintable()):
            raise ModelUnusable("OPENAI_API_KEY contains invalid characters. Copy the key again.")
        most_unanswered(environ)  # read when it matters, and refused before a game
        return cls(
            base_url=base_url or OPENAI,
            key=key or "none",
            concurrency=_whole(environ, "SOTTOVOCE_MODEL_CONCURRENCY", 8, 1, 1024),
            seconds=_number(environ, "SOTTOVOCE_MODEL_SECONDS", 60, 0.05, 3600),
            tries=_whole(environ, "SOTTOVOCE_MODEL_TRIES", 4, 1, 20),
            reply_tokens=_whole(environ, "SOTTOVOCE_MODEL_REPLY_TOKENS", 2000, 16, 100_000),
            prompt_tokens=_whole(environ, "SOTTOVOCE_PROMPT_TOKENS", usual_prompt(base_url or OPENAI), 1500, 1_000_000),
        )

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).hostname or ""

    @property
    def is_local(self) -> bool:
        """Whether the endpoint is on this machine, which no proxy reaches."""
        host = self.host
        return host in ("localhost", "::1") or host.endswith(".localhost") or host.startswith("127.")

    @property
    def constrains(self) -> bool:
        """Whether the endpoint is one that constrains answers by a grammar, whose schema is no part of the prompt."""
        return self.schema == "exact" or (self.schema == "auto" and is_near(self.base_url))

    @property
    def sampling(self) -> dict[str, Any]:
        """The parameters of each call."""
        return dict(self.options)

    @property
    def line(self) -> tuple[str, str, int]:
        """What all agents share that ask by the same connections: the address, the key and the calls at once."""
        return self.base_url, self.key, self.concurrency

    @property
    def shown_url(self) -> str:
        """The address without what may be secret in it."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def without_secrets(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters of a call without the key, and without the value of any whose name speaks of a secret."""
        return dict(json.loads(self.without_key(json.dumps(_hidden(sent), default=str))))

    def without_key(self, text: str) -> str:
        """Text from the endpoint, in which it may repeat the key."""
        return text if len(self.key) < 8 else text.replace(self.key, "[key]")


def _hidden(value: Any, secret: bool = False) -> Any:
    if isinstance(value, Mapping):
        return {key: _hidden(held, secret or _SECRET.search(str(key)) is not None) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [_hidden(held, secret) for held in value]
    return "[hidden]" if secret and isinstance(value, str) else value


def most_unanswered(environ: Mapping[str, str] = os.environ) -> float:
    """The share of an agent's turns for which it may give nothing before the game stops, or ModelUnusable."""
    return _number(environ, "SOTTOVOCE_MOST_UNANSWERED", 0.25, 0, 1)


def is_web_address(url: str) -> bool:
    """Whether that can be called."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def is_near(url: str) -> bool:
    """Whether an address is on this machine or in a private network, as the servers of one's own models are."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".localhost", ".local", ".lan", ".internal"))


def usual_prompt(url: str) -> int:
    """The tokens of a prompt for a model at that address, where nothing else is said."""
    return SMALL_PROMPT if is_near(url) else LARGE_PROMPT


def _number(environ: Mapping[str, str], variable: str, default: float, least: float, most: float) -> float:
    text = environ.get(variable, "").strip()
    try:
        number = float(text or default)
    except ValueError:
        number = -1
    if not least <= number <= most:
        raise ModelUnusable(f"{variable} is {text!r}. Set it to a number from {least:g} to {most:g}.")
    return number


def _whole(environ: Mapping[str, str], variable: str, default: int, least: int, most: int) -> int:
    return int(_number(environ, variable, default, least, most))
