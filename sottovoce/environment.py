"""A game as an environment for programs that learn or search: observe, legal moves, submit, outcome.

See `docs/environment.md`. `sottovoce.aec` is the same as a PettingZoo environment.
"""

from __future__ import annotations

from sottovoce.experiments.environment import CannotWait as CannotWait
from sottovoce.experiments.environment import Environment as Environment
from sottovoce.experiments.environment import NotYourTurn as NotYourTurn
from sottovoce.experiments.environment import Observation as Observation
from sottovoce.experiments.environment import Outcome as Outcome
from sottovoce.experiments.environment import Submitted as Submitted
