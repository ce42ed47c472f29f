"""Numbers and ports on the command line, each with the range it may have, and errors that say so in plain words."""

from __future__ import annotations

import math
import sys

import click

from sottovoce.server.listen_address import ListenAddress


class WholeNumber(click.ParamType[int]):
    """A whole number from `least` to `most`."""

    name = "whole number"

    def __init__(self, least: float = -math.inf, most: float = math.inf) -> None:
        self.least, self.most = least, most
        begin, end = f" from {least}" if math.isfinite(least) else "", f" to {most}" if math.isfinite(most) else ""
        self.wanted = f"a whole number{begin}{end}"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = int(str(value))
        except ValueError:
            number = None
        if number is None or not self.least <= number <= self.most:
            self.fail(f"{_short(value)} is not {self.wanted}.", param, ctx)
        return number


class _DoorText(click.ParamType[ListenAddress]):
    """`[HOST:]PORT`."""

    name = "address"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> ListenAddress:
        if isinstance(value, ListenAddress):
            return value
        try:
            return ListenAddress.of(str(value))
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)


DOOR = _DoorText()


class Amount(click.ParamType[float]):
    """A number of at least zero, or above zero, and at most `most`."""

    name = "number"

    def __init__(self, *, above_zero: bool = False, most: float = sys.float_info.max) -> None:
        self.above_zero, self.most = above_zero, most
        begin = "above 0" if above_zero else "from 0"
        self.wanted = f"a number {begin}" if most == sys.float_info.max else f"a number {begin}, and at most {most:g}"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if not 0 <= number <= self.most or (self.above_zero and number == 0):
            self.fail(f"{_short(value)} is not {self.wanted}.", param, ctx)
        return number


def _short(value: object) -> str:
    text = str(value)
    return repr(text if len(text) <= 40 else f"{text[:40]}…")
