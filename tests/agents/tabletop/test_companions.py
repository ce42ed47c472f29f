"""One of the party who is asked something answers that, out of their own sheet and what they have seen."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from evenings import folder
from worlds import FOLDERS, after, heard, open_evening, world

from sottovoce.rulesets.tabletop.house.abilities import level
from sottovoce.rulesets.tabletop.house.addressees import to_the_party
from sottovoce.rulesets.tabletop.house.belongings import held
from sottovoce.rulesets.tabletop.house.companions import KINDS
from sottovoce.rulesets.tabletop.house.first_person import in_own_mouth
from sottovoce.rulesets.tabletop.house.pasts import own_sentences
from sottovoce.rulesets.tabletop.house.questions import read
from sottovoce.rulesets.tabletop.house.targets import Scene
from sottovoce.rulesets.tabletop.house.verbs import lists
from sottovoce.rulesets.tabletop.rules.documents import runs_in
from sottovoce.rulesets.tabletop.rules.lore.sheets import read as sheet
from sottovoce.rulesets.tabletop.rules.messages import MessageSent

WREN = sheet("wren-ashdown", folder(FOLDERS["the-drowned-mill"])["party/wren-ashdown.md"].decode())
PIM = sheet("pim-tallow", folder(FOLDERS["ten-past-four"])["party/pim-tallow.md"].decode())


@pytest.mark.parametrize(
    ("text", "kind", "subject"),
    [
        ("could you fix a clock that size?", "ability", "a clock"),
        ("do you see any tracks on the bank?", "sight", "tracks"),
        ("He's lying, isn't he, Wren?", "verdict", ""),
        ("what do you make of her?", "opinion", ""),
        ("what should we do?", "plan", ""),
        ("shall we go to the mill?", "proposal", "the mill"),
        ("would you dig around the foot of the tower?", "request", "the foot of the tower"),
        ("does your order know anything about the Dimming?", "knowledge", "the Dimming"),
        ("I ask Wren to hold my rope.", "request", "your rope"),
        ("I ask Wren whether she is all right.", "state", ""),
        ("why did the bell stop?", "knowledge", "the bell"),
        ("listen at the door, will you?", "request", "the door"),
        ("is that clock broken?", "quality", "that clock"),
        ("you look tired", "state", ""),
        ("thanks, Wren", "thanks", ""),
    ],
)
def test_what_is_asked_is_read(text: str, kind: str, subject: str) -> None:
    question = read(text, "Wren")
    assert (question.kind, question.subject) == (kind, subject)


def test_what_somebody_can_do_is_judged_by_their_sheet() -> None:
    assert level(PIM, "pick a lock") == "good"
    assert level(PIM, "fix a clock that size") == "good"
    assert level(WREN, "fix a clock that size") == "poor"
    assert level(WREN, "cast a spell") == "poor"


def test_a_companion_takes_up_what_they_are_asked() -> None:
    line = "Wren, could you mend a broken wheel?"
    told = after(open_evening([line], 1), line)
    assert any(words in told for words in ("Mend a broken wheel", "trade", "beyond me"))


def test_a_companion_does_what_they_are_asked_to_and_it_has_its_effect() -> None:
    line = "Ilse, would you search the bank for footprints?"
    told = after(open_evening([line], 1), line)
    assert "Ilse searches the bank for footprints." in told
    assert told.count("Ilse searches") == 1


def test_a_companion_who_is_asked_does_nothing_else_meanwhile() -> None:
    lines = ["I look around.", "Wren, are you hungry?", "Ilse, are you hungry?", "Wren, do you speak Elvish?"]
    table = open_evening(lines, 1)
    for line in lines[1:]:
        told = after(table, line)
        assert "says " in told
        assert "examines" not in told


def test_companions_never_say_the_same_twice() -> None:
    lines = [
        f"{who}, do you know anything about the {what}?"
        for what in ("wheel", "eels", "dam")
        for who in ("Wren", "Ilse")
    ]
    said = [part for text in heard(open_evening(lines, 2)) for part in text.split("\n\n") if part.startswith("“")]
    words = [part.replace("Wren", "").replace("Ilse", "") for part in said]
    assert len(words) == len({*words})


def test_an_opinion_is_about_whoever_was_meant() -> None:
    lines = ["I ring the bell.", "What do you make of him, Ilse?"]
    assert "Tobit" in after(open_evening(lines, 1), lines[1])


def test_a_companion_knows_nothing_of_a_name_that_nobody_has_told() -> None:
    told = {}
    for name in ("Corisande", "Zebedee"):
        line = f"Ilse, who is {name}?"
        told[name] = after(open_evening([line], 2), line).replace(name, "NAME")
    assert told["Corisande"] == told["Zebedee"]


def test_every_kind_of_question_has_an_answer() -> None:
    assert {*lists("questions.txt")} <= {*KINDS}


def test_no_answer_breaks_off() -> None:
    line = "Pim, what do you know about Agnes?"
    files = {at: body for at, body in folder(FOLDERS["ten-past-four"]).items() if not at.startswith("beats/")}
    told = after(open_evening([line], 1, files, campaign="ten-past-four", player_character="sefa-quillon"), line)
    assert "Agnes" in told
    assert "#" not in told


# whom words are for

SCENE = Scene(
    tuple(world("the-drowned-mill").entities.values()),
    {"Dorrin": "dorrin-vale", "Ilse": "ilse-karrow", "Wren": "wren-ashdown"},
    ("tobit-marsh",),
    "tobit-marsh",
    "dorrin-vale",
)


@pytest.mark.parametrize(
    ("text", "to", "left"),
    [
        ("Wren, watch the door", ("wren-ashdown",), ""),
        ("wren what do you hear", ("wren-ashdown",), ""),
        ("are you ok Ilse? you look pale", ("ilse-karrow",), ""),
        ("haha good one Wren", ("wren-ashdown",), ""),
        ("give me your knife Ilse", ("ilse-karrow",), ""),
        ("Wren and Ilse, wait here.", ("wren-ashdown", "ilse-karrow"), ""),
        ("you two watch the back", (), ""),
        ("everybody ready?", (), ""),
        ("who's got a light?", (), ""),
        ("any ideas?", (), ""),
        ("Wren, hold my coat, I'm going in", ("wren-ashdown",), "I'm going in"),
        ("Wren, keep an eye on the door. I go up the stairs.", ("wren-ashdown",), "I go up the stairs."),
        ("I give the letter to Wren", None, "I give the letter to Wren"),
        ("Wren is right.", None, "Wren is right."),
        ("Which of you raised the gate?", None, "Which of you raised the gate?"),
        ("Where is Wren?", None, "Where is Wren?"),
        ("I follow Wren", None, "I follow Wren"),
    ],
)
def test_words_are_for_whoever_is_called_on(text: str, to: tuple[str, ...] | None, left: str) -> None:
    acts, rest = to_the_party(text, SCENE)
    assert ([act.to for act in acts], rest) == ([] if to is None else [to], left)


def test_each_of_two_who_are_called_on_has_words_of_their_own() -> None:
    acts, _ = to_the_party("Ilse, write that down. Wren, hands off the spoons!", SCENE)
    assert [(act.target, act.text) for act in acts] == [
        ("ilse-karrow", "write that down."),
        ("wren-ashdown", "hands off the spoons!"),
    ]


def test_what_follows_is_for_the_companion_who_was_spoken_to_until_somebody_comes() -> None:
    spoken = replace(SCENE, mate="wren-ashdown")
    assert to_the_party("are you sure?", spoken)[0][0].target == "wren-ashdown"
    assert to_the_party("why?", spoken)[0][0].target == "wren-ashdown"
    assert to_the_party("I open the door.", spoken) == ([], "I open the door.")
    assert to_the_party("are you the miller?", replace(spoken, interrupted=True)) == ([], "are you the miller?")
    assert to_the_party("haha good one", replace(spoken, interrupted=True))[0][0].target == "wren-ashdown"


# what comes of it


def told(*lines: str, seed: int = 1) -> str:
    """All that is told after the last of the lines."""
    events = [e.event for e in open_evening(lines, seed).recorded if isinstance(e.event, MessageSent)]
    at = max(n for n, event in enumerate(events) if event.tag == "HUMAN_DECISION" and event.body == lines[-1])
    return " ".join(event.body for event in events[at:] if event.tag == "NARRATIVE")


def test_a_letter_that_is_read_out_is_told() -> None:
    assert "drowned in a single night" in told("Wren, read me the miller's letter again, would you?")


def test_who_is_sent_up_to_look_tells_what_there_is_to_see() -> None:
    answer = told("Wren, climb up on the roof and tell me what you see")
    assert "Wren climbs up on the roof and looks about." in answer
    assert "tells you what" not in answer
    assert answer.partition("looks about. ")[2]


@pytest.mark.parametrize(
    "line", ["Wren, watch the door", "Wren, stay here", "Wren, hold my coat", "Ilse, say a prayer", "Ilse, keep notes"]
)
def test_something_comes_of_what_is_asked_for(line: str) -> None:
    answer = told(line).split("\n\n")[0]
    assert answer.count(". ") + answer.count("” ") >= 2, answer


def test_the_whole_party_does_what_it_is_told_to() -> None:
    answer = told("you two watch the back")
    assert "Wren" in answer
    assert "Ilse" in answer


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("haha good one", "praise"),
        ("shut up", "hush"),
        ("you idiot", "quarrel"),
        ("sorry, I didn't mean it", "sorry"),
        ("are you sure?", "sure"),
        ("who wants to go first?", "first"),
        ("everybody ready?", "ready"),
        ("what did Tobit tell us again?", "recall"),
        ("do you have family?", "kin"),
        ("what's in your bag?", "have"),
        ("can I borrow your knife?", "have"),
        ("what spells do you have?", "skills"),
        ("who do you think did it?", "culprit"),
        ("would you follow me into the water?", "pledge"),
        ("you try. You're better with words than I am.", "request"),
        ("could you say a prayer for this place?", "request"),
        ("can you hear any ticking?", "sight"),
        ("what's your read?", "plan"),
        ("have you ever been here before?", "you.have"),
        ("don't you dare pocket that spoon", "leave"),
    ],
)
def test_casual_words_are_read(line: str, kind: str) -> None:
    assert read(line, "Wren").kind == kind


def test_who_has_a_thing_says_so_by_the_sheet_or_as_anybody_on_the_road() -> None:
    assert held(PIM, read("got a knife?", "Pim")) == "a clasp knife"
    assert held(WREN, read("who's got a light?", "Wren")) == "a light"
    assert not held(WREN, read("have you got a trumpet?", "Wren"))


def test_a_sheet_is_told_in_the_first_person_and_never_eight_words_of_it_in_a_row() -> None:
    party = folder(FOLDERS["ten-past-four"])
    for name in ("isolde-marrow", "pim-tallow", "sefa-quillon"):
        own = sheet(name, party[f"party/{name}.md"].decode())
        for _, sentence in own_sentences(own):
            if said := in_own_mouth(sentence, own):
                assert re.search(r"\b(?:I|[Mm]y|me|myself)\b", said)
                assert not {*runs_in(said)} & {*runs_in(own.text)}
    isolde = sheet("isolde-marrow", party["party/isolde-marrow.md"].decode())
    assert in_own_mouth("She promised her father that nobody whose name she knows goes alone.", isolde) == (
        "I promised my father that nobody whose name I know goes alone."
    )


def test_nothing_that_a_sheet_keeps_close_is_told() -> None:
    party = folder(FOLDERS["ten-past-four"])
    for name in ("isolde-marrow", "pim-tallow", "sefa-quillon"):
        text = party[f"party/{name}.md"].decode()
        kept = text.partition("## Kept Close")[2]
        told_of = [sentence for _, sentence in own_sentences(sheet(name, text))]
        assert told_of
        assert not [sentence for sentence in told_of if sentence in kept]


def test_two_who_answer_at_once_do_not_say_the_same() -> None:
    for line in ("everybody ready?", "good night, all of you", "any ideas?", "do you two like each other?"):
        for seed in (1, 2, 3):
            said = [part.partition("“")[2].partition("”")[0] for part in told(line, seed=seed).split("\n\n")]
            said = [each for each in said if each]
            assert len(said) == len({*said})
