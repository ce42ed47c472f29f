"""Campaign folders as people have them start, play twelve inputs and end; what is closed in them decides nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from evenings import at_table, documents, folder, mishaps, sent, spoken_to
from folder_forms import LINES, Form, canaries, forms
from table import Table
from worlds import FOLDERS, Person, heard

from sottovoce.agents.house import HouseAgent
from sottovoce.rulesets.tabletop.opening import Evening, read_evening
from sottovoce.rulesets.tabletop.rules.documents import folded, import_folder
from sottovoce.rulesets.tabletop.rules.folders import arrangement
from sottovoce.rulesets.tabletop.rules.lore import facts, headings, lines, people, places, reading
from sottovoce.rulesets.tabletop.rules.lore.known import Known
from sottovoce.rulesets.tabletop.rules.lore.memory import Memory, remembered

FORMS = forms()
ACTING = 5
"""Inputs of the twelve that open something that the folder says, at least."""


def played(evening: Evening, lines: tuple[str, ...] = LINES, seed: int = 1) -> Table:
    """The session with a person who says these lines."""
    party, house = evening.roster, HouseAgent()
    agents = {**dict.fromkeys((*party, "gm", "narrator", "team-lead"), house), "human": Person(lines)}
    options: dict[str, Any] = {"campaign": evening.name, "player_character": party[0]}
    return at_table("current", seed, party=party, files=evening.files, agents=agents, **options).play(2000)


def seen(table: Table) -> list[tuple[str, str]]:
    """Everything that a seat other than the GM's sees of the session, in order, by seat."""
    seats = (*table.state.roster, "human", "narrator", "team-lead")
    return [
        (seat, recorded.event.encoded().decode())
        for seat in seats
        for recorded in table.recorded
        if recorded.audience.includes(seat)
    ]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_folder_in_another_form_starts_plays_twelve_inputs_and_ends(form: Form, tmp_path: Path) -> None:
    evening = read_evening(form.write(tmp_path), None)
    assert evening.found.startswith(form.found)
    assert evening.party == form.party
    assert bool(evening.guests) != bool(form.party)
    table = played(evening)
    assert table.state.over
    assert not mishaps(table)
    assert sent(table, "SESSION_END")
    assert [event.body for event in sent(table, "HUMAN_DECISION")] == list(LINES)
    told = remembered(documents(table)["gm-progress.md"].decode()).told
    assert len(told) >= ACTING, heard(table)
    for seat in (*table.state.roster, "human", "narrator", "team-lead"):
        words = spoken_to(table, seat).casefold()
        assert not [word for word in canaries(1) if word in words], seat


@pytest.mark.spec("F-061")
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_no_fact_or_name_of_such_a_folder_comes_out_of_what_is_closed(form: Form) -> None:
    files = arrangement.arrange(form.files()).files
    pieces = import_folder(files, form.party or ("nobody",))
    world = facts.world_of(folded(pieces), ())
    assert len(world.facts) > ACTING
    said = [*(fact.text for fact in world.facts.values()), *(each.name for each in world.entities.values())]
    assert not [text for text in said if any(word in text.casefold() for word in canaries(1))]


def _reads_what_stands_by_a_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A room with a key is told with everything that stands under its heading."""
    monkeypatch.setattr(places, "_KEYED", re.compile(r"(?!)"))
    _forget()


def test_what_is_not_quoted_at_a_room_with_a_key_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    _reads_what_stands_by_a_room(monkeypatch)
    with pytest.raises(AssertionError):
        test_no_fact_or_name_of_such_a_folder_comes_out_of_what_is_closed(FORMS["keyed"])
    _forget()


@pytest.mark.spec("T-063", "F-061")
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_other_closed_words_in_such_a_folder_give_the_same_evening_to_the_byte(form: Form, tmp_path: Path) -> None:
    one, other = (_evening(form, tmp_path, number) for number in (1, 2))
    assert one.found == other.found
    assert seen(played(one)) == seen(played(other))


def _evening(form: Form, above: Path, number: int) -> Evening:
    above = above / str(number)
    above.mkdir()
    return read_evening(form.write(above, number), None)


def _forget() -> None:
    """Empty the caches of what was read."""
    for reader in (people.person_in, places.place_in, facts._world):
        reader.cache_clear()


def _shares_what_it_cannot_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that nothing is known about goes to the players."""
    real = arrangement._Arranging.kind_of

    def kind_of(self: Any, path: str) -> str | None:
        return real(self, path) or "shared"

    monkeypatch.setattr(arrangement._Arranging, "kind_of", kind_of)


