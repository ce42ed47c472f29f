"""Games as tidy tables: one row an observation, one column a variable, the same columns for every ruleset."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import FallbackApplied, Recorded, ReplyAccepted, TurnOpened, TurnWithdrawn
from sottovoce.domain.ruleset import Fact
from sottovoce.eventlog import EventLog
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.knowledge import Presence
from sottovoce.projections.measures import stated_beliefs_of, utterances
from sottovoce.projections.receipts import Receipt, endings, read_deliveries
from sottovoce.projections.seat_counts import seat_counts
from sottovoce.projections.summary import status_of
from sottovoce.projections.thoughts import thoughts
from sottovoce.server.live import LiveGame

Kind = Literal["text", "whole", "number", "flag", "time", "texts"]
"""What a column holds. `texts` are lists, which CSV has as JSON."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column and what it means. Any value may be missing."""

    name: str
    kind: Kind
    means: str


def _columns(*given: tuple[str, Kind, str]) -> tuple[Column, ...]:
    return (Column("game", "text", "the game's id"), *(Column(*one) for one in given))


TABLES: Mapping[str, tuple[Column, ...]] = {
    "games": _columns(
        ("ruleset", "text", "the ruleset"),
        ("status", "text", "over, void, held or open"),
        ("winner", "text", "the side or seat that won"),
        ("rounds", "whole", "days, beats, rounds: as the ruleset counts"),
        ("seats", "whole", "number of seats"),
        ("events", "whole", "number of events"),
        ("started", "time", "time of the first event"),
        ("ended", "time", "time of the last event, if the game is over"),
        ("seed", "text", "the seed's text, which plays the same deal again"),
        ("experiment", "text", "the experiment, if the game belongs to one"),
        ("deal", "whole", "the number of the deal, from 0"),
        ("arrangement", "text", "the arrangement of agents"),
    ),
    "seats": _columns(
        ("seat", "text", "the seat's name"),
        ("agent", "text", "its agent as the log has it"),
        ("label", "text", "its agent's label in the experiment"),
        ("part", "text", "its role, if the ruleset has parts and the game is over"),
        ("side", "text", "the side of its part"),
        ("won", "flag", "whether it won, if the game is over"),
        ("decisions", "whole", "accepted replies"),
        ("fallbacks", "whole", "fallback moves"),
        ("refusals", "whole", "refused replies and messages"),
        ("retries", "whole", "calls after the first of an attempt"),
        ("failed", "whole", "attempts without a reply"),
    ),
    "turns": _columns(
        ("seat", "text", "whose turn it is"),
        ("turn", "whole", "its number for this seat"),
        ("kind", "text", "the kind of turn"),
        ("ballot", "text", "the ballot in which it is counted"),
        ("choices", "texts", "legal choices; none where any text will do"),
        ("opened", "whole", "position of the event that opened it"),
        ("closed", "whole", "position of the event that closed it"),
        ("how", "text", "reply, fallback, withdrawn or open"),
        ("choice", "text", "what was chosen"),
        ("reason", "text", "why the fallback was played"),
        ("text", "text", "the reply"),
    ),
    "events": _columns(
        ("position", "whole", "position in the log, from 1"),
        ("name", "text", "the stored name"),
        ("at", "time", "when it was appended"),
        ("actor", "text", "whose act it is"),
        ("seen_by", "texts", "the seats that see it"),
        ("cause", "whole", "position of what it reacts to"),
        ("data", "text", "the body as JSON"),
    ),
    "ballots": _columns(
        ("ballot", "text", "the ballot"),
        ("kind", "text", "the kind of turn"),
        ("seat", "text", "who votes"),
        ("choice", "text", "for what"),
        ("fallback", "flag", "whether the rules voted instead"),
        ("position", "whole", "position of the vote"),
    ),
    "speeches": _columns(
        ("position", "whole", "position of the event"),
        ("seat", "text", "who speaks"),
        ("listeners", "texts", "who hears it"),
        ("text", "text", "the words"),
    ),
    "claims": _columns(
        ("position", "whole", "position of the speech"),
        ("seat", "text", "who claims"),
        ("about", "text", "about whom"),
        ("kind", "text", "the kind of hidden matter, such as role"),
        ("detail", "text", "the matter, such as the name of a role"),
        ("denied", "flag", "whether it is said not to be so"),
        ("true", "flag", "whether what is said is so, by the facts of the whole log"),
        ("words", "text", "the sentence"),
    ),
    "calls": _columns(
        ("call", "text", "the call's id"),
        ("seat", "text", "for which seat"),
        ("turn", "whole", "for which turn"),
        ("agent", "text", "the agent that was called"),
        ("by", "text", "how the view was sent: view, prompt, files, screen"),
        ("how", "text", "how it ended: accepted, refused, failed, …"),
        ("at", "time", "when it ended"),
        ("seconds", "number", "how long it took"),
        ("prompt_tokens", "whole", "tokens of the prompt"),
        ("reply_tokens", "whole", "tokens of the reply"),
        ("cached_tokens", "whole", "tokens of the prompt from a cache"),
        ("reasoning_tokens", "whole", "tokens of the reply that the model thought with"),
        ("cost", "number", "cost, in the currency of your prices"),
        ("model", "text", "the model that was asked for"),
        ("answered_by", "text", "the model that answered"),
        ("error", "text", "what went wrong"),
    ),
    "thoughts": _columns(
        ("position", "whole", "position of the reply or failed attempt"),
        ("seat", "text", "who thinks"),
        ("turn", "whole", "at which turn"),
        ("agent", "text", "the agent"),
        ("thoughts", "text", "its thoughts, for auditors"),
        ("notes", "text", "the notes that it kept"),
    ),
    "beliefs": _columns(
        ("call", "text", "the call with whose answer they came"),
        ("seat", "text", "who believes"),
        ("turn", "whole", "at which turn"),
        ("about", "text", "about which other seat"),
        ("likelihood", "number", "how likely it holds the matter that the ruleset asks for, from 0 to 1"),
    ),
}
"""Every table with its columns, in their order."""

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a game stands in an experiment."""

    experiment: str = ""
    deal: int | None = None
    arrangement: str | None = None
    labels: Mapping[str, str] | None = None


def rows(log: EventLog, live: LiveGame, place: Standing) -> dict[str, list[Row]]:
    """Return the rows of one game in every table."""
    receipts = log.receipts(live.id)
    found: dict[str, Iterable[Row]] = {
        "games": [_game(live, place)],
        "seats": _seats(live, place, receipts),
        "turns": (turned := list(_turns(live.recorded))),
        "events": _events(live.recorded),
        "ballots": _ballots(turned),
        "speeches": _speeches(live),
        "claims": _claims(live),
        "calls": _calls(receipts),
        "thoughts": _thoughts(live.recorded, receipts),
        "beliefs": stated_beliefs_of(receipts),
    }
    return {table: [(live.id, *row) for row in given] for table, given in found.items()}


def _game(live: LiveGame, place: Standing) -> Row:
    state, recorded = live.state, live.recorded
    standing = EXTRAS.of(live.ruleset.name).standing
    status = status_of(state)
    return (
        live.ruleset.name,
        status,
        state.winner,
        standing.rounds(state) if standing is not None else None,
        len(state.seats),
        len(recorded),
        recorded[0].at,
        recorded[-1].at if status == "over" else None,
        state.seed.text if state.seed is not None else None,
        place.experiment or None,
        place.deal,
        place.arrangement,
    )


def _seats(live: LiveGame, place: Standing, receipts: Sequence[Receipt]) -> Iterator[Row]:
    state, extras = live.state, EXTRAS.of(live.ruleset.name)
    over = status_of(state) == "over"
    parts = extras.standing.parts(state) if extras.standing is not None and over else {}
    counts = seat_counts(state.seats, [item.event for item in live.recorded], receipts)
    sides = extras.measures.sides if extras.measures is not None else {}
    for seat in state.seats:
        part, won = parts.get(seat, (None, None))
        count = counts[seat]
        yield (
            seat,
            state.agents.get(seat),
            (place.labels or {}).get(seat),
            part,
            sides.get(part or ""),
            won,
            count.decisions,
            count.fallbacks,
            count.refusals,
            count.retries,
            count.failed,
        )


def _turns(recorded: Iterable[Recorded]) -> Iterator[Row]:
    opened: dict[tuple[str, int], tuple[TurnOpened, int]] = {}

    def row(turn: TurnOpened, at: int, closed: int | None, *how: str | None) -> Row:
        return (turn.seat, turn.turn, turn.kind, turn.ballot, list(turn.choices), at, closed, *how)

    for item in recorded:
        match item.event:
            case TurnOpened() as turn:
                opened[turn.seat, turn.turn] = turn, item.position
            case ReplyAccepted(seat=seat, turn=number, choice=choice, text=text) if (seat, number) in opened:
                yield row(*opened.pop((seat, number)), item.position, "reply", choice, None, text)
            case FallbackApplied(seat=seat, turn=number, choice=choice, reason=reason) if (seat, number) in opened:
                yield row(*opened.pop((seat, number)), item.position, "fallback", choice, reason, None)
            case TurnWithdrawn(seat=seat, turn=number) if (seat, number) in opened:
                yield row(*opened.pop((seat, number)), item.position, "withdrawn", None, None, None)
    for turn, at in opened.values():
        yield row(turn, at, None, "open", None, None, None)


def _ballots(turns: Iterable[Row]) -> Iterator[Row]:
    for seat, _, kind, ballot, _, _, closed, how, choice, *_ in turns:
        if ballot is not None and how in ("reply", "fallback"):
            yield ballot, kind, seat, choice, how == "fallback", closed


def _events(recorded: Iterable[Recorded]) -> Iterator[Row]:
    presence = Presence()
    for item in recorded:
        seen_by = list(presence.audience(item))
        yield item.position, item.name, item.at, item.actor, seen_by, item.cause, item.body.decode()


def _speeches(live: LiveGame) -> Iterator[Row]:
    for one in utterances(live.ruleset, live.recorded):
        yield one.position, one.who, list(one.listeners), one.text


def _claims(live: LiveGame) -> Iterator[Row]:
    ruleset = live.ruleset
    true: frozenset[Fact] = frozenset().union(*(ruleset.facts(item.event) for item in live.recorded))
    for one in utterances(ruleset, live.recorded):
        for claim in one.claims:
            kind, detail = claim.fact[0], claim.fact[-1]
            so = (claim.fact in true) != claim.denied
            yield one.position, one.who, claim.about, kind, detail, claim.denied, so, claim.words


def _calls(receipts: Sequence[Receipt]) -> Iterator[Row]:
    ended = endings(receipts)
    for seat, given in read_deliveries(receipts).items():
        for handed in given:
            ending = ended.get(handed.call)
            if ending is None or handed.turn is None:
                continue
            notes = ending.notes
            yield (
                handed.call,
                seat,
                handed.turn,
                handed.agent,
                handed.by,
                ending.how,
                ending.at,
                ending.seconds,
                ending.prompt_tokens,
                ending.reply_tokens,
                ending.cached_tokens,
                ending.reasoning_tokens,
                ending.cost,
                _text(notes.get("model")),
                _text(notes.get("answered_by")),
                _text(notes.get("error")),
            )


def _thoughts(recorded: Sequence[Recorded], receipts: Sequence[Receipt]) -> Iterator[Row]:
    for one in thoughts(recorded, receipts):
        yield one.position, one.seat, one.turn, one.agent, one.thoughts, one.notes


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


class NoParquet(SottovoceError):
    """Parquet files need another package."""


def write_csv(folder: Path, found: Mapping[str, Sequence[Row]]) -> None:
    """Write every table as a CSV file: UTF-8, a header, nothing for what is missing, JSON for lists."""
    for table, columns in TABLES.items():
        with (folder / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([column.name for column in columns])
            writer.writerows([_cell(value) for value in row] for row in found[table])


def _cell(value: Any) -> Any:
    match value:
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.isoformat()
        case list():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return value


def require_parquet() -> None:
    """Raise NoParquet without the extra `data`."""
    if find_spec("polars") is None:
        raise NoParquet("Parquet needs the package polars. Install it with: pip install 'sottovoce[data]'")


def write_parquet(folder: Path, found: Mapping[str, Sequence[Row]]) -> None:
    """Write every table as a Parquet file, compressed with zstandard. Needs the extra `data`."""
    import polars

    kinds: dict[Kind, Any] = {
        "text": polars.String,
        "whole": polars.Int64,
        "number": polars.Float64,
        "flag": polars.Boolean,
        "time": polars.Datetime("us", "UTC"),
        "texts": polars.List(polars.String),
    }
    for table, columns in TABLES.items():
        schema = {column.name: kinds[column.kind] for column in columns}
        frame = polars.DataFrame(list(found[table]), schema=schema, orient="row")
        frame.write_parquet(folder / f"{table}.parquet", compression="zstd")
