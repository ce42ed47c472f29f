"""`sottovoce`: the group of commands, and the one place where errors become a line and an exit code."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType
from typing import NoReturn

import click

from agents.visible import one_line
from cli.commands import Commands
from cli.place import Place
from domain.errors import SottovoceError
from server.collector import calm_collector

COMMANDS = {
    "play": "cli.play:play",
    "run": "cli.run:run",
    "games": "cli.games:games",
    "show": "cli.show:show",
    "resume": "cli.resume:resume",
    "watch": "cli.watch:watch",
    "worker": "cli.worker:worker",
    "view": "cli.view:view",
    "replay": "cli.replay:replay",
    "transcript": "cli.transcript:transcript",
    "fork": "cli.fork:fork",
    "export": "cli.export:export",
    "import": "cli.import_:import_",
    "inbox": "cli.inbox:inbox",
    "send": "cli.send:send",
    "files": "cli.files:files",
    "audit": "cli.audit:audit",
    "db": "cli.database:database",
}
"""Where each command lives; imported only when it is used, so that every command starts quickly."""


@click.group(
    cls=Commands, places=COMMANDS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option(
    "--db",
    metavar="URL",
    envvar="SOTTOVOCE_DB",
    help="The log: sqlite:///PATH or postgresql://… Default: in your data folder.",
)
@click.version_option(package_name="sottovoce", prog_name="sottovoce", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, db: str | None) -> None:
    """Play games in which not everybody may know the same, replay them from any chair, audit who saw what.

    \b
    Start here:   sottovoce play mafia
    A campaign:   sottovoce play tabletop examples/campaigns/ten-past-four
    Agents' work: sottovoce play delegation examples/delegation/village-paper
    Your games:   sottovoce games
    A past game:  sottovoce replay latest
    """
    explicit = ctx.get_parameter_source("db") is click.core.ParameterSource.COMMANDLINE
    if explicit and not db:
        raise click.UsageError("--db is empty; give sqlite:///PATH")
    if db == "memory:":
        raise click.UsageError("A log in memory would be gone before the next command; give --db sqlite:///PATH")
    ctx.obj = Place(db or None, named=explicit)


def fail(message: str, code: int) -> int:
    """Say what is wrong in one harmless line on stderr; the exit code."""
    with suppress(OSError, ValueError):
        click.echo(f"sottovoce: {one_line(message)}", err=True)
    return code


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line. Exit codes: 0 fine, 1 a finding or failure, 2 wrong usage, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    signal.signal(signal.SIGTERM, _interrupt)
    calm_collector()
    sys.exit(_run(arguments))


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Be ended by SIGTERM as by Ctrl-C: whatever takes one takes the other, and the lines and the code are the same."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background by a shell
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


def _run(arguments: Sequence[str] | None) -> int:
    code = 0
    try:
        try:
            cli.main(arguments, prog_name="sottovoce", standalone_mode=False)
        except (click.exceptions.Exit, SystemExit) as leaving:
            left_with = leaving.exit_code if isinstance(leaving, click.exceptions.Exit) else leaving.code
            code = left_with if isinstance(left_with, int) else 0
        except click.exceptions.NoArgsIsHelpError as error:
            code = _nothing_given(error.ctx)
        sys.stdout.flush()
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "sottovoce"
        return fail(f"{error.format_message().rstrip('.')}; see {where} --help", 2)
    except click.ClickException as error:
        return fail(error.format_message(), 1)
    except (KeyboardInterrupt, click.Abort):
        return fail("interrupted.", 130)
    except SottovoceError as error:
        return fail(str(error), error.exit_code)
    except BrokenPipeError:
        _drop_output()
        return 1
    except OSError as error:
        _drop_output()
        return fail(f"{_subject(error)}: {error.strerror or error}; make room or choose another place.", 1)
    except Exception as error:
        if os.environ.get("SOTTOVOCE_DEBUG"):
            traceback.print_exc()
        return fail(f"an unexpected error ({type(error).__name__}: {error}); SOTTOVOCE_DEBUG=1 shows where.", 1)
    return code


def _nothing_given(ctx: click.Context | None) -> int:
    """The help for `sottovoce` alone; for a group of commands, what it wants next."""
    if ctx is None or ctx.parent is None:
        click.echo(cli.get_help(ctx or click.Context(cli)))
        return 0
    assert isinstance(ctx.command, click.Group)
    known = ", ".join(ctx.command.list_commands(ctx))
    return fail(f"{ctx.command_path} needs one of: {known}; see {ctx.command_path} --help", 2)


def _subject(error: OSError) -> str:
    return "Cannot write the output" if error.filename is None else f"Cannot use {error.filename}"


def _drop_output() -> None:
    """Let nothing more be written, so that the interpreter does not complain when it flushes at its end."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
