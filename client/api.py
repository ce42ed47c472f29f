"""The calls of the HTTP API (`docs/api.md`) that one link can make.

A refused call raises ServerRefused in the server's words. The client waits for a lost network, a server that restarts,
and one that asks to wait, as long as the connection is set to. A reply has one key for all its attempts, so it is never
accepted twice.
"""

from __future__ import annotations

import asyncio
import json
import random
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import quote

import httpx2

from sottovoce.agents.agent import LONGEST_THOUGHTS, Considered, Mind
from sottovoce.client.link import Link
from sottovoce.domain.beliefs import beliefs_of
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.game import LONGEST_NOTES, LONGEST_REPLY
from sottovoce.domain.reading import readable
from sottovoce.domain.turns import NOTHING

PAGE = 500
"""Entries or events requested at once."""

SECONDS = 30.0
"""Seconds that an answer can take, not counting the time that the server is asked to wait."""

FIRST_DELAY, LONGEST_DELAY = 0.1, 2.0
"""Seconds between attempts: doubled each time, up to the maximum."""

MOST_TEXT = 2 * LONGEST_REPLY
"""Maximum characters of a text that is sent. The rules refuse a shorter one already, and say so."""

PATIENT = 20.0
"""Seconds for which an unattended command waits for a server that went away."""

AT_FIRST = 3.0
"""The same for a server that has not answered yet: most likely it is not running."""

HINT_AFTER = 1.0
"""Seconds without the server before anything is reported."""

SEEN = "Sottovoce-Seen"
"""The header in which both sides say how far this viewer has seen its game."""

_AWAY = (502, 503, 504)
_USAGE = ("invalid", "unknown")
"""Problems that are wrong usage or an unknown name on the command line too: exit code 2."""


class Unreachable(SottovoceError):
    """Can't reach the server."""


class NoServer(SottovoceError):
    """That is not a Sottovoce server."""


