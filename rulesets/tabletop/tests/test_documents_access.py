"""Who reads and who writes which file (F-002 to F-017, F-061)."""

from __future__ import annotations

import pytest

from sottovoce.domain.errors import SetupRefused
from sottovoce.domain.paths import checked_path
from sottovoce.rulesets.tabletop.rules.documents.access import EditionName, readers_of, sheets_in, writers_of
from sottovoce.rulesets.tabletop.rules.documents.folder import import_folder

ROSTER = ("corwin-voss", "tilda-brannock")
ALL = ("corwin-voss", "gm", "narrator", "team-lead", "tilda-brannock")


@pytest.mark.parametrize(
    ("path", "readers"),
    [
        pytest.param("story-state.md", ("gm",), marks=pytest.mark.spec("F-005")),
        pytest.param("party-knowledge.md", ("corwin-voss", "gm", "tilda-brannock"), marks=pytest.mark.spec("F-006")),
        pytest.param("party/tilda-brannock.md", ("gm", "tilda-brannock"), marks=pytest.mark.spec("F-007")),
        pytest.param("party/tilda-brannock-journal.md", ("gm", "tilda-brannock"), marks=pytest.mark.spec("F-008")),
        pytest.param("tmp/gm-context.md", ("gm",), marks=pytest.mark.spec("F-009")),
        pytest.param("tmp/corwin-voss-prompt.md", ("corwin-voss", "gm"), marks=pytest.mark.spec("F-010")),
        pytest.param("tmp/corwin-voss-response.md", ("corwin-voss", "gm"), marks=pytest.mark.spec("F-010")),
        pytest.param("tmp/corwin-voss-notes-for-journal.md", ("corwin-voss", "gm"), marks=pytest.mark.spec("F-011")),
        pytest.param("tmp/narrative-for-journal.md", ALL, marks=pytest.mark.spec("F-012")),
        pytest.param("tmp/gm-state-delta.md", ("gm", "state-delta-writer"), marks=pytest.mark.spec("F-013")),
        pytest.param("tmp/party-knowledge-delta.md", ("gm", "knowledge-delta-writer"), marks=pytest.mark.spec("F-013")),
        pytest.param("scenes/001-opening.md", ("gm", "narrator"), marks=pytest.mark.spec("F-014")),
        pytest.param("decision-log.md", ("gm", "team-lead"), marks=pytest.mark.spec("F-014")),
        *(
            pytest.param(path, ("gm",), marks=pytest.mark.spec("F-061"))
            for path in (
                "overview.md", "npcs/oriel.md", "LICENSE", "party/stranger.md", "tmp/stranger-prompt.md",
                "Party/tilda-brannock.md",
                "party/tilda.md",
                "party/tilda-brannock.md.txt", "party/deep/tilda-brannock.md", "party/tilda-brannock-journal.txt",
            )
        ),
        ("party/tilda-brannock-brief.md", ("gm", "narrator")),
        ("world-primer.md", ("corwin-voss", "gm", "tilda-brannock")),
        ("preferences.md", ("gm", "narrator", "team-lead")),
    ],
)  # fmt: skip
def test_a_file_has_exactly_these_readers(path: str, readers: tuple[str, ...]) -> None:
    assert readers_of(path, ROSTER) == readers
    assert {piece.readers for piece in import_folder({path: b"# T\nx\n"}, ROSTER)} == {readers}


@pytest.mark.spec("F-061")
def test_the_setup_may_name_more_readers_for_what_the_rules_leave_open() -> None:
    more = {"locations/": ["party"], "npcs/cael.md": ["tilda-brannock", "nobody-known"]}
    assert readers_of("locations/docks.md", ROSTER, more) == ("corwin-voss", "gm", "tilda-brannock")
    assert readers_of("npcs/cael.md", ROSTER, more) == ("gm", "tilda-brannock")
    assert readers_of("npcs/mora.md", ROSTER, more) == ("gm",)


@pytest.mark.spec("F-005", "F-007", "F-009")
@pytest.mark.parametrize("path", ["story-state.md", "party/tilda-brannock.md", "tmp/gm-context.md", "tmp/x.md"])
def test_the_setup_opens_nothing_that_the_rules_close(path: str) -> None:
    everything = {path: ["party"], "tmp/": ["party"], "party/": ["party"]}
    assert readers_of(path, ROSTER, everything) == readers_of(path, ROSTER)


@pytest.mark.spec("F-015")
@pytest.mark.parametrize(
    ("path", "writer"),
    [
        ("tmp/gm-context.md", "gm"), ("tmp/tilda-brannock-prompt.md", "gm"), ("party/tilda-brannock.md", "gm"),
        ("tmp/tilda-brannock-response.md", "tilda-brannock"), ("scenes/001-opening.md", "narrator"),
        ("tmp/tilda-brannock-notes-for-journal.md", "tilda-brannock"), ("tmp/narrative-for-journal.md", "team-lead"),
        ("party/tilda-brannock-journal.md", "tilda-brannock"), ("decision-log.md", "decision-log"),
    ],
)  # fmt: skip
def test_a_file_has_exactly_one_writer(path: str, writer: str) -> None:
    for edition in ("phase-1", "phase-2", "current"):
        assert writers_of(path, ROSTER, edition) == {writer}


@pytest.mark.spec("F-015", "F-016")
@pytest.mark.parametrize(
    ("edition", "state", "knowledge", "delta"),
    [
        ("phase-1", "state-delta-writer", "knowledge-delta-writer", {"gm"}),
        ("phase-2", "state-delta-writer", "knowledge-delta-writer", {"gm"}),
        ("current", "gm", "gm", set()),
    ],
)
def test_the_shared_state_is_written_as_the_edition_says(
    edition: EditionName, state: str, knowledge: str, delta: set[str]
) -> None:
    assert writers_of("story-state.md", ROSTER, edition) == {state}
    assert writers_of("party-knowledge.md", ROSTER, edition) == {knowledge}
    assert writers_of("tmp/gm-state-delta.md", ROSTER, edition) == delta
    assert writers_of("tmp/party-knowledge-delta.md", ROSTER, edition) == delta


@pytest.mark.spec("F-003", "F-058")
def test_the_roster_is_made_of_the_sheets() -> None:
    paths = [
        "party/tilda.md",
        "party/tilda-journal.md",
        "party/tilda-brief.md",
        "party/x/y.md",
        "npcs/z.md",
        "party/a.txt",
    ]
    assert sheets_in(paths) == ("tilda",)


@pytest.mark.spec("F-004")
@pytest.mark.parametrize("path", ["", "/a", "../a", "a/../b", "a/./b", "a//b", "a/", "a\\b", "a\0", "a\nb", ".."])
def test_a_path_that_leaves_the_folder_is_refused(path: str) -> None:
    with pytest.raises(SetupRefused):
        checked_path(path)
    with pytest.raises(SetupRefused):
        import_folder({path: b"x"}, ROSTER)
