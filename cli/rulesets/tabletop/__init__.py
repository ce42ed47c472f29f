"""A tabletop session at the terminal: it is played out of a campaign's folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.extras import CliExtras

if TYPE_CHECKING:
    import click

    from cli.asides import Aside


def _play() -> click.Command:
    from cli.rulesets.tabletop.play import play_tabletop

    return play_tabletop


def _run() -> click.Command:
    from cli.rulesets.tabletop.play import run_tabletop

    return run_tabletop


def _aside() -> Aside:
    from cli.rulesets.tabletop.aside import ASIDE

    return ASIDE


EXTRAS = CliExtras(
    about="A session of a campaign: a GM, a narrator, a party.",
    many="Many sessions of a campaign folder.",
    play=_play,
    run=_run,
    aside=_aside,
    watched="narrator",
)
