"""Options of `serve` and `open` that the installed rulesets bring with their setups, such as `--campaign`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from sottovoce.server.extras import ChoiceField, choice_fields, place_kind, place_kinds, setups

Command = Callable[..., Any]


def offered_places(command: Command) -> Command:
    """Add a repeatable option `--KIND NAME=DIR` for each kind of folder, passed as `places`."""
    kinds = list(place_kinds().values())

    @wraps(command)
    def collected(*args: Any, **given: Any) -> Any:
        texts = {kind.name: given.pop(kind.name) for kind in kinds}
        places = {name: _named(f"--{name}", those) for name, those in texts.items() if those}
        return command(*args, places=places, **given)

    made: Command = collected
    for kind in reversed(kinds):
        made = click.option(f"--{kind.name}", kind.name, metavar="NAME=DIR", multiple=True, help=kind.offers)(made)
    return made


def chosen_setup(command: Command) -> Command:
    """Add an option for each field of a setup, and `--setup` for those of other rulesets, passed as `setup`."""
    fields: dict[str, ChoiceField] = {}
    for setup in setups().values():
        kind = place_kind(setup)
        for field in (ChoiceField(kind.name, kind.about, "NAME"), *choice_fields(setup)):
            fields.setdefault(field.name, field)

    @wraps(command)
    def collected(*args: Any, others: tuple[str, ...], **given: Any) -> Any:
        values = {name: given.pop(name) for name in fields}
        chosen = {name: value for name, value in values.items() if value is not None}
        for text in others:
            name, equals, value = text.partition("=")
            if not (name and equals):
                raise click.UsageError(f"--setup takes FIELD=VALUE, such as --setup quiz=history; got {text!r}")
            chosen[name] = value
        return command(*args, setup=chosen, **given)

    text = "Field of the setup, for a ruleset that only the server has. Repeatable."
    made: Command = click.option("--setup", "others", metavar="FIELD=VALUE", multiple=True, help=text)(collected)
    for field in reversed(fields.values()):
        flag = f"--{field.name.replace('_', '-')}"
        made = click.option(flag, field.name, metavar=field.metavar, help=field.about)(made)
    return made


def _named(option: str, given: tuple[str, ...]) -> dict[str, Path]:
    """`NAME=DIR` given several times."""
    found: dict[str, Path] = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not (name and equals and path):
            raise click.UsageError(f"{option} takes NAME=DIR, such as {option} alarm=games/alarm; got {text!r}")
        found[name] = Path(path)
    return found
