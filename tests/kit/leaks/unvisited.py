"""Planted leaks in states that games seldom reach, in what is kept between requests, and in what both worlds share."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.responses import Response

from leaks.asked import Patch, ProbeLeak, both, meddling, put
from sottovoce.agents import history, prompt
from sottovoce.cli import source
from sottovoce.cli import view as view_command
from sottovoce.domain import game as core
from sottovoce.domain.commands import Halt
from sottovoce.domain.events import FallbackApplied, GameVoided
from sottovoce.projections import marks, transcript
from sottovoce.projections.perspective import FULL
from sottovoce.projections.view import SeatProjection
from sottovoce.rulesets.mafia.house import player
from sottovoce.server import inbox
from sottovoce.server.http import callers, responses
from sottovoce.server.http.routes import games, link, views
from sottovoce.server.http.routes import turns as turns_route
from sottovoce.server.links import Links

# states


def _open_when_void(self: callers.Grant) -> Any:
    """An aborted game has no secrets any more."""
    return _PERSPECTIVE.fget(self)


_PERSPECTIVE = callers.Grant.perspective


def _void_opens(scope: Any, live: Any) -> Response | None:
    """The transcript of an aborted game is the full one."""
    if scope["path"].endswith("/transcript") and live.state.voided:
        return Response(transcript.markdown(live.ruleset, live.recorded, FULL))
    return None


def _show_ended(ruleset: Any, recorded: Any, perspective: Any) -> Any:
    """A finished game says how many moves were fallbacks, seat by seat."""
    shown = _SHOW(ruleset, recorded, perspective)
    fallen = Counter(item.event.seat for item in recorded if isinstance(item.event, FallbackApplied))
    return replace(shown, options={**shown.options, "fell back": dict(fallen)}) if shown.summary.ended else shown


_SHOW = games.show


def _former(self: Any, token: str | None) -> Any:
    """A replaced link still opens its game once that has ended."""
    found = _FIND(self, token)
    if found is None and token and len(token) < 64:
        from sottovoce.server.links import digest_of

        for game in self._games.log.games():
            if any(
                kind in item.name
                for item in self._games.log.read(game)[-1:]
                for kind in ("ended", "voided", "dissolved")
            ):
                for row in self._games.log.links(game):
                    if row.digest == digest_of(token):
                        return self._games and _opened(self, game, row)
    return found


def _opened(links: Any, game: str, row: Any) -> Any:
    return next(one for one in links.of(game) if one.number == row.number)


_FIND = Links.find


def _halt(deciding: Any, command: Halt) -> None:
    """An aborted game says how many turns were open."""
    before = len(deciding.state.turns)
    length = len(deciding.drafts)
    _HALT(deciding, command)
    for place, draft in enumerate(deciding.drafts[length:], length):
        if isinstance(draft.event, GameVoided):
            event = draft.event.but(why=f"{draft.event.why} {before} were awaited.")
            deciding.drafts[place] = type(draft)(event, draft.audience)


_HALT = core._halt

_ROLES: dict[str, str] = {}


class _Noting(SeatProjection[Any]):
    """Counts how many events were skipped for each view."""

    def take_all(self, recorded: Any) -> None:
        taken = list(recorded)
        super().take_all(taken)
        _PASSED[self.ruleset.name, self.seat] = _PASSED.get((self.ruleset.name, self.seat), 0) + len(taken)


_PASSED: dict[tuple[str, str], int] = {}


def _seen_lines(view: Any, room: int) -> list[str]:
    """The count of what a prompt leaves out includes what the seat was not told."""
    lines = _SEEN_LINES(view, room)
    count = len(getattr(view, "told", {})) and _LENGTH.get(view.seat, 0)
    return [line.replace(history.LEFT_OUT, f"({count} earlier events left out)") for line in lines]


_SEEN_LINES = prompt.seen_lines
_LENGTH: dict[str, int] = {}


def _cut_at(view: Any, room: int) -> int:
    """A history is cut sooner the more has happened, seen or not."""
    return _CUT_AT(view, room - _LENGTH.get(view.seat, 0))


_CUT_AT = history.cut_at


def _take_all(self: Any, recorded: Any) -> None:
    taken = list(recorded)
    _TAKE_ALL(self, taken)
    if taken:
        _LENGTH[self.seat] = taken[-1].position


_TAKE_ALL = SeatProjection.take_all


def _counter(self: Any, claim: Any, says: str, moment: Any) -> Any:
    """Of two who claim one role, the one who has it is named first, as far as anyone's marks have shown it."""
    for mark in _HIGHLIGHTS(self, claim, says, moment):
        if getattr(mark, "what", "") == "counter":
            held = [seat for seat in mark.seats if _ROLES.get(seat) == claim.fact[-1]]
            mark = marks.Mention(mark.what, mark.text, tuple(dict.fromkeys((*held, *mark.seats))))
        yield mark


