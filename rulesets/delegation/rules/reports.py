"""What a review report asks to be fixed: the list items under its `## Must-fix` heading (D-043)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_HEADING = re.compile(r" {0,3}(#{1,6})\s(.*)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(\S.*)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def must_fix(report: str) -> tuple[str, ...]:
    """What a report asks to be fixed."""
    return items_under(report, "Must-fix")


def items_under(report: str, named: str) -> tuple[str, ...]:
    """The items of the lists under a heading of the second level, in order; none without that heading.

    A line below an item belongs to it; fenced text is not a list.
    """
    items: list[str] = []
    within, open_item = False, False
    fence = ""
    for line in report.splitlines():
        fenced = _FENCE.match(line)
        if fence:
            if fenced and fenced[1].startswith(fence):
                fence = ""
            continue
        if fenced:
            fence, open_item = fenced[1], False
            continue
        heading = _HEADING.fullmatch(line)
        if heading is not None:
            level, title = len(heading[1]), heading[2].rstrip().rstrip("#").strip()
            if level <= 2:
                within = level == 2 and title.casefold() == named.casefold()
            open_item = False
        elif within:
            item = _ITEM.fullmatch(line)
            if item is not None:
                items.append(" ".join(item[1].split()))
                open_item = True
            elif not line.strip():
                open_item = False
            elif open_item:
                items[-1] += f" {' '.join(line.split())}"
    return tuple(items)


def same_items(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two reports ask for the same, whatever the order, the case or the spaces."""
    return _folded(one) == _folded(other)


def missing_in(known: Sequence[str], items: Sequence[str]) -> tuple[str, ...]:
    """Those of the items that are not among the known ones."""
    folded = _folded(known)
    return tuple(item for item in items if _fold(item) not in folded)


def _folded(items: Iterable[str]) -> frozenset[str]:
    return frozenset(map(_fold, items))


def _fold(item: str) -> str:
    return " ".join(item.casefold().split())
