"""Someone who plays in a browser: answers every turn with the first thing that fits, by pointer or only by keys."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from patience import PATIENCE
from playwright.sync_api import Page, TimeoutError

WORDS = "I have nothing to hide, and I would rather listen first."
MOMENT = 2000
"""Milliseconds after which the open turn is looked for again."""
OVER = "See how it ended"


@dataclass
class BrowserPlayer:
    """A page with a seat in it. With `keys`, no pointer is used."""

    page: Page
    keys: bool = False
    words: str = WORDS
    answers: int = 0

    @property
    def over(self) -> bool:
        """Return whether the page says that the game is over."""
        return self.page.get_by_role("button", name=OVER).count() > 0

    def act(self) -> bool:
        """Answer the open turn, if there is one. Return whether there was. It may close meanwhile.

        While an answer is being sent, do nothing: typed text would go to the next turn.
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
                self.page.keyboard.press(self.words[0])
                self.page.keyboard.insert_text(self.words[1:])
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
    """Let them answer until a condition holds."""
    end = time.monotonic() + PATIENCE
    while not until():
        assert time.monotonic() < end, [player.page.locator("body").inner_text()[-1500:] for player in players]
        acted = [player.act() for player in players]
        if not any(acted):
            players[0].page.wait_for_timeout(30)
