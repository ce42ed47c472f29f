"""Given, when, then, and what a ruleset may add to how it is tested, in the group `sottovoce.testing`."""

from __future__ import annotations

from domain.testing import NOON as NOON
from domain.testing import Answers as Answers
from domain.testing import Playtest as Playtest
from domain.testing import given as given
from sottovoce.extras import TestingExtras as TestingExtras
