"""A link to a game: the server, the game, and the token that opens it.

A game's link is `http://HOST:PORT/games/GAME#TOKEN`, the host link `http://HOST:PORT/#TOKEN`. The token is a secret: it
is never in an error, a `repr` or a requested address.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.safe_text import one_line

VARIABLE = "SOTTOVOCE_LINK"
"""The environment variable for a link, because process lists are public."""

KINDS = {"h": "host", "k": "keeper", "s": "seat", "w": "spectator", "a": "auditor"}
"""What a token opens, by the letter in its prefix."""

_TOKEN = re.compile(r"sv([hkswa])_[A-Za-z0-9_-]{43}")
_TOKEN_LIKE = re.compile(r"sv[a-z]_")
_GAME = re.compile(r"(.*)/games/([^/]+)/?", re.DOTALL)
_LONGEST = 4096
"""Maximum characters of a file with a link. A longer one does not contain a link."""


class LinkUnusable(SottovoceError):
    """This is not a link to a game."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Link:
    """A parsed link. `base` has no slash at its end; `game` is None if the link names no game."""

    base: str
    game: str | None
    token: str = field(repr=False)

    @property
    def kind(self) -> str:
        """Return `host`, `keeper`, `seat`, `spectator` or `auditor`, according to the token."""
        return KINDS[self.token[2]]

    @property
    def place(self) -> str:
        """Return the link without its token, which can be printed."""
        return self.base if self.game is None else f"{self.base}/games/{quote(self.game)}"

    @property
    def text(self) -> str:
        """Return the whole link, including the token."""
        return f"{self.place}#{self.token}" if self.game is not None else f"{self.base}/#{self.token}"


def parse_link(text: str) -> Link:
    """Parse the link in a text. Raises LinkUnusable, whose message never contains a token."""
    given, _, token = text.strip().partition("#")
    try:
        parts = urlsplit(given)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise LinkUnusable("That is not a link. It should look like http://HOST:PORT/games/GAME#TOKEN.")
    if parts.username is not None or parts.password is not None or parts.query:
        raise LinkUnusable("A link has no password and no query. It should look like http://HOST/games/GAME#TOKEN.")
    if not _TOKEN.fullmatch(token):
        what = "lacks its token" if not token else "has no Sottovoce token after its #"
        raise LinkUnusable(f"The link to {one_line(given)} {what}. Copy all of it, and quote it for the shell.")
    found = _GAME.fullmatch(parts.path)
    prefix, game = (found[1], unquote(found[2])) if found else (parts.path, None)
    return Link(f"{parts.scheme}://{parts.netloc}{prefix.rstrip('/')}", game, token)


def find_link(given: str | None = None, environment: Mapping[str, str] = os.environ) -> Link:
    """Return the given link, or the link in the file with this path, or without either the link in `SOTTOVOCE_LINK`.

    You can also pass the variable's name. Raises LinkUnusable, whose message contains no token.
    """
    if not given or given == VARIABLE:
        given = environment.get(VARIABLE)
        if not given:
            raise LinkUnusable(f"No link given. Give a link or a file that contains one, or set {VARIABLE}.")
    if "://" in given or "#" in given:
        return parse_link(given)
    try:
        with Path(given).expanduser().open(encoding="utf-8") as file:
            text = file.read(_LONGEST)
    except (OSError, ValueError) as error:
        if _TOKEN_LIKE.search(given):  # do not repeat it, not even a part of it
            raise LinkUnusable("A token is not a link. Give the full link, http://HOST/games/GAME#TOKEN.") from None
        why = getattr(error, "strerror", None) or "it is not text"
        raise LinkUnusable(f"{one_line(given)} is not a link and not a file that contains one ({why}).") from None
    return parse_link(text)
