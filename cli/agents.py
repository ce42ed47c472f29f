"""`sottovoce agents`."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import click

from sottovoce.agents.acp.settings import KIND, AcpSettings, named_settings, settings_for
from sottovoce.agents.agent import AgentFailed, Assignment, CallRecord, KeepingAgent, SeatRandom
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.kinds import agent_for
from sottovoce.agents.models.named import NamedAgent, named_agent, named_agents
from sottovoce.cli.auditor import Found
from sottovoce.cli.columns import print_table
from sottovoce.cli.output import say
from sottovoce.cli.place import FindingsReported, json_option, print_json
from sottovoce.domain.commands import Open
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.game import decide
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.safe_text import one_line
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View, view
from sottovoce.server.games import now

PLAYERS = ("Ada", "Bram", "Cleo", "Dirk", "Edda")
SHOWN = 60
"""Characters of an answer that `check` shows."""


@click.group()
def agents() -> None:
    """List and test the agents that you named in agents.toml.

    \b
    Example:  sottovoce agents list
    """


@agents.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the named agents: model or program, endpoint, and whether the key is set.

    \b
    Example:  sottovoce agents list
    """
    found, programs = named_agents(), named_settings()
    if as_json:
        for line in (*map(_told, found), *(_program_told(name, given) for name, given in programs.items())):
            print_json(line)
        return
    rows = [[f"model:{agent.name}", agent.model, agent.settings.shown_url, _key(agent), _how(agent)] for agent in found]
    rows += [[f"{KIND}{name}", given.command, "this computer", "", _box(given)] for name, given in programs.items()]
    print_table(["agent", "model", "endpoint", "key", "settings"], rows)


@agents.command()
@click.argument("names", metavar="[NAME]…", nargs=-1)
@json_option
def check(names: tuple[str, ...], as_json: bool) -> None:
    """Try named agents with one turn each. Without NAME: all of them.

    Each is asked for the first turn of a game, which is not saved. NAME can also be acp:CMD or command:CMD. The exit
    code is 1 if one gives no answer.

    \b
    Example:  sottovoce agents check gpt local acp:codex-acp
    """
    chosen = [_chosen(name) for name in names] or _all()
    asked = first_turn()
    found = [asyncio.run(_tried(agent, *asked)) for agent in chosen]
    for one in found:
        if as_json:
            print_json(one.to_json())
        else:
            say(f"{one.name.removeprefix('model:'):<20} {one.told}")
    failed = sum(one.error is not None for one in found)
    if failed:
        raise FindingsReported(f"{failed} agent{'s' if failed > 1 else ''} gave no answer; see above.")


def _all() -> list[str]:
    return [*(f"model:{agent.name}" for agent in named_agents()), *(f"{KIND}{name}" for name in named_settings())]


def _chosen(name: str) -> str:
    """The agent that a name on the command line stands for. Raises what is wrong with it before anything is tried."""
    if name.startswith(KIND):
        settings_for(name.removeprefix(KIND))
        return name
    if name.startswith("command:"):
        agent_for(name, HouseAgent)
        return name
    plain = name.removeprefix("model:")
    if name == plain and plain in named_settings():
        return f"{KIND}{plain}"
    return f"model:{named_agent(plain).name}"


@dataclass(frozen=True, slots=True)
class Tried:
    """How one agent did: its answer, or what went wrong; how long it took, and what its call was like."""

    name: str
    seconds: float
    reply: str | None
    error: str | None
    tokens: int | None
    manner: dict[str, Any]
    thinks: bool

    @property
    def told(self) -> str:
        if self.reply is None:
            return f"failed: {one_line(self.error or '')}"
        words = one_line(self.reply)
        shown = words if len(words) <= SHOWN else f"{words[:SHOWN]} […]"
        more = [f"{self.seconds:.1f} s", f"{'unknown' if self.tokens is None else self.tokens} tokens"]
        more += ["thinks"] if self.thinks else []
        more += [f"{name}={value}" for name, value in self.manner.items()]
        return f"answers («{shown}»; {', '.join(more)})"

    def to_json(self) -> Found:
        return {
            "agent": self.name,
            "ok": self.error is None,
            "error": self.error,
            "reply": self.reply,
            "seconds": round(self.seconds, 3),
            "tokens": self.tokens,
            "manner": self.manner,
            "thinks": self.thinks,
        }


