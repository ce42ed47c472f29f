"""The next evening: what each character remembers, people who know the party, what is kept; and chapters to read."""

from __future__ import annotations

import pytest
from evenings import PARTY, documents, evening, mishaps, sent
from table import Table
from worlds import after, heard, open_evening

from sottovoce.projections.novel import NoChapter, markdown, novel
from sottovoce.projections.view import View, view
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.tabletop.rules import TABLETOP
from sottovoce.rulesets.tabletop.rules.documents import recap_file
from sottovoce.rulesets.tabletop.rules.documents.access import readers_of
from sottovoce.rulesets.tabletop.rules.lore.memory import Memory, carried_over, remembered
from sottovoce.rulesets.tabletop.shown import chapter

FIRST = (
    "I go to the boatyard.",
    "I talk to Tobit.",
    "I help Tobit with the boat.",
    "I give Tobit a coin.",
    "I try to persuade Tobit to tell us what he saw.",
    "I try to convince Tobit to say more.",
    "I call it a night.",
)
ME = "dorrin-vale"


@pytest.fixture(scope="module")
def first() -> Table:
    return open_evening(FIRST, 3)


@pytest.fixture(scope="module")
def second(first: Table) -> Table:
    files = documents(first) | {recap_file(ME): chapter.recap(first.view(ME)).encode()}
    return open_evening(["I talk to Tobit.", "I talk to Tobit.", "I call it a night."], 4, files)


def test_the_next_evening_begins_with_what_was_found_out_and_where_the_party_is(first: Table, second: Table) -> None:
    assert not mishaps(second)
    opening = heard(second)[0]
    learnt = next(text for text in heard(first) if "crown piece" in text)
    assert "I found a crown piece" in learnt
    assert "Tobit: He found a crown piece in Oswin's coat that no miller earns." in opening
    assert "You are at the Boatyard." in opening
    assert "You have just stepped onto the landing stage" not in opening, "that was the evening before"


def test_people_know_the_party_once_and_as_they_like_it(second: Table) -> None:
    told = heard(second)
    greeted = ("There you are again", "knows you at once", "hoped you would come back")
    assert sum(any(words in text for words in greeted) for text in told) == 1
    assert any(words in after(second, "I talk to Tobit.") for words in greeted)


@pytest.mark.parametrize(
    ("liking", "words"), [("-3", "has not forgotten|I remember you"), ("+0", "knows you from|You again")]
)
def test_people_who_were_wronged_remember_it(first: Table, liking: str, words: str) -> None:
    files = documents(first)
    note = "\n".join(
        line for line in files["gm-progress.md"].decode().splitlines() if not line.startswith("- liking tobit-marsh")
    )
    files["gm-progress.md"] = f"{note}\n- liking tobit-marsh {liking}\n".encode()
    table = open_evening(["I talk to Tobit.", "I call it a night."], 4, files)
    assert any(part in after(table, "I talk to Tobit.") for part in words.split("|"))


def test_relationships_possessions_and_decisions_are_kept(first: Table, second: Table) -> None:
    before, now = (remembered(documents(table)["gm-progress.md"].decode()) for table in (first, second))
    assert before.carries
    assert list(now.carries) == list(before.carries)
    assert now.liking["tobit-marsh"] >= before.liking["tobit-marsh"] > 0
    assert set(before.met) <= set(now.met)
    kept = carried_over("- met a\n- clock 3\n- settled go north\n- decided Stay here\n- turn\n")
    assert kept == ["met a", "settled Stay here"]
    memory = Memory()
    for line in kept:
        memory.apply(line)
    assert (memory.settled, memory.decided) == ("Stay here", "")


def test_a_recap_is_read_by_its_character_and_has_what_that_character_saw(second: Table) -> None:
    assert readers_of(recap_file(ME), (ME, "wren-ashdown")) == (ME, "gm")
    own, other = (second.view(seat).state.documents for seat in (ME, "wren-ashdown"))
    assert recap_file(ME) in own
    assert recap_file(ME) not in other


@pytest.mark.parametrize("seat", [*PARTY, "human"])
def test_chapter_and_recap_are_made_of_what_the_seat_saw(seat: str) -> None:
    table = evening("current", 2, player_character=PARTY[0])
    seen = table.view(seat)
    without = [item for item in table.recorded if item.audience.includes(seat)]
    alone = view(TABLETOP, without, seat)
    assert markdown(novel(alone)) == markdown(novel(seen))
    assert chapter.recap(alone) == chapter.recap(seen)


def test_a_chapter_holds_what_was_told_done_and_said_to_the_character() -> None:
    table = evening("current", 2, human=False)
    me = "pim-tallow"
    text = markdown(novel(table.view(me)))
    assert text.startswith("# Ten Past Four\n\n*As Pim Tallow lived it.*\n")
    for message in sent(table, "NARRATIVE"):
        if message.group is None:
            assert message.body.strip().splitlines()[-1][:30] in text.replace("\\", "")
    for message in sent(table, "PLAYER_TO_PLAYER"):
        assert (message.body[:30] in text.replace("\\", "")) == (me in (message.seat, message.to))
    private = [m for m in sent(table, "GM_TO_PLAYER") if m.fields["request_type"] == "SECRET_ACTION"]
    assert private
    assert ("Unseen by the others, " in text) == any(m.to == me for m in private)


def test_a_recap_leaves_out_what_was_done_in_secret() -> None:
    for seed in range(6):
        table = evening("current", seed, human=False)
        for message in sent(table, "GM_TO_PLAYER"):
            if message.fields["request_type"] == "SECRET_ACTION" and message.to:
                assert "Unseen by the others" not in chapter.recap(table.view(message.to))


def test_a_game_of_another_kind_has_no_chapter() -> None:
    with pytest.raises(NoChapter, match="There are no chapters of a game of mafia"):
        novel(View(MAFIA, "Ada", [], 0, MAFIA.state))


def test_a_text_about_the_character_is_no_speech_of_theirs() -> None:
    assert chapter._is_told_of("There is a place where Wren keeps such things.", "Wren")
    assert not chapter._is_told_of("I would not tell Wren.", "Wren")
    assert chapter._said("“Wait.”", "Ilse", "Wren") == "“Wait,” Ilse said to Wren."
    assert chapter._said("Wait!", "Ilse") == "“Wait!” Ilse said."
