"""Somebody who plays in a browser: answers whatever is asked with the first that fits, by pointer or by keys alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from patience import PATIENCE
from playwright.sync_api import Page, TimeoutError

WORDS = "I have nothing to hide, and I would rather listen first."
MOMENT = 2000
"""Milliseconds after which what was to be answered is looked for anew."""
OVER = "Watch the replay"


@dataclass
class BrowserPlayer:
    """A page with a seat in it. With `keys`, no pointer is used."""

    page: Page
    keys: bool = False
    words: str = WORDS
    answers: int = 0

    @property
    def over(self) -> bool:
        """Whether the game is over, by the page."""
        return self.page.get_by_role("button", name=OVER).count() > 0

    def act(self) -> bool:
        """Answer what is asked, if anything is; whether something was. It may be asked no longer by then.

        While an answer is under way nothing is done: what is typed then would be for the next turn, whatever it asks.
        """
        asked = self.page.locator(".answer.asked")
        if asked.locator("button.primary").count() == 0 or asked.get_by_text("Sending:").count():
            return False
        try:
            self._answer()
        except TimeoutError:
            return False
        self.answers += 1
        return True

    def _answer(self) -> None:
        choices = self.page.locator(".answer.asked .offers button:not(:disabled)")
        if self.keys:
            self.page.keyboard.press("Escape")
            if choices.count():
                self.page.keyboard.press("1")
            else:
                self.page.keyboard.press("t")
                self.page.keyboard.insert_text(self.words)
            self.page.keyboard.press("Enter")
            return
        fields = self.page.locator(".answer.asked .form textarea")
        if choices.count():
            choices.first.click(timeout=MOMENT)
        elif fields.count():
            for field in fields.all():
                field.fill(self.words, timeout=MOMENT)
        else:
            self.page.locator(".answer.asked .line textarea").fill(self.words, timeout=MOMENT)
        self.page.locator(".answer.asked button.primary").click(timeout=MOMENT)


def play(players: Sequence[BrowserPlayer], until: Callable[[], bool]) -> None:
    """Let them answer until something is so."""
    end = time.monotonic() + PATIENCE
    while not until():
        assert time.monotonic() < end, [player.page.locator("body").inner_text()[-1500:] for player in players]
        acted = [player.act() for player in players]
        if not any(acted):
            players[0].page.wait_for_timeout(30)
