"""An outside program that plays a character's seat with `inbox` and `send`: `python by_inbox.py DATABASE SEAT`.

It answers every request in character, and passes if it can. Its parent ends it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from commands import Cli

from sottovoce.rulesets.tabletop.rules.documents.journals import journal_entry

PASSES = ("optional-reaction", "interaction", "reply", "chat")
JOURNALS = ("journal", "own-notes")


def answer(seat: str, kind: str) -> str:
    """Return what the program says in a turn of that kind."""
    if kind in PASSES:
        return "pass"
    if kind in JOURNALS:
        return journal_entry("By inbox", "Much.", "My part.", "Little.", "Tired.", "None.")
    sort = "REACTION" if kind == "reflection" else "ACTION"
    return f"[PLAYER_TO_GM]\ntype: {sort}\ncharacter: {seat}\n\nI listen at the door, by inbox."


def main() -> None:
    sv, seat = Cli(Path(sys.argv[1])), sys.argv[2]
    since = 0
    while True:
        found = sv("inbox", "latest", "--as", seat, "--since", since, "--wait", 2, "--json")
        if found.code != 0:
            continue  # the game does not exist yet
        since = found.json["seq"]
        for turn in found.json["turns"]:
            sv("send", "latest", "--as", seat, "--turn", turn["turn"], stdin=answer(seat, turn["kind"]))


if __name__ == "__main__":
    main()
