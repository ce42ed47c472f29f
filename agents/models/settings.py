"""How models are reached and how much they may take, from environment variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from sottovoce.domain.errors import SottovoceError

OPENAI = "https://api.openai.com/v1"


class ModelUnusable(SottovoceError):
    """Models can't be used with these settings."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Settings:
    """Where models are asked, and the limits of it.

    `concurrency` calls run at once at one endpoint, each for `seconds` at most; one attempt at a turn makes up to
    `tries` calls. `reply_tokens` limit an answer and `prompt_tokens`, about, a prompt. The key shows in no repr.
    """

    base_url: str = OPENAI
    key: str = field(default="none", repr=False)
    concurrency: int = 8
    seconds: float = 60.0
    tries: int = 4
    reply_tokens: int = 2000
    prompt_tokens: int = 6000

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        """The settings, or ModelUnusable naming the variable at fault."""
        base_url, key = environ.get("OPENAI_BASE_URL", "").strip(), environ.get("OPENAI_API_KEY", "").strip()
        if not base_url and not key:
            raise ModelUnusable(
                "A model needs OPENAI_API_KEY, or OPENAI_BASE_URL for your own endpoint. Set one of them."
            )
        if base_url and not _is_web_address(base_url):
            raise ModelUnusable("OPENAI_BASE_URL is not an address such as http://localhost:8080/v1. Fix it.")
        if not (key.isascii() and key.isprintable()):
            raise ModelUnusable("OPENAI_API_KEY contains invalid characters. Copy the key again.")
        return cls(
            base_url=base_url or OPENAI,
            key=key or "none",
            concurrency=_whole(environ, "SOTTOVOCE_MODEL_CONCURRENCY", 8, 1, 1024),
            seconds=_number(environ, "SOTTOVOCE_MODEL_SECONDS", 60, 0.05, 3600),
            tries=_whole(environ, "SOTTOVOCE_MODEL_TRIES", 4, 1, 20),
            reply_tokens=_whole(environ, "SOTTOVOCE_MODEL_REPLY_TOKENS", 2000, 16, 100_000),
            prompt_tokens=_whole(environ, "SOTTOVOCE_PROMPT_TOKENS", 6000, 1500, 1_000_000),
        )

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).hostname or ""

    @property
    def shown_url(self) -> str:
        """The address without what may be secret in it."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def without_key(self, text: str) -> str:
        """Text from the endpoint, in which it may repeat the key."""
        return text if len(self.key) < 8 else text.replace(self.key, "[key]")


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


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
