"""Pairs of worlds that a viewer must not be able to tell apart, loaded as that viewer in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page

from browser.looks import QUIET, difference, look, settled
from browser.sessions import People
from browser.switchboard import Switchboard, setting
from browser.walks import STEPS, opened, walked
from browser.walks import Step as Press
from sottovoce.domain.events import GameOpened, Recorded
from sottovoce.isolation.cases import AT_ONCE, batch_of
from sottovoce.isolation.wire.pairs import steps_of
from sottovoce.server.extras import EXTRAS
from sottovoce.server.links import LinkKind

LIVE = 2
"""Steps of a game during which a page is open."""


class Chosen(NamedTuple):
    """A case of the kit, with its ruleset."""

    ruleset: str
    game: str
    seat: str | None
    first: list[Recorded]
    second: list[Recorded]


CASES = {
    "mafia, a seat that is asked": ("mafia", 3),
    "mafia, a seat late in the game": ("mafia", 7),
    "mafia, a seat whose worlds end differently": ("mafia", AT_ONCE + 7),
    "mafia, the narrator": ("mafia", 9),
    "mafia, looked on": ("mafia", 5),
    "tabletop, a character": ("tabletop", 1),
    "tabletop, the narrator": ("tabletop", 0),
    "tabletop, looked on": ("tabletop", 2),
    "delegation, its user": ("delegation", 3),
    "delegation, the executor": ("delegation", 9),
    "delegation, looked on": ("delegation", 5),
}
"""Cases of the kit by their numbers, by what is viewed."""


def case_of(name: str) -> Chosen:
    """Return the case with that name."""
    ruleset, number = CASES[name]
    batch, place = divmod(number, AT_ONCE)
    case = batch_of(ruleset, 1, batch)[place]
    opening = case.first[0].event
    assert isinstance(opening, GameOpened)
    return Chosen(ruleset, case.game, case.seat, case.first, case.second)


Patch = Callable[[], AbstractContextManager[Any]]


@dataclass
class Worlds:
    """Loads worlds one after another. `patch` is entered while they are served; `prepare` gets every page first."""

    browser: Browser
    board: Switchboard
    patch: Patch = nullcontext
    prepare: Callable[[Page], None] = lambda page: None

    def visit(self, people: People, case: Chosen, kind: LinkKind | None = None) -> Page:
        """The viewer's page in the world that is served, walked through to its end."""
        page = self.open(people, case, kind)
        for _ in walked(page, STEPS):
            settled(page, 20)
        return page

    def compared(self, case: Chosen) -> str | None:
        """Return where the two worlds differ, if they do.

        A difference that a second, more patient look does not show was only not drawn yet.
        """
        return self.once(case) and self.once(case, patient=True)

    def once(self, case: Chosen, *, patient: bool = False, steps: Sequence[Press] = STEPS) -> str | None:
        """Return where two looks differ: while the worlds continue, and then everywhere one can look."""
        quiet = QUIET[1 if patient else 0]
        with self.patch(), People(self.browser) as people:
            seen = list(self._seen(people, case, 0, steps, quiet))
            for (name, one), (_, other) in zip(seen, self._seen(people, case, 1, steps, quiet), strict=True):
                if (found := difference(one, other)) is not None:
                    return f"{name}: {found}"
        return None

    def _seen(
        self, people: People, case: Chosen, side: int, steps: Sequence[Press], quiet: int
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        parts = steps_of((case.first, case.second)[side], case.ruleset, case.seat)
        begun = max(1, len(parts) - LIVE)
        # Events that are not seen have already happened when the page opens.
        log = [item for hidden, seen in parts[:begun] for item in (*hidden, *seen)] + [*parts[begun][0]]
        told = case.seat is not None and case.seat == EXTRAS.of(case.ruleset).overseer
        with self.board.serving(setting(case.game, case.ruleset, case.seat, log, side, working=not told), side):
            page = self.open(people, case)
            yield "as it came", self._look(page, quiet)
            for number, (_, seen) in enumerate(parts[begun:-1]):
                for what, events in (("seen", seen), ("hidden", parts[begun + number + 1][0])):
                    self.board.append(events)
                    yield f"step {number}, {what}", self._look(page, quiet)
            for name in walked(page, steps):
                yield name, self._look(page, quiet // 10)
            yield "in the end", self._look(page, quiet)
            # Otherwise it would connect to the next world.
            page.context.close()

    def _look(self, page: Page, quiet: int) -> dict[str, Any]:
        settled(page, quiet)
        seen = look(page)
        if quiet < QUIET[0]:
            # Browsers count how often these are written, so they come later.
            del seen["address"], seen["state"]
        return {**seen, "wire": sorted(exchange.told() for exchange in self.board.wire)}

    def open(self, people: People, case: Chosen, kind: LinkKind | None = None) -> Page:
        """The page of the viewer, or of a link of that kind, in the world that is served."""
        own = LinkKind.SPECTATOR if case.seat is None else LinkKind.SEAT
        page = people.context(reduced_motion="reduce").new_page()
        self.prepare(page)
        opened(page, self.board.address(case.game, kind or own, case.seat if kind is None else None))
        return page
