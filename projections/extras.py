"""What a ruleset may add to how its games are shown, counted and audited."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sottovoce.domain.events import Recorded
from sottovoce.domain.piece import Grid
from sottovoce.domain.plugins import Plugins
from sottovoce.projections.columns import Columns
from sottovoce.projections.document import Shape
from sottovoce.projections.finding import Examined
from sottovoce.projections.marks import Marker
from sottovoce.projections.perspective import Line
from sottovoce.projections.referees import Referee, Teller
from sottovoce.projections.standing import Standing

Board = Callable[[Sequence[Line], Any], Grid | None]
"""What `show` adds: made of a perspective's own lines and of the state folded from them."""

Examiner = Callable[[Sequence[Recorded]], Iterator[Examined]]
"""What the audit looks for in a whole log, beyond what it looks for in every game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectionExtras:
    """Each is None where a ruleset adds nothing: then no board is shown, and nobody is named in public.

    `shape` is how a transcript is laid out; the plain one lists the seats. `marks` is what makes the marks of entries.
    """

    shape: Shape = field(default_factory=Shape)
    board: Board | None = None
    standing: Standing | None = None
    columns: Columns | None = None
    examiner: Examiner | None = None
    referee: Referee | None = None
    teller: Teller | None = None
    marks: type[Marker] = Marker


EXTRAS: Plugins[ProjectionExtras] = Plugins("sottovoce.projections", ProjectionExtras)