def _reads_unknown_headings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands under a heading that is not known is told to whoever asks."""
    real = headings.said_of
    monkeypatch.setattr(people, "said_of", lambda *given: real(*given) or ("knows", "open"))
    _forget()


def _reads_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Comments and callouts are text like any other, and so is front matter."""
    monkeypatch.setattr(lines, "open_lines", lambda text: [line.replace("%%", "") for line in text.splitlines()])
    _forget()


def _reads_introductions(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that stands above a place's first heading is told to those who look."""
    real = reading.introduced
    monkeypatch.setattr(places, "introduced", lambda read, owner, line, strict: real(read, owner, line, False))
    _forget()


def _reads_every_heading_of_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands under any heading of a place is something to look at, in whatever folder."""
    monkeypatch.setattr(facts, "LIST", "nothing-of-the-kind.md")
    _forget()


@pytest.mark.parametrize(
    ("leak", "form"),
    [
        (_reads_introductions, "mixed"),
        (_reads_every_heading_of_a_place, "with-party"),
        (_shares_what_it_cannot_place, "vault"),
        (_reads_unknown_headings, "vault"),
        (_reads_comments, "vault"),
    ],
)
def test_a_planted_leak_is_found(leak: Any, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leak(monkeypatch)
    asked = (
        *LINES[:6],
        "I look at Gull Harbour.",
        "I look around Gull Harbour again.",
        "I look around.",
        "I ask Alba about the lamp.",
        "I ask Alba about the money.",
        "I ask Corin about the money.",
        "I call it a night.",
    )
    one, other = (seen(played(_evening(FORMS[form], tmp_path, number), asked)) for number in (1, 2))
    _forget()
    assert one != other


def test_the_folder_of_the_rules_comes_out_as_it_is() -> None:
    for path in FOLDERS.values():
        files = folder(path)
        assert arrangement.arrange(files).files == files


def arranged(files: Mapping[str, str]) -> arrangement.Arranged:
    return arrangement.arrange({path: text.encode() for path, text in files.items()})


@pytest.mark.parametrize(
    ("files", "party", "people"),
    [
        ({"PCs/Ana.md": "# Ana"}, 1, 0),
        ({"party/README.md": "x", "party/ana.md": "# Ana"}, 1, 0),
        ({"characters/ana.md": "# Ana\n**Player**: Jo\n", "characters/villain.md": "# Villain\n"}, 1, 1),
        ({"characters/ana.md": "# Ana\nClass: Bard\nLevel: 3\n", "characters/king.md": "# King\n"}, 0, 2),
        ({"characters/ana.md": "# Ana\nClass: Bard\nLevel: 3\n", "npcs/king.md": "# King\n"}, 1, 1),
        ({"characters/ana.md": "# Ana\nClass: Bard\nLevel: 3\n", "PCs/bo.md": "# Bo\n"}, 1, 1),
        ({"players/ana.md": "notes about a person"}, 0, 0),
        ({"notes/ana.md": "---\ntype: pc\n---\n# Ana\n"}, 1, 0),
        ({"PCs/old/secrets/plan.md": "# Plan\n", "PCs/Ana.md": "# Ana"}, 1, 0),
    ],
)
def test_a_file_is_a_character_only_where_that_is_said(files: Mapping[str, str], party: int, people: int) -> None:
    found = arranged(files).found
    assert (len(found.get("party", ())), len(found.get("people", ()))) == (party, people)


def test_what_the_plan_ignores_does_not_come_into_the_game(tmp_path: Path) -> None:
    top = FORMS["vault"].write(tmp_path)
    (top / "sottovoce.toml").write_text('[files]\n"03 - Sessions/" = "ignored"\n')
    evening = read_evening(top, None)
    assert not [path for path in evening.files if "Session" in path]
    assert "session" not in evening.found
    assert "ignored by sottovoce.toml: 03 - Sessions/." in evening.notes


def test_a_room_that_is_named_for_somebody_unheard_is_not_listed() -> None:
    files = {
        "npcs/vesna.md": "# Vesna Orl\n",
        "locations/house.md": "# The House\n\n## Key Features\n\n- **Vesna's Room**: A bed.\n- **The Hall**: A rug.\n",
    }
    pieces = import_folder({path: text.encode() for path, text in files.items()}, ("ana",))
    world = facts.world_of(folded(pieces), ("ana",))
    papers = facts.papers_of(folded(pieces), "ana")
    strangers = Known(world, papers, Memory(at="house"), ("ana",))
    assert [part.name for part in strangers.parts] == ["The Hall"]
    met = Known(world, papers, remembered("- at house\n- met vesna-orl\n"), ("ana",))
    assert [part.name for part in met.parts] == ["Vesna's Room", "The Hall"]
