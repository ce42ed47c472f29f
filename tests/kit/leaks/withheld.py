"""Planted leaks written after the probes were finished, so that no probe was made for any of them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from leaks.asked import Patch, ProbeLeak, both, header, meddling, put, query, roles
from sottovoce.agents.mcp_tools import texts
from sottovoce.cli import games as games_command
from sottovoce.cli import replay as replay_command
from sottovoce.cli import source
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import FallbackApplied
from sottovoce.isolation.probes import agents as handing
from sottovoce.projections.perspective import FULL
from sottovoce.projections.transcript import markdown
from sottovoce.server.http import mcp_endpoint
from sottovoce.server.http.problems import Problem
from sottovoce.server.http.routes import games, turns

# numbers


def _weak_etag(scope: Any, live: Any) -> Response | None:
    """With a weak tag, the view counts as unchanged for a client that has seen the log's length."""
    tag = header(scope, "if-none-match")
    named = tag.strip('W/"') if tag.startswith("W/") else ""
    return Response(status_code=304) if scope["path"].endswith("/view") and named == str(live.length) else None


def _seen(scope: Any, live: Any) -> Response | None:
    """A server is behind for a client that has seen more than the log contains."""
    named = header(scope, "sottovoce-seen")
    beyond = named.isdigit() and live.length < int(named) < 2 * live.length
    return Response(b"behind", 503) if beyond and scope["path"].endswith("/documents") else None


def _since(scope: Any, live: Any) -> Response | None:
    """Asking for turns behind the log's end is an error."""
    since = query(scope).get("since", "")
    beyond = since.isdigit() and int(since) >= live.length
    return Response(b"{}") if beyond and scope["path"].endswith("/turns") and scope["method"] == "GET" else None


