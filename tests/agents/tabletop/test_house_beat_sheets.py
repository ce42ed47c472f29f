"""Beat sheets and character sheets as the house reads them, and campaigns that have neither in a form it knows."""

from __future__ import annotations

import re

import pytest
from evenings import CAMPAIGN, EDITIONS, PARTY, evening, folder, mishaps, sent
from worlds import open_evening

from sottovoce.rulesets.tabletop.house.beats import ALL, parse
from sottovoce.rulesets.tabletop.house.parts import blocks, cast
from sottovoce.rulesets.tabletop.rules.lore.sheets import read

SHEET = """# An Evening

Words for people.

## Beat 1: The Landing

**Scene**: 007 - the-landing

### Tell
Fog.

More fog.

### Note
Gulls.

### Ask all: QUICK_REACTION
**Scene**: You stand on the quay.
**Just happened**: A rope snaps,
and nobody holds it.
**Request**: What about *the rope*?
**Full context**: It is the only one.
- Hold it
- Cut it

### Choice: Which way?
Left or right?
- Left: Along the wall.
- Right: Into the dark.

### Check: tilda-brannock, sleight of hand, DC 14

### If Left
The wall is wet.

### On success
It holds.
**Party learns**: The rope is sound.

### On failure
It goes.
**Effect**: tilda-brannock, hit points, -2
**Story**: The ferry drifts.

## Beat 2: Apart

**Group**: tower: tilda-brannock

### Tell
Up.

## Beat 3: Apart Again

**Group**: shore: corwin-voss

### Tell
Down.

## Beat 4: Steel

### Tell
It comes.

### Fight: the wader, AC 12, 20 hit points
**Rounds**: 2
**Dodge**: dexterity, DC 11, 1d8+1
**Fells**: round 1
- It lunges.

### End
**Summary**: They won.
**Next**: The tide.
"""

STRANGE = {
    "overview.md": b"# The Salt Road\n\n## Secrets\n\nThe salt is ground from the bones of the drowned king himself.\n",
    "beats/session-1.md": b"# Session 1\n\n## Beat 1: Arrival\n\n**Goal**: let them look around.\n\n- They arrive.\n",
    "locations/brine.md": b"# Brine\n\nA salt town.\n\n## Secrets\n\nIt was built on a grave that nobody may name.\n",
    "locations/the-vault.md": b"# The Hidden Vault\n\nNobody knows of it but the king.\n",
    "npcs/orsolya.md": b"# Orsolya Venn\n\n## Secrets\n\nShe is the last heir of the drowned king.\n",
    "party-knowledge.md": b"# Known\n\n- We are bound for Brine, to see Orsolya Venn.\n",
    "party/ada.md": b"No heading here, only Ada.\n",
    "party/bela-kun.md": b"# Bela Kun\n\n- Sword +9\n",
}


def test_a_beat_sheet_is_read_whole() -> None:
    first, tower, shore, last = parse("beats/a.md", SHEET).beats
    assert (first.number, first.title, first.tell, first.note) == (1, "The Landing", "Fog.\n\nMore fog.", "Gulls.")
    assert first.scene == ("007", "the-landing")
    (ask,) = first.asks
    assert (ask.names, ask.type, ask.options) == (ALL, "QUICK_REACTION", ("Hold it", "Cut it"))
    assert ask.just_happened == "A rope snaps, and nobody holds it."
    assert ask.full == "It is the only one."
    assert first.choice is not None
    assert first.choice.options == (("Left", "Along the wall."), ("Right", "Into the dark."))
    assert first.check is not None
    assert (first.check.who, first.check.skill, first.check.dc) == ("tilda-brannock", "sleight of hand", 14)
    assert first.choices["Left"].prose == "The wall is wet."
    assert (first.success.prose, first.success.learnt) == ("It holds.", ("The rope is sound.",))
    assert first.failure.effects == (("tilda-brannock", "hit points", "-2"),)
    assert first.failure.story == ("The ferry drifts.",)
    assert (tower.group, shore.group) == (("tower", ("tilda-brannock",)), ("shore", ("corwin-voss",)))
    assert last.fight is not None
    assert (last.fight.foe, last.fight.armor, last.fight.hit_points, last.fight.rounds) == ("the wader", 12, 20, 2)
    assert (last.fight.dodge_dc, last.fight.harm, last.fight.fells) == (11, "1d8+1", 1)
    assert last.end == ("They won.", "The tide.")


def test_beats_with_groups_are_played_side_by_side_and_nobody_is_left_out() -> None:
    sheet = parse("beats/a.md", SHEET)
    party = ("tilda-brannock", "corwin-voss", "bryn-oake")
    (one,), split, (end,) = blocks(sheet, cast(sheet, party))
    assert one.members == end.members == party
    assert [(track.label, track.members) for track in split] == [
        ("tower", ("tilda-brannock", "bryn-oake")),
        ("shore", ("corwin-voss",)),
    ]


