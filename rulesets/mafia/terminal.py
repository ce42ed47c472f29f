"""Mafia at the terminal."""

from __future__ import annotations

from sottovoce import CliExtras

EXTRAS = CliExtras(
    about="Hidden roles, sealed votes, and a narrator who knows.",
    many="Run many games of Mafia.",
    example="--names Ada,Bram,Cleo,Dirk,Edda --seat Ada=human --rule max_days=6",
)
