"""`sottovoce`: the group of commands, and the one place where errors become a line and an exit code."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from typing import NoReturn

import click

from cli.place import Place
from domain.errors import SottovoceError

COMMANDS = {
    "audit": "cli.audit:audit",
    "db": "cli.database:database",
    "export": "cli.export:export",
    "files": "cli.files:files",
    "fork": "cli.fork:fork",
    "games": "cli.games:games",
    "import": "cli.import_:import_",
    "inbox": "cli.inbox:inbox",
    "play": "cli.play:play",
    "replay": "cli.replay:replay",
    "resume": "cli.resume:resume",
    "run": "cli.run:run",
    "send": "cli.send:send",
    "show": "cli.show:show",
    "transcript": "cli.transcript:transcript",
    "view": "cli.view:view",
    "watch": "cli.watch:watch",
}
"""Where each command lives; imported only when it is used, so that every command starts quickly."""


class Commands(click.Group):
    """The commands, loaded as they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--db", metavar="URL", envvar="SOTTOVOCE_DB", help="The log: sqlite:///PATH. Default: in your data folder."
)
@click.version_option(package_name="sottovoce", prog_name="sottovoce")
@click.pass_context
def cli(ctx: click.Context, db: str | None) -> None:
    """Play games in which not everybody may know the same, replay them from any chair, audit who saw what.

    \b
    Start here:   sottovoce play mafia
    Your games:   sottovoce games
    A past game:  sottovoce replay latest
    """
    explicit = ctx.get_parameter_source("db") is click.core.ParameterSource.COMMANDLINE
    ctx.obj = Place(db, named=explicit)


def fail(message: str, code: int) -> NoReturn:
    """Say what is wrong in one line on stderr, and leave."""
    line = " ".join(message.split())
    click.echo(f"sottovoce: {line}", err=True)
    sys.exit(code)


def main() -> None:
    """Run the command line. Exit codes: 0 fine, 1 a finding or failure, 2 wrong usage, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        sys.exit(cli.main(prog_name="sottovoce", standalone_mode=False))
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "sottovoce"
        fail(f"{error.format_message()} (see {where} --help)", 2)
    except click.exceptions.Exit as leaving:
        sys.exit(leaving.exit_code)
    except click.ClickException as error:
        fail(error.format_message(), 1)
    except (KeyboardInterrupt, click.Abort):
        click.echo("sottovoce: interrupted.", err=True)
        sys.exit(130)
    except SottovoceError as error:
        fail(str(error), error.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        if os.environ.get("SOTTOVOCE_DEBUG"):
            traceback.print_exc()
        fail(f"an unexpected error ({type(error).__name__}: {error}); SOTTOVOCE_DEBUG=1 shows where.", 1)
