"""Mafia at the terminal."""

from __future__ import annotations

from sottovoce import CliExtras

EXTRAS = CliExtras(
    about="A game of hidden roles, sealed votes, and a narrator who knows.",
    many="Many games of Mafia, many at once.",
    example="--names Ada,Bram,Cleo,Dirk,Edda --seat Ada=human --rule max_days=6",
)
