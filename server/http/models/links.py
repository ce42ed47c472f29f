"""Links: what they open, and those of a game."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from sottovoce.server.http.models.fields import GAME, Given, Name, example

TOKEN = "svs_kJ0c1v3dQYf8mH2sN5xW7zB9aL4eR6tU8iO0pG1jKqE"

GameLinkKind = Literal["keeper", "seat", "spectator", "auditor"]


class LinkOpens(BaseModel):
    """What a link opens.

    `game`, `seat` and `ruleset` are null if the link has none. `claimed` is when a seat link was first used, to the
    minute. `again` is the game that is played again with the same line-up, once there is one.
    """

    model_config = example(kind="seat", game=GAME, seat="Ada", ruleset="mafia", claimed=None, again=None)

    kind: Literal["host", "keeper", "seat", "spectator", "auditor"]
    game: str | None
    seat: str | None
    ruleset: str | None
    claimed: str | None
    again: str | None


class LinkRow(BaseModel):
    """A link of a game, without its token. Times are to the minute."""

    model_config = example(
        number=3, kind="seat", seat="Ada", issued="2026-05-01T18:02:00+00:00", claimed=None, ended=None
    )

    number: int
    kind: GameLinkKind
    seat: str | None
    issued: str
    claimed: str | None
    ended: str | None


class LinkRows(BaseModel):
    """All links of a game by their numbers, including revoked ones."""

    model_config = ConfigDict(extra="forbid")

    links: list[LinkRow]


class LinkWanted(Given):
    """A link to create: `seat` only for a seat link. The old link of the same kind and seat is revoked.

    With a host link, only the host's own seat.
    """

    model_config = example(kind="seat", seat="Ada")

    kind: GameLinkKind
    seat: Name | None = None


class LinkIssued(BaseModel):
    """A new link. It is shown only once."""

    model_config = example(number=4, link=f"http://127.0.0.1:8642/games/{GAME}#{TOKEN}")

    number: int
    link: str


class Links(BaseModel):
    """The links of a new game: keeper, spectator, and one for each seat played by `outside`."""

    model_config = example(
        keeper=f"http://127.0.0.1:8642/games/{GAME}#{TOKEN.replace('svs', 'svk')}",
        spectator=f"http://127.0.0.1:8642/games/{GAME}#{TOKEN.replace('svs', 'svw')}",
        seats={"Ada": f"http://127.0.0.1:8642/games/{GAME}#{TOKEN}"},
    )

    keeper: str
    spectator: str
    seats: dict[str, str]