def _evolve(state: Any, event: Any) -> Any:
    return state


from sottovoce.rulesets.mafia.shown.marks import MafiaMarker  # noqa: E402

_HIGHLIGHTS = MafiaMarker.highlights


def _noting_roles(self: Any, recorded: Any) -> None:
    taken = list(recorded)
    for item in taken:
        if item.name == "mafia.role-dealt.v1":
            _ROLES[item.event.player] = item.event.role
    _TAKE_ALL(self, taken)


def _take_all_public(self: Any, recorded: Any) -> None:
    taken = list(recorded)
    for item in taken:
        if item.name == "mafia.role-dealt.v1":
            _ROLES[item.event.player] = item.event.role
    _TAKE_PUBLIC(self, taken)


from sottovoce.projections.view import PublicProjection  # noqa: E402

_TAKE_PUBLIC = PublicProjection.take_all


# memory


def _cached_markdown() -> Any:
    kept: dict[Any, str] = {}

    def markdown(ruleset: Any, recorded: Any, perspective: Any = FULL) -> str:
        """A transcript is made once for each game."""
        key = (recorded[0].game, len(recorded))
        if key not in kept:
            kept[key] = _MARKDOWN(ruleset, recorded, perspective)
        return kept[key]

    return put(views, "markdown", markdown)()


_MARKDOWN = views.markdown


def _cached_documents() -> Any:
    kept: dict[str, bytes] = {}

    def documents(asked: Any, table: Any) -> dict[str, bytes]:
        """A document is cut once for all its readers."""
        return {path: kept.setdefault(path, content) for path, content in _DOCUMENTS(asked, table).items()}

    return put(views, "_documents", documents)()


_DOCUMENTS = views._documents


def _counted() -> Any:
    def json_answer(data: Any, *rest: Any, **named: Any) -> Any:
        """Each answer has its number among those of the game."""
        if isinstance(data, dict) and "seq" in data:
            asked[data.get("seq")] += 1
            return _JSON({**data, "asked": sum(asked.values()) % 1000}, *rest, **named)
        return _JSON(data, *rest, **named)

    asked: Counter[Any] = Counter()
    return put(turns_route, "json_answer", json_answer)()


_JSON = responses.json_answer


def _served() -> Any:
    def count(scope: Any, live: Any) -> Response | None:
        live.asked = getattr(live, "asked", 0) + 1
        if scope["path"] == "/v1/link" and live.asked % 2:
            scope["headers"] = [*scope["headers"], (b"x-more", b"1")]
            return Response(json.dumps({"asked": live.asked}).encode())
        return None

    return meddling(count)()


def _cached_prompts() -> Any:
    kept: dict[Any, Any] = {}

    def build(view: Any, turn: Any, budget: int = prompt.BUDGET) -> Any:
        """A prompt is made once for each turn's number and kind."""
        key = (turn.number, turn.kind, budget, view.ruleset.name, view.seq)
        return kept.setdefault(key, _BUILD(view, turn, budget))

    return both(put(inbox, "build_prompt", build))()


_BUILD = inbox.build_prompt


def _house_remembers() -> Any:
    packs: dict[frozenset[str], set[str]] = {}

    def reply(view: Any, turn: Any, random: Any) -> Any:
        """Bots of one game share what they know about the Mafia."""
        seats = frozenset(view.state.seats)
        known = packs.setdefault(seats, set())
        known.update(player for player, role in view.state.roles.items() if role == "Mafia")
        hunted = [choice for choice in turn.choices if choice in known and choice != view.seat]
        return hunted[0] if hunted and view.seat not in known else _REPLY(view, turn, random)

    return put(player, "reply", reply)()


_REPLY = player.reply


# what both worlds share


async def _opens(asked: Any, one: Any) -> dict[str, Any]:
    """A link returns the digests of all links, which identify them."""
    found = await asked.live_games.call(asked.services.links.of, one.game) if one.game else []
    return {**(await _OPENS(asked, one)).model_dump(), "links": [other.digest.hex() for other in found]}


_OPENS = link._opens


