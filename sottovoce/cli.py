"""What a ruleset may add at the terminal, in the group `sottovoce.cli`."""

from __future__ import annotations

from cli.asides import Aside as Aside
from cli.extras import CliExtras as CliExtras
