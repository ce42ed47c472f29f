"""What a ruleset may add to how its games are shown, counted and audited, in the group `sottovoce.projections`."""

from __future__ import annotations

from domain.piece import Grid as Grid
from projections.columns import Columns as Columns
from projections.document import Shape as Shape
from projections.extras import Board as Board
from projections.extras import Examiner as Examiner
from projections.extras import ProjectionExtras as ProjectionExtras
from projections.finding import Examined as Examined
from projections.marks import Group as Group
from projections.marks import Mark as Mark
from projections.marks import Marker as Marker
from projections.marks import Mention as Mention
from projections.marks import Moment as Moment
from projections.marks import Out as Out
from projections.marks import ResourceSet as ResourceSet
from projections.marks import TaskMoved as TaskMoved
from projections.marks import Thought as Thought
from projections.marks import Vote as Vote
from projections.perspective import Line as Line
from projections.referees import Referee as Referee
from projections.referees import Teller as Teller
from projections.standing import Standing as Standing
