"""`sottovoce import`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from sottovoce.cli.output import say
from sottovoce.cli.place import Place, Unreadable, json_option, print_json
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import GameForked, GameOpened, Recorded
from sottovoce.domain.game import fold
from sottovoce.domain.rulesets import RULESETS
from sottovoce.eventlog.envelope import SALT_BYTES, audience_text, envelope, leaf_hash, to_micros
from sottovoce.eventlog.registry import default_registry
from sottovoce.projections.exports import Exported, parse_line
from sottovoce.server.ids import LONGEST_ID, fresh_id, is_append_id, is_game_id
from sottovoce.server.live import LiveGame

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SHOWN = 40
"""Characters of a wrong id that its refusal shows."""


class NotImported(SottovoceError):
    """Nothing was imported."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}. Nothing was imported.")


@click.command("import")
@click.argument("files", metavar="FILE…", nargs=-1, required=True)
@click.option(
    "--format",
    "form",
    metavar="FORMAT",
    type=click.Choice(("aiwolf", "chat")),
    help="Read logs of another program: aiwolf, or chat (LLMafia).  [default: an exported game]",
)
@json_option
@click.pass_obj
def import_(place: Place, files: tuple[str, ...], form: str | None, as_json: bool) -> None:
    """Import an exported game, or logs of other programs.

    An exported game keeps its ID, and every event is checked against its hash first. Importing the same game again
    changes nothing. A different game with the same ID is rejected.

    With --format each FILE is the log of a game. Such games are over: they can be viewed, audited and exported.

    \b
    Examples: sottovoce import game.jsonl
              sottovoce import --format aiwolf 000.log 001.log
              sottovoce import --format chat games/0001
    """
    if form is not None:
        _import_logs(place, form, files, as_json)
        return
    if len(files) > 1:
        raise click.UsageError("Import exported games one at a time")
    (file,) = files
    recorded = _checked(list(_lines(file)))
    game = recorded[0].game
    with place.games(create=True) as games:
        if games.log.head(game) is not None:
            here = games.log.read(game)
            if [item.hash for item in here] != [item.hash for item in recorded]:
                raise NotImported(f"Another game already has the id {game}, with {len(here)} events")
            news = "is already imported"
        else:
            opening = recorded[0].event
            assert isinstance(opening, GameOpened)
            asyncio.run(games.store(LiveGame(game, RULESETS[opening.ruleset]), recorded))
            news = "imported"
    if as_json:
        print_json({"game": game, "events": len(recorded), "new": news == "imported"})
    else:
        say(f"Game {game} {news}: {len(recorded)} events.")


def _import_logs(place: Place, form: str, files: tuple[str, ...], as_json: bool) -> None:
    """Read all logs, and only then store the games that are not here yet."""
    from sottovoce.experiments.elsewhere.games import FORMATS, game_of, is_of, recorded

    stories = [FORMATS[form](Path(file)) for file in files]
    told = []
    with place.games(create=True) as games:
        for story in stories:
            game = game_of(story)
            here = games.log.read(game) if games.log.head(game) is not None else None
            if here is not None and not is_of(story, here):
                raise NotImported(f"Another game already has the id {game}, with {len(here)} events")
            events = here or recorded(story, games.clock(), fresh_id)
            if here is None:
                asyncio.run(games.store(LiveGame(game, RULESETS["elsewhere"]), events))
            told.append({"game": game, "events": len(events), "new": here is None})
    if as_json:
        print_json({"games": told})
    else:
        for one in told:
            news = "imported" if one["new"] else "is already imported"
            say(f"Game {one['game']} {news}: {one['events']} events.")


def _lines(file: str) -> Iterator[Exported]:
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except (OSError, ValueError) as error:
        raise Unreadable(file, error) from None
    for number, line in enumerate(raw.split(b"\n"), 1):
        if line.strip():
            try:
                yield parse_line(line.decode("utf-8"))
            except UnicodeDecodeError:
                raise NotImported(f"Line {number} of {file} is not UTF-8") from None
            except ValueError as error:
                raise NotImported(f"Line {number} of {file}: {error}") from None


def _checked(exported: list[Exported]) -> list[Recorded]:
    """The events decoded, each in its place and with its own hash."""
    if not exported:
        raise NotImported("The file contains no events")
    registry = default_registry()
    recorded: list[Recorded] = []
    appends: set[str] = set()
    for number, item in enumerate(exported, 1):
        if item.game != exported[0].game:
            raise NotImported(f"Event {number} belongs to another game ({_short(item.game)})")
        if item.position != number:
            raise NotImported(f"Event {number} has position {item.position}")
        _check_envelope(item)
        if (not recorded or recorded[-1].append != item.append) and item.append in appends:
            raise NotImported(f"Event {number} belongs to append {item.append}, which had already ended")
        appends.add(item.append)
        try:
            ready = item.recorded(registry.decode(item.name, item.body))
        except (SottovoceError, ValueError) as error:
            raise NotImported(f"Event {number} cannot be read ({str(error).splitlines()[0]})") from None
        if not _fits(item):
            raise NotImported(f"Event {number} was changed: its hash does not match")
        if isinstance(ready.event, GameForked) and not is_game_id(ready.event.parent):
            raise NotImported(f"Event {number} names {_short(ready.event.parent)}, which is not a valid game id")
        recorded.append(ready)
    opening = recorded[0].event
    if not isinstance(opening, GameOpened) or opening.ruleset not in RULESETS:
        raise NotImported("Event 1 does not open a game of an installed ruleset")
    try:
        fold(RULESETS[opening.ruleset], [item.event for item in recorded])
    except Exception as error:
        raise NotImported(f"The events are not a valid game of {opening.ruleset} ({type(error).__name__})") from None
    return recorded


def _check_envelope(item: Exported) -> None:
    """Raise NotImported where the envelope holds what no log written here can hold."""
    if not is_game_id(item.game):
        raise NotImported(
            f"Event {item.position} has the game id {_short(item.game)}. An id has at most {LONGEST_ID} "
            "lower-case letters, digits and hyphens, and is not 'latest'"
        )
    if not is_append_id(item.append):
        raise NotImported(
            f"Event {item.position} has the append id {_short(item.append)}, which is not sixteen hex digits"
        )
    if item.cause is not None and not 1 <= item.cause < item.position:
        raise NotImported(
            f"Event {item.position} names event {_short(item.cause)} as its cause, which is not an earlier event"
        )
    if item.at < EPOCH:
        raise NotImported(f"Event {item.position} is dated {item.at.year}, before 1970")


def _short(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _fits(item: Exported) -> bool:
    """Whether the event's hash is that of its salt and envelope."""
    enveloped = envelope(
        item.game,
        item.position,
        item.append,
        item.name,
        to_micros(item.at),
        item.actor,
        audience_text(item.audience),
        item.cause,
        item.body,
    )
    return len(item.salt) == SALT_BYTES and leaf_hash(item.salt, enveloped) == item.hash