def test_a_party_that_the_sheet_does_not_name_takes_its_parts() -> None:
    sheet = parse("beats/a.md", SHEET)
    assert cast(sheet, ("ada", "bela-kun")).parts == {"tilda-brannock": "ada", "corwin-voss": "bela-kun"}
    assert not [track.label for block in blocks(sheet, cast(sheet, ("ada",))) for track in block if track.label]


def test_a_sheet_in_another_form_is_no_beat_sheet() -> None:
    assert not parse("beats/session-1.md", STRANGE["beats/session-1.md"].decode()).beats


def test_every_beat_of_the_sample_campaign_is_read() -> None:
    for path in sorted((CAMPAIGN / "beats").iterdir()):
        text = path.read_text(encoding="utf-8")
        found = parse(f"beats/{path.name}", text).beats
        assert len(found) == len(re.findall(r"(?m)^## Beat", text))
        assert sum(len(beat.asks) for beat in found) == len(re.findall(r"(?m)^### Ask", text))
        assert sum(beat.check is not None for beat in found) == len(re.findall(r"(?m)^### Check", text))
        for beat in found:
            assert set(beat.names()) <= set(PARTY)
            assert (beat.check is None and beat.fight is None) or (beat.success.prose and beat.failure.prose)
        assert found[-1].end


def test_a_character_sheet_is_read_by_leads_headings_and_tables() -> None:
    text = (CAMPAIGN / "party" / "pim-tallow.md").read_text(encoding="utf-8")
    pim = read("pim-tallow", text)
    assert (pim.first, pim.pronouns[2]) == ("Pim", "their")
    assert (pim.bonus("sleight of hand"), pim.bonus("initiative"), pim.bonus("charisma")) == (5, 3, 1)
    assert pim.weapon()[1:] == (5, "1d4+3")
    assert "Quiet. Listen to it." in pim.sayings
    assert pim.concerns == ("the old workshop",)
    table = read(
        "kori", "# Kori\n\n| Weapon | Bonus | Damage |\n|---|---|---|\n| Light Crossbow | +2 | 1d8 piercing |\n"
    )
    assert table.weapon() == ("Light Crossbow", 2, "1d8")


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_campaign_without_a_beat_sheet_is_played_in_the_open_by_what_the_party_has_heard(edition: str) -> None:
    table = evening(edition, 1, party=("ada", "bela-kun"), files=STRANGE, campaign="the-salt-road")
    assert not mishaps(table)
    told = "\n".join(message.body for message in sent(table, "NARRATIVE"))
    assert "Brine" in told
    assert "Vault" not in told
    assert "drowned" not in told


def test_a_character_vetoes_what_its_sheet_will_not_have_settled_in_a_hurry() -> None:
    files = {
        path: text.replace(b"**Asks for more about**: the old workshop", b"**Asks for more about**: the hen").replace(
            b"**Request**: What is the first thing", b"**Request**: There goes the hen. What is the first thing"
        )
        for path, text in folder().items()
    }
    table = evening("current", 1, human=False, files=files, player_character=PARTY[0])
    vetoes = [m for m in sent(table, "PLAYER_TO_GM", "pim-tallow") if m.fields["type"] == "VETO"]
    assert len([veto for veto in vetoes if "the hen" in veto.body]) == 1
    asked = [m.fields["request_type"] for m in sent(table, "GM_TO_PLAYER") if m.to == "pim-tallow"]
    assert asked[:2] == ["QUICK_REACTION", "FULL_CONTEXT"]


CHOICE = b"""# The Wheel

## Beat 1: The Gate

### Tell
The gate stands before you.

### Choice: The wheel
What becomes of the wheel?
- Let it strike: Put the wheel back, and let the evening come.
- Keep it: Lay the wheel back into the tree and go home.

### If Let it strike
It strikes.

### If Keep it
The tree has it.

### End
**Summary**: It was decided.
**Next**: Rest.
"""


@pytest.mark.parametrize(
    ("lines", "questions", "outcome"),
    [
        (("Let it strike",), [], "It strikes."),
        (("2",), [], "The tree has it."),
        (("Nobody puts the wheel back. It stays in the tree.", "Yes."), ["Keep it"], "The tree has it."),
        (("Leave it in the tree.", "No, let it strike!"), ["Keep it"], "It strikes."),
        (("Hm.", "Who knows?", "I sing.", "I sing."), ["", ""], None),
    ],
    ids=["label", "number", "denied", "corrected", "nothing"],
)
def test_a_choice_of_a_sheet_is_what_was_meant_or_is_asked_back(
    lines: tuple[str, ...], questions: list[str], outcome: str | None
) -> None:
    files = {path: text for path, text in folder().items() if not path.startswith("beats/")}
    table = open_evening(lines, files={**files, "beats/1-the-wheel.md": CHOICE}, campaign="ten-past-four")
    again = [str(message.fields["question"]) for message in sent(table, "ASK_PLAYER")][1:]
    assert again == [f"Do you mean: {label}?" if label else "What becomes of the wheel?" for label in questions]
    told = "\n".join(message.body for message in sent(table, "NARRATIVE"))
    assert [end for end in ("It strikes.", "The tree has it.") if end in told] == ([outcome] if outcome else [])
    assert not mishaps(table)
