"""A real campaign, where one is at hand: imported whole, secrets kept, and the leaks that are in it named.

`SOTTOVOCE_CAMPAIGNS` is the folder that campaigns lie in; it is no part of this repository.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sottovoce.rulesets.tabletop.rules.documents.folder import import_folder, roster_of
from sottovoce.rulesets.tabletop.rules.documents.pieces import Piece, folded, readable_by, rebuilt
from sottovoce.rulesets.tabletop.rules.lint.findings import leaking_terms
from sottovoce.rulesets.tabletop.rules.resources import Resource, stated_in

ROOT = Path(__file__).parents[3]
FOLDER = Path(os.environ.get("SOTTOVOCE_CAMPAIGNS", ROOT / ".." / "shared" / "campaigns")) / "the-dimming"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no campaign at {FOLDER}; set SOTTOVOCE_CAMPAIGNS")

PLAYERS = ("eamon-lightward", "korimeth", "silani-shen", "thaneshi")


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return {path.relative_to(FOLDER).as_posix(): path.read_bytes() for path in FOLDER.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def pieces(files: dict[str, bytes]) -> tuple[Piece, ...]:
    return import_folder(files, roster_of(files))


@pytest.mark.spec("T-144", "F-058")
def test_it_is_imported_without_loss(files: dict[str, bytes], pieces: tuple[Piece, ...]) -> None:
    assert roster_of(files) == PLAYERS
    documents = folded(pieces)
    assert rebuilt(readable_by(documents, "gm")) == files == rebuilt(documents)
    assert len({piece.key for piece in pieces}) == len(pieces)


@pytest.mark.spec("F-060", "F-007")
@pytest.mark.parametrize("player", PLAYERS)
def test_no_players_copy_holds_a_gm_only_part(pieces: tuple[Piece, ...], player: str) -> None:
    copy = rebuilt(readable_by(folded(pieces), player))
    assert sorted(copy) == ["party-knowledge.md", f"party/{player}.md", "world-primer.md"]
    text = b"".join(copy.values()).decode()
    for secret in (
        "GM Note", "Shaft Seven", "What She Does NOT Know", "What He Doesn't Know", "Oriel is alive", "(nanomachines)",
        "For GMs", "Why Nethara'kora was killed", "went silent voluntarily",
    ):  # fmt: skip
        assert secret not in text


def test_the_lint_names_the_leaks_that_are_in_it(pieces: tuple[Piece, ...]) -> None:
    found = leaking_terms(pieces, PLAYERS)
    terms = {finding.what: finding for finding in found if finding.kind == "term"}
    assert set(terms) == {"nanomachine", "true nature"}
    assert {document for document, _ in terms["nanomachine"].open_at} == {f"party/{player}.md" for player in PLAYERS}
    assert ("party/thaneshi.md", "Backstory") in terms["nanomachine"].open_at, "the word in a compound"
    assert ("party/thaneshi.md", "Notes") in terms["true nature"].open_at, "the sheet without any mark"
    kept = {document for finding in found if finding.kind == "kept back" for document, _ in finding.secret_at}
    assert kept == {"party/eamon-lightward.md", "party/korimeth.md", "party-knowledge.md"}
    unknowing = [finding.open_at[0] for finding in found if finding.kind == "unknowing"]
    assert sorted(unknowing) == [
        ("party/korimeth.md", "Racial Traits (Vel'ashi)"),
        ("party/korimeth.md", "Special Equipment"),
        ("party/silani-shen.md", "Racial Traits (Vel'ashi)"),
    ]
    assert {finding.what.split("*")[0] for finding in found if finding.kind == "mark"} == {
        "Future Development", "Development Potential",
    }  # fmt: skip
    assert not [finding for finding in found if finding.kind == "passage"]
    places = {document for finding in found for document, _ in finding.open_at or finding.secret_at}
    assert {f"party/{player}.md" for player in PLAYERS} <= places
    assert len(found) <= 13, "a list that a GM reads through"


@pytest.mark.spec("T-144")
def test_its_sheets_state_hit_points_and_spell_slots(files: dict[str, bytes]) -> None:
    stated = {player: stated_in(files[f"party/{player}.md"].decode()) for player in PLAYERS}
    assert all(stated[player]["hit-points"].amount for player in PLAYERS)
    assert stated["korimeth"]["hit-points"] == Resource(10, 10)
    assert stated["korimeth"]["spell-slots-1"] == Resource(2, 2)
    assert not any(name.startswith("spell") for name in stated["thaneshi"])
