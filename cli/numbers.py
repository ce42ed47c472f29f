"""Numbers on the command line, each with the range it may have, and errors that say so in plain words."""

from __future__ import annotations

import math

import click


class Whole(click.ParamType[int]):
    """A whole number from `least` to `most`."""

    name = "whole number"

    def __init__(self, least: int | None = None, most: int | None = None) -> None:
        self.least, self.most = least, most

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = int(str(value))
        except ValueError:
            self.fail(f"{_short(value)} is not {self._wanted()}.", param, ctx)
        if (self.least is not None and number < self.least) or (self.most is not None and number > self.most):
            self.fail(f"{_short(value)} is not {self._wanted()}.", param, ctx)
        return number

    def _wanted(self) -> str:
        if self.least is None and self.most is None:
            return "a whole number"
        return f"a whole number from {self.least}" + ("" if self.most is None else f" to {self.most}")


class Amount(click.ParamType[float]):
    """A finite number of at least zero, or above zero."""

    name = "number"

    def __init__(self, *, above_zero: bool = False) -> None:
        self.above_zero = above_zero

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or number < 0 or (self.above_zero and number == 0):
            self.fail(f"{_short(value)} is not a number {'above' if self.above_zero else 'from'} 0.", param, ctx)
        return number


def _short(value: object) -> str:
    text = str(value)
    return repr(text if len(text) <= 40 else f"{text[:40]}…")
