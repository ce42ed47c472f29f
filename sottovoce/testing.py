"""Given, when, then, and what a ruleset can add to its tests, in the entry point group `sottovoce.testing`."""

from __future__ import annotations

from sottovoce.domain.testing import NOON as NOON
from sottovoce.domain.testing import Answers as Answers
from sottovoce.domain.testing import Playtest as Playtest
from sottovoce.domain.testing import given as given
from sottovoce.extras import TestingExtras as TestingExtras
