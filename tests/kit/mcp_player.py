"""A player with an MCP client that knows nothing about the game: it does what each answer says to do next."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent
from patience import PATIENCE


@asynccontextmanager
async def by_http(base: str, token: str, mode: str = "auto") -> AsyncIterator[Client]:
    """A client of `/mcp`. `legacy` uses the protocol from before 2026."""
    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=PATIENCE) as http,
        Client(streamable_http_client(f"{base}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def by_stdio(*words: str, mode: str = "auto", **variables: str) -> AsyncIterator[Client]:
    """A client of `sottovoce mcp WORDS` in a separate process, with these variables."""
    started = StdioServerParameters(
        command=sys.executable, args=["-W", "error", "-m", "sottovoce", "mcp", *words], env=variables
    )
    async with Client(stdio_client(started), mode=mode) as client:
        yield client


def text_of(result: CallToolResult) -> str:
    """Return the text of a tool's answer."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def filled(outline: str, words: str) -> dict[str, Any]:
    """Fill in the fields of an outline such as `{"type": ACTION|VETO, "words": text}` with the first that fits."""
    fields = {}
    for name, held in re.findall(r'"(\w+)": (\[.*?\]|\{.*?\}|[^,}]+)', outline.strip("{}")):
        kind = held.split(" or ")[0].strip()
        simple = {"text": words, "number": 1, "boolean": False, "null": None}
        fields[name] = simple.get(kind, [] if kind.startswith("[") else kind.split("|")[0])
    return fields


@dataclass
class Player:
    """Plays as it is told: the first legal choice, or `words` for free text."""

    client: Client
    words: str = "I have nothing to hide."
    since: int = 0
    replies: int = 0
    told: list[str] = field(default_factory=list)

    async def call(self, tool: str, **given: Any) -> CallToolResult:
        """Call a tool once."""
        result = await self.client.call_tool(tool, given, read_timeout_seconds=PATIENCE)
        assert isinstance(result, CallToolResult)
        self.told.append(text_of(result))
        return result

    async def play(self) -> str:
        """Play until the game is over, and return the last text."""
        text = text_of(await self.call("look", rules=True))
        while True:
            following = text.rpartition("NEXT: ")[2]
            if found := re.search(r"since=(\d+)", following):
                self.since = int(found[1])
            if "the game is over" in following and "call look" not in following:
                return text
            if found := re.match(r"call reply with turn=(\d+)", following):
                text = await self._reply(int(found[1]), text)
            elif "call look" in following:
                text = text_of(await self.call("look", since=self.since))
            else:
                text = text_of(await self.call("wait", since=self.since))

    async def _reply(self, turn: int, text: str) -> str:
        asked = text.rpartition(f"YOUR TURN {turn}.")[2].partition("YOUR TURN ")[0]
        found = re.search(r"^Legal choices: (.*)\.$", asked, re.MULTILINE)
        outline = asked.partition("With one JSON object of this form:\n")[2].partition("\n")[0]
        if outline:
            given = {"text": json.dumps(filled(outline, self.words))}
        else:
            given = {"choice": found[1].split(", ")[0]} if found else {"text": self.words}
        self.replies += 1
        result = await self.call("reply", turn=turn, **given)
        # A time limit may have ended the turn meanwhile; any other refusal is a fault.
        assert not result.is_error or "not open" in text_of(result), text_of(result)
        return text_of(result)
