"""Old phrases are found wherever people read: help, errors, pages and labels."""

from __future__ import annotations

from pathlib import Path

import plain_words
import pytest

PLANTED = {
    "cli/keep.py": '@click.command()\ndef keep() -> None:\n    """Issue a link anew."""\n',
    "cli/note.py": 'say("The game goes on without you.")\n',
    "domain/chess.py": 'raise Refused(f"{move} is no move here; mend it.")\n',
    "eventlog/keep.py": 'def keep() -> None:\n    """Keep what came of it."""\n',
    "server/http/problems.py": 'UNKNOWN = "Ask whoever keeps the game."\n',
    "README.md": "Take a seat at a far table.\n",
    "docs/cli.md": "What everyone sees, in the place of the log.\n",
    "web/src/Seat.svelte": "<p>Who is awaited now</p>\n",
    "web/src/words.ts": "export const words = { hall: 'A link to look on' };\n",
}
UNREAD = {
    "rulesets/mafia/house/phrases.py": 'raise Refused("She looked on, and went on.")\n',
    "agents/models/plain.py": '"""Whoever reads this reads code."""\nNAME = "it goes on"\n',
    "eventlog/plain.py": '"""`mend` is code; None is none."""\n',
    "docs/rules/mafia.md": "The game goes on.\n",
    "docs/adr/0001-x.md": "The game goes on.\n",
    "docs/files.md": "Run `go on` now.\n\n```\nit goes on\n```\n",
    "CHANGELOG.md": "The game goes on.\n",
    "web/src/Seat.test.ts": "it('goes on and on', () => {});\n",
    "web/src/Plain.svelte": "<!-- it goes on --><style>/* it goes on */</style><p>Plain words</p>\n",
}


def written(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize("file", PLANTED)
def test_a_planted_phrase_is_found(tmp_path: Path, file: str) -> None:
    found = plain_words.findings(written(tmp_path, {file: PLANTED[file], **UNREAD}))
    assert {one.text.file for one in found} == {file}
    assert all("; write: " in str(one) for one in found)


def test_prose_decisions_and_code_are_not_read(tmp_path: Path) -> None:
    assert plain_words.findings(written(tmp_path, UNREAD)) == []


def test_no_text_has_more_old_phrases_than_it_is_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    assert plain_words.main([]) == 0, capsys.readouterr().err
