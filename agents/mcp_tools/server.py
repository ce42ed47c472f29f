"""The tools of a seat as an MCP server, by the official SDK; which seat it is, the door decides."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from importlib.metadata import version
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BeforeValidator, Field

from sottovoce.agents.agent import Considered, Mind
from sottovoce.agents.extras import EXTRAS
from sottovoce.agents.mcp_tools import texts
from sottovoce.agents.mcp_tools.seat import Seat
from sottovoce.agents.models.answers import Unreadable, read
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.reading import readable
from sottovoce.domain.spellings import the_one
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

WAIT = 45.0
LONGEST_WAIT = 300.0
"""Seconds that a wait takes if nothing is said, and at most. Some clients give up after a minute."""

HASTE = 0.05
"""Seconds by which a wait may end early without meaning anything by it."""

LOOKS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ACTS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)

Since = Annotated[int, Field(ge=0, description="The number `since` that you were given last; 0 for all there is.")]
Words = Annotated[str, BeforeValidator(lambda given: "" if given is None else given)]
"""A text that may be left out: many a client sends null for what it leaves out."""
Doors = Callable[[Context[Any, Any]], AbstractAsyncContextManager[Seat]]

_log = logging.getLogger("sottovoce.mcp")


def seat_server(door: Doors, *, beat: float = 10.0) -> MCPServer[Any]:
    """Return the server whose tools act for the seat that `door` opens for a request.

    During a wait it reports every `beat` seconds that it is still waiting: on a fixed schedule, whatever happens in the
    game.
    """
    server: MCPServer[Any] = MCPServer(
        "sottovoce", instructions=texts.INSTRUCTIONS, version=version("sottovoce"), log_level="ERROR"
    )

    async def told(ctx: Context[Any, Any], act: Callable[[Seat], Awaitable[CallToolResult]]) -> CallToolResult:
        """What a tool tells, or what was in its way."""
        try:
            async with door(ctx) as seat:
                return await act(seat)
        except SottovoceError as error:
            return _failed(texts.trouble_text(str(error)))
        except Exception:
            _log.exception("a tool failed")
            return _failed(texts.trouble_text("Something went wrong here that should not have."))

    @server.tool(annotations=LOOKS)
    async def look(
        ctx: Context[Any, Any],
        since: Since = 0,
        rules: Annotated[bool, Field(description="Whether to tell the rules of the game too.")] = False,
    ) -> CallToolResult:
        """What is new at the table since `since`, and what you are asked. Returns at once."""

        async def act(seat: Seat) -> CallToolResult:
            view = await seat.seen()
            return await _told(seat, view, since, await seat.think(texts.look_text, view, since, rules=rules))

        return await told(ctx, act)

    @server.tool(annotations=LOOKS)
    async def wait(
        ctx: Context[Any, Any],
        since: Since = 0,
        seconds: Annotated[float, Field(ge=0, le=LONGEST_WAIT, description="How long to wait at most.")] = WAIT,
    ) -> CallToolResult:
        """Wait until you are asked something or the game is over, and get what is new since `since`. After 45 seconds
        it returns with what there is; call it again then."""

        async def act(seat: Seat) -> CallToolResult:
            view = await _asked(seat, seconds, beat, ctx)
            return await _told(seat, view, since, await seat.think(texts.look_text, view, since))

        return await told(ctx, act)

    @server.tool(annotations=ACTS)
    async def reply(
        ctx: Context[Any, Any],
        turn: Annotated[int, Field(ge=1, description="The number of the turn that you answer.")],
        text: Annotated[Words, Field(description="What you say, or the answer in the form that the turn wants.")] = "",
        choice: Annotated[Words, Field(description="Where the turn has legal choices: one of them.")] = "",
        thoughts: Annotated[Words, Field(description="What you thought. Nobody at the table reads it.")] = "",
        notes: Annotated[
            Words, Field(description="Your notes for yourself; you get them back. They replace those you have.")
        ] = "",
    ) -> CallToolResult:
        """Answer a turn that is open for you. A refusal changes nothing at the table and says what to fix."""

        async def act(seat: Seat) -> CallToolResult:
            view = await seat.seen()
            asked = next((each for each in view.turns if each.number == turn), None)
            words = readable(text)
            if asked is not None:
                try:
                    words = await seat.think(_reply, view, asked, words, readable(choice))
                except Unreadable as error:
                    return _failed(texts.not_sent_text(str(error), asked))
            verdict = await seat.reply(turn, _with(words, readable(thoughts), readable(notes)))
            after = await seat.seen()
            if verdict.accepted:
                return _text(await seat.think(texts.accepted_text, after))
            return _failed(await seat.think(texts.refused_text, verdict.message, after, turn))

        return await told(ctx, act)

    @server.tool(annotations=ACTS)
    async def say(
        ctx: Context[Any, Any],
        text: Annotated[str, Field(min_length=1, description="The message, in the form that the rules take.")],
    ) -> CallToolResult:
        """Send a message unasked, where the rules of the game take one. A question is answered with `reply`."""

        async def act(seat: Seat) -> CallToolResult:
            verdict = await seat.say(readable(text))
            after = await seat.seen()
            if verdict.accepted:
                return _text(await seat.think(texts.accepted_text, after))
            return _failed(await seat.think(texts.refused_text, verdict.message, after, None))

        return await told(ctx, act)

    @server.tool(annotations=LOOKS)
    async def documents(
        ctx: Context[Any, Any],
        path: Annotated[Words, Field(description="The document to read; without it they are listed.")] = "",
        offset: Annotated[int, Field(ge=0, description="The character to begin at.")] = 0,
    ) -> CallToolResult:
        """The documents of the game that you may read, such as a character's sheet: their list, or the text of one."""

        async def act(seat: Seat) -> CallToolResult:
            view = await seat.seen()
            return await _told(seat, view, 0, await seat.think(_documents, view, path, offset))

        return await told(ctx, act)

    return server


