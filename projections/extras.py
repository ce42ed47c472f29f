"""What a ruleset can add to how its games are shown, counted and audited."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sottovoce.domain.events import Recorded
from sottovoce.domain.piece import Grid
from sottovoce.domain.plugins import Plugins
from sottovoce.projections.columns import Columns
from sottovoce.projections.document import Shape
from sottovoce.projections.finding import Examined
from sottovoce.projections.marks import Marker
from sottovoce.projections.measures import Measures
from sottovoce.projections.orders import Orders
from sottovoce.projections.passages import Novelist
from sottovoce.projections.perspective import Line
from sottovoce.projections.public_status import Standing
from sottovoce.projections.referees import Referee, Teller

Board = Callable[[Sequence[Line], Any], Grid | None]
"""Makes what `show` adds from a perspective's lines and the state folded from them."""

Layout = Literal["table", "story", "board"]
"""How the page sets a game: seats round a table, a story to read, or a board of tasks."""

Examiner = Callable[[Sequence[Recorded]], Iterator[Examined]]
"""Makes a ruleset's own findings over a whole log, in addition to those of every game."""


@dataclass(frozen=True, slots=True)
class Card:
    """How a first screen offers a ruleset: what one does in a game, in a sentence; who is there, such as "you and seven
    others"; and about how many minutes a game lasts, if that can be said.
    """

    pitch: str = ""
    company: str = ""
    minutes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectionExtras:
    """Each is None if a ruleset adds nothing. Without them no board is shown, and no seat is named in public.

    `shape` is how a transcript is laid out; the plain one lists the seats. `marks` is what makes the marks of entries.
    `layout` is how the page sets a game; `orders` are what seats can order there at any time. `plays` says for which
    other seat a seat decides. `novel` makes a chapter to read of a seat's view, and `card` is how a first screen offers
    the ruleset. `measures` is what experiments compare and count.
    """

    card: Card = field(default_factory=Card)
    shape: Shape = field(default_factory=Shape)
    layout: Layout = "table"
    orders: Orders = field(default_factory=dict)
    plays: Callable[[Any, str], str | None] = lambda state, seat: None
    board: Board | None = None
    standing: Standing | None = None
    columns: Columns | None = None
    examiner: Examiner | None = None
    referee: Referee | None = None
    teller: Teller | None = None
    marks: type[Marker] = Marker
    novel: Novelist | None = None
    measures: Measures | None = None


EXTRAS: Plugins[ProjectionExtras] = Plugins("sottovoce.projections", ProjectionExtras)
