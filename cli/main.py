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

from sottovoce.cli.groups import LazyGroup
from sottovoce.cli.output import say
from sottovoce.cli.place import Place
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.safe_text import one_line
from sottovoce.server.collector import calm_collector

COMMANDS = {
    "play": ("sottovoce.cli.play:play", "Play a game in this terminal."),
    "new": ("sottovoce.cli.new:new", "Write files to begin a game with."),
    "run": ("sottovoce.cli.run:run", "Run many games and summarize the results."),
    "experiment": ("sottovoce.cli.experiment:experiment", "Compare agents by a plan in one file."),
    "games": ("sottovoce.cli.games:games", "List games."),
    "show": ("sottovoce.cli.show:show", "Show a game's status and whose turn it is."),
    "resume": ("sottovoce.cli.resume:resume", "Resume a game that was interrupted or put on hold."),
    "diff": ("sottovoce.cli.diff:diff", "Show the code of a task with the remarks at its lines."),
    "work": ("sottovoce.cli.work:work", "Show or remove the work folders of a game's tasks."),
    "watch": ("sottovoce.cli.watch:watch", "Watch a game live."),
    "open": ("sottovoce.cli.open:open_", "Create a game on a server and print its links."),
    "link": ("sottovoce.cli.link:link", "List, create or revoke a game's links."),
    "join": ("sottovoce.cli.join:join", "Join a game on a server from this terminal."),
    "agent": ("sottovoce.cli.agent:agent", "Play a seat on a server with your own agent."),
    "agents": ("sottovoce.cli.agents:agents", "List and test the agents named in agents.toml."),
    "serve": ("sottovoce.cli.serve:serve", "Start the web server."),
    "worker": ("sottovoce.cli.worker:worker", "Start a worker that plays agents' turns."),
    "view": ("sottovoce.cli.view:view", "Show everything a seat has seen."),
    "replay": ("sottovoce.cli.replay:replay", "Replay a game event by event."),
    "transcript": ("sottovoce.cli.transcript:transcript", "Export a game as Markdown or HTML."),
    "novelize": ("sottovoce.cli.novelize:novelize", "Write a session as a chapter to read."),
    "fork": ("sottovoce.cli.fork:fork", "Start a new game from a point in an old one."),
    "export": ("sottovoce.cli.export:export", "Export a game's events as JSON Lines."),
    "data": ("sottovoce.cli.data:data", "Export games as tables, Inspect logs or training data."),
    "import": ("sottovoce.cli.import_:import_", "Import an exported game."),
    "inbox": ("sottovoce.cli.inbox:inbox", "Show a seat's open turns and new events."),
    "send": ("sottovoce.cli.send:send", "Answer a turn or send a message."),
    "files": ("sottovoce.cli.files:files", "Export the documents a seat can read."),
    "audit": ("sottovoce.cli.audit:audit", "Audit who saw what; verify the log."),
    "mcp": ("sottovoce.cli.mcp_command:mcp", "Run an MCP server for one seat."),
    "db": ("sottovoce.cli.database:database", "Check, upgrade or rebuild the database."),
}
"""Where each command lives and what it does; imported only when it is used, so that every command starts quickly."""


@click.group(
    cls=LazyGroup, places=COMMANDS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option(
    "--db",
    metavar="PATH|URL",
    envvar="SOTTOVOCE_DB",
    help="Database: a file, sqlite:///PATH or postgresql://…  [default: games.db in your data folder]",
)
@click.option(
    "--server",
    metavar="LINK",
    help="Use a game on a server instead of a database: a link, or a file that contains one.  [env: SOTTOVOCE_LINK]",
)
@click.version_option(package_name="sottovoce", prog_name="sottovoce", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, db: str | None, server: str | None) -> None:
    """Play games with hidden information, replay them from any seat, and audit who saw what.

    \b
    Start here:   sottovoce play mafia
    A campaign:   sottovoce play tabletop examples/campaigns/ten-past-four
    Agents' work: sottovoce play delegation examples/delegation/village-paper
    Your games:   sottovoce games
    A past game:  sottovoce replay latest
    """
    explicit = ctx.get_parameter_source("db") is click.core.ParameterSource.COMMANDLINE
    if explicit and not db:
        raise click.UsageError("--db is empty. Give a path or a URL")
    if explicit and server:
        raise click.UsageError("Use either --db or --server, not both")
    ctx.obj = Place(db or None, named=explicit, server=server or None)


def fail(message: str, code: int) -> int:
    """Say what is wrong in one harmless line on stderr; the exit code."""
    with suppress(OSError, ValueError):
        say(f"sottovoce: {one_line(message)}", err=True)
    return code


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line. Exit codes: 0 fine, 1 a finding or failure, 2 wrong usage, 130 interrupted."""
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    signal.signal(signal.SIGTERM, _interrupt)
    calm_collector()
    try:
        code = _run(arguments)
    except KeyboardInterrupt:  # once more, while it was leaving
        code = 130
    sys.exit(code)


def _open_streams() -> None:
    """Let the standard streams be there, as nothing: services and cron jobs may be started without."""
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # which takes the lowest number that is free: this one
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


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
        message = error.format_message()
        return fail(f"{message}{'' if message.endswith(('.', '?')) else '.'} See {where} --help.", 2)
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
        return fail(f"{_subject(error)}: {error.strerror or error}; free some space or choose another location.", 1)
    except Exception as error:
        if isinstance(error, ValueError) and "null byte" in str(error):  # from whatever opens a file of that name
            return fail("A path contains a NUL character. Give another path.", 2)
        if os.environ.get("SOTTOVOCE_DEBUG"):
            traceback.print_exc()
        return fail(f"unexpected error ({type(error).__name__}: {error}). Set SOTTOVOCE_DEBUG=1 to see where.", 1)
    return code


def _nothing_given(ctx: click.Context | None) -> int:
    """The help for `sottovoce` alone; for a group of commands, what it wants next."""
    if ctx is None or ctx.parent is None:
        say(cli.get_help(ctx or click.Context(cli)))
        return 0
    assert isinstance(ctx.command, click.Group)
    known = ", ".join(ctx.command.list_commands(ctx))
    return fail(f"{ctx.command_path} needs one of: {known}. See {ctx.command_path} --help.", 2)


def _subject(error: OSError) -> str:
    return "Cannot write the output" if error.filename is None else f"Cannot use {error.filename}"


def _drop_output() -> None:
    """Let nothing more be written, so that the interpreter does not complain when it flushes at its end."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
