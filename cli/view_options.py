"""What the commands that look at games share: where the game is, and the option `--server`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from sottovoce.cli.place import Place
from sottovoce.cli.source import LoggedGame, Source


@contextmanager
def source(place: Place, game: str) -> Iterator[Source]:
    """The game of that name in the log, or the one that the link opens, which it may leave out or must name."""
    if place.link is not None:
        from sottovoce.cli.remote import remote_source

        with remote_source(place.link, game) as far:
            yield far
        return
    with place.log() as log:
        yield LoggedGame(log, game)


class LookingCommand(click.Command):
    """A command that shows games, with `--server LINK` instead of `--db` too.

    GAME and `--as` can then be left out: empty values, which stand for the link's, take their places.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        text = "Use a link instead of the database."
        if any(param.name == "game" for param in self.params):
            text = "Use a link instead of the database; then GAME and --as are optional."
        self.params.append(click.Option(["--server"], metavar="LINK", help=text, expose_value=False))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given, rest, _ = self.make_parser(ctx).parse_args(list(args))
        place, server = ctx.find_object(Place), given.get("server")
        if isinstance(server, str) and server:
            if place is not None and place.named:
                raise click.UsageError("Use either --db or --server, not both", ctx)
            ctx.obj = place = Place(None if place is None else place.db, server=server)
        if place is not None and place.server is not None:
            args = [*self._left_out(place, given, rest), *args]
        return super().parse_args(ctx, args)

    def _left_out(self, place: Place, given: dict[str, Any], rest: Sequence[str]) -> list[str]:
        """What stands for the link's own game and seat, where they are not given."""
        found = []
        needed = {param.name for param in self.params if isinstance(param, click.Option) and param.required}
        if "seat" in needed and not isinstance(given.get("seat"), str):
            found += ["--as", ""]
        arguments = [param.name for param in self.params if isinstance(param, click.Argument)]
        words = [given[name] for name in arguments if isinstance(given.get(str(name)), str)]
        if "game" in arguments and len(words) + len(rest) < len(arguments) and not (words and _names(place, words[0])):
            found.append("")
        return found


def _names(place: Place, word: str) -> bool:
    """Whether a word names the link's game."""
    link = place.link
    return word == "latest" or (link is not None and link.game is not None and link.game.startswith(word))
