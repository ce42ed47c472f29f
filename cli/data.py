"""`sottovoce data`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import click

from sottovoce.cli.output import say
from sottovoce.cli.place import Place, find_game
from sottovoce.domain.errors import SottovoceError
from sottovoce.eventlog import EventLog

FORMS = ("csv", "parquet", "eval", "training")

Game = tuple[str, str, int | None, str | None, dict[str, str]]
"""A game's id, and where it stands in an experiment: its name, the deal, the arrangement, and the labels of seats."""


@click.command()
@click.argument("what", metavar="GAME|EXPERIMENT…", nargs=-1, required=True)
@click.option("--to", "into", metavar="DIR", required=True, help="Folder for the files; created if needed.")
@click.option(
    "--format",
    "forms",
    metavar="FORM",
    type=click.Choice(FORMS),
    multiple=True,
    help="csv, parquet, eval or training. Repeatable.  [default: csv]",
)
@click.option("--sent-only", is_flag=True, help="With training: only decisions whose prompt was sent to a model.")
@click.pass_obj
def data(place: Place, what: tuple[str, ...], into: str, forms: tuple[str, ...], sent_only: bool) -> None:
    """Export games as tables, Inspect logs or training data. Contains every secret of the games.

    Name games by ID or `latest`, an experiment by its file, a batch by its name.

    \b
    Examples: sottovoce data latest --to out
              sottovoce data league.yaml --to out --format csv --format parquet --format eval
    """
    if sent_only and "training" not in forms:
        raise click.UsageError("--sent-only needs --format training")
    target = _folder(into)
    with place.log() as log:
        games = list(dict.fromkeys(game[0] for one in what for game in _games(log, one)))
        places = {game[0]: game for one in what for game in _games(log, one)}
        if not games:
            raise SottovoceError("There are no games yet in what you named. Play some first.")
        for form in dict.fromkeys(forms or ("csv",)):
            WRITERS[form](target, log, [places[game] for game in games], sent_only)
    say(f"{len(games)} game{'' if len(games) == 1 else 's'} written to {into}.", err=True)


def _folder(folder: str) -> Path:
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
        if not os.access(target, os.W_OK):
            raise PermissionError(13, "Permission denied")
    except (OSError, ValueError) as error:
        raise click.UsageError(f"cannot write to {folder}: {getattr(error, 'strerror', None) or error}") from None
    return target


def _games(log: EventLog, what: str) -> Iterator[Game]:
    """The games of what was named that were opened."""
    from sottovoce.server.batches import find, names

    if what.endswith((".yaml", ".yml")):
        yield from _experiment(log, what)
    elif what in names(log):
        for plan in find(log, what).plans:
            if plan.game is not None and log.head(plan.game) is not None:
                yield plan.game, what, None, None, {}
    else:
        yield find_game(log, what), "", None, None, {}


def _experiment(log: EventLog, file: str) -> Iterator[Game]:
    from sottovoce.experiments.batches import kept
    from sottovoce.experiments.designs import Experiment
    from sottovoce.experiments.file import ExperimentUnusable, read_experiment

    chosen = Experiment(read_experiment(file))
    found = kept(log, chosen)
    if found is None:
        raise ExperimentUnusable(
            f"Experiment {chosen.file.name!r} has no games yet. Play it with: sottovoce experiment run {file}"
        )
    for planned, game in found.games:
        if game and log.head(game) is not None:
            yield game, chosen.file.name, planned.deal, planned.arrangement, dict(planned.labels)


def _rows(log: EventLog, games: Sequence[Game]) -> dict[str, list[tuple[object, ...]]]:
    from sottovoce.experiments.tables import TABLES, Standing, rows
    from sottovoce.server.live import load

    found: dict[str, list[tuple[object, ...]]] = {table: [] for table in TABLES}
    for game, experiment, deal, arrangement, labels in games:
        for table, given in rows(log, load(log, game), Standing(experiment, deal, arrangement, labels)).items():
            found[table] += given
    return found


def _csv(target: Path, log: EventLog, games: Sequence[Game], sent_only: bool) -> None:
    from sottovoce.experiments.tables import write_csv

    write_csv(target, _rows(log, games))


def _parquet(target: Path, log: EventLog, games: Sequence[Game], sent_only: bool) -> None:
    from sottovoce.experiments.tables import require_parquet, write_parquet

    require_parquet()
    write_parquet(target, _rows(log, games))


def _evals(target: Path, log: EventLog, games: Sequence[Game], sent_only: bool) -> None:
    from sottovoce.experiments.evals import write_eval
    from sottovoce.server.live import load

    for game, experiment, deal, arrangement, _ in games:
        about = {"experiment": experiment, "deal": deal, "arrangement": arrangement} if experiment else {}
        write_eval(target / f"{game}.eval", log, load(log, game), about)


def _training(target: Path, log: EventLog, games: Sequence[Game], sent_only: bool) -> None:
    with (target / "training.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in _training_lines(log, games, sent_only))


def _training_lines(log: EventLog, games: Iterable[Game], sent_only: bool) -> Iterator[str]:
    from sottovoce.experiments.decisions import decisions, results, training_line
    from sottovoce.server.live import load

    for game, *_ in games:
        live = load(log, game)
        parts = results(live)
        for one in decisions(log, live, sent_only=sent_only):
            yield training_line(live, one, parts)


WRITERS: dict[str, Callable[[Path, EventLog, Sequence[Game], bool], None]] = {
    "csv": _csv,
    "parquet": _parquet,
    "eval": _evals,
    "training": _training,
}
