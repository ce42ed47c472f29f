"""What players say and are called changes nothing in a page but its own text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser.looks import settled
from browser.sessions import People
from far import Far, Opened, log_in
from hostile import HOSTILE
from playwright.sync_api import Page
from sizes import sized

NAMES = ["<b>Ada</b>", "מרים", "Zoë 🦉", "Dirk & Co", "Edda"]
SAID = [
    "<iframe srcdoc='<script>parent.ran = 1</script>'></iframe><svg onload=ran=2><a href='javascript:ran=3'>x</a>",
    "\u202egnihton yas I\u202c \u2066and more\u2069 \u200b\u200d\ufeff",
    "🦉🕯️👨‍👩‍👧‍👦 " * 40,
    "{{constructor.constructor('ran = 4')()}} ${ran = 5} {@html '<i>'}",
    "W" * 65_000,
    *HOSTILE,
]
"""Markup, scripts, lines that turn, emoji and a word that no line holds."""
FOREIGN = "script:not([src]), img, iframe, object, embed, form, b, i, a[href^='http'], a[href^='javascript'], [onload]"
PANELS = ("Highlights", "All that was told", "Who knows what")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Far, Opened, list[str]]]:
    """A game that is over, in which everybody said one hostile thing after another; those that were taken."""
    with Far(log_in(tmp_path_factory.mktemp("far"))) as far:
        outside, options = dict.fromkeys(NAMES, "outside"), {"max_days": 3, "max_speeches": 3}
        one = far.open(names=NAMES, agents=outside, agent="random", seed="5", options=options)
        left, taken, over = SAID * 3, list[str](), False
        while not over:
            for seat in NAMES:
                path, token = f"/v1/games/{one.game}", one.seats[seat]
                inbox = far.get(f"{path}/turns", token, wait=0)
                over = over or inbox["over"]
                for turn in inbox["turns"]:
                    text = turn["choices"][-1] if turn["choices"] else (left.pop(0) if left else "I pass.")
                    answer = far.ask("POST", f"{path}/turns/{turn['turn']}", token, {"text": text}).json()
                    if answer.get("accepted") and not turn["choices"]:
                        taken.append(text)
        yield far, one, taken


def unharmed(page: Page) -> None:
    """Nothing of it became markup, and nothing of it ran."""
    settled(page)
    assert page.locator(FOREIGN).count() == 0
    assert page.evaluate("globalThis.ran ?? null") is None
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"), "a long word makes the page wide"


CHAIRS = ["its own seat", "a spectator", "an auditor"]
FEW = [("its own seat", 360), ("a spectator", 1280), ("an auditor", 1280)]


@pytest.mark.parametrize(("whose", "width"), sized(FEW, [(chair, width) for chair in CHAIRS for width in (1280, 360)]))
def test_hostile_words_are_words(people: People, played: tuple[Far, Opened, list[str]], whose: str, width: int) -> None:
    far, one, taken = played
    assert len(set(taken)) >= 8
    token = {
        "its own seat": one.seats[NAMES[0]],
        "a spectator": one.spectator,
        "an auditor": far.issue(one.game, one.keeper, "auditor"),
    }[whose]
    page = people.context(viewport={"width": width, "height": 800}, reduced_motion="reduce").new_page()
    page.on("dialog", lambda dialog: people.faults.found.append(f"dialog: {dialog.message}"))
    page.goto(f"{far.base}/games/{one.game}#{token}")
    page.get_by_text(NAMES[0], exact=True).first.wait_for()
    unharmed(page)
    for panel in PANELS:
        page.get_by_role("button", name=panel, exact=True).click()
        unharmed(page)
    for key in ("Home", "n", "n", "End", "v", "w"):
        page.keyboard.press(key)
        unharmed(page)
    counts = far.ask("GET", "/metrics", far.host).text.splitlines()
    assert "sottovoce_policy_reports_total 0.0" in counts
