"""The check that prompts are laid out for caches: of two prompts of a seat, the later one begins as the earlier does.

reader = Reader(budget=2500)
Table(8, seed=3, agents=reader).play()
assert reader.broken == []
"""

from __future__ import annotations

import json
from typing import Any

from sottovoce.agents.agent import CallRecord, SeatRandom
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.models.blocks import model_prompt
from sottovoce.agents.models.forms import answers_of
from sottovoce.agents.prompt import Prompt, build_prompt
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View


class Reader(HouseAgent):
    """The house, which lays out each prompt that it would have been given, and compares it with the seat's last one.

    `broken` tells of each prompt that the next one does not begin with, up to its tail, though the cut is the same,
    and of each schema that is not the first one. `cuts` counts how often a seat's cut moved.
    """

    def __init__(self, budget: int) -> None:
        super().__init__()
        self.budget = budget
        self.broken: list[str] = []
        self.cuts: dict[str, int] = {}
        self.prompts = 0
        self._last: dict[tuple[str, str], Prompt] = {}
        self._schemas: dict[str, str] = {}

    async def act(self, view: View[Any], turn: Turn, random: SeatRandom, record: CallRecord) -> str:
        again = turn.but(failures=(*turn.failures, "That is no legal choice.", "The answer could not be read."))
        for asked in (turn, again):
            self._compare("plain", build_prompt(view, asked, self.budget), asked)
            self._compare("model", model_prompt(view, asked, self.budget), asked)
        schema = json.dumps(answers_of(view).schema())
        if self._schemas.setdefault(turn.seat, schema) != schema:
            self.broken.append(f"{turn.seat}, turn {turn.number}: another schema")
        if not answers_of(view).takes(view, turn):
            self.broken.append(f"{turn.seat}, turn {turn.number}: {turn.kind} does not fit the schema")
        return await super().act(view, turn, random, record)

    def _compare(self, of: str, prompt: Prompt, turn: Turn) -> None:
        self.prompts += 1
        last = self._last.get((of, turn.seat))
        self._last[of, turn.seat] = prompt
        if last is None:
            return
        if last.cut != prompt.cut:
            self.cuts[turn.seat] = self.cuts.get(turn.seat, 0) + 1
            last = Prompt(last.shared, last.own, "", "", "")
            prompt = Prompt(prompt.shared, prompt.own, "", "", "")
        if not prompt.stable.startswith(last.stable):
            at = next(n for n, (a, b) in enumerate(zip(f"{last.stable}\0", prompt.stable, strict=False)) if a != b)
            self.broken.append(
                f"{of} prompt of {turn.seat}, turn {turn.number}, {turn.kind}: "
                f"{last.stable[at - 40 : at + 40]!r} became {prompt.stable[at - 40 : at + 40]!r}"
            )
