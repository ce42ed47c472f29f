"""State deltas: what they change, who may make them, and that they tell nothing about what their author lacks."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from sottovoce.domain.errors import Refused
from sottovoce.rulesets.tabletop.rules.documents.deltas import Change, Delta, Operation, Written, apply_delta
from sottovoce.rulesets.tabletop.rules.documents.folder import import_folder
from sottovoce.rulesets.tabletop.rules.documents.pieces import (
    Documents,
    Piece,
    folded,
    readable_by,
    rebuild,
    with_piece,
    without_piece,
)

ROSTER = ("corwin", "tilda")
FILES = {
    "story-state.md": b"# State\n\n## Threads\n- a\n- b\n\n## GM Notes\n### Hidden\nsecret\n### Plans\nlater\n",
    "party-knowledge.md": (
        b"# Known\n\n## Quests\n- find it\n\n**GM Note**: it is lost\n\nmore\n\n## GM Notes\nwhere\n\n## NPCs\nVeth\n"
    ),
    "party/tilda.md": b"# Tilda\n\n## Notes\nbrave\n",
    "party/tilda-journal.md": b"# Journal\n",
    "twice.md": b"# A\n## Notes\none\n# B\n## Notes\ntwo\n",
}
DOCUMENTS = folded(import_folder(FILES, ROSTER))


def fold(documents: Documents, changes: Sequence[Change], seat: str | None = None) -> Documents:
    for change in changes:
        if seat is not None and seat not in change.piece.readers:
            continue
        if isinstance(change, Written):
            documents = with_piece(documents, change.piece, change.after)
        else:
            documents = without_piece(documents, change.piece.document, change.piece.key)
    return documents


def after(delta: Delta, author: str = "gm", documents: Documents = DOCUMENTS) -> Documents:
    return fold(documents, apply_delta(documents, delta, author, ROSTER, "current"))


def text(documents: Documents, path: str, seat: str = "gm") -> str:
    return rebuild(readable_by(documents, seat).get(path, ()))


@pytest.mark.spec("T-144", "T-145")
@pytest.mark.parametrize(
    ("delta", "expected"),
    [
        (
            Delta("story-state.md", "append", "- c", "Threads"),
            "# State\n\n## Threads\n- a\n- b\n\n- c\n\n## GM Notes\n",
        ),
        (Delta("story-state.md", "set", "- c", "Threads"), "# State\n\n## Threads\n- c\n\n## GM Notes\n"),
        (Delta("story-state.md", "set", "## Threads\n- c", "threads"), "# State\n\n## Threads\n- c\n\n## GM Notes\n"),
        (Delta("story-state.md", "remove", "- a", "Threads"), "# State\n\n## Threads\n- b\n\n## GM Notes\n"),
        (Delta("story-state.md", "remove", "", "## Threads"), "# State\n\n## GM Notes\n"),
    ],
)  # fmt: skip
def test_a_delta_changes_one_section(delta: Delta, expected: str) -> None:
    assert text(after(delta), "story-state.md") == expected + "### Hidden\nsecret\n### Plans\nlater\n"


@pytest.mark.spec("T-144")
def test_a_section_goes_with_all_that_is_below_it() -> None:
    assert text(after(Delta("story-state.md", "remove", "", "GM Notes")), "story-state.md") == (
        "# State\n\n## Threads\n- a\n- b\n\n"
    )


@pytest.mark.spec("T-144")
def test_what_is_written_has_the_readers_of_its_section() -> None:
    known = after(Delta("party-knowledge.md", "append", "- and bring it", "Quests"))
    assert "bring it" in text(known, "party-knowledge.md", "tilda")
    hidden = after(Delta("party-knowledge.md", "append", "under the pier", "GM Notes"), documents=known)
    assert "under the pier" in text(hidden, "party-knowledge.md")
    assert readable_by(hidden, "tilda") == readable_by(known, "tilda")
    again = after(Delta("party-knowledge.md", "set", "in the well", "GM Notes"), documents=hidden)
    assert "pier" not in text(again, "party-knowledge.md")
    assert readable_by(again, "tilda") == readable_by(known, "tilda")
    sheet = apply_delta(DOCUMENTS, Delta("party/tilda.md", "append", "hurt", "Notes"), "gm", ROSTER, "current")
    assert [change.piece.readers for change in sheet] == [("gm", "tilda")]


@pytest.mark.spec("T-144")
def test_new_headings_become_sections_of_their_own() -> None:
    grown = after(Delta("party-knowledge.md", "append", "## Places\nDocks\n### Pier\nwet"))
    assert text(grown, "party-knowledge.md", "tilda").endswith("## NPCs\nVeth\n\n## Places\nDocks\n### Pier\nwet\n")
    changed = after(Delta("party-knowledge.md", "set", "dry", "Pier"), documents=grown)
    assert text(changed, "party-knowledge.md", "corwin").endswith("Docks\n### Pier\ndry\n")


@pytest.mark.spec("T-144")
def test_a_document_can_be_begun_rewritten_and_removed() -> None:
    begun = after(Delta("tmp/tilda-prompt.md", "set", "---\nrequest_type: COMBAT_ACTION\n---\n## Scene\nx"))
    assert text(begun, "tmp/tilda-prompt.md", "tilda") == "---\nrequest_type: COMBAT_ACTION\n---\n## Scene\nx\n"
    anew = after(Delta("tmp/tilda-prompt.md", "set", "## Scene\ny"), documents=begun)
    assert text(anew, "tmp/tilda-prompt.md", "tilda") == "## Scene\ny\n"
    assert "tmp/tilda-prompt.md" not in after(Delta("tmp/tilda-prompt.md", "remove"), documents=anew)


@pytest.mark.spec("F-015", "F-016", "T-144")
@pytest.mark.parametrize(
    ("path", "author"),
    [
        ("story-state.md", "tilda"), ("party-knowledge.md", "tilda"), ("party/tilda.md", "tilda"),
        ("decision-log.md", "gm"),
        ("party/tilda-journal.md", "corwin"), ("party/tilda-journal.md", "gm"), ("scenes/001-a.md", "gm"),
        ("tmp/tilda-response.md", "corwin"), ("tmp/tilda-prompt.md", "tilda"), ("story-state.md", "narrator"),
    ],
)  # fmt: skip
def test_a_seat_that_may_not_write_there_is_refused(path: str, author: str) -> None:
    with pytest.raises(Refused, match=f"You can't write '{path}'"):
        after(Delta(path, "append", "x"), author)


@pytest.mark.spec("F-016")
def test_in_the_editions_with_deltas_the_gm_leaves_the_state_to_its_writers() -> None:
    delta = Delta("story-state.md", "append", "x")
    with pytest.raises(Refused, match="can't write"):
        apply_delta(DOCUMENTS, delta, "gm", ROSTER, "phase-2")
    assert apply_delta(DOCUMENTS, delta, "state-delta-writer", ROSTER, "phase-2")


@pytest.mark.spec("F-046")
def test_a_journal_only_grows_and_each_entry_is_one_event() -> None:
    documents = DOCUMENTS
    for number in range(3):
        entry = f"---\n### Entry {number}\n- **What happened:** x\n- **What I learned:** the GM does not know"
        changes = apply_delta(documents, Delta("party/tilda-journal.md", "append", entry), "tilda", ROSTER, "current")
        assert len(changes) == 1
        before = text(documents, "party/tilda-journal.md", "tilda")
        documents = fold(documents, changes)
        assert text(documents, "party/tilda-journal.md", "tilda").startswith(before)
    for operation in ("set", "remove"):
        with pytest.raises(Refused, match="can only add to it"):
            apply_delta(documents, Delta("party/tilda-journal.md", operation, "x"), "tilda", ROSTER, "current")


@pytest.mark.spec("T-144")
@pytest.mark.parametrize(
    ("delta", "why"),
    [
        (Delta("story-state.md", "append", "x", "Nowhere"), "no section 'Nowhere'.*'Threads'"),
        (Delta("twice.md", "append", "x", "Notes"), "2 sections 'Notes'.*'Above > Notes'"),
        (Delta("story-state.md", "append", " \n"), "field text is empty"),
        (Delta("story-state.md", "remove", "zzz", "Threads"), "not there"),
        (Delta("story-state.md", "remove", "e"), "more than once"),
        (Delta("gone.md", "remove"), "no 'gone.md'"),
        (Delta("../story-state.md", "append", "x"), "is outside the campaign folder"),
        (Delta("party-knowledge.md", "append", "## GM Notes\nx"), "marked for the GM"),
        (Delta("party-knowledge.md", "append", "**What she doesn’t know**: x", "Quests"), "marked for the GM"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(delta: Delta, why: str) -> None:
    with pytest.raises(Refused, match=why):
        after(delta)


@pytest.mark.spec("T-144")
def test_a_heading_that_stands_twice_is_told_apart_by_the_one_above() -> None:
    assert text(after(Delta("twice.md", "set", "three", "B > Notes")), "twice.md") == (
        "# A\n## Notes\none\n# B\n## Notes\nthree\n"
    )


@pytest.mark.spec("T-144", "T-063")
@pytest.mark.parametrize("operation", ["set", "append", "remove"])
def test_an_author_learns_nothing_about_what_it_does_not_see(operation: Operation) -> None:
    """Notes with a GM's section in them: for their character it is as if there were none."""
    path = "tmp/tilda-notes-for-journal.md"
    bare = folded(import_folder({path: b"# N\n\n## Open\no\n"}, ROSTER))
    full = folded(import_folder({path: b"# N\n\n## GM Notes\n### Open\ns\n\n## Open\no\n"}, ROSTER))
    for heading in ("Open", "GM Notes", "Nowhere", None):
        for words in ("x", "s", "o"):
            outcomes = []
            for documents in (bare, full):
                try:
                    changes = apply_delta(documents, Delta(path, operation, words, heading), "tilda", ROSTER, "current")
                    outcomes.append(repr((changes, readable_by(fold(documents, changes), "tilda"))))
                except Refused as refusal:
                    outcomes.append(str(refusal))
            assert outcomes[0] == outcomes[1]


