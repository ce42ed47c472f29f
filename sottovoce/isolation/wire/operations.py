"""The requests for every operation of the OpenAPI document, as every viewer, with valid and invalid parameters.

An operation that is not in `OPERATIONS` fails the tests: if you add an endpoint, add its requests here.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar
from urllib.parse import quote

import msgspec

from sottovoce.domain.rulesets import RULESETS
from sottovoce.server.extras import EXTRAS, choice_fields, setups
from sottovoce.server.http.seen import SEEN

A = TypeVar("A")

OFFERED = "the-bell"
"""The name of the one folder that the server offers of each kind."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a viewer."""

    name: str
    chair: str
    method: str
    path: str
    query: str = ""
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        query = f"?{self.query}" if self.query else ""
        return f"{self.method} {self.path}{query} {self.body[:80]!r} {dict(self.headers)} as {self.chair}"


@dataclass(frozen=True)
class Scene:
    """What the two worlds share, for use in requests."""

    game: str
    ruleset: str
    seat: str | None
    seats: tuple[str, ...]
    seq: int
    turns: tuple[int, ...]
    documents: tuple[str, ...] = ()
    """Return paths that exist for someone, if not for the seat."""

    @property
    def half(self) -> int:
        """Return the middle of the view."""
        return max(1, self.seq // 2)

    @property
    def turn(self) -> int:
        """Return the seat's last turn so far."""
        return self.turns[-1] if self.turns else 1


def looks(query: str) -> bool:
    """Whether a query asks for what other chairs saw, which differs once a game has opened them."""
    return any(part.partition("=")[0] in ("as", "open", "everybody") for part in query.split("&"))


@dataclass(frozen=True, slots=True)
class Ask:
    """One request for an operation. `places` fill in its path."""

    query: str = ""
    body: Any = None
    headers: tuple[tuple[str, str], ...] = ()
    places: Mapping[str, str] | None = None

    @property
    def looks(self) -> bool:
        """Whether it asks for what other chairs saw."""
        return looks(self.query)


Asks = Callable[[Scene], Sequence[Ask]]

Effect = Literal["reads", "sends", "keeps", "opens", "links"]
"""What an operation does: nothing, say something for a seat, change it for its keeper, open one, change links."""


def _having_seen(asks: Asks) -> Asks:
    """Also send the plainest request with what the client claims to have seen elsewhere: less than there is, as
    much, or more."""

    def more(scene: Scene) -> Sequence[Ask]:
        plain, *rest = asks(scene)
        told = (scene.half, scene.seq, scene.seq + 1, scene.seq + 7, 2 * scene.seq, 3 * scene.seq, "x")
        return [plain, *(replace(plain, headers=(*plain.headers, (SEEN, str(seen)))) for seen in told), *rest]

    return more


@dataclass(frozen=True)
class Operation:
    """One operation. `asks` returns its requests in a scene, the plainest first."""

    asks: Asks
    effect: Effect = "reads"


def _queries(*queries: str) -> Asks:
    """Requests that differ in the query.

    `{half}`, `{seq}`, `{seat}`, `{other}` and `{turn}` are replaced by the scene's values.
    """
    return lambda scene: [Ask(_named(query, scene)) for query in queries]


def _named(text: str, scene: Scene) -> str:
    other = next((seat for seat in scene.seats if seat != scene.seat), "nobody")
    named = {"seat": quote(scene.seat or other), "other": quote(other)}
    return text.format(half=scene.half, seq=scene.seq, next=scene.seq + 1, turn=scene.turn, **named)


PAGES = (
    *("", "after={half}", "limit=1", "after={half}&limit=2", "after=0&limit=1000", "after={seq}", "after={next}"),
    *("limit={half}", "limit=7", "after={half}&limit=1", "after=3&limit={half}"),
    *("after=99999", "after=-1", "limit=0", "limit=1001", "limit=many", "after=1&after=2", "position=1"),
)


def _view(scene: Scene) -> Sequence[Ask]:
    tags = ('"1"', f'"{scene.half}"', f'"{scene.seq}"', f'W/"{scene.seq}", "0"', f'"{scene.seq + 1}"', "*", "nonsense")
    plain = _queries(*PAGES)(scene)
    return [plain[0], *(Ask(headers=(("If-None-Match", tag),)) for tag in tags), *plain[1:]]


def _stream(scene: Scene) -> Sequence[Ask]:
    """Streams that end, because they ask for no more than there is."""
    half, seq = scene.half, scene.seq
    return [
        Ask(f"limit={seq}"),
        *([Ask(f"after={half}&limit={seq - half}")] if seq > half else []),
        Ask("limit=1", headers=(("Last-Event-ID", str(seq - 1)),)),
        Ask("limit=1", headers=(("Last-Event-ID", "0"),)),
        Ask(f"after={seq - 1}&limit=1"),
        Ask("limit=0"),
        Ask("limit=1", headers=(("Last-Event-ID", "x1"),)),
        Ask("after=-3"),
        Ask("position=3"),
    ]


def _replay(scene: Scene) -> Sequence[Ask]:
    """The viewer's own record, also compressed; and others', which only an auditor can ask for."""
    plain = _queries(
        *("", "as={seat}", "as={other}", "everybody=true", "open=true", "as=nobody", "everybody=perhaps"),
        *("position=1", "as={other}&open=true"),
    )
    packed = [Ask(headers=(("Accept-Encoding", given),)) for given in ("gzip, br", "gzip;q=0", "identity")]
    return [*plain(scene), *packed]


def _documents(scene: Scene) -> Sequence[Ask]:
    paths = [*scene.documents, "nowhere.md", "../games.db", "a/b", "%2e%2e/x"]
    return [Ask(places={"path": path}) for path in paths]


THINKING: Mapping[str, Any] = {"thoughts": "Who knows?", "beliefs": [{"player": "x", "percent": 50}], "notes": "Wait."}
"""What can come with a reply."""


def _replies(scene: Scene) -> Sequence[Ask]:
    """Texts for turns: the closed one, turns that never existed, and nonsense for the one that may be open."""
    closed, turn = (scene.turns[0] if len(scene.turns) > 1 else scene.turn + 70), scene.turn
    key = (("Idempotency-Key", "key-1"),)
    return [
        Ask(body={"text": "yes"}, places={"turn": str(closed)}),
        Ask(body={"text": "yes"}, headers=key, places={"turn": "9999"}),
        Ask(body={"text": "yes"}, headers=key, places={"turn": "9999"}),
        Ask(body={"text": "?", **THINKING}, places={"turn": str(turn)}),
        Ask(body={"text": "yes"}, places={"turn": str(turn + 1)}),
    ]


def _bad_replies(scene: Scene) -> Sequence[Ask]:
    """What is refused before it reaches the rules."""
    here, long = {"turn": str(scene.turn)}, (("Idempotency-Key", "k" * 201),)
    return [
        Ask(body={}, places=here),
        Ask(body={"text": 3}, places=here),
        Ask(body={"text": "yes", "as": "gm"}, places=here),
        Ask(body="yes", places=here),
        Ask(body={"text": "yes"}, places={"turn": "x"}),
        Ask(body={"text": "yes"}, places={"turn": "0"}),
        Ask(body={"text": "yes"}, places={"turn": "-1"}),
        Ask(body={"text": "yes"}, headers=long, places=here),
        Ask("now=1", body={"text": "yes"}, places=here),
    ]


def _messages(scene: Scene) -> Sequence[Ask]:
    key = (("Idempotency-Key", "key-2"),)
    plain = Ask(body={"text": "May I say something?"})
    return [plain, Ask(body={"text": "Is anybody there?"}, headers=key), Ask(body={"text": "Other."}, headers=key)]


def _links(scene: Scene) -> Sequence[Ask]:
    """An auditor link is a public event, and a seat link too; the others are refused."""
    seat, auditor = {"kind": "seat", "seat": scene.seats[0]}, {"kind": "auditor"}
    nobody = {"kind": "seat", "seat": "nobody"}
    return [Ask(body=seat), Ask(body=auditor), Ask(body=nobody), Ask(body={"kind": "host"}), Ask(body={})]


def _fill(scene: Scene) -> Sequence[Ask]:
    return [
        Ask(body={"agent": "outside"}, places={"seat": quote(scene.seats[-1])}),
        Ask(body={"agent": "house"}, places={"seat": "nobody"}),
        Ask(body={"agent": "files:/tmp"}, places={"seat": quote(scene.seats[-1])}),
    ]


def _places(scene: Scene) -> Sequence[Ask]:
    known = setups()
    fields = {field.name for setup in known.values() for field in choice_fields(setup)}
    queries = ("", "x=1", *(f"{name}=a" for name in sorted(fields)))
    asked = [(name, place) for name in known for place in ("nowhere", OFFERED, "a%2fb")]
    asked += [(_plain(), "a"), ("x", "y")]
    return [Ask(query, places={"ruleset": one, "place": two}) for one, two in asked for query in queries]


def _games(scene: Scene) -> Sequence[Ask]:
    return _queries(
        *("", "status=open", "status=over", "status=held", "status=void", "status=none", f"ruleset={_plain()}"),
        *("ruleset=x", "limit=1", "limit=0", "after=nosuch", "after=elsewhere", "after=%00", "seat=1"),
        *("standing=true", "standing=perhaps", "search={seat}", "search={other}&standing=true", "search=nobody"),
    )(scene)


def _plain() -> str:
    """A ruleset that needs no setup."""
    return next(name for name in RULESETS if name not in setups())


def _open(scene: Scene) -> Sequence[Ask]:
    names = ["Ada", "Bram", "Cleo", "Dirk", "Edda"]
    return [
        Ask(body={"ruleset": _plain(), "names": names, "agent": "outside", "seed": "7"}),
        Ask(body={"ruleset": "nothing"}),
        Ask(body={"ruleset": _plain(), "agent": "files:/tmp"}),
        Ask(body={}),
    ]


GAME = "/v1/games/{game}"
PLAIN = _queries("", "nothing=1")
AGENTS = f"GET {GAME}/agents"

_PLAINLY: Mapping[str, Operation] = {
    "GET /v1/link": Operation(PLAIN),
    "POST /v1/link/claim": Operation(PLAIN, "links"),
    "GET /v1/rulesets": Operation(PLAIN),
    "GET /v1/rulesets/{ruleset}/places/{place}": Operation(_places),
    "GET /v1/games": Operation(_games),
    "POST /v1/games": Operation(_open, "opens"),
    f"GET {GAME}": Operation(_queries("", "full=1")),
    f"GET {GAME}/view": Operation(_view),
    f"GET {GAME}/stream": Operation(_stream),
    f"GET {GAME}/replay": Operation(_replay),
    f"GET {GAME}/turns": Operation(
        _queries(
            *("", "since={half}", "since={seq}", "since=99999", "since=0&wait=1", "since={seq}&wait=0.5"),
            *("since=-1", "wait=46", "wait=x", "turn=1"),
        )
    ),
    f"POST {GAME}/turns/{{turn}}": Operation(_replies, "sends"),
    f"POST {GAME}/messages": Operation(_messages, "sends"),
    f"GET {GAME}/documents": Operation(PLAIN),
    f"GET {GAME}/documents/{{path}}": Operation(_documents),
    f"GET {GAME}/transcript": Operation(
        _queries(
            *("", "format=html", "format=pdf", "format=markdown&full=1", "open=true", "format=html&open=true"),
            "everybody=true",
        )
    ),
    f"POST {GAME}/hold": Operation(PLAIN, "keeps"),
    f"POST {GAME}/resume": Operation(lambda scene: [Ask(body={}), Ask(body={"agents": {"x": "house"}})], "keeps"),
    f"PUT {GAME}/seats/{{seat}}": Operation(_fill, "keeps"),
    f"POST {GAME}/again": Operation(PLAIN, "keeps"),
    f"POST {GAME}/fork": Operation(lambda scene: [Ask(body={}), Ask(body={"at": 99999}), Ask(body={"at": 0})], "keeps"),
    f"GET {GAME}/links": Operation(PLAIN),
    f"POST {GAME}/links": Operation(_links, "keeps"),
    f"DELETE {GAME}/links/{{number}}": Operation(
        lambda scene: [Ask(places={"number": number}) for number in ("3", "77", "0", "x")], "keeps"
    ),
    f"GET {GAME}/export": Operation(_queries(*PAGES)),
    f"GET {GAME}/receipts": Operation(_queries(*PAGES)),
    f"GET {GAME}/audit/who-saw": Operation(_queries("position=1", "position=99999", "")),
    f"GET {GAME}/audit/saw": Operation(_queries("seat={other}", "seat=nobody", "")),
    f"GET {GAME}/audit/how": Operation(_queries("seat={other}&position=3", "seat={seat}&position=99999", "")),
    f"GET {GAME}/audit/prompt": Operation(_queries("seat={other}&turn=1", "seat={seat}&turn={turn}", "")),
    f"GET {GAME}/audit/leaks": Operation(PLAIN),
    f"GET {GAME}/audit/verify": Operation(_queries("", "head=x")),
    AGENTS: Operation(PLAIN),
    "GET /metrics": Operation(PLAIN),
    "GET /health/live": Operation(PLAIN),
    "GET /health/ready": Operation(PLAIN),
}

OPERATIONS: Mapping[str, Operation] = {
    name: replace(operation, asks=_having_seen(operation.asks)) for name, operation in _PLAINLY.items()
}
"""Every operation of the document. All of them accept the header that says what the client has seen."""

MCP_HEADERS = (("Accept", "application/json, text/event-stream"), ("MCP-Protocol-Version", "2025-11-25"))


def _called(tool: str, **arguments: Any) -> Any:
    """Return the body that calls a tool of a seat."""
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }


