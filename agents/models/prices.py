"""What a call costs, from an editable list of prices. An unknown price makes an unknown cost, never none."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from sottovoce.agents.models.settings import ModelUnusable

VARIABLE = "SOTTOVOCE_PRICES"
ANY_HOST = "*"
MILLION = 1_000_000


class Price(BaseModel):
    """US dollars for a million tokens of each kind."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    prompt: float = Field(ge=0)
    reply: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)

    def of(self, prompt: int, reply: int, cached: int = 0) -> float:
        """The cost of a call; `cached` of the prompt's tokens came from the endpoint's cache."""
        cached = min(cached, prompt)
        per_cached = self.prompt if self.cached is None else self.cached
        return ((prompt - cached) * self.prompt + cached * per_cached + reply * self.reply) / MILLION


Prices = Mapping[str, Mapping[str, Price]]
"""Price by host and model."""

_PRICES = TypeAdapter(dict[str, dict[str, Price]])


def price_of(host: str, model: str) -> Price | None:
    """The price of a model at a host, None where it is not known. Raises ModelUnusable for a faulty list."""
    own = os.environ.get(VARIABLE, "")
    for prices in (*([_read(Path(own))] if own else []), _shipped()):
        for place in (host, ANY_HOST):
            price = prices.get(place, {}).get(model)
            if price is not None:
                return price
    return None


@lru_cache(maxsize=1)
def _shipped() -> Prices:
    return _PRICES.validate_python(tomllib.loads(files(__package__).joinpath("prices.toml").read_text("utf-8")))


@lru_cache(maxsize=8)
def _read(path: Path) -> Prices:
    try:
        return _PRICES.validate_python(tomllib.loads(path.expanduser().read_text(encoding="utf-8")))
    except OSError as error:
        raise ModelUnusable(f"Cannot read the prices {path}: {error.strerror}. Check {VARIABLE}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise ModelUnusable(f"The prices {path} are not TOML. See agents/models/prices.toml for the form.") from None
    except ValidationError as error:
        at = ".".join(map(str, error.errors()[0]["loc"]))
        raise ModelUnusable(f"The prices {path} are wrong at {at!r}. Give prompt and reply as numbers.") from None
