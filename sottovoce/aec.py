"""Games as PettingZoo environments (AEC). Needs the extra `pettingzoo`; see `docs/environment.md`.

from sottovoce.aec import env

game = env("mafia", 5, fill={"narrator": "house"})
"""

from __future__ import annotations

from sottovoce.experiments.alternation import GameAEC as GameAEC
from sottovoce.experiments.alternation import env as env
