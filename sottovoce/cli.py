"""What a ruleset may add at the terminal, in the group `sottovoce.cli`."""

from __future__ import annotations

from agents.human import Pages as Pages
from cli.asides import Aside as Aside
from cli.asides import Look as Look
from cli.extras import CliExtras as CliExtras
