"""Dice expressions, drawing them, the notation of a roll, and what a roll comes to."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given as always
from hypothesis import strategies as st

from sottovoce.domain.errors import Refused
from sottovoce.rulesets.tabletop.rules.events import rolled
from sottovoce.rulesets.tabletop.rules.rolls import (
    LARGEST_NUMBER,
    MOST_DICE,
    MOST_SIDES,
    Dice,
    Roll,
    check_notation,
    draw,
    expression,
    result,
)

terms = st.builds(
    lambda count, sides, keep: f"{count}d{sides}{keep}",
    st.integers(2, 9),
    st.integers(1, 30),
    st.sampled_from(("", "kh1", "kl1", "dh1", "dl1", "kh2")),
)
expressions = st.tuples(
    terms, st.lists(st.tuples(st.sampled_from("+-"), st.one_of(terms, st.integers(0, 99).map(str))), max_size=5)
).map(lambda both: both[0] + "".join(sign + term for sign, term in both[1]))
plain = expressions.map(lambda text: re.sub(r"[kd][hl]\d", "", text))


@pytest.mark.spec("T-166")
@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("1d20+5", (Dice(1, 1, 20, None, 1), 5)),
        ("2d6", (Dice(1, 2, 6, None, 2),)),
        ("d8", (Dice(1, 1, 8, None, 1),)),
        ("1d20+5-1d4", (Dice(1, 1, 20, None, 1), 5, Dice(-1, 1, 4, None, 1))),
        (" 2D20 KH1 + 5 ", (Dice(1, 2, 20, "kh", 1), 5)),
        ("4d6dl1", (Dice(1, 4, 6, "dl", 1),)),
        ("2d20kl", (Dice(1, 2, 20, "kl", 1),)),
        ("1d20−2", (Dice(1, 1, 20, None, 1), -2)),
        ("100d1000", (Dice(1, 100, 1000, None, 100),)),
    ],
)
def test_an_expression_is_read_into_its_terms(text: str, read: tuple[Dice | int, ...]) -> None:
    assert expression(text).terms == read
    assert expression(expression(text).text) == expression(text)


@pytest.mark.spec("T-166")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no dice"),
        ("5", "has no dice"),
        ("1d20++5", "not a dice expression"),
        ("1d20 d6", "not a dice expression"),
        ("2d6 3", "two numbers side by side"),
        ("1d", "not a dice expression"),
        ("1d20*2", "not a dice expression"),
        ("٣d6", "not a dice expression"),
        ("__import__('os')", "not a dice expression"),
        ("0d6", "rolls 0 dice; roll 1 to 100"),
        ("101d6", "rolls 101 dice; roll 1 to 100"),
        ("51d6+50d6", "more than 100 dice"),
        ("1d0", "dice of 0 sides"),
        ("1d1001", "dice of 1001 sides"),
        ("1d20+100001", "too large a number"),
        ("2d20kh3", "let 1 to 2 of them count"),
        ("2d20kh0", "let 1 to 2 of them count"),
        ("2d20dl2", "let 1 to 2 of them count"),
        ("1d6+" * 60 + "1", "longer than 200 characters"),
    ],
)
def test_what_cannot_be_rolled_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(Refused, match=re.escape(said)):
        expression(text)


@pytest.mark.spec("T-166")
def test_as_many_dice_as_may_be_rolled_are() -> None:
    assert sum(dice.count for dice in expression("50d6+50d6").dice) == MOST_DICE


@always(text=expressions, seed=st.integers())
def test_a_roll_depends_on_its_generator_alone_and_stays_within_its_dice(text: str, seed: int) -> None:
    read = expression(text)
    roll = draw(read, Random(seed))
    assert roll == draw(read, Random(seed))
    assert [len(drawn) for drawn in roll.drawn] == [dice.count for dice in read.dice]
    for dice, drawn in zip(read.dice, roll.drawn, strict=True):
        assert all(1 <= face <= dice.sides for face in drawn)
        counted = dice.counted(drawn)
        in_order = sorted(drawn)
        kept = {None: in_order, "kh": in_order[-dice.number :], "kl": in_order[: dice.number]} | {
            "dh": in_order[: -dice.number],
            "dl": in_order[dice.number :],
        }
        assert sorted(counted) == kept[dice.keep]


def test_every_face_comes_up_about_as_often() -> None:
    read = expression("100d6")
    draws = Random(1)
    faces = [face for _ in range(60) for face in draw(read, draws).drawn[0]]
    assert all(850 < faces.count(face) < 1150 for face in range(1, 7))


@pytest.mark.spec("T-094")
@pytest.mark.parametrize(
    ("text", "drawn", "notation"),
    [
        ("1d20+5", ((8,),), "1d20+5 = [8]+5 = 13"),
        ("2d6", ((3, 4),), "2d6 = [3, 4] = 7"),
        ("1d20+5-1d4", ((8,), (3,)), "1d20+5-1d4 = [8]+5-[3] = 10"),
        ("2d20kh1+5", ((8, 15),), "2d20kh1+5 = [8, 15]+5 = 20"),
        ("4d6dl1", ((1, 5, 1, 6),), "4d6dl1 = [1, 5, 1, 6] = 12"),
        ("-1d4+2", ((3,),), "-1d4+2 = -[3]+2 = -1"),
        ("5+1d4", ((3,),), "5+1d4 = 5+[3] = 8"),
    ],
)
def test_a_roll_is_told_as_expression_dice_and_total(
    text: str, drawn: tuple[tuple[int, ...], ...], notation: str
) -> None:
    assert Roll(expression(text), drawn).notation == notation


@pytest.mark.spec("T-094")
@always(text=expressions, seed=st.integers())
def test_what_the_game_rolls_is_a_notation_that_it_accepts(text: str, seed: int) -> None:
    check_notation(draw(expression(text), Random(seed)).notation)


@pytest.mark.spec("T-094")
@always(text=plain, seed=st.integers(), off=st.integers(-50, 50).filter(bool))
def test_a_plain_sum_with_another_total_is_refused(text: str, seed: int, off: int) -> None:
    roll = draw(expression(text), Random(seed))
    wrong = f"{roll.notation.rpartition('=')[0]}= {roll.total + off}"
    with pytest.raises(Refused, match="does not add up"):
        check_notation(wrong)


@pytest.mark.spec("T-094")
@pytest.mark.parametrize(
    "text",
    [
        "1d20+5 = [8]+5 = 13",
        "1d20+5=[8]+5=13",
        "2d6+1d4 = [3,4]+[2] = 9",
        "2d6 = [3+4] = 7",
        "1d20+2+3 = [8]+5 = 13",
        "1d20-12 = [8]-12 = -4",
        "1d20 − 2 = [8] − 2 = 6",
        "2d20kh1+5 = [15]+5 = 20",
        "3d6! = [6, 2, 1] = 11",
        "advantage = [8, 15] = 15",
    ],
)
def test_a_full_notation_is_accepted_and_other_dice_rules_are_not_reckoned(text: str) -> None:
    check_notation(text)


@pytest.mark.spec("T-094")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("13", "not a full notation"),
        ("1d20+5 = 13", "not a full notation"),
        ("1d20+5 = 8+5 = 13", "not a full notation"),
        ("= [8] = 8", "not a full notation"),
        ("1d20 = [8] = eight", "not a full notation"),
        ("1d20 = [8] = 8 = 8", "not a full notation"),
        ("1d20+5 = [8]+5 = 14", "make 13, not 14"),
        ("1d20+5 = [8]+6 = 14", "adds other numbers"),
        ("1d20+5 = [21]+5 = 26", "does not roll"),
        ("1d20+5 = [0]+5 = 5", "does not roll"),
        ("2d6 = [3] = 3", "does not roll"),
        ("1d20-1d4 = [8]+[2] = 10", "does not roll"),
        ("1d20 = [8]] = 8", "cannot be read"),
        ("1d20 = [8]x = 8", "cannot be read"),
        ("1d20 = [" + "9" * 5000 + "] = 8", "does not roll"),
    ],
)
def test_a_notation_that_is_none_or_wrong_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(Refused, match=re.escape(said)):
        check_notation(text)


@pytest.mark.spec("T-095")
@pytest.mark.parametrize(
    ("text", "drawn", "dc", "expected"),
    [
        ("1d20+5", ((8,),), 13, "success"),
        ("1d20+5", ((8,),), 14, "failure"),
        ("1d20+5", ((20,),), 99, "critical_success"),
        ("1d20+50", ((1,),), 2, "critical_failure"),
        ("2d20kh1", ((1, 20),), 30, "critical_success"),
        ("2d20kl1", ((1, 20),), 0, "critical_failure"),
        ("2d20kh1", ((1, 9),), 9, "success"),
        ("1d20+1d4", ((20,), (1,)), 30, "critical_success"),
        ("2d20", ((20, 1),), 22, "failure"),
        ("3d6", ((6, 6, 6),), 18, "success"),
        ("1d4", ((1,),), 1, "success"),
        ("1d20", ((20,),), None, None),
        ("30-1d20", ((20,),), 10, "success"),
        ("30-1d20", ((20,),), 11, "failure"),
        ("10-1d20", ((1,),), 9, "success"),
        ("1d20-1d20", ((20,), (1,)), 30, "critical_success"),
        ("1d20-1d20", ((8,), (20,)), 0, "failure"),
        ("1d6-2d20kh1", ((6,), (1, 20)), 0, "failure"),
    ],
)
def test_twenty_and_one_decide_and_else_the_total_against_the_difficulty(
    text: str, drawn: tuple[tuple[int, ...], ...], dc: int | None, expected: str | None
) -> None:
    assert result(Roll(expression(text), drawn), dc) == expected


@always(text=st.text(alphabet="0123456789d+-khl[], =−!٣", max_size=60))
def test_any_text_is_an_expression_or_a_notation_or_refused(text: str) -> None:
    for reading in (expression, check_notation):
        try:
            read = reading(text)
        except Refused:
            continue
        assert read is None or sum(dice.count for dice in read.dice) <= MOST_DICE


def test_the_bounds_are_what_they_say() -> None:
    widest = expression(f"{MOST_DICE}d{MOST_SIDES}+{LARGEST_NUMBER}")
    assert draw(widest, Random(1)).total <= MOST_DICE * MOST_SIDES + LARGEST_NUMBER


@pytest.mark.parametrize("roll", ["", "=", "canary\nash-brook", "1d20 = [8] = ²", "= " + "9" * 5000])
def test_a_roll_of_a_log_from_elsewhere_is_told_whatever_it_holds(roll: str) -> None:
    piece = rolled("gm", "pim-tallow", "luck", roll, None, None)
    assert piece.kind == "roll"
    assert piece.numbers == {}
    assert rolled("gm", "pim-tallow", "luck", "1d4-5 = [3]-5 = -2", None, None).numbers == {"total": -2}
