"""Playing again: a new game with the line-up and options of a finished one, which its old links lead to."""

from __future__ import annotations

from hashlib import sha256

from fastapi import APIRouter
from starlette.responses import Response

from sottovoce.domain.events import GameOpened
from sottovoce.domain.safe_text import one_line
from sottovoce.eventlog.log import PLAYED_AGAIN, Receipt
from sottovoce.server.extras import EXTRAS
from sottovoce.server.games import ALPHABET
from sottovoce.server.http.callers import Caller, CurrentCaller, Guarded
from sottovoce.server.http.create_game import open_game
from sottovoce.server.http.models.games import PlayedAgain, Wanted
from sottovoce.server.http.openapi import answers
from sottovoce.server.http.problems import Problem
from sottovoce.server.http.responses import GameId, json_answer
from sottovoce.server.http.routes.links import link_text
from sottovoce.server.links import LinkKind, made_for_holder
from sottovoce.server.live import LiveGame

router = APIRouter(prefix="/v1/games/{game}", tags=["games"], route_class=Guarded)


@router.post(
    "/again",
    **answers(
        LinkKind.KEEPER,
        LinkKind.SEAT,
        model=PlayedAgain,
        status=201,
        means="The new game, and your link to it.",
        problems=("unknown", "refused"),
    ),
)
async def again(asked: CurrentCaller, game: GameId) -> Response:
    """Play a finished game again: a new game with the same players, agents and options, and with a new seed.

    There is one for each finished game: the first request creates it, and each old link then gets its own link to it.
    A seat link that the keeper made after the end gets none, because nobody at the new game would be told.
    """
    async with asked.live_games.using(game) as table:
        old = table.live
        await asked.live_games.catch_up(table)
        if not old.state.over:
            raise Problem("refused", "This game is not over yet. Play it to its end first.")
        await _check_age(asked, old)
        new = await _laid(asked, old)
    async with asked.live_games.using(new) as table:
        token = await asked.services.links.issue_to_holder(table.live, asked.grant.kind, asked.grant.seat)
    told = PlayedAgain(game=new, link=link_text(asked, new, token))
    return json_answer(told, 201, {"cache-control": "no-store"})


async def played_again(asked: Caller, old: LiveGame) -> str | None:
    """The id of the game that continues a finished one with the same line-up, if there is one."""
    name = _id_after(old)
    if name is None:
        return None
    return name if await asked.live_games.call(asked.live_games.games.log.head, name) is not None else None


def _id_after(old: LiveGame) -> str | None:
    """The id of the game that is played again after this one: the same for everyone who asks, and a secret. None
    before the end.
    """
    if not old.state.over or old.state.seed is None:
        return None
    digest = sha256(f"again\n{old.id}\n{old.state.seed.secret}".encode()).digest()
    return ALPHABET[digest[0] % 24] + "".join(ALPHABET[byte % len(ALPHABET)] for byte in digest[1:10])


async def _check_age(asked: Caller, old: LiveGame) -> None:
    link = asked.grant.link
    if link.kind is not LinkKind.SEAT or link.issued <= old.recorded[-1].at:
        return
    if not await asked.live_games.call(made_for_holder, asked.live_games.games.log, link):
        raise Problem(
            "refused", "This link was made after the game was over. Ask the keeper of the new game for a link."
        )


async def _laid(asked: Caller, old: LiveGame) -> str:
    """The id of the new game, which is opened if it is not there yet."""
    name = await played_again(asked, old)
    if name is not None:
        return name
    opening = old.recorded[0].event
    assert isinstance(opening, GameOpened), "every game begins with its opening"
    rules, state = old.ruleset, old.state
    needs_setup = EXTRAS.of(rules.name).setup is not None
    if needs_setup and not state.setup:
        raise Problem("refused", one_line("This game was not created on a server, so it can't be played again here."))
    wanted = Wanted(
        ruleset=rules.name,
        names=None if needs_setup else [seat for seat in opening.seats if seat not in rules.seats],
        agents=dict(state.agents),
        own=state.own,
        options=dict(opening.options),
        setup=dict(state.setup),
    )
    live = await open_game(asked.live_games, asked.services.settings, wanted, name=_id_after(old))
    asked.live_games.host(live)
    games = asked.live_games.games
    await games.record(old.id, [games.in_time(old, Receipt(PLAYED_AGAIN, games.clock(), "", {"game": live.id}))])
    return live.id