def test_a_piece_can_stand_in_an_event_and_comes_back_the_same() -> None:
    stored = TypeAdapter(Piece)
    for pieces in DOCUMENTS.values():
        for piece in pieces:
            assert stored.validate_json(stored.dump_json(piece)) == piece


DELTAS = st.builds(
    Delta,
    st.sampled_from([*sorted(FILES), "new.md"]),
    st.sampled_from(["set", "append", "remove"]),
    st.sampled_from(["", "x\n", "- a", "## Quests\ny", "## New\nz\n### Deep\nw", "secret", "more"]),
    st.sampled_from([None, "Quests", "NPCs", "GM Notes", "Hidden", "Notes", "New", "Deep", "Threads"]),
)


@pytest.mark.spec("T-144", "T-145")
@given(st.lists(st.tuples(DELTAS, st.sampled_from(["gm", "tilda"])), max_size=12))
def test_folding_what_a_seat_sees_gives_that_seats_copy(deltas: list[tuple[Delta, str]]) -> None:
    """Whatever is written, each seat's own fold has the same pieces in the same order as the full one shows it."""
    documents = DOCUMENTS
    views = {seat: readable_by(DOCUMENTS, seat) for seat in ("gm", "tilda", "corwin")}
    for delta, author in deltas:
        try:
            changes = apply_delta(documents, delta, author, ROSTER, "current")
        except Refused:
            continue
        assert changes
        documents = fold(documents, changes)
        for seat in views:
            views[seat] = fold(views[seat], changes, seat)
            assert views[seat] == readable_by(documents, seat)
        assert views["gm"] == documents
        keys = [piece.key for pieces in documents.values() for piece in pieces]
        assert len(keys) == len(set(keys))