async def _tried(spec: str, seen: View[Any], turn: Turn) -> Tried:
    game = f"check-{secrets.token_hex(4)}"
    record, started = CallRecord(assignment=Assignment(game)), time.monotonic()
    reply = error = agent = None
    try:
        agent = agent_for(spec, HouseAgent)
        assert agent is not None, "agents that answer elsewhere are not chosen"
        reply = await agent.act(seen, turn, SeatRandom(b"check"), record)
    except (AgentFailed, SottovoceError) as failed:
        error = str(failed)
    finally:
        if isinstance(agent, KeepingAgent):
            await agent.release(game, over=True)
    counted = record.prompt_tokens is not None and record.reply_tokens is not None
    tokens = (record.prompt_tokens or 0) + (record.reply_tokens or 0) if counted else None
    seconds, manner = time.monotonic() - started, record.notes.get("manner") or {}
    if "sandbox" in record.notes:
        manner = {"sandbox": record.notes["sandbox"]}
    return Tried(spec, seconds, reply, error, tokens, manner, record.mind is not None)


def first_turn() -> tuple[View[Any], Turn]:
    """The first turn of a game that needs nothing but players, as its seat sees it."""
    for name in RULESETS:
        ruleset = RULESETS[name]
        try:
            seats = ruleset.seats_for(PLAYERS)
            opening = Open(now(), seats, dict.fromkeys(seats, "house"), Seed.of("check"))
            drafts = decide(ruleset, ruleset.initial, opening)
        except SottovoceError:
            continue
        for seat in seats:
            seen = _seen(ruleset, drafts, seat)
            turn = next((turn for turn in seen.turns if ruleset.form(seen.state, turn) is None), None)
            if turn is not None:
                return seen, turn
    raise SottovoceError("No ruleset is installed that an agent can be tried with.")


def _seen(ruleset: Any, drafts: Sequence[Any], seat: str) -> View[Any]:
    from sottovoce.domain.events import Recorded

    recorded = [
        Recorded("check", at, "check", one.event.stored_name, now(), None, one.audience, None, b"", b"", b"", one.event)
        for at, one in enumerate(drafts, 1)
    ]
    return view(ruleset, recorded, seat)


def _key(agent: NamedAgent) -> str:
    if agent.key_variable is None:
        return "none needed"
    return f"{agent.key_variable} is {'set' if agent.settings.key != 'none' else 'missing'}"


def _how(agent: NamedAgent) -> str:
    told = [f"{name}={value}" for name, value in agent.settings.options]
    told += [f"persona={agent.style.persona}"] if agent.style.persona in ("auto", "on", "off") else ["own persona"]
    told += [f"{name}={wish}" for name, wish in asdict(agent.style.beside).items() if wish != "auto"]
    told += [f"budget={agent.budget}"] if agent.budget is not None else []
    return ", ".join(told)


def _told(agent: NamedAgent) -> Found:
    settings, price = agent.settings, agent.price
    return {
        "agent": f"model:{agent.name}",
        "model": agent.model,
        "endpoint": settings.shown_url,
        "key_variable": agent.key_variable,
        "key_set": agent.key_variable is None or settings.key != "none",
        "options": settings.sampling,
        "prompt_tokens": settings.prompt_tokens,
        "reply_tokens": settings.reply_tokens,
        "seconds": settings.seconds,
        "tries": settings.tries,
        "concurrency": settings.concurrency,
        "budget": agent.budget,
        "prices": None if price is None else price.model_dump(),
        "persona": agent.style.persona,
        **asdict(agent.style.beside),
        "system": agent.style.system,
    }


def _box(given: AcpSettings) -> str:
    told = [f"sandbox={given.unboxed or 'bwrap'}", f"permissions={given.permissions or 'as the game needs'}"]
    return ", ".join([*told, f"seconds={given.run.seconds:g}", *([f"mode={given.mode}"] if given.mode else [])])


def _program_told(name: str, given: AcpSettings) -> Found:
    return {
        "agent": f"{KIND}{name}",
        "command": given.command,
        "mode": given.mode,
        "permissions": given.permissions or "auto",
        "sandbox": given.unboxed or "bwrap",
        "seconds": given.run.seconds,
        "prompt_tokens": given.run.prompt_tokens,
        "environment": sorted(given.run.named),
    }
