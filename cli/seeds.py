"""Seeds on the command line: a number or any text, or fresh random bits where none is given."""

from __future__ import annotations

import os

import click

from sottovoce.domain.draws import SEED_BYTES, Seed

LONGEST_SEED = 200
"""Characters that a seed may have; one that was drawn has 97."""

GUESSABLE = "Players could guess a short seed."


class _SeedText(click.ParamType[Seed]):
    name = "seed"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Seed:
        if isinstance(value, Seed):
            return value
        text = str(value).strip()
        if not text.isprintable() or not 1 <= len(text) <= LONGEST_SEED:
            self.fail(f"a seed is a number or a text of 1 to {LONGEST_SEED} printable characters.", param, ctx)
        return Seed.of(text)


SEED = _SeedText()


def fresh_seed() -> Seed:
    """A seed that nobody can guess."""
    return Seed.drawn(os.urandom(SEED_BYTES))
