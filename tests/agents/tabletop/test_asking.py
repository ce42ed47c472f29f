"""A question is answered by what it asks for, a person knows themself, and a claim is answered as a claim."""

from __future__ import annotations

import pytest
from worlds import after, open_evening

from sottovoce.rulesets.tabletop.house.acts.questions import holds, question_of
from sottovoce.rulesets.tabletop.house.utterances import kind_of

YARD = "I go to the boatyard."


def answer(*lines: str, seed: int = 1) -> str:
    """What is told of the last of the lines, before anything else happens."""
    return after(open_evening(lines, seed), lines[-1]).split("\n\n")[0]


@pytest.mark.parametrize(
    ("line", "word", "asked"),
    [
        ("Tobit, when did you last see your brother?", "when", {"see", "broth"}),
        ("I ask Tobit whether he knows who raised the gate.", "who", {"raise", "gat"}),
        ("Do you know where Oswin went?", "where", {"oswin"}),
        ("How many wheels are there?", "many", {"wheel"}),
        ("How long have you kept this inn?", "long", {"keep"}),
        ("Is it true that the gate was opened?", "whether", {"gat", "raise"}),
        ("What became of Oswin?", "event", {"oswin"}),
    ],
)
def test_a_question_is_taken_apart(line: str, word: str, asked: set[str]) -> None:
    question = question_of(line, {"tobit", "marsh"})
    assert (question.word, set(question.asked)) == (word, asked)


@pytest.mark.parametrize(
    ("line", "holding", "other"),
    [
        ("When did he leave?", "He left in the spring.", "He left by the back door."),
        ("How many guests are there?", "Nine guests sleep upstairs.", "The guests sleep upstairs."),
        ("How long was she here?", "She was here for two years.", "She was here."),
        ("Why did she leave?", "She left because of the noise.", "She left."),
        ("Who opened the door?", "The warden opened the door.", "The door was opened."),
    ],
)
def test_a_sentence_answers_only_if_it_holds_what_is_asked_for(line: str, holding: str, other: str) -> None:
    question = question_of(line)
    assert holds(question, holding)
    assert not holds(question, other)


def test_the_kind_of_question_decides_which_sentence_answers() -> None:
    assert "has not been seen since the night of the flood" in answer(YARD, "Tobit, what became of Oswin?")
    assert "guild of lock-keepers" in answer(YARD, "Tobit, who keeps the weir?")
    assert "twenty years" in answer(YARD, "Tobit, how long did you run the mill?")
    price = answer(YARD, "Tobit, when does the next barge leave?")
    assert "twenty years" not in price.split("”")[0]


def test_a_writer_knows_their_own_letter_and_everybody_their_name_and_home() -> None:
    assert "My letter asked you to find out why my mill stands under water" in answer(YARD, "Tobit, why did you write?")
    assert "Tobit Marsh" in answer(YARD, "Are you the miller?")
    assert "loft of the boatyard" in answer(YARD, "Tobit, where do you live?")


def test_what_is_private_is_refused_as_private() -> None:
    for seed in range(4):
        told = answer(YARD, "Tobit, do you have children?", seed=seed)
        assert "not know" not in told
        assert "somebody else" not in told


def test_an_innkeeper_names_the_same_price_each_time() -> None:
    inn = "I go to the Eel and Anchor."
    prices = {
        word
        for seed in range(4)
        for word in ("one", "two", "three")
        if f"{word} coin" in answer(inn, "What does a bed cost?", seed=seed).casefold()
    }
    assert len(prices) == 1


def test_where_and_when_it_is_needs_nobody_to_ask() -> None:
    assert "Ferrin's Weir" in answer("Where are we?") or "Landing Stage" in answer("Where are we?")
    assert "early morning" in answer("What time is it?")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("You are hiding something.", "accused"),
        ("I tell him that Oswin is dead.", "saddened"),
        ("I tell her that we will find him.", "promised"),
        ("We did not do it.", "denied"),
        ("I call him a fool.", "insulted"),
        ("I tell him that the Wardens have confessed.", "claimed"),
        ("The house is old.", ""),
    ],
)
def test_words_do_something(line: str, kind: str) -> None:
    assert kind_of(line) == kind


def test_a_claim_is_not_answered_with_a_description() -> None:
    told = answer(YARD, "I tell Tobit that the Wardens have confessed.")
    assert "stone house" not in told
    assert "“" in told


def test_a_title_and_a_name_find_the_one_person() -> None:
    assert "Tobit" in answer(YARD, "Master Marsh, are you well?")


def test_him_is_whom_the_party_spoke_to_last() -> None:
    told = answer(YARD, "Tobit, how are you?", "I pat him on the shoulder.")
    assert told.startswith("Dorrin pats him on the shoulder.")
    assert "Tobit" in told
