"""An evening in the open on a campaign without a beat sheet: what a person says matters, and secrets stay closed."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import golden_evenings
import pytest
from closed_text import ClosedText, runs
from evenings import documents, evening, folder, mishaps, sent
from sizes import sized
from worlds import FOLDERS, after, documents_of, heard, open_evening, world

from sottovoce.projections.pieces import Teller
from sottovoce.projections.who_knows import who_knows
from sottovoce.rulesets.tabletop.rules import TABLETOP
from sottovoce.rulesets.tabletop.rules.events import DiceRolled, PieceWritten
from sottovoce.rulesets.tabletop.rules.lore.facts import world_of
from sottovoce.rulesets.tabletop.rules.lore.known import found_by, is_named
from sottovoce.rulesets.tabletop.rules.lore.language import sentences, words
from sottovoce.rulesets.tabletop.rules.lore.memory import remembered
from sottovoce.rulesets.tabletop.rules.messages import MessageSent

MILL = folder(FOLDERS["the-drowned-mill"])
LINES = [
    line.partition("|")[0].strip()
    for line in (Path(__file__).parent / "sentences.txt").read_text(encoding="utf-8").splitlines()
    if line.strip() and not line.startswith("#")
]


def test_the_folder_is_read_as_facts_by_its_own_headings() -> None:
    mill = world("the-drowned-mill")
    kinds = Counter(fact.gate for fact in mill.facts.values())
    assert len(mill.all("person")) == 9
    assert len(mill.all("part")) >= 11
    assert kinds["trust"] == 8
    assert {fact.dc for fact in mill.facts.values() if fact.kind == "clue"} == {11, 13}
    said = " ".join(fact.text for fact in mill.facts.values())
    assert "forty crowns" not in said
    assert "counting room" not in said
    (fact,) = [each for each in mill.of["hanne-deel"] if "since her mother died" in each.text]
    assert re.fullmatch(r"npcs/hanne-deel\.md:[0-9]+", fact.id)
    assert (fact.kind, fact.gate) == ("knows", "open")
    assert mill.entities["hanne-deel"].places[0] == "ferrins-weir/eel-and-anchor"


def test_the_evening_opens_where_the_story_stands() -> None:
    table = open_evening([])
    told = heard(table)[0]
    assert "Early morning, mist on the water." in told
    assert "You took the mail barge up the Ose." in told
    assert "Landing Stage" in told
    assert not mishaps(table)


def test_a_replay_shows_which_clue_each_character_was_told() -> None:
    """And shows it to nobody but the auditor and the game master, whose note it is."""
    table = open_evening(["I go to the boatyard.", "I talk to Tobit.", "I give Tobit a coin.", "I call it a night."], 3)
    told = remembered(documents(table)["gm-progress.md"].decode()).told
    clues = [fact for fact in who_knows(TABLETOP, table.recorded) if fact.fact[0] == "clue"]
    assert {fact.fact[1] for fact in clues} <= {*told}
    assert len(clues) > 5
    party = {"dorrin-vale", "ilse-karrow", "wren-ashdown"}
    said = {item.position: item.event.body for item in table.recorded if isinstance(item.event, MessageSent)}
    heard_words = 0
    for fact in clues:
        assert {*fact.seats} == party, "the narrative reached them all"
        before = [text for position, text in said.items() if fact.position - 40 < position < fact.position]
        words_of_it = {*words(fact.says.partition(": ")[2])}
        heard_words += any(len(words_of_it & {*words(text)}) > 0.6 * len(words_of_it) for text in before)
    assert heard_words >= 0.8 * len(clues), "the house says some of them in its own words"
    for seat in ("dorrin-vale", "human", "narrator", "team-lead"):
        teller = Teller(TABLETOP, seat)
        seen = [teller.mark(item.event)[1] for item in table.recorded if item.audience.includes(seat)]
        assert not [mark for marks in seen for mark in marks if getattr(mark, "fact", ("",))[0] == "clue"]


def test_what_a_person_says_is_answered_out_of_the_campaign() -> None:
    table = open_evening(
        [
            "I go to the boatyard.",
            "I ask Tobit Marsh where he sleeps since the flood.",
            "I ask Tobit about the moon.",
            "I show Tobit the letter.",
            "We walk over to the weir house.",
            "I ask the warden about the third wheel.",
        ]
    )
    assert not mishaps(table)
    assert "Two hulls stand on trestles under a roof of planks." in after(table, "I go to the boatyard.")
    assert "I sleep in the loft of the boatyard" in after(table, "I ask Tobit Marsh where he sleeps since the flood.")
    declined = after(table, "I ask Tobit about the moon.")
    assert "Tobit" in declined
    assert not [
        fact for fact in world("the-drowned-mill").of["tobit-marsh"] if fact.kind == "knows" and fact.text in declined
    ]
    assert "I keep the key of the third wheel" in after(table, "I ask the warden about the third wheel.")
    memory = remembered(documents(table)["gm-progress.md"].decode())
    assert "tobit-marsh" in memory.met
    assert memory.liking["tobit-marsh"] > 0


def test_what_somebody_keeps_to_themselves_takes_a_roll_that_is_on_record() -> None:
    asked = "I try to convince Hanne Deel to tell us what she heard on the pond."
    outcomes = set()
    for seed in range(6):
        table = open_evening(["I go to the inn.", "I talk to the innkeeper.", asked], seed)
        (roll,) = [r.event for r in table.recorded if isinstance(r.event, DiceRolled) and "persuasion" in r.event.check]
        told = "oars on the pond" in after(table, asked)
        assert told == (roll.total >= (roll.dc or 0))
        outcomes.add(told)
    assert outcomes == {True, False}


def test_an_evening_can_be_left_and_taken_up_at_any_point_and_gives_the_same() -> None:
    """All that the GM remembers stands in its note: a table that is built anew from the log goes on alike."""
    lines = LINES[:12]
    once, again = open_evening(lines, 4), open_evening(lines, 4)
    assert [r.event for r in once.recorded] == [r.event for r in again.recorded]
    notes = [
        r.event for r in once.recorded if isinstance(r.event, PieceWritten) and r.event.document == "gm-progress.md"
    ]
    assert len(notes) > 12
    second = open_evening(["I ask Tobit Marsh about his brother."], 5, documents(once))
    assert not mishaps(second)
    before = remembered(documents(once)["gm-progress.md"].decode())
    after_ = remembered(documents(second)["gm-progress.md"].decode())
    assert set(before.told) <= set(after_.told)
    assert set(before.met) <= set(after_.met)


@pytest.mark.parametrize("first", range(0, sized(20, 280), 20))
def test_a_whole_evening_acts_on_what_is_said_and_does_not_repeat_itself(first: int) -> None:
    table = open_evening(LINES[first : first + 40], first)
    assert not mishaps(table)
    assert sent(table, "SESSION_END")
    said = [part for body in heard(table) for part in sentences(" ".join(body.split())) if len(part) > 25]
    again = sum(count - 1 for count in Counter(said).values())
    assert again / len(said) < 0.06
    spoken = [body for body in heard(table) if body]
    assert len(spoken) > 20


def _varied(files: dict[str, bytes], number: int) -> dict[str, bytes]:
    """The folder with other words wherever only the GM may look."""
    changed = {}
    for path, text in files.items():
        closed = False
        lines = []
        for line in text.decode().splitlines():
            if line.startswith("#"):
                closed = bool(re.search(r"Secret|GM|Hidden|True Goal|Overview|Role", line))
            elif closed and line.strip():
                line = re.sub(r"[a-z]{4,}", lambda found: f"x{number}{found[0][::-1]}", line)
            elif line.startswith("**Role**") or re.match(r"\| [A-Z][^|]+\| [^|]+\|", line):
                head, bar, last = line.rstrip("| ").rpartition("|")
                line = f"{head}{bar} x{number}{last[::-1]} |" if bar else line
            lines.append(line)
        changed[path] = ("\n".join(lines) + "\n").encode()
    return changed


@pytest.mark.spec("T-063")
def test_changed_closed_parts_of_a_folder_give_the_same_evening_to_the_byte() -> None:
    probes = [
        line
        for name in ("Dame Corisande", "Piers Aldous", "Oswin Marsh", "the ledger", "the forty crowns")
        for line in (f"I ask about {name}.", f"Who is {name}?", f"I search for {name}.")
    ]
    for start in range(sized(1, 6)):
        lines = [*probes[start::6], *LINES[start * 30 : start * 30 + 14], *probes[1:6]]
        told = []
        for number in (0, 1):
            table = open_evening(lines, start, MILL if not number else _varied(MILL, number))
            told.append(
                [
                    (each.tag, each.body, dict(each.fields))
                    for each in (r.event for r in table.recorded)
                    if isinstance(each, MessageSent)
                ]
            )
        assert told[0] == told[1]


def test_nothing_closed_is_told_whoever_is_asked_for_it() -> None:
    """No five words in a row of what no gate opens, for whatever name and word of the folder is asked."""
    text = ClosedText(MILL)
    closed = text.runs()
    assert len(closed) > 240
    assert closed["forty", "crowns", "to", "raise", "the"] == "locations/ferrins-weir.md:65"
    hidden = text.words()
    assert {"forty", "crowns", "mortgaged"} <= hidden.keys()
    names = sorted({*text.names, "Corisande", "Act 2"})
    asked = [
        form.format(name)
        for name in (*names, *sorted(hidden)[:: sized(5, 1)])
        for form in ("I ask about {}.", "I search for {}.", "Tell me about {}!")
    ]
    for at in range(0, min(len(asked), sized(80, 1000)), 40):
        table = open_evening(asked[at : at + 40], at)
        told = "\n".join(heard(table, ("NARRATIVE", "SESSION_END", "ASK_PLAYER", "RELAY_TO_HUMAN", "GM_TO_PLAYER")))
        assert not runs(told) & closed.keys()


FAR = {
    **MILL,
    "locations/the-mill.md": MILL["locations/the-mill.md"].replace(
        b"Half a mile above Ferrin's Weir, by the tow path", b"Five days up the river"
    ),
}


@pytest.mark.parametrize(
    ("files", "parts"), [(MILL, {"the-mill.md:15", "the-mill.md:18", "the-mill.md:21"}), (FAR, set())]
)
def test_what_shows_at_another_place_is_told_there(files: dict[str, bytes], parts: set[str]) -> None:
    """People say what it looks like, and what is to be seen there if it lies by; what else shows takes going there."""
    mill = world_of(documents_of(files), ())
    lines = ["I talk to Hanne Deel.", "I wait.", *["I ask about the Drowned Mill."] * 3, "I ask about the loft."]
    found: set[str] = set()
    for seed in range(1, 5):
        note = remembered(documents(open_evening(lines * 4, seed, files))["gm-progress.md"].decode())
        assert "at drowned-mill" not in note.lines
        owners = {"drowned-mill", *(part.id for part in mill.parts("drowned-mill"))}
        found |= {key for key in note.told if key in mill.facts and mill.facts[key].owner in owners}
    assert found == {"locations/the-mill.md:8", *(f"locations/{each}" for each in parts)}


def test_a_name_within_a_longer_one_is_not_heard_with_it() -> None:
    """Magistrate Chen-Deel is somebody else than Hanne Deel."""
    hanne = world("the-drowned-mill").entities["hanne-deel"]
    assert is_named(hanne, "Ask Deel.")
    assert is_named(hanne, "Deel's inn - Deel - is warm.")
    for other in ("Magistrate Chen-Deel", "Deel-Okonkwo", "Deelman"):
        assert not is_named(hanne, f"{other} keeps order."), other
        assert found_by(f"{other} keeps order.", [hanne]) == []


@pytest.mark.parametrize("edition", ["phase-1", "phase-2", "current"])
def test_an_open_evening_ends_by_itself_in_every_edition(edition: str) -> None:
    table = evening(
        edition,
        2,
        human=False,
        party=("dorrin-vale", "ilse-karrow", "wren-ashdown"),
        files=MILL,
        campaign="the-drowned-mill",
    )
    assert not mishaps(table)
    (end,) = sent(table, "SESSION_END")
    assert "were last seen at" in end.fields["summary"]


@pytest.mark.parametrize("seed", golden_evenings.SEEDS[: sized(1, 3)])
def test_the_evenings_in_the_documents_are_what_is_played(seed: int) -> None:
    assert golden_evenings.page_of(seed).read_text(encoding="utf-8") == golden_evenings.page(seed)
