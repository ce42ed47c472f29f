"""Agents by name, from a settings file: each with its endpoint, model, key variable, sampling and limits.

The file is the one that SOTTOVOCE_AGENTS names, else `agents.toml` in the folder where you are, else the one in your
folder of settings. It holds no key, only the name of the variable that does; a log keeps the agent's name alone.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sottovoce.agents.models.forms import USUAL, Beside, Wish
from sottovoce.agents.models.manner import Format, Manner
from sottovoce.agents.models.prices import Price
from sottovoce.agents.models.settings import ModelUnusable, Settings, is_web_address, usual_prompt

VARIABLE = "SOTTOVOCE_AGENTS"
FILE = "agents.toml"
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class MannerFile(_Strict):
    """What an endpoint takes, where it is not to be found out by trying."""

    api: Literal["chat", "responses"] | None = None
    limit: Literal["max_completion_tokens", "max_tokens", "none"] | None = None
    format: Format | None = None
    system: Literal["system", "user"] | None = None
    stream: bool | None = None


class EndpointFile(_Strict):
    """Where models are asked."""

    base_url: str
    key_variable: Variable | None = None
    concurrency: int = Field(default=8, ge=1, le=1024)
    schema_: Literal["auto", "constant", "exact"] = Field(default="auto", alias="schema")
    cache: Literal["auto", "key", "breakpoint", "marks", "none"] = "auto"
    manner: MannerFile = MannerFile()


class AgentFile(_Strict):
    """One agent. `seconds`, `tries` and tokens as in `Settings`; `budget` are tokens that one process may use."""

    endpoint: str
    model: str = Field(min_length=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    seed: int | None = None
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = None
    prompt_tokens: int | None = Field(default=None, ge=1500, le=1_000_000)
    reply_tokens: int = Field(default=2000, ge=16, le=200_000)
    seconds: float = Field(default=60, ge=0.05, le=3600)
    tries: int = Field(default=4, ge=1, le=20)
    budget: int | None = Field(default=None, ge=1)
    prices: Price | None = None
    persona: str = Field(default="auto", max_length=2000)
    thoughts: Wish = "auto"
    beliefs: Wish = "auto"
    notes: Wish = "auto"
    system: str = Field(default="", max_length=8000)
    extra_body: dict[str, Any] = {}


class ProtocolFile(_Strict):
    """An agent that is a program of this machine and speaks the Agent Client Protocol: `acp:NAME`.

    `environment` names variables that are handed on to it. What is left out is as the environment says.
    """

    command: str = Field(min_length=1, max_length=2000)
    mode: str = ""
    permissions: Literal["inside", "none", "all"] | None = None
    sandbox: Literal["auto", "on", "off"] | None = None
    seconds: float | None = Field(default=None, ge=0.05, le=86_400)
    prompt_tokens: int = Field(default=16_000, ge=1500, le=1_000_000)
    environment: tuple[Variable, ...] = ()


class AgentsFile(_Strict):
    """The whole file."""

    endpoints: dict[Name, EndpointFile] = {}
    agents: dict[Name, AgentFile] = {}
    acp: dict[Name, ProtocolFile] = {}


@dataclass(frozen=True, slots=True)
class Style:
    """How a model is to speak: `persona` is `on` for a drawn card, `off` for none, its own, or `auto` for one where the
    ruleset says so. `system` is added, and `beside` is what is asked for beside the reply.
    """

    persona: str = "auto"
    system: str = ""
    beside: Beside = USUAL


@dataclass(frozen=True, slots=True)
class NamedAgent:
    """An agent of the file, ready to be made."""

    name: str
    model: str
    settings: Settings
    style: Style = Style()
    price: Price | None = None
    budget: int | None = None
    key_variable: str | None = None


def agents_file(environ: Mapping[str, str] = os.environ) -> Path | None:
    """The settings file; None where there is none. Raises ModelUnusable where the variable names no file."""
    own = environ.get(VARIABLE, "").strip()
    if own:
        path = Path(own).expanduser()
        if not path.is_file():
            raise ModelUnusable(f"{VARIABLE} is {own!r}, which is not a file. Create it, or fix the path.")
        return path
    places = (Path(FILE), platformdirs.user_config_path("sottovoce") / FILE)
    return next((path for path in places if path.is_file()), None)


def named_agents(environ: Mapping[str, str] = os.environ) -> list[NamedAgent]:
    """Every agent of the file, in its order. Raises ModelUnusable where there is no file, or it is wrong somewhere."""
    path = agents_file(environ)
    if path is None:
        raise ModelUnusable(f"There is no {FILE} here. Create one, or name yours in {VARIABLE}; see docs/models.md.")
    file = read_agents(path)
    for name, agent in file.agents.items():
        if agent.endpoint not in file.endpoints:
            known = ", ".join(file.endpoints) or "none"
            wrong = f"agents.{name}.endpoint: there is no endpoint {agent.endpoint!r}; the file has: {known}"
            raise ModelUnusable(f"{path}: {wrong}. Fix the name.")
    for name, endpoint in file.endpoints.items():
        if not is_web_address(endpoint.base_url):
            raise ModelUnusable(f"{path}: endpoints.{name}.base_url: give an address such as http://localhost:8080/v1.")
    return [_made(name, agent, file.endpoints[agent.endpoint], environ) for name, agent in file.agents.items()]


def named_agent(name: str, environ: Mapping[str, str] = os.environ) -> NamedAgent:
    """The agent of that name, with its key. Raises ModelUnusable where there is none, or its key is not set."""
    agents = named_agents(environ)
    found = next((agent for agent in agents if agent.name == name), None)
    if found is None:
        known = ", ".join(agent.name for agent in agents) or "none"
        raise ModelUnusable(f"There is no agent {name!r} in {agents_file(environ)}. It has: {known}.")
    if found.key_variable is not None and found.settings.key == "none":
        raise ModelUnusable(f"The agent {name!r} needs {found.key_variable}. Set it to the key of its endpoint.")
    return found


def read_agents(path: Path) -> AgentsFile:
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelUnusable(f"Cannot read {path}: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ModelUnusable(f"{path} is not TOML: {error}. Fix it there.") from None
    defaults = raw.pop("defaults", {})
    if isinstance(defaults, dict) and isinstance(raw.get("agents"), dict):
        raw["agents"] = {
            name: {**defaults, **given} if isinstance(given, dict) else given for name, given in raw["agents"].items()
        }
    try:
        return AgentsFile.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ModelUnusable(f"{path}: {where}: {first['msg'][:1].lower()}{first['msg'][1:]}. Fix it there.") from None


def _made(name: str, agent: AgentFile, endpoint: EndpointFile, environ: Mapping[str, str]) -> NamedAgent:
    key = environ.get(endpoint.key_variable, "").strip() if endpoint.key_variable else ""
    if not (key.isascii() and key.isprintable()):
        raise ModelUnusable(f"{endpoint.key_variable} contains invalid characters. Copy the key again.")
    sampling = {
        "temperature": agent.temperature,
        "top_p": agent.top_p,
        "seed": agent.seed,
        "reasoning_effort": agent.effort,
        **agent.extra_body,
    }
    fixed = {field: value for field, value in endpoint.manner.model_dump().items() if value is not None}
    settings = Settings(
        base_url=endpoint.base_url,
        key=key or "none",
        concurrency=endpoint.concurrency,
        seconds=agent.seconds,
        tries=agent.tries,
        reply_tokens=agent.reply_tokens,
        prompt_tokens=agent.prompt_tokens or usual_prompt(endpoint.base_url),
        schema=endpoint.schema_,
        cache=endpoint.cache,
        options=tuple((field, value) for field, value in sampling.items() if value is not None),
        manner=replace(Manner(), **fixed),
        key_name=endpoint.key_variable or f"key_variable of endpoints.{agent.endpoint} in {FILE}",
        address_name=f"base_url of endpoints.{agent.endpoint} in {FILE}",
        length_name=f"reply_tokens of agents.{name} in {FILE}",
    )
    style = Style(agent.persona, agent.system, Beside(agent.thoughts, agent.beliefs, agent.notes))
    return NamedAgent(name, agent.model, settings, style, agent.prices, agent.budget, endpoint.key_variable)
