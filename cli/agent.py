"""`sottovoce agent`."""

from __future__ import annotations

import asyncio
import math

import click

from sottovoce.agents.agent import Agent
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.kinds import KINDS, agent_for, check_detail, recorded
from sottovoce.cli.agent_check import try_agents
from sottovoce.cli.game_over import result
from sottovoce.cli.output import say
from sottovoce.cli.place import UnknownName, json_option, print_json
from sottovoce.cli.remote import again, link_argument
from sottovoce.client.link import Link, find_link
from sottovoce.client.player import Answered, Player
from sottovoce.client.seat import seated
from sottovoce.domain.safe_text import one_line
from sottovoce.projections.summary import status_of

NOT_HERE = {
    "human": "A person joins with: sottovoce join LINK",
    "outside": "Your own program can play a seat with inbox and send, or with the client in docs/client.md.",
}
HERE = ", ".join(str(kind) for kind in KINDS if kind.name not in NOT_HERE)


@click.command()
@link_argument
@click.option("--as", "spec", metavar="AGENT", required=True, help=f"Agent that plays the seat: {HERE}.")
@click.option("--quiet", is_flag=True, help="Print only the result.")
@json_option
def agent(link: str | None, spec: str, quiet: bool, as_json: bool) -> None:
    """Play a seat on a server with your own agent until the game is over.

    The agent runs here. It receives only the seat's view and sends only answers.
    LINK is as for `join`.

    \b
    Example:  sottovoce agent http://127.0.0.1:8000/games/m5x8kq2w7h#svs_TOKEN --as house
    """
    given = find_link(link)
    if spec in NOT_HERE:
        raise UnknownName(NOT_HERE[spec])
    spec = recorded(spec)
    try_agents([spec], quiet=quiet or as_json, otherwise="Nothing was played.")
    player = agent_for(spec, HouseAgent)
    assert player is not None, "outside was turned away"
    try:
        asyncio.run(_hold(given, spec, player, quiet=quiet or as_json, as_json=as_json))
    except (KeyboardInterrupt, asyncio.CancelledError):
        say(f"\nYou still have the seat. To continue: {again('agent', link)} --as {one_line(spec)}", err=True)
        raise KeyboardInterrupt from None


async def _hold(link: Link, spec: str, agent: Agent, *, quiet: bool, as_json: bool) -> None:
    answered = {"accepted": 0, "refused": 0, "failed": 0, "tokens": 0}

    def report(one: Answered) -> None:
        record, verdict = one.record, one.verdict
        answered["tokens"] += (record.prompt_tokens or 0) + (record.reply_tokens or 0)
        if verdict is None:
            answered["failed"] += 1
            told = f"failed: {one.wrong}"
        elif verdict.accepted:
            answered["accepted"] += 1
            told = "accepted"
        else:
            answered["refused"] += 1
            told = f"{'too late' if verdict.closed else 'refused'}: {verdict.message}"
        if not quiet:
            say(one_line(f"Turn {one.turn.number} ({one.turn.kind}): {told}"), err=True)

    def heard(back: bool) -> None:
        if not quiet:
            say("Reconnected." if back else "Can't reach the server. Reconnecting …", err=True)

    async with seated(link, patience=math.inf, heard=heard) as seat:
        check_detail(spec, seat.view().ruleset.name)
        if not quiet:
            say(f"Playing {seat.name} in game {seat.game}.", err=True)
        await Player(seat, agent, report=report).play()
        if as_json:
            state = seat.state
            print_json(
                {
                    "game": seat.game,
                    "seat": seat.name,
                    "status": status_of(state),
                    "winner": state.winner,
                    **answered,
                }
            )
        else:
            say(f"Game {seat.game} is over. {result(seat.state, seat.view().entries)}")
