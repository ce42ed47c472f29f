"""How characters are named (T-011, T-012, F-056 to F-059)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.domain.errors import Refused, SetupRefused
from sottovoce.domain.paths import file_name
from sottovoce.rulesets.tabletop.rules.messages import Send, edition_named, parse, read_reply
from sottovoce.rulesets.tabletop.rules.names import RESERVED, checked_roster, full_name, is_slug
from sottovoce.rulesets.tabletop.rules.phrases import GroupNote, group_note

ROSTER = ("corwin-voss", "silani-shen", "tilda-brannock", "tilda-marsh")


@pytest.mark.spec("F-056", "F-057")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Sir Edmund the Bold", "sir-edmund-the-bold"),
        ("O'Brien", "obrien"),
        ("O’Brien", "obrien"),
        ("Zoë  Müller", "zoe-muller"),
        ("Łukasz Ærøskøbing", "lukasz-aeroskobing"),
        ("Anne–Marie -- Roux", "anne-marie-roux"),
        ("  R2-D2!  ", "r2-d2"),
        ("Straße", "strasse"),
        ("Dr. Who, Esq.", "dr-who-esq"),
        ("../../etc/passwd", "etcpasswd"),
        ("?!", ""),
    ],
)
def test_a_full_name_gives_its_file_name(name: str, expected: str) -> None:
    assert file_name(name) == expected


@pytest.mark.spec("F-057", "T-012")
@given(st.text())
def test_the_rule_applied_to_its_result_changes_nothing(name: str) -> None:
    result = file_name(name)
    assert file_name(result) == result
    assert result == "" or is_slug(result)


@pytest.mark.spec("T-011", "F-058")
def test_only_the_full_name_means_a_character() -> None:
    assert full_name("tilda-brannock", ROSTER) == "tilda-brannock"
    for given_name in ("Tilda Brannock", "Tilda-Brannock", "tilda brannock", "TILDABRANNOCK", "brannock"):
        with pytest.raises(Refused, match=f"'{given_name}'.*'tilda-brannock'"):
            full_name(given_name, ROSTER)


@pytest.mark.spec("T-011")
def test_a_first_name_that_two_share_names_both() -> None:
    with pytest.raises(Refused, match=r"'Tilda'.*tilda-brannock, tilda-marsh"):
        full_name("Tilda", ROSTER)


@pytest.mark.spec("T-012")
def test_a_name_that_is_not_on_the_roster_is_refused_quoting_it() -> None:
    with pytest.raises(Refused, match=r"'mallory-quick'.*corwin-voss, silani-shen"):
        full_name("mallory-quick", ROSTER)


@pytest.mark.spec("F-058")
def test_the_sheets_file_name_decides() -> None:
    """Silani'shen would give `silanishen`, but the sheet is `silani-shen.md`."""
    assert checked_roster(["silani-shen", "korimeth"]) == ("silani-shen", "korimeth")
    with pytest.raises(Refused, match="'silani-shen'"):
        full_name("Silani'shen", ROSTER)


@pytest.mark.spec("F-059")
@pytest.mark.parametrize("names", [["o'brien", "obrien"], ["Tilda Brannock", "tilda-brannock"], ["zoë", "zoe"]])
def test_two_names_with_one_file_name_are_refused(names: list[str]) -> None:
    with pytest.raises(SetupRefused, match="same file name"):
        checked_roster(names)


@pytest.mark.spec("F-059")
@pytest.mark.parametrize("name", ["", "!!!", "Зоя", "tilda-journal", "Tilda Journal", "tilda-brief"])
def test_a_name_without_a_file_name_of_its_own_is_refused(name: str) -> None:
    with pytest.raises(SetupRefused):
        checked_roster([name])


@pytest.mark.spec("T-012")
@pytest.mark.parametrize("name", [*RESERVED, "GM", "Team Lead", "All"])
def test_a_reserved_word_names_no_character(name: str) -> None:
    with pytest.raises(SetupRefused, match=name):
        checked_roster([name])


@pytest.mark.spec("T-012")
@pytest.mark.parametrize("name", ["Tilda-Brannock", "tilda_brannock", "tilda--brannock", "-tilda", "tilda\nmarsh"])
def test_a_sheet_that_is_misnamed_is_refused_with_the_name_it_should_have(name: str) -> None:
    with pytest.raises(SetupRefused, match=r"\.md"):
        checked_roster([name])


@pytest.mark.spec("T-012")
def test_a_name_may_be_written_with_the_hyphens_and_accents_of_a_model() -> None:
    roster = ("corwin-voss", "tilda-brannock")
    assert full_name("tilda‑brannock", roster) == "tilda-brannock"
    assert full_name("corwín-voss", roster) == "corwin-voss"
    for wrong in ("Tilda‑Brannock", "tilda‑", "tilda brannock"):
        with pytest.raises(Refused, match="full name"):
            full_name(wrong, roster)
    text = "@tilda‑brannock\n[NARRATOR_NOTE]\nfrom: gm\nnote: The rope is frayed."
    [item] = read_reply(text, seat="gm", edition=edition_named("current"), seats=("gm", "narrator", *roster))
    assert isinstance(item, Send)
    assert item.recipient == "tilda-brannock"
    assert group_note("(Group docks: tilda‑brannock)\nIt rains.") == GroupNote("docks", ("tilda-brannock",))
    said = parse("[PLAYER_TO_PLAYER]\nfrom: tilda‑brannock\nto: corwin‑voss\n\nWell met.", edition_named("current"))
    assert (said.text("from"), said.text("to")) == ("tilda-brannock", "corwin-voss")