async def _asked(seat: Seat, seconds: float, beat: float, ctx: Context[Any, Any]) -> View[Any]:
    """Return the view once the seat has a turn, or after that time; meanwhile tell the client that the call is still
    waiting.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    due = 0.0
    while True:
        due = min(due + beat, seconds)
        view = await seat.asked(max(0.0, due - (loop.time() - began)))
        early = loop.time() - began < due - HASTE
        if view.turns or view.state.over or due >= seconds or early:
            return view
        await ctx.report_progress(due, seconds, "Nothing is asked of you yet.")


def _documents(view: View[Any], path: str, offset: int) -> str:
    kept = view.ruleset.documents
    return texts.documents_text(None if kept is None else kept(view.state), path, offset)


def _with(reply: str, thoughts: str, notes: str) -> Considered:
    """The reply with what came with it: in its own text, or in fields of the tool."""
    held = reply if isinstance(reply, Considered) else Considered(reply)
    before = held.mind or Mind()
    mind = Mind("\n".join(filter(None, (before.thoughts, thoughts))), before.suspicion)
    return Considered(reply, mind if mind.thoughts or mind.suspicion else None, notes or held.notes)


def _reply(view: View[Any], turn: Turn, text: str, choice: str) -> str:
    """The reply in the words that the rules read; plain words as they are read from files. Raises Unreadable."""
    if not choice:
        answer = read(text, view, turn)
        words, files = answer.reply, EXTRAS.of(view.ruleset.name).files
        if files is not None and view.ruleset.form(view.state, turn) is not None:
            words = files().reply(view, turn, words, ()) or words
        return Considered(words, Mind(answer.thoughts, answer.suspicion), answer.notes)
    legal = the_one(choice.strip(), turn.choices)
    if legal is None:
        return choice  # the rules say what is wrong with it; words beside it might name something legal
    return view.ruleset.wording(view.state, turn, legal, text.strip())


async def _told(seat: Seat, view: View[Any], since: int, text: str) -> CallToolResult:
    """The text as a result, recorded before it leaves."""
    await seat.handed(view, since, text)
    return _text(text)


def _text(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)])


def _failed(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)
