"""What a ruleset may add to what fills its seats, in the group `sottovoce.agents`."""

from __future__ import annotations

from agents.agent import Considered as Considered
from agents.agent import Mind as Mind
from agents.agent import SeatRandom as SeatRandom
from agents.bridge.forms import FileForm as FileForm
from agents.bridge.mirror import Access as Access
from agents.bridge.mirror import Edit as Edit
from agents.extras import AgentExtras as AgentExtras
from agents.extras import Play as Play
from agents.house import HouseAgent as HouseAgent
from agents.random_agent import RandomAgent as RandomAgent
from projections.view import View as View
