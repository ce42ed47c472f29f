"""How a server is set: a TOML file, and above it what the command line says.

Every fault is one line that names the setting. Nothing here is secret but `host_digest`'s token, which is not here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from sottovoce.agents.kinds import AFAR, KINDS, PACKAGES, AgentKind, UnknownAgent, costs, kind_of
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.plugins import PluginBroken
from sottovoce.domain.safe_text import one_line
from sottovoce.projections.bundle import INDEX
from sottovoce.server.extras import PlaceKind, place_kinds
from sottovoce.server.limits import Limits
from sottovoce.server.listen_address import ListenAddress
from sottovoce.server.samples import merged, places_within

Count = Annotated[int, Field(ge=1, le=1_000_000)]
Seconds = Annotated[float, Field(gt=0, le=3600)]


MODELS = ("openai:", "model:")
"""How the agents begin that cost something, and need a budget on a server."""


class SettingsUnusable(SottovoceError):
    """The settings are not valid."""

    exit_code = 2


def _agents(given: Any) -> Any:
    """`["house", "openai:MODEL=TOKENS"]` as names with their budgets: only a kind that costs tokens has one."""
    if not isinstance(given, list | tuple):
        return given
    found: dict[str, Any] = {}
    for item in given:
        name, equals, budget = str(item).rpartition("=")
        found[name if equals and costs(name) else str(item)] = budget if equals and costs(name) else None
    return found


def _allowed(agents: dict[str, int | None]) -> dict[str, int | None]:
    for name, budget in agents.items():
        kind = _kind(name)
        if kind is None or not (kind.afar or kind.most_tokens is not None):
            there = [kind for kind in (*KINDS, *PACKAGES.usable()) if kind.afar or kind.most_tokens is not None]
            offered = ", ".join(f"{kind}{'' if kind.most_tokens is None else '=TOKENS'}" for kind in there)
            raise ValueError(f"{name!r} can't be offered on a server. Use one of: {offered}")
        if kind.most_tokens is None and budget is not None:
            raise ValueError(f"{name} is free and needs no budget")
        if kind.most_tokens is not None and budget is None:
            raise ValueError(f"{name} needs a budget of tokens, such as {name}=1000000")
    return agents


def _kind(name: str) -> AgentKind | None:
    """The kind of the agent of that name, if there is one."""
    try:
        return kind_of(name)
    except (UnknownAgent, PluginBroken):
        return None


def _network(text: str) -> str:
    ip_network(text, strict=False)
    return text


def _host(text: str) -> str:
    if not text or any(character in text for character in "/@?# ") or text != text.strip():
        raise ValueError(f"{text!r} is not a host name, such as games.example")
    return text.lower()


def _origin(text: str) -> str:
    scheme, slashes, rest = text.partition("://")
    if scheme not in ("http", "https") or not slashes or not rest or any(mark in rest for mark in "/@?# "):
        raise ValueError(f"{text!r} is not an origin, such as https://games.example")
    return text.lower()


def _address(text: str) -> str:
    return _origin(text.rstrip("/"))


def _door(given: Any) -> Any:
    return ListenAddress.of(str(given)) if isinstance(given, str | int) else given


def _digest(text: str) -> str:
    if len(text) != 64 or set(text) - set("0123456789abcdef"):
        raise ValueError("give the SHA-256 of the token as 64 lower-case hexadecimal digits")
    return text


Host = Annotated[str, AfterValidator(_host)]
Origin = Annotated[str, AfterValidator(_origin)]
Network = Annotated[str, AfterValidator(_network)]
Agents = Annotated[dict[str, Annotated[int, Field(ge=1)] | None], BeforeValidator(_agents), AfterValidator(_allowed)]


class Bounds(BaseModel):
    """How much one client can ask of the server. A client that reaches a limit gets the status named here, and what
    to do.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    body: Annotated[int, Field(ge=1024, le=1 << 30)] = 262_144
    """Bytes of a request's body; 413."""
    header_bytes: Annotated[int, Field(ge=1024, le=1 << 20)] = 16_384
    """Bytes of a request's head; 431."""
    headers: Count = 100
    """Headers of a request; 431."""
    head_seconds: Seconds = 10.0
    """From a connection, or a request's first byte, to the end of its head; 408."""
    body_seconds: Seconds = 30.0
    """From the end of the head to the end of the body; 408."""
    idle_seconds: Annotated[int, Field(ge=1, le=3600)] = 30
    """That a connection may rest between two requests; it is closed."""
    connections: Count = 4000
    """Open at once; 503."""
    connections_per_address: Count = 500
    """Open at once from one address, except a trusted proxy's; 503."""
    streams_per_token: Count = 4
    """Streams and calls open at once with one link, except a spectator's; 429."""
    spectator_streams_per_address: Count = 50
    """Streams of spectators open at once from one address, except a trusted proxy's; 429."""
    spectator_streams: Count = 1000
    """Streams of spectators open at once; 429."""
    bodies_per_token: Count = 8
    """Requests of one link whose bodies are still on their way; 429."""
    replies_per_minute: Count = 60
    """Replies and messages by one link; 429."""
    heartbeat_seconds: Seconds = 15.0
    """Between two heartbeats of a stream."""
    send_seconds: Seconds = 20.0
    """That a reader may leave what is sent to it unread; the connection is cut."""
    farewell_seconds: Annotated[int, Field(ge=1, le=3600)] = 5
    """That what is under way may take once the server is told to stop."""