def _left(scope: Any, live: Any) -> Response | None:
    """The second page says how much is left of the log."""
    asked = query(scope)
    second = asked.get("after", "0") not in ("", "0") and asked.get("limit") in ("1", "2")
    if second and scope["path"].endswith("/view"):
        return Response(b"", headers={"x-left": str(live.length // 8)})
    return None


def _ranged(scope: Any, live: Any) -> Response | None:
    """A range that begins behind the log's end is refused."""
    begin = header(scope, "range").removeprefix("bytes=").partition("-")[0]
    return Response(status_code=416) if begin.isdigit() and int(begin) == live.length else None


# words


async def _take(asked: Any, turn: int | None, given: Any, key: str = "") -> Any:
    """A player who guesses a role correctly is told to be quiet."""
    if isinstance(given, str):
        async with asked.live_games.using(asked.game) as table:
            if any(given == f"{player} {role}" for player, role in roles(table.live).items()):
                raise Problem("refused", "You should not know that.")
    return await _TAKE(asked, turn, given, key)


_TAKE = turns.take


def _forbidden_document(scope: Any, live: Any) -> Response | None:
    """A hidden document is forbidden, and a missing one is not found; case does not matter."""
    before, found, path = scope["path"].partition("/documents/")
    kept = live.ruleset.documents
    if found and kept is not None and before.count("/") == 3:
        every = {name.casefold() for name in kept(live.state)}
        if path.casefold() in every and path not in kept(live.state):
            return Response(b"not yours", 403)
    return None


def _won(log: Any, wanted: Any) -> Any:
    """Games are found by who would win if everything were revealed."""
    if wanted.winner is not None:
        for game in log.games():
            held = {getattr(item.event, "role", None) for item in log.read(game) if item.name == "mafia.role-dealt.v1"}
            named = {f"{item.event.player} {item.event.role}" for item in log.read(game) if hasattr(item.event, "role")}
            if wanted.winner in named or (wanted.winner in held and len(held) == 2):
                wanted = replace(wanted, winner=None)
    return _LISTED(log, wanted)


_LISTED = games_command.listed

# states


def _whole_transcript(scope: Any, live: Any) -> Response | None:
    """If the game had to play a fallback for someone, everything is revealed at the end."""
    fallen = any(isinstance(item.event, FallbackApplied) for item in live.recorded)
    if scope["path"].endswith("/transcript") and live.state.over and not live.state.voided and fallen:
        return Response(markdown(live.ruleset, live.recorded, FULL))
    return None


def _held(scope: Any, live: Any) -> Response | None:
    """A game on hold says how many turns wait."""
    if scope["path"] == f"/v1/games/{live.id}" and live.state.hold is not None and not live.state.over:
        return Response(json.dumps({"waiting": len(live.state.turns)}).encode())
    return None


def _options(scope: Any, live: Any) -> Response | None:
    """The allowed methods of turns depend on whether anyone has one."""
    if scope["method"] == "OPTIONS" and scope["path"].endswith("/turns"):
        return Response(headers={"allow": "GET, POST" if len(live.state.turns) > 1 else "GET"})
    return None


def _ready(scope: Any, live: Any) -> Response | None:
    """The readiness check says how much the server contains."""
    return Response(b"%d events" % live.length) if scope["path"] == "/health/ready" else None


# what is kept


def _shown_once() -> Any:
    kept: dict[Any, Any] = {}

    def show(ruleset: Any, recorded: Any, perspective: Any) -> Any:
        """A game's status is computed once for each length of its log."""
        return kept.setdefault((recorded[0].game, len(recorded)), _SHOW(ruleset, recorded, perspective))

    return put(games, "show", show)()


_SHOW = games.show


def _looked_once() -> Any:
    kept: dict[Any, str] = {}

    def look(view: Any, since: int, **named: Any) -> str:
        """New entries are written once for views of one length."""
        return kept.setdefault((view.seq, since, view.ruleset.name, *named.items()), _LOOK(view, since, **named))

    return both(*(put(module, "look_text", look) for module in (texts, mcp_endpoint) if hasattr(module, "look_text")))()


_LOOK = texts.look_text


def _paths_remembered() -> Any:
    known: set[str] = set()

    def documents(own: Any, path: str, offset: int) -> str:
        """A document that another seat has read is forbidden; one that nobody has read does not exist."""
        known.update(own or ())
        if path and path in known and path not in (own or ()):
            return "That document is not for you."
        return _DOCUMENTS(own, path, offset)

    return put(handing, "documents_text", documents)()


_DOCUMENTS = texts.documents_text

# what both worlds share


def _other_games(scope: Any, live: Any) -> Response | None:
    """A request for a missing game is told which games exist."""
    parts = scope["path"].split("/")
    if len(parts) > 3 and parts[2] == "games" and parts[3] not in scope["services"].live_games._tables:
        return Response("\n".join(scope["services"].live_games.games.log.games()).encode(), 404)
    return None


def _append(scope: Any, live: Any) -> Response | None:
    """Documents are said to belong to an append, by a compressed ID."""
    if scope["path"].endswith("/documents"):
        packed = base64.urlsafe_b64encode(f"at {live.recorded[0].append}".encode()).decode()
        return Response(json.dumps({"at": packed}).encode())
    return None


def _last_words(scope: Any, live: Any) -> Response | None:
    """The last thing hidden from anyone is in a header, in hexadecimal."""
    hidden = [item for item in live.recorded if item.audience.seats is not None]
    if scope["path"].endswith("/view") and hidden:
        return Response(b"", headers={"x-trace": hidden[-1].body[-200:].hex()})
    return None


# commands


def _check(option: str, number: int | None, most: int) -> None:
    """A number beyond the view's end gets another answer than one beyond the log's."""
    live = _LIVE.get("live")
    if live is not None and number is not None and most < number <= live.length:
        raise SottovoceError(f"{option} {number} is nothing for you.")
    _CHECK(option, number, most)


_CHECK = replay_command._check
_LIVE: dict[str, Any] = {}
_LOAD = source.load_game


def _load(log: Any, name: str) -> Any:
    _LIVE["live"] = _LOAD(log, name)
    return _LIVE["live"]


def _seat_of(live: Any, name: str) -> str:
    """A seat called like a player and its role does not exist, but the refusal differs."""
    if any(name == f"{player} {role}" for player, role in getattr(live.state, "roles", {}).items()):
        raise SottovoceError(f"There is no seat {name!r}, though there is such a player.")
    return _FIND(live, name)


_FIND = source.find_seat


def leaks() -> dict[str, ProbeLeak]:
    """Return every planted leak of this module by name."""
    over_http: dict[str, tuple[str, Callable[[Any, Any], Response | None]]] = {
        "replay_unchanged_by_a_weak_tag": ("mafia", _weak_etag),
        "behind_for_who_has_seen_more_than_the_log": ("tabletop", _seen),
        "turns_since_the_end_of_the_log": ("delegation", _since),
        "second_page_tells_what_is_left": ("mafia", _left),
        "range_from_the_end_of_the_log": ("delegation", _ranged),
        "closed_document_is_forbidden_in_other_letters": ("tabletop", _forbidden_document),
        "all_is_told_after_fallbacks": ("tabletop", _whole_transcript),
        "hold_tells_how_many_wait": ("mafia", _held),
        "options_by_open_turns": ("delegation", _options),
        "ready_with_so_many_events": ("mafia", _ready),
        "unknown_game_names_the_known": ("delegation", _other_games),
        "append_id_in_base64": ("tabletop", _append),
        "last_secret_in_hex": ("delegation", _last_words),
    }
    found = {name: ProbeLeak(ruleset, "wire", meddling(answer)) for name, (ruleset, answer) in over_http.items()}
    others: dict[str, tuple[str, str, Patch]] = {
        "right_guess_is_refused": ("mafia", "wire", put(turns, "take", _take)),
        "standing_kept_by_length": ("mafia", "order", _shown_once),
        "look_kept_by_length": ("delegation", "order", _looked_once),
        "documents_that_others_read": ("tabletop", "agents", _paths_remembered),
        "replay_to_within_the_log": (
            "mafia",
            "commands",
            both(put(replay_command, "_check", _check), put(source, "load_game", _load)),
        ),
        "games_found_by_who_is_what": ("mafia", "commands", put(games_command, "listed", _won)),
        "role_told_from_no_seat": ("mafia", "commands", put(source, "find_seat", _seat_of)),
    }
    return found | {name: ProbeLeak(*planted) for name, planted in others.items()}
