"""`sottovoce audit verify` and `sottovoce audit heads`: whether the log is whole, and what to keep of it elsewhere."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from sottovoce.cli.auditor import Found
from sottovoce.cli.output import Output, say
from sottovoce.cli.place import FindingsReported, Place, UnknownName, Unreadable, find_game, json_option, print_json
from sottovoce.cli.progress import Steps
from sottovoce.cli.view_options import LookingCommand
from sottovoce.domain.safe_text import one_line
from sottovoce.eventlog.heads import heads_text
from sottovoce.eventlog.kept import Fate, Kept, read_heads
from sottovoce.eventlog.log import EventLog
from sottovoce.eventlog.verify import verify as verify_log
from sottovoce.eventlog.verify import verify_all

SHOWN = 5
"""Games that the last line names of each kind."""

BAD: tuple[Fate, ...] = ("changed", "went back", "disappeared")

Heads = Mapping[str, Sequence[Kept]]


@click.command()
@click.option("-o", "--output", metavar="FILE", help="Output file.  [default: standard output]")
@click.pass_obj
def heads(place: Place, output: str | None) -> None:
    """Print the head of every game, to save elsewhere.

    Save the lines where no one who can write to the database can change them. Check the database against them later
    with `audit verify --heads FILE`.

    \b
    Example:  sottovoce audit heads -o heads.txt
    """
    with place.log() as log, ExitStack() as stack:
        lines = list(heads_text(log))
        Output(output, stack).write(lines)


@click.command(cls=LookingCommand)
@click.argument("game", metavar="[GAME]", required=False)
@click.option("--head", metavar="HASH", help="Compare with a head hash you saved earlier.")
@click.option(
    "--heads",
    "file",
    metavar="FILE",
    help="Compare with the heads you saved with `audit heads`; - reads standard input.",
)
@json_option
@click.pass_obj
def verify(place: Place, game: str | None, head: str | None, file: str | None, as_json: bool) -> None:
    """Verify events, receipts and prompts, and locate changes.

    This proves only that the log matches the printed head hash. Save that hash elsewhere and pass it later with --head.
    Without GAME, checks every game and the rest of the database. With --heads, checks every game against the heads in
    FILE and names those that changed, went back or disappeared.

    \b
    Example:  sottovoce audit verify latest
              sottovoce audit verify
              sottovoce audit verify --heads heads.txt
    """
    if game is None and head is not None:
        raise click.UsageError("--head belongs to one game. Give GAME as well")
    if file is not None and (head is not None or place.link is not None):
        raise click.UsageError("Use --heads with --db, and without --head")
    if place.link is not None:
        from sottovoce.cli.remote import auditing

        with auditing(place.link, game or "") as used:
            answer = used.call(used.api.audit("verify", head=head))
            name, now, found = used.api.game, answer.pop("head", None), answer
    else:
        kept = None if file is None else _read(file)
        with place.log() as log:
            if game is None:
                _verify_all(log, kept, file, as_json)
                return
            # A game that has disappeared is asked for by its whole id.
            name = game if kept and game in kept else find_game(log, game)
            if kept is not None and name not in kept:
                raise UnknownName(f"{file} has no head for game {name}. Give another file, or none.")
            now = log.head(name)
            found = verify_log(log, name, head, kept=(kept or {}).get(name, ())).to_json()
    if as_json:
        print_json(found)
    elif found["ok"]:
        _agreement(name, now, found)
    if found["ok"]:
        return
    if not as_json:
        for problem in found["problems"]:
            say(f"{_place(problem)}: {one_line(problem['what'])}")
    raise FindingsReported(f"Game {name} does not verify: {_times(len(found['problems']), 'problem')}.")


def _read(file: str) -> Heads:
    """The heads in a file. Raises Unreadable, or BadHead for a line that is none."""
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except (OSError, ValueError) as error:
        raise Unreadable(file, error) from None
    return read_heads(raw.decode("utf-8", "replace").splitlines(), "standard input" if file == "-" else file)


def _verify_all(log: EventLog, kept: Heads | None, file: str | None, as_json: bool) -> None:
    problems: dict[str | None, int] = {}
    fates: dict[Fate, list[str]] = defaultdict(list)
    with Steps(len({*log.games(), *(kept or ())})) as report:
        for name, found in verify_all(log, kept):
            problems[name] = len(found.problems)
            if name is not None:
                report(len(problems))
                if found.fate is not None:
                    fates[found.fate].append(name)
            if not as_json:
                _show(log, name, found.to_json())
            elif name is not None or not found.ok:
                told = {} if kept is None else {"kept": found.fate}
                print_json({"game": name, **found.to_json(), **told})
    flaws = problems.pop(None)
    wrong = sum(map(bool, problems.values()))
    against = _against(fates, file)
    if wrong or flaws:
        also = f", and there is {_times(flaws, 'problem')} outside the games" if flaws else ""
        raise FindingsReported(f"{wrong} of {_times(len(problems), 'game')} do not verify{also}.{against}")
    if not as_json:
        say(f"{_times(len(problems), 'game')} verified.{against}")


def _against(fates: Mapping[Fate, Sequence[str]], file: str | None) -> str:
    """What the heads that were kept say, in one sentence; nothing where none were given."""
    if file is None:
        return ""
    told = [
        f"{fate}: {one_line(', '.join(games[:SHOWN]))}{' …' if len(games) > SHOWN else ''}"
        for fate in BAD
        if (games := fates.get(fate))
    ]
    if told:
        return f" Since the heads were saved,  {'; '.join(told)}."
    return f" The saved heads of {_times(len(fates.get('agrees', ())), 'game')} agree."


def _show(log: EventLog, name: str | None, found: Found) -> None:
    """Print what was found in a game, or in the storage next to the games."""
    for problem in found["problems"]:
        where = "storage" if name is None else f"game {name}, {_place(problem)}"
        say(one_line(f"{where}: {problem['what']}"))
    if name is not None and found["ok"]:
        _agreement(name, log.head(name), found)


def _agreement(name: str, head: object, found: Found) -> None:
    if found["taken_over"]:
        say(
            f"Game {name}: receipts 1 to {found['taken_over']} came under the head when the "
            f"database was upgraded. Changes before that can't be detected."
        )
    counted = f"{_times(found['events'], 'event')} and {_times(found['receipts'], 'receipt')}"
    say(f"Game {name}: {counted} match the head {head}")


def _place(problem: Found) -> str:
    if problem["position"] is not None:
        return f"position {problem['position']}"
    return "head" if problem["receipt"] is None else f"receipt {problem['receipt']}"


def _times(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
