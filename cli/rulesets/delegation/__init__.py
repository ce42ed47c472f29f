"""Delegated work at the terminal: its tasks are the briefs of a folder, and the user sits at a desk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.extras import CliExtras

if TYPE_CHECKING:
    import click

    from cli.asides import Aside


def _play() -> click.Command:
    from cli.rulesets.delegation.play import play_delegation

    return play_delegation


def _run() -> click.Command:
    from cli.rulesets.delegation.play import run_delegation

    return run_delegation


def _aside() -> Aside:
    from cli.rulesets.delegation.desk import ASIDE

    return ASIDE


EXTRAS = CliExtras(
    about="Tasks planned, done and reviewed by others; you decide.",
    many="The tasks of a folder, worked on many times over.",
    play=_play,
    run=_run,
    aside=_aside,
    watched="user",
)
