"""`sottovoce run`: a command for each ruleset."""

from __future__ import annotations

import click

from sottovoce.cli.numbers import WholeNumber
from sottovoce.cli.place import json_option
from sottovoce.cli.ruleset_group import RulesetGroup


def _plain(ruleset: str) -> click.Command:
    from sottovoce.server.extras import EXTRAS

    if (setup := EXTRAS.of(ruleset).setup) is not None:
        from sottovoce.cli.folder_commands import run_setup_command

        return run_setup_command(ruleset, setup)
    from sottovoce.cli.player_commands import run_command

    return run_command(ruleset)


@click.group(
    cls=RulesetGroup,
    own=lambda extras: extras.run,
    plain=_plain,
    line=lambda extras: extras.many,
    invoke_without_command=True,
)
@click.option("--continue", "continued", metavar="NAME", help="Continue the batch NAME.")
@click.option("--summary", "summed", metavar="NAME", help="Print the results of batch NAME so far.")
@click.option(
    "--jobs",
    metavar="J",
    type=WholeNumber(0, 64),
    default=1,
    help="Number of processes; 0 leaves the games to workers.",
)
@click.option("--csv", "csv_file", metavar="FILE", help="Write a CSV row for each seat of each game to FILE.")
@click.option("--quiet", is_flag=True, help="Don't show progress.")
@json_option
@click.pass_context
def run(
    ctx: click.Context,
    continued: str | None,
    summed: str | None,
    jobs: int,
    csv_file: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Run many games and summarize the results. Each run is a named batch that you can continue or summarize later.

    \b
    Examples: sottovoce run mafia --games 100 --agents random --name trial
              sottovoce run --continue trial
              sottovoce run --summary trial --json
    """
    named = continued is not None or summed is not None
    if ctx.invoked_subcommand is None:
        if not named:
            raise click.exceptions.NoArgsIsHelpError(ctx)
        from sottovoce.cli.batch import run_by_name

        run_by_name(ctx.obj, continued, summed, jobs, csv_file, quiet, as_json)
    elif named or csv_file is not None or quiet or as_json or jobs != 1:
        raise click.UsageError(f"put the options of run {ctx.invoked_subcommand} after {ctx.invoked_subcommand}")
