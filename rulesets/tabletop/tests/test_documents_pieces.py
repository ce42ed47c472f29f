"""The pieces of a document, however they came about, are found by their keys and stand in their order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sottovoce.rulesets.tabletop.rules.documents.pieces import (
    NO_DOCUMENTS,
    Documents,
    Piece,
    with_piece,
    without_piece,
)

PATH = "story-state.md"

steps = st.tuples(
    st.integers(0, 30), st.integers(0, 6), st.sampled_from(["write", "remove"]), st.none() | st.integers(0, 6)
)


def piece(key: int, text: str) -> Piece:
    return Piece(str(key), PATH, None, text, ("gm",))


def written(pieces: list[Piece], new: Piece, after: str | None) -> list[Piece]:
    keys = [known.key for known in pieces]
    if new.key in keys:
        return [new if known.key == new.key else known for known in pieces]
    place = keys.index(after) + 1 if after in keys else len(pieces)
    return [*pieces[:place], new, *pieces[place:]]


@given(st.lists(steps))
def test_documents_grow_out_of_each_other_without_disturbing_each_other(
    course: list[tuple[int, int, str, int | None]],
) -> None:
    grown: list[tuple[Documents, list[Piece]]] = [(NO_DOCUMENTS, [])]
    for number, (source, key, deed, after) in enumerate(course):
        documents, pieces = grown[source % len(grown)]
        if deed == "write":
            new = piece(key, f"text {number}")
            where = None if after is None else str(after)
            grown.append((with_piece(documents, new, where), written(pieces, new, where)))
        else:
            left = [known for known in pieces if known.key != str(key)]
            grown.append((without_piece(documents, PATH, str(key)), left))
    for documents, pieces in grown:
        document = documents.get(PATH, ())
        assert list(document) == pieces
        assert (PATH in documents) == bool(pieces)
        places = {known.key: place for place, known in enumerate(pieces)}
        if pieces:
            assert {key: documents[PATH].place_of(key) for key in map(str, range(7))} == {
                key: places.get(key) for key in map(str, range(7))
            }