def _documents_told(scene: Scene) -> Sequence[Any]:
    return [_called("documents", path=path, offset=offset) for path in (*scene.documents, "x") for offset in (0, 9)]


TOOLS: Mapping[str, tuple[Effect, Callable[[Scene], Sequence[Any]]]] = {
    "the list": ("reads", lambda scene: [{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]),
    "look": (
        "reads",
        lambda scene: [
            _called("look"),
            _called("look", since=scene.half),
            _called("look", since=scene.seq, rules=True),
            _called("look", since=99999),
            _called("look", since=-1),
        ],
    ),
    "wait": ("reads", lambda scene: [_called("wait", since=scene.half, seconds=25), _called("wait", seconds=1e9)]),
    "documents": ("reads", lambda scene: [_called("documents"), *_documents_told(scene)]),
    "reply": (
        "sends",
        lambda scene: [
            _called("reply", turn=scene.turn, text="?", thoughts=THINKING["thoughts"], notes=THINKING["notes"]),
            _called("reply", turn=scene.turn + 70, text="yes"),
            _called("reply", turn=scene.turn, choice="nobody at all"),
        ],
    ),
    "say": ("sends", lambda scene: [_called("say", text="Is there anybody?"), _called("say", text="")]),
    "nothing": ("reads", lambda scene: [_called("nothing"), {"jsonrpc": "2.0"}, []]),
}
"""What a seat calls at `/mcp`, which has tools instead of operations: the effect of each, and its bodies."""

WAITS = _called("wait", seconds=40)
"""A call that waits while the game continues."""

BESIDE: tuple[tuple[str, str, str], ...] = (
    *(
        ("GET", "/openapi.json", ""),
        ("GET", "/metrics/", ""),
        ("GET", "/", ""),
        ("GET", "/v1", ""),
        ("GET", "/docs", ""),
    ),
    *(("GET", "/games/{game}", ""), ("GET", "/games/nosuch", ""), ("GET", "/assets/nothing.js", "")),
    *(("POST", "/csp-report", '{"csp-report": {}}'), ("GET", "/games/{game}/view", "")),
    *(("DELETE", f"{GAME}/view", ""), ("POST", f"{GAME}/stream", ""), ("HEAD", f"{GAME}/view", "")),
    *(("OPTIONS", f"{GAME}/turns", ""), ("GET", f"{GAME}/nothing", ""), ("GET", f"{GAME}/", ""), ("PATCH", GAME, "")),
    *(("GET", "/v1/games/elsewhere", ""), ("GET", "/v1/games/elsewhere/view", ""), ("GET", "/v1/games/nosuch", "")),
    *(("GET", "/v1/games/elsewhere/stream", ""), ("POST", "/v1/games/elsewhere/messages", '{"text": "yes"}')),
    *(("GET", "/v1/games/nosuch/turns", ""), ("DELETE", "/v1/games/elsewhere/links/1", "")),
)
"""Requests outside the document: method, path, body."""


def requests(name: str, asks: Sequence[Ask], scene: Scene, chair: str) -> Iterator[Request]:
    """Return the requests of an operation in a scene, for a viewer."""
    method, _, template = name.partition(" ")
    for ask in asks:
        places = {
            "game": scene.game,
            "turn": "1",
            "path": "nowhere.md",
            "seat": "x",
            "number": "1",
            **(ask.places or {}),
        }
        body = b"" if ask.body is None else msgspec.json.encode(ask.body)
        yield Request(name, chair, method, template.format(**places), ask.query, body, ask.headers)


def calls(tool: str, bodies: Sequence[Any], scene: Scene, chair: str) -> Iterator[Request]:
    """Return the requests that call a tool, for a viewer."""
    for body in bodies:
        yield Request(f"mcp {tool}", chair, "POST", "/mcp", "", msgspec.json.encode(body), MCP_HEADERS)


def beside(scene: Scene, chair: str) -> list[Request]:
    """Return requests that are not operations of the document."""
    return [
        Request(f"beside {method} {path}", chair, method, path.format(game=scene.game), "", body.encode())
        for method, path, body in BESIDE
    ]


def unsent(scene: Scene) -> Sequence[Ask]:
    """Return replies that are refused before they reach the rules, so they can be sent in any world."""
    return _bad_replies(scene)


def drawn(rng: random.Random, asks: Sequence[A], more: int) -> list[A]:
    """Return the plainest, and some of the others, in order."""
    rest = list(range(1, len(asks)))
    return [asks[0], *(asks[place] for place in sorted(rng.sample(rest, min(more, len(rest)))))]


def oversees(live: Any, chair: str, seat: str | None) -> bool:
    """Return whether the rules tell that viewer what agents do, which differs in the two worlds. `seat` is its own."""
    overseer = EXTRAS.of(live.ruleset.name).overseer
    if chair != "keeper":
        return overseer is not None and seat == overseer
    return bool(live.state.over) or (overseer is not None and not live.blind)
