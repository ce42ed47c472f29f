"""Links: taken apart, found in files and variables, and never repeated with their token."""

from __future__ import annotations

from pathlib import Path

import pytest

from sottovoce.client.link import Link, LinkUnusable, find_link, parse_link
from sottovoce.domain.errors import SottovoceError

TOKEN = "svs_" + "aB3-_" * 8 + "xyz"


@pytest.mark.parametrize(
    ("text", "base", "game"),
    [
        (f"http://127.0.0.1:8000/games/m-1#{TOKEN}", "http://127.0.0.1:8000", "m-1"),
        (f"https://table.example/games/m-1/#{TOKEN}", "https://table.example", "m-1"),
        (f"https://table.example/play/games/m-1#{TOKEN}", "https://table.example/play", "m-1"),
        (f"http://[::1]:80/#{TOKEN}", "http://[::1]:80", None),
        (f"http://h#{TOKEN}\n", "http://h", None),
        (f"http://h/deep/#{TOKEN}", "http://h/deep", None),
        (f"http://h/games/a%20b#{TOKEN}", "http://h", "a b"),
    ],
)
def test_a_link_is_taken_apart(text: str, base: str, game: str | None) -> None:
    link = parse_link(text)
    assert (link.base, link.game, link.token, link.kind) == (base, game, TOKEN, "seat")
    assert parse_link(link.text) == link


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing",
        TOKEN,
        TOKEN[:-5],
        f"#{TOKEN}",
        f"ftp://h/games/m#{TOKEN}",
        f"http:///games/m#{TOKEN}",
        f"http://h:x/games/m#{TOKEN}",
        f"http://h:0/games/m#{TOKEN}",
        f"http://me:{TOKEN}@h/games/m#{TOKEN}",
        f"http://h/games/m?t={TOKEN}#{TOKEN}",
        "http://h/games/m",
        "http://h/games/m#",
        f"http://h/games/m#{TOKEN}x",
        f"http://h/games/m#{TOKEN[:-1]}",
        f"http://h/games/m#svx{TOKEN[3:]}",
    ],
)
def test_what_is_no_link_is_refused_without_its_token(text: str) -> None:
    for find in (parse_link, lambda given: find_link(given, {})):
        with pytest.raises(LinkUnusable) as refused:
            find(text)
        assert TOKEN[4:-1] not in str(refused.value)
        assert refused.value.exit_code == 2
        assert "\n" not in str(refused.value)


def test_a_link_comes_from_an_argument_a_file_or_the_variable(tmp_path: Path) -> None:
    text = f"http://h/games/m#{TOKEN}"
    file = tmp_path / "link"
    file.write_text(text + "\n")
    wanted = Link("http://h", "m", TOKEN)
    assert find_link(text, {}) == wanted
    assert find_link(str(file), {}) == wanted
    assert find_link(None, {"SOTTOVOCE_LINK": text}) == wanted
    assert find_link(None, {"SOTTOVOCE_LINK": str(file)}) == wanted
    with pytest.raises(SottovoceError, match="SOTTOVOCE_LINK"):
        find_link(None, {})
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(LinkUnusable, match="not text"):
        find_link(str(tmp_path / "bytes"), {})


def test_a_link_shows_no_token() -> None:
    link = parse_link(f"http://h/games/m#{TOKEN}")
    assert TOKEN not in repr(link)
    assert TOKEN not in str(link)
    assert TOKEN not in link.place