class Settings(BaseModel):
    """How one server is set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = "127.0.0.1"
    """The address or name to listen on."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8642
    """The port to listen on; 0 is any that is free."""
    address: Annotated[str, AfterValidator(_address)] | None = None
    """How others reach the server, where that is not host and port: `https://games.example`, as links are printed."""
    hosts: tuple[Host, ...] = ()
    """Host names that requests can use, in addition to loopback, `host` and that of `address`."""
    origins: tuple[Origin, ...] = ()
    """Origins of pages elsewhere that may ask."""
    proxies: tuple[Network, ...] = ()
    """Addresses or networks whose word on who asks (X-Forwarded-For, -Proto) is believed."""
    agents: Agents = Field(default_factory=lambda: dict.fromkeys(AFAR), validate_default=True)
    """Agents that players can choose; models with their token budget, otherwise None."""
    library: Path | None = None
    """A folder in which every campaign and work folder is offered too."""
    places: dict[str, dict[str, Path]] = {}
    """Folders that games can be opened with, by kind and by the name that the server shows.

    In the file each kind has its own table, which the rulesets name, such as `[campaigns]`.
    """
    host_digest: Annotated[str, AfterValidator(_digest)] | None = None
    """SHA-256 of a host token that several servers share; without it each makes its own at its start."""
    page: Path | None = None
    """A folder with a built web page, instead of the page of this version."""
    plays: bool = True
    """Whether this process plays the agents of the games; else workers do."""
    metrics: Annotated[ListenAddress, BeforeValidator(_door)] | None = None
    """Where the person who runs the server reads its metrics, as `[HOST:]PORT`; None for nowhere."""
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    """Tokens that the agents of each new game can use before it is put on hold."""
    max_cost: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """The same for money, in US dollars."""
    max_minutes: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """The same for the time that agents work."""
    task_tokens: Annotated[int, Field(ge=1)] | None = None
    """The same for the tokens of each task in a game."""
    task_cost: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """The same for the money of each task."""
    task_minutes: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """The same for the working time of each task."""

    @property
    def limits(self) -> Limits:
        """The limits of each new game."""
        whole = (self.max_tokens, self.max_cost, self.max_minutes)
        return Limits(*whole, self.task_tokens, self.task_cost, self.task_minutes)

    log_requests: bool = False
    """Whether each request is one line on stderr."""
    bounds: Bounds = Bounds()

    @property
    def url(self) -> str:
        """The server's address as it stands in links, without a slash at its end."""
        if self.address is not None:
            return self.address
        host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def trusted(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """The proxies as networks."""
        return tuple(ip_network(text, strict=False) for text in self.proxies)


def settings_from(file: Path | None, flags: Mapping[str, Any]) -> Settings:
    """The settings in a TOML file, if one is given, with what was said on the command line above them.

    Paths in the file are taken from the file's own folder. Raises SettingsUnusable.
    """
    given: dict[str, Any] = {}
    kinds = place_kinds()
    if file is not None:
        try:
            given = tomllib.loads(file.read_text(encoding="utf-8"))
        except OSError as error:
            raise SettingsUnusable(f"Cannot read {file}: {error.strerror}. Check the path.") from None
        except ValueError as error:  # UnicodeDecodeError and TOMLDecodeError
            raise SettingsUnusable(f"{file} is not valid TOML: {one_line(str(error))}.") from None
        if "places" in given:
            raise SettingsUnusable("places: unknown setting; docs/server.md lists all settings")
        given["places"] = {
            kind.name: {name: _beside(file, path) for name, path in named.items()} if isinstance(named, dict) else named
            for kind in kinds.values()
            if (named := given.pop(kind.table, None)) is not None
        }
        for name in ("page", "library"):
            if name in given:
                given[name] = _beside(file, given[name])
    places = {**given.get("places", {}), **(flags.get("places") or {})}
    library = flags.get("library") or given.get("library")
    if isinstance(library, Path):
        places = merged(places_within(library), places)
    given |= {name: value for name, value in flags.items() if value is not None and value != ()} | {"places": places}
    try:
        settings = Settings.model_validate(given)
    except ValidationError as error:
        raise SettingsUnusable("; ".join(_fault(fault, kinds) for fault in error.errors())) from None
    for kind, named in settings.places.items():
        for name, path in named.items():
            if not path.is_dir():
                raise SettingsUnusable(f"{kinds[kind].table}.{name}: {path} is not a folder. Check the path.")
    if settings.page is not None and not (settings.page / INDEX).is_file():
        raise SettingsUnusable(f"page: {settings.page} has no {INDEX}. Give the folder that `make page` writes.")
    return settings


def _beside(file: Path, path: Any) -> Any:
    return file.parent / Path(path).expanduser() if isinstance(path, str) else path


def _fault(fault: Any, kinds: Mapping[str, PlaceKind]) -> str:
    steps = [str(step) for step in fault["loc"] if step not in ("function-after", "function-before")]
    if steps[0] == "places" and len(steps) > 1:
        steps = [kinds[steps[1]].table, *steps[2:]]
    where = ".".join(steps)
    match fault["type"]:
        case "extra_forbidden":
            what = "unknown setting; docs/server.md lists all settings"
        case "value_error":
            what = str(fault["ctx"]["error"])
        case _:
            what = fault["msg"][:1].lower() + fault["msg"][1:]
    return one_line(f"{where}: {what}")