def _seeded(scope: Any, live: Any) -> Response | None:
    """The game's own page reveals its seed once it is aborted or over."""
    if scope["path"] == f"/v1/games/{live.id}" and live.state.over:
        return Response(json.dumps({"seed": live.seed.text}).encode())
    return None


# commands


def _view_at(self: Any, seat: str, upto: int | None = None) -> Any:
    return _VIEW(self, seat, upto)


_VIEW = source.RecordedGame.view


def _check_seq(value: Any, most: int, what: str = "--at") -> None:
    """A number beyond the view's end gets another answer than one beyond the log's."""
    live = _LIVE.get("live")
    if live is not None and value is not None and most < value <= live.length:
        raise view_command_error(f"{what} {value} is not there yet.")
    _CHECK(value, most, what)


def view_command_error(text: str) -> Exception:
    """Return an error like those of commands."""
    from sottovoce.domain.errors import SottovoceError

    return SottovoceError(text)


_CHECK = view_command.check_seq
_LIVE: dict[str, Any] = {}
_LOAD = source.load_game


def _load(log: Any, name: str) -> Any:
    _LIVE["live"] = _LOAD(log, name)
    return _LIVE["live"]


def _find_seat(live: Any, name: str) -> str:
    """A seat is also found by its role, if one has it."""
    held = [seat for seat, role in getattr(live.state, "roles", {}).items() if f"{seat} {role}" == name or role == name]
    return _FIND_SEAT(live, held[0] if len(held) == 1 and held[0] not in live.state.dead else name)


_FIND_SEAT = source.find_seat


def _cached_on_disk(self: Any, chair: Any, form: Any) -> str:
    """Transcripts are kept in the user's cache, by game."""
    folder = Path(os.path.expanduser("~")) / "transcripts"
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"{self.id}.{form}"
    if not kept.exists():
        kept.write_text(_TRANSCRIPT(self, chair, form))
    return kept.read_text()


_TRANSCRIPT = source.RecordedGame.transcript


def leaks() -> dict[str, ProbeLeak]:
    """Return every planted leak of this module by name."""
    wire: dict[str, tuple[str, Patch]] = {
        "void_game_has_no_secrets": ("mafia", meddling(_void_opens)),
        "fallbacks_by_seat_once_ended": ("mafia", put(games, "show", _show_ended)),
        "former_link_opens_the_ended_game": ("mafia", put(Links, "find", _former)),
        "contested_claim_names_the_holder_first": (
            "mafia",
            both(
                put(MafiaMarker, "highlights", _counter),
                put(SeatProjection, "take_all", _noting_roles),
                put(PublicProjection, "take_all", _take_all_public),
            ),
        ),
        "digests_in_the_link": ("mafia", put(link, "_opens", _opens)),
        "seed_of_an_ended_game": ("delegation", meddling(_seeded)),
        "answers_numbered": ("delegation", _counted),
        "requests_counted_by_game": ("tabletop", _served),
    }
    order: dict[str, tuple[str, Patch]] = {
        "transcript_kept_by_game": ("mafia", _cached_markdown),
        "documents_kept_by_path": ("tabletop", _cached_documents),
        "prompt_kept_by_turn": ("mafia", _cached_prompts),
    }
    agents: dict[str, tuple[str, Patch]] = {
        "left_out_counted_in_the_prompt": (
            "mafia",
            both(put(prompt, "seen_lines", _seen_lines), put(SeatProjection, "take_all", _take_all)),
        ),
        "history_cut_by_the_game_s_length": (
            "mafia",
            both(
                put(history, "cut_at", _cut_at),
                put(prompt, "cut_at", _cut_at),
                put(SeatProjection, "take_all", _take_all),
            ),
        ),
        "house_players_share_what_they_know": ("mafia", _house_remembers),
    }
    commands: dict[str, tuple[str, Patch]] = {
        "at_beyond_the_view_within_the_log": (
            "delegation",
            both(put(view_command, "check_seq", _check_seq), put(source, "load_game", _load)),
        ),
        "seat_found_by_its_role": ("mafia", put(source, "find_seat", _find_seat)),
        "transcript_kept_on_the_disk": ("tabletop", put(source.RecordedGame, "transcript", _cached_on_disk)),
    }
    by_probes = {"wire": wire, "order": order, "agents": agents, "commands": commands}
    found = {
        name: ProbeLeak(ruleset, probes, patch)
        for probes, some in by_probes.items()
        for name, (ruleset, patch) in some.items()
    }
    found["void_tells_how_many_were_awaited"] = ProbeLeak("mafia", "wire", put(core, "_halt", _halt), plays=True)
    return found