class ServerRefused(SottovoceError):
    """The server refused a request. `slug` is the kind of problem, the text says what to do."""

    def __init__(self, status: int, slug: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.slug = slug
        self.exit_code = 2 if slug in _USAGE else 1


class LinkEnded(ServerRefused):
    """The link is wrong or was revoked."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What a link opens: its kind, the game, the seat of a seat link, the ruleset, and when it was claimed."""

    kind: str
    game: str | None
    seat: str | None
    ruleset: str | None
    claimed: str | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a reply or message. A refused one has the reason as `message`.

    `repeated` means that it had been accepted before, `closed` that its turn was not open.
    """

    accepted: bool
    repeated: bool = False
    message: str = ""
    closed: bool = False


class Connection:
    """Sends requests to one server with one link, and retries for at most `patience` seconds while the server is away.

    It waits only `AT_FIRST` seconds for a server that has never answered. `seen` is how many entries the link's viewer
    has, according to any server; from then on no server returns fewer. `heard` is called with False when the server has
    been away for a while, and with True when it is back.
    """

    def __init__(
        self, link: Link, *, patience: float = PATIENT, heard: Callable[[bool], None] = lambda back: None
    ) -> None:
        self.link = link
        self.patience = patience
        self.heard = heard
        self.seen = 0
        self._met = False
        self._gone_since: float | None = None
        self._told = False
        self.http = httpx2.AsyncClient(
            headers={"authorization": f"Bearer {link.token}"}, timeout=SECONDS, follow_redirects=False
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.http.aclose()

    def url(self, path: str) -> str:
        """Return the address of a path of the API."""
        return f"{self.link.base}/v1{path}"

    async def ask(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        key: str | None = None,
        seconds: float = SECONDS,
        once: bool = False,
    ) -> httpx2.Response:
        """Return a successful answer. Raises ServerRefused, LinkEnded, Unreachable or NoServer.

        With `once`, the request is not repeated if the answer was lost.
        """
        named = {} if key is None else {"idempotency-key": key}
        given = {name: value for name, value in (params or {}).items() if value is not None}
        attempts = Attempts(self)
        while True:
            try:
                answer = await self.http.request(
                    method, self.url(path), params=given, json=body, headers=named | self.seen_header(), timeout=seconds
                )
            except httpx2.TransportError as error:
                if once and not isinstance(error, httpx2.ConnectError):
                    lost = f"The answer of {self.link.base} was lost ({_reason(error)})"
                    raise Unreachable(f"{lost}. Check what the request did before you repeat it.") from None
                await attempts.failed(_reason(error))
                continue
            except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                raise NoServer(f"Can't reach {self.link.place}: {_reason(error)}.") from None
            self.saw(answer.headers.get(SEEN, ""))
            wait = _wait(answer)
            if wait is not None:
                await attempts.failed(_words(answer) or f"status {answer.status_code}", wait)
                continue
            self.back()
            self.check(answer)
            return answer

    def seen_header(self) -> dict[str, str]:
        """Return the header that tells a server how far the viewer has seen."""
        return {SEEN: str(self.seen)} if self.seen else {}

    def saw(self, number: int | str) -> None:
        """Note the number of an entry that arrived, or the number in an answer's header."""
        if str(number).isdecimal():
            self.seen = max(self.seen, int(number))

    def check(self, answer: httpx2.Response) -> None:
        """Raise the error in an unsuccessful answer."""
        if answer.is_success:
            return
        seen_header = _words(answer)
        if seen_header is None:
            raise NoServer(
                f"{self.link.base} is not a Sottovoce server, or a proxy blocks it (status "
                f"{answer.status_code}). Check the address."
            )
        slug = str(_problem(answer).get("type", "")).rpartition("/")[2]
        kind = LinkEnded if answer.status_code == 401 else ServerRefused
        raise kind(answer.status_code, slug, seen_header)

    def gone(self) -> float:
        """Note that the server did not answer. Return for how many more seconds to wait for it."""
        now = time.monotonic()
        if self._gone_since is None:
            self._gone_since = now
        away = now - self._gone_since
        if self._met and away >= HINT_AFTER and not self._told:
            self._told = True
            self.heard(False)
        return (self.patience if self._met else min(AT_FIRST, self.patience)) - away

    def back(self) -> None:
        """Note that the server answers."""
        self._met = True
        self._gone_since = None
        if self._told:
            self._told = False
            self.heard(True)


class Attempts:
    """Attempts at one request: how long to wait before the next."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._delay = FIRST_DELAY

    async def failed(self, why: str, wait: float | None = None) -> None:
        """Wait before the next attempt, `wait` seconds if the server asked for that. Finally raises Unreachable."""
        connection = self._connection
        delay = self._delay * random.uniform(0.5, 1.0) if wait is None else wait
        if delay > connection.gone():
            raise Unreachable(
                f"Nothing answers at {connection.link.base} ({why}). Check that the server is running, then try again."
            )
        self._delay = min(2 * self._delay, LONGEST_DELAY)
        await asyncio.sleep(delay)


class Api:
    """The calls by name. All raise ServerRefused in the server's words, Unreachable, or NoServer."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._game = connection.link.game

    @property
    def game(self) -> str:
        """Return the ID of the link's game, once it is known."""
        if self._game is None:
            raise SottovoceError("This link is not for a game. Use a game's link.")
        return self._game

    def path(self, rest: str = "") -> str:
        """Return a path of the game."""
        return f"/games/{quote(self.game, safe='')}{rest}"

    async def link(self) -> Opened:
        """Return what the link opens."""
        return self._opened((await self.connection.ask("GET", "/link")).json())

    async def claim(self) -> Opened:
        """Claim the seat link. Idempotent."""
        return self._opened((await self.connection.ask("POST", "/link/claim")).json())

    async def open(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """Create a game and return its links. For hosts. `wanted` is as in `docs/api.md`."""
        return dict((await self.connection.ask("POST", "/games", body=wanted, once=True)).json())

    async def games(self, **wanted: Any) -> tuple[list[dict[str, Any]], bool]:
        """Return games, newest first, and whether there are older ones. A host gets all games of the server."""
        page = (await self.connection.ask("GET", "/games", params=wanted)).json()
        return list(page["games"]), page["next"] is not None

    async def links(self) -> list[dict[str, Any]]:
        """Return the game's links without their tokens. For keepers."""
        return list((await self._get("/links")).json()["links"])

    async def issue(self, kind: str, seat: str | None = None) -> dict[str, Any]:
        """Create a link, which revokes the previous one. For keepers."""
        body = {"kind": kind} if seat is None else {"kind": kind, "seat": seat}
        return dict((await self.connection.ask("POST", self.path("/links"), body=body)).json())

    async def end_link(self, number: int) -> None:
        """Revoke a link. For keepers."""
        await self.connection.ask("DELETE", self.path(f"/links/{number}"))

    async def show(self) -> dict[str, Any]:
        """Return the game's status for this viewer, as `show --json` prints it."""
        return dict((await self._get("")).json())

    async def agents(self) -> dict[str, Any]:
        """Return what agents do now and the game's budget. For keepers, auditors, and the seat that oversees agents."""
        return dict((await self._get("/agents")).json())

    async def entries(self, after: int = 0) -> list[dict[str, Any]]:
        """Return the entries of the view after that seq. An auditor link gets events by position."""
        return [item async for item in self._paged("/view", "entries", after)]

    async def replay(self, seat: str | None = None) -> dict[str, Any]:
        """Return the viewer's whole record of the game in one answer.

        An auditor can ask for a seat's, and after the end a seat for that of an open chair.
        """
        return dict((await self._get("/replay", {"as": seat})).json())

    async def turns(self, since: int | None = None, wait: float = 0.0) -> dict[str, Any]:
        """Return the seat's open turns and new entries, as `inbox --json` prints them, after at most `wait` seconds."""
        answer = await self._get("/turns", {"since": since, "wait": wait or None}, seconds=SECONDS + wait)
        return dict(answer.json())

    async def reply(self, turn: int, text: str, key: str | None = None) -> Verdict:
        """Answer a turn. Sending the same `key` again is the same reply.

        The thoughts and notes of a `Considered` reply are sent with it: thoughts for auditors, notes for the seat.
        """
        return await self._send(f"/turns/{turn}", text, key, _beside(text))

    async def say(self, text: str, key: str | None = None) -> Verdict:
        """Send an unprompted message."""
        return await self._send("/messages", text, key)

    async def transcript(self, form: str) -> str:
        """Return the game as a text, `markdown` or `html`."""
        return (await self._get("/transcript", {"format": form})).text

    async def documents(self) -> dict[str, bytes]:
        """Return the game's documents that the seat can read."""
        listed = (await self._get("/documents")).json()["documents"]
        return {item["path"]: await self._document(item["path"]) for item in listed}

    async def events(self) -> AsyncIterator[dict[str, Any]]:
        """Return the whole game as `export` prints it. For auditors."""
        async for item in self._paged("/export", "events", 0):
            yield item

    async def receipts(self) -> AsyncIterator[dict[str, Any]]:
        """Return the receipts as `export --receipts` writes them. For auditors."""
        async for item in self._paged("/receipts", "receipts", 0):
            yield item

    async def audit(self, question: str, **about: Any) -> Any:
        """Return what the audit finds, as `audit … --json` prints it. For auditors."""
        return (await self._get(f"/audit/{question}", about)).json()

    async def saw(self, seat: str, position: int | None = None) -> list[dict[str, Any]]:
        """Return what a seat had seen by that position, as `audit saw --json` prints it. For auditors."""
        return [item async for item in self._paged("/audit/saw", "entries", 0, seat=seat, at=position)]

    async def _get(
        self, rest: str, params: Mapping[str, Any] | None = None, seconds: float = SECONDS
    ) -> httpx2.Response:
        return await self.connection.ask("GET", self.path(rest), params=params, seconds=seconds)

    async def _document(self, path: str) -> bytes:
        return (await self._get(f"/documents/{quote(path)}")).content

    async def _paged(self, rest: str, name: str, after: int, **about: Any) -> AsyncIterator[dict[str, Any]]:
        while True:
            page = (await self._get(rest, {"after": after, "limit": PAGE, **about})).json()
            items: Sequence[dict[str, Any]] = page[name]
            for item in items:
                yield item
            if page.get("next") is None or not items:
                return
            after = int(page["next"])

    async def _send(self, rest: str, text: str, key: str | None, beside: Mapping[str, Any] = NOTHING) -> Verdict:
        try:
            answer = await self.connection.ask(
                "POST", self.path(rest), body={"text": text[:MOST_TEXT], **beside}, key=key or secrets.token_urlsafe(16)
            )
        except ServerRefused as refused:
            if refused.slug in ("refused", "closed"):
                return Verdict(False, message=str(refused), closed=refused.slug == "closed")
            raise
        seen_header = answer.json()
        return Verdict(bool(seen_header["accepted"]), repeated=bool(seen_header.get("repeated")))

    def _opened(self, seen_header: Mapping[str, Any]) -> Opened:
        opened = Opened(*(seen_header.get(name) for name in ("kind", "game", "seat", "ruleset", "claimed")))  # type: ignore[arg-type]
        if self._game is not None and opened.game is not None and opened.game != self._game:
            raise ServerRefused(404, "unknown", f"The link's token is not for game {self._game}. Copy the link again.")
        self._game = opened.game or self._game
        return opened


def _beside(reply: str) -> dict[str, Any]:
    """What is sent with a reply, as far as there is anything."""
    if not isinstance(reply, Considered):
        return {}
    mind = reply.mind or Mind()
    told = {
        "thoughts": readable(mind.thoughts[:LONGEST_THOUGHTS]),
        "beliefs": beliefs_of(mind.suspicion),
        "notes": readable(reply.notes[:LONGEST_NOTES]),
    }
    return {name: value for name, value in told.items() if value}


@asynccontextmanager
async def connected(
    link: Link, *, patience: float = PATIENT, heard: Callable[[bool], None] = lambda back: None
) -> AsyncIterator[Api]:
    """Yield the calls of a link, over connections that close at the end of the block."""
    async with Connection(link, patience=patience, heard=heard) as connection:
        yield Api(connection)


def _problem(answer: httpx2.Response) -> dict[str, Any]:
    if answer.headers.get("content-type", "").partition(";")[0].strip() != "application/problem+json":
        return {}
    try:
        seen_header = answer.json()
    except (json.JSONDecodeError, UnicodeDecodeError):
        return {}
    return seen_header if isinstance(seen_header, dict) else {}


def _words(answer: httpx2.Response) -> str | None:
    """Return the message of a problem document, or None if it is not one."""
    seen_header = _problem(answer)
    found = seen_header.get("detail") or seen_header.get("title")
    return str(found) if found else None


def _wait(answer: httpx2.Response) -> float | None:
    """Return the seconds to wait before a retry, or None for a final answer."""
    if answer.status_code not in (*_AWAY, 429):
        return None
    try:
        return min(max(0.0, float(answer.headers["retry-after"])), 60.0)
    except (KeyError, ValueError):
        return None if answer.status_code == 429 else FIRST_DELAY * 5


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
