"""What the house understands of plain English: three hundred sentences and sixty choices with what they mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from worlds import HERE, anywhere

from sottovoce.rulesets.tabletop.house.choices import choose
from sottovoce.rulesets.tabletop.house.grammar import parse
from sottovoce.rulesets.tabletop.house.targets import Act, Scene


def labelled() -> Iterator[tuple[str, str, list[str], list[str]]]:
    """The campaign, the sentence, the acts that are right, and what it is about."""
    campaign = ""
    for line in (HERE / "sentences.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            campaign = line[2:].split(":")[0].strip()
        elif line.strip():
            text, acts, target = (part.strip() for part in line.split("|"))
            yield campaign, text, acts.split("/"), target.split("/")


def test_three_hundred_sentences_are_understood() -> None:
    right = answered = answered_right = aimed = on_target = 0
    scenes: dict[str, Scene] = {}
    sentences = list(labelled())
    for campaign, text, acts, targets in sentences:
        scene = scenes.get(campaign) or scenes.setdefault(campaign, anywhere(campaign))
        found = parse(text, scene)
        good = found[0].kind in acts
        right += good
        if found[0].kind != "unsure" and acts != ["unsure"]:
            answered += 1
            answered_right += good
        if targets != ["-"]:
            aimed += 1
            on_target += any(
                (key or "-").rpartition("/")[2] in targets for act in found for key in (act.target, act.thing)
            )
    assert len(sentences) >= 300
    assert right / len(sentences) >= 0.95
    assert answered_right / answered >= 0.95
    assert on_target / aimed >= 0.95


def chosen() -> Iterator[tuple[list[str], str, list[str]]]:
    """The options, what is said, and what it may be taken for."""
    options: list[str] = []
    for line in (HERE / "choices.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            continue
        if line.startswith("="):
            options = [part.strip() for part in line[1:].split("|")]
        elif " -> " in line:
            text, _, meant = line.partition(" -> ")
            yield options, text, meant.split("/")


def test_a_choice_in_own_words_is_never_taken_for_another_option() -> None:
    wrong, asked_back = [], 0
    choices = list(chosen())
    for options, text, meant in choices:
        found = choose(text, options)
        if found.option is not None and found.sure:
            if str(found.option + 1) not in meant:
                wrong.append((text, options[found.option]))
        else:
            asked_back += not {"none", "ask"} & set(meant)
    assert len(choices) >= 60
    assert wrong == []
    assert asked_back <= len(choices) // 5


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("I read the slate, and then go to the inn.", ["look", "go"]),
        ("I show Tobit the letter and ask him about the seal.", ["show", "ask"]),
        ("I don't attack him.", ["no"]),
        ("I go to the mill, but I do not touch the rope.", ["go"]),
    ],
)
def test_a_sentence_holds_two_acts_at_most_and_a_denied_one_is_none(text: str, kinds: list[str]) -> None:
    assert [act.kind for act in parse(text, anywhere("the-drowned-mill"))] == kinds


def test_only_what_the_seat_may_know_can_be_meant() -> None:
    acts = parse("I ask Piers Aldous about the forty crowns.", Scene((), {}))
    assert acts[0].kind == "ask"
    assert acts[0].target is None
    assert parse("banana", Scene((), {})) == [Act("unsure", "banana", topic=frozenset({"banana"}))]


@pytest.mark.parametrize(
    "text",
    [
        "Come out, whoever you are, or I'll come in and fetch you!",
        "I don't want to hurt you, but I'll carry you down these stairs if I must.",
    ],
)
def test_a_threat_is_said_and_not_done(text: str) -> None:
    assert [act.kind for act in parse(text, talking_to_emmerich())] == ["talk"]


@pytest.mark.parametrize("text", ["did he have enemies", "so where is the rope", "what do I hear up there"])
def test_a_question_needs_no_mark(text: str) -> None:
    marked = parse(f"{text}?", talking_to_emmerich())
    assert parse(text, talking_to_emmerich()) == marked
    assert marked[0].kind != "talk"


def test_shelter_is_had_with_the_place_that_one_goes_to() -> None:
    acts = parse("I go to the Hare and Hour and get out of the cold.", anywhere("ten-past-four"))
    assert [(act.kind, "cold" in act.text) for act in acts] == [("go", False)]


def talking_to_emmerich() -> Scene:
    scene = anywhere("ten-past-four")
    emmerich = next(each.id for each in scene.entities if each.short == "Emmerich")
    return replace(scene, present=(emmerich,), last=emmerich, spoken=emmerich)


def test_a_name_behind_please_is_the_one_spoken_to() -> None:
    acts = parse("Write that down please Sefa, and be quick about it.", talking_to_emmerich())
    assert (acts[0].kind, acts[0].target) == ("companion", "sefa-quillon")


def test_who_here_is_a_question() -> None:
    assert parse("Who here belongs to the Watch?", talking_to_emmerich())[0].kind == "ask"
