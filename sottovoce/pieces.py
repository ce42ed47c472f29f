"""What events are told by: helpers to stand as `tell` in an event class, and the parts of a function that does."""

from __future__ import annotations

from domain.piece import Chair as Chair
from domain.piece import Grid as Grid
from domain.piece import Heading as Heading
from domain.piece import Kind as Kind
from domain.piece import Mood as Mood
from domain.piece import Piece as Piece
from domain.piece import Tell as Tell
from domain.piece import Voice as Voice
from domain.piece import counted as counted
from domain.piece import line as line
from domain.piece import marked as marked
from domain.piece import names as names
from domain.piece import plainly as plainly
from domain.piece import says as says
from domain.piece import spoken as spoken
from domain.piece import tallied as tallied
from domain.words import opening as opening
