"""What is spelled out before it reaches a screen or a page, and what stays."""

from __future__ import annotations

import json

import pytest

from sottovoce.domain.safe_text import hides, one_line, visible, visible_json

SPELLED = {
    "\x1b[2J": "\\x1b[2J",
    "\x9b31m": "\\x9b31m",
    "a\u202eb": "a\\u202eb",
    "a\u200bb": "a\\u200bb",
    "a\u200db": "a\\u200db",
    "x\ufe0f": "x\\ufe0f",
    "\u3164": "\\u3164",
    "\U000e0000\U000e0041": "\\U000e0000\\U000e0041",
    "葛\U000e0100": "葛\\U000e0100",
    "\u200d\u200d": "\\u200d\\u200d",
    "\ud800": "\\ud800",
}
"""What controls or hides, and how it is shown."""

KEPT = ("Zoë", "می\u200cخواهم", "ক্\u200cষ", "👩\u200d👧", "❤\ufe0f\u200d🔥", "1\ufe0f⃣", "a\u00a0b", "שלום")
"""Words and signs that are what they are by a joiner or a selector, or need none."""


@pytest.mark.parametrize("text", SPELLED)
def test_what_controls_or_hides_is_spelled_out(text: str) -> None:
    assert visible(text) == SPELLED[text]
    assert hides(text)
    assert visible_json(json.dumps(text, ensure_ascii=False)).isprintable()


@pytest.mark.parametrize("text", KEPT)
def test_ordinary_words_and_emoji_stay(text: str) -> None:
    assert visible(text) == text
    assert not hides(text)


@pytest.mark.parametrize("text", [*SPELLED, *KEPT, "a\x7f\n\t\U000e0041b"])
def test_json_reads_as_the_same_value(text: str) -> None:
    assert json.loads(visible_json(json.dumps([text], ensure_ascii=False))) == [text]


def test_only_a_line_end_breaks_a_line_and_no_run_of_them_pushes_a_screen_away() -> None:
    assert visible("a\r\nb\rc\u2028d\x85e\n \n\n\nf\tg") == "a\nb\nc\nd\ne\n\nf    g"
    assert one_line("a\n\nb\tc\x1b") == "a b c\\x1b"
