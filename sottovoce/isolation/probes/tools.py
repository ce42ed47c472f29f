"""Probe `/mcp`: every tool that it lists, each argument with values of the hidden world."""

from __future__ import annotations

import json
import logging
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from sottovoce.isolation.probes.asks import Decks
from sottovoce.isolation.probes.coverage import Coverage
from sottovoce.isolation.probes.deck import Deck
from sottovoce.isolation.probes.inputs import Parameter, values
from sottovoce.isolation.probes.lexicon import Lexicon
from sottovoce.isolation.wire.answers import Answer
from sottovoce.isolation.wire.operations import MCP_HEADERS, Request

MOST_CALLS = 7
PATH = "/mcp"
SENDING = frozenset({"reply", "say"})
"""Tools that say something for the seat."""

PLAIN = {"integer": 4711, "number": 4711, "boolean": True}
"""What a tool is called with that needs more than is drawn: a turn that nobody has."""
BESIDES = {"seconds": 30, "text": "So be it."}

METHODS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("ping", {}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "file:///{word}"}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "{word}"}),
    (
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "{word}"}, "argument": {"name": "x", "value": "{word}"}},
    ),
    ("logging/setLevel", {"level": "debug"}),
    ("tools/call", {"name": "{word}", "arguments": {}}),
    ("roots/list", {}),
)
"""What a client can ask other than calling tools."""


@contextmanager
def quiet() -> Iterator[None]:
    """Inside this block, the SDK does not log clients' errors."""
    logger = logging.getLogger("mcp")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)


class Prober(Protocol):
    """What a caller needs from the probe for which it calls the tools."""

    decks: Decks
    coverage: Coverage
    lexicon: Lexicon
    rng: random.Random

    @property
    def answered(self) -> frozenset[int]:
        """Return the seat's own closed turns."""

    def may_say(self) -> bool:
        """Return whether nothing the seat sends moves the game on, or it moves both worlds the same way."""

    async def both(self, request: Request) -> Answer:
        """Ask both worlds, and compare their answers."""


class Caller:
    """Calls the tools for the seat of a probe."""

    def __init__(self, probe: Prober) -> None:
        self.probe = probe
        self._calls: Deck[tuple[str, str]] = probe.decks.calls

    async def read(self) -> None:
        """Call what tells the seat something, and what else the server offers."""
        tools = _listed(await self._both("tools/list", {}))
        self.probe.coverage.offered.update({tool["name"]: tool for tool in tools})
        cards = {
            (tool["name"], each): tool for tool in tools if tool["name"] not in SENDING for each in _arguments(tool)
        }
        others = {(method, ""): given for method, given in METHODS}
        for name, argument in self._calls.deal([*cards, *others], MOST_CALLS):
            if (name, argument) in others:
                answer = await self._both(name, _filled(others[name, argument], self._word()))
                for key in ("resources", "resourceTemplates", "prompts"):
                    self.probe.coverage.offered.update({one["name"]: one for one in _listed(answer, key)})
            else:
                await self._call(cards[name, argument], argument)
        for chair in self.probe.rng.sample(("spectator", "keeper", "former", "nobody"), 1):
            await self._both("tools/list", {}, chair)

    async def send(self) -> None:
        """Call what says something for the seat: for turns of others, in words that others use too."""
        tools = {tool["name"]: tool for tool in _listed(await self._both("tools/list", {}))}
        sending = [name for name in sorted(SENDING & tools.keys()) if name == "reply" or self.probe.may_say()]
        cards = {(name, each): tools[name] for name in sending for each in _arguments(tools[name])}
        for name, argument in self._calls.deal(cards, 4):
            await self._call(cards[name, argument], argument)

    async def _call(self, tool: Any, argument: str) -> None:
        """Call a tool with a value of the hidden world for one argument, and plain ones where it needs others."""
        probe, schema = self.probe, tool["inputSchema"]
        own = {turn.number for turn in probe.lexicon.own_turns} | probe.answered
        properties = schema.get("properties", {})
        given: dict[str, Any] = {
            name: PLAIN.get(properties[name].get("type"), "So be it.") for name in schema.get("required", ())
        }
        given |= {name: value for name, value in BESIDES.items() if name in properties}
        probe.coverage.tools[tool["name"], argument] += 1
        for value in self._values(properties, argument) if argument else [None]:
            if argument == "turn" and value in own:
                continue
            arguments = {**given, argument: value} if argument else given
            if argument == "offset" and (documents := probe.lexicon.own_documents):
                arguments["path"] = probe.rng.choice(documents)
            await self._both("tools/call", {"name": tool["name"], "arguments": arguments})
        if tool["name"] == "reply":
            for number, text in probe.lexicon.answers[:2]:
                if number not in own:
                    await self._both("tools/call", {"name": "reply", "arguments": {"turn": number, "text": text}})

    def _values(self, properties: Any, argument: str) -> Iterator[Any]:
        parameter = Parameter("body", argument, properties[argument])
        found = list(values(parameter, self.probe.lexicon, self.probe.rng))
        always = [one for one in found if one.kind in ("length", "document", "length of a document")][:4]
        for one in dict.fromkeys(map(json.dumps, [one.value for one in (*always, self.probe.rng.choice(found))])):
            yield json.loads(one)

    def _word(self) -> str:
        return self.probe.rng.choice(self.probe.lexicon.texts(self.probe.rng, 9) or [("", "x")])[1]

    async def _both(self, method: str, given: Any, chair: str = "seat") -> Answer:
        meta = {"_meta": {"progressToken": "p"}} if method == "tools/call" else {}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {**given, **meta}}).encode()
        return await self.probe.both(Request(PATH, chair, "POST", PATH, "", body, MCP_HEADERS))


def _arguments(tool: Any) -> list[str]:
    return ["", *tool["inputSchema"].get("properties", ())]


def _listed(answer: Answer, key: str = "tools") -> list[Any]:
    """Return the tools in an answer, which arrives as an event, or the other lists."""
    data = next((line for line in answer.body.decode().splitlines() if line.startswith("data: ")), "data: {}")
    found: list[Any] = json.loads(data.removeprefix("data: ")).get("result", {}).get(key, [])
    return found


def _filled(given: Any, word: str) -> Any:
    if isinstance(given, dict):
        return {name: _filled(value, word) for name, value in given.items()}
    return given.replace("{word}", word) if isinstance(given, str) else given
