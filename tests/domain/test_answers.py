"""Answers in fields: what is read from a text, how it is written, which are legal, and what stands in for silence."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, Literal

import pytest
from hypothesis import given as drawing
from hypothesis import settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from sottovoce.domain.answer_texts import how_to_write, read_fields, text_of
from sottovoce.domain.answers import Among, Answer, Fields, Form, Misfilled, Words, legal_of, with_words
from sottovoce.domain.audience import everyone
from sottovoce.domain.commands import Open
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import Refused, RulesetDefect
from sottovoce.domain.events import AttemptFailed, Closing, FallbackApplied, ReplyAccepted
from sottovoce.domain.folds import sets
from sottovoce.domain.game import Game
from sottovoce.domain.piece import line
from sottovoce.domain.ruleset import Players, Ruleset, TurnOptions
from sottovoce.domain.testing import NOON, Playtest, given
from sottovoce.domain.turns import DRAWN, HELD, Ballot, Count, Table, Turn

SEATS = ("Ann", "Ann Lee", "Zoë", "7", "Tom and Jerry", "word, word", "two")


class Bid(Fields):
    """A bid."""

    count: int = Field(ge=1)
    face: int = Field(ge=1, le=6)


class Team(Fields):
    """A team, and what is said for it."""

    team: list[str]
    words: Words = ""

    def __str__(self) -> str:
        return ", ".join(self.team)


class Strike(Fields):
    """Who strikes at whom, with what, and whether openly."""

    attacker: str
    target: str
    with_what: Literal["axe", "sword"] = "axe"
    openly: bool = False
    force: int | None = None
    note: str = ""


BIDS = legal_of({"count": range(2, 11)})
TEAMS = legal_of({"team": SEATS})
STRIKES = legal_of({"attacker": SEATS, "target": SEATS, "force": (1, 2, 5)})


@pytest.mark.parametrize(
    "text",
    [
        "3 5",
        "3x5",
        "3, 5",
        "3-5",
        "3 fives",
        "Three fives!",
        "I bid three 5s.",
        "count: 3, face: 5",
        "face = 5; count = 3",
        "**count**: 3\nface: five",
        "face 5, count 3",
        '{"count": 3, "face": 5}',
        '```json\n{"Count": "3", "face": 5, "why": "no reason"}\n```',
        '{"count": 3, "face": 5} is my bid.',
    ],
)
def test_a_bid_is_read_by_name_in_order_in_words_and_as_json(text: str) -> None:
    assert read_fields(text, Bid, BIDS) == Bid(count=3, face=5)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Your reply is empty."),
        ("\u200b", "Your reply is empty."),
        ("no idea", "Your answer fits none of the fields."),
        ("3", "Your answer has 1 number; give 2."),
        ("3 5 6", "Your answer has 3 numbers; give 2."),
        ("count: 3", "Your answer has no face."),
        ("count: many, face: 5", "Count cannot be many."),
        ("1 5", "Count cannot be 1 here."),
        ("3 9", "Face cannot be 9."),
        ("3 " + "9" * 5000, f"Face cannot be {'9' * 40}…."),
        ("{", "Your answer begins like JSON, but it is not valid JSON."),
        ('{"count": [[]], "face": 5}', "Count cannot be [[]]."),
        (json.dumps({"count": list(range(3000))}), "Your answer holds more than 2000 values."),
    ],
)
def test_what_is_no_bid_is_refused_in_one_line(text: str, why: str) -> None:
    with pytest.raises(Refused) as refused:
        read_fields(text, Bid, BIDS)
    assert str(refused.value) == why


@pytest.mark.parametrize(
    ("text", "team", "words"),
    [
        ("Zoë and Ann Lee", ["Zoë", "Ann Lee"], ""),
        ("I send Ann, 7.\nTrust them.\nteam: yes", ["Ann", "7"], "Trust them.\nteam: yes"),
        ("team: Ann, Tom and Jerry and Zoë\nThey are good.", ["Ann", "Tom and Jerry", "Zoë"], "They are good."),
        ("team: Ann Lee\nwords: One\nTwo", ["Ann Lee"], "One\nTwo"),
        ("team: Ann Lee\n\nwords: One\n\nTwo", ["Ann Lee"], "One\n\nTwo"),
        ("team: Ann Lee\n\nOne\nwords: Two", ["Ann Lee"], "One\nwords: Two"),
        ("words: Before\nteam: Ann", None, ""),
        ('{"team": ["Ann", "word, word"], "words": "x"}', ["Ann", "word, word"], "x"),
    ],
)
def test_words_are_the_lines_below_the_fields(text: str, team: list[str] | None, words: str) -> None:
    if team is None:
        with pytest.raises(Refused):
            read_fields(text, Team, TEAMS)
    else:
        assert read_fields(text, Team, TEAMS) == Team(team=team, words=words)


@pytest.mark.parametrize("text", ["team: Ann, Zed", "team: Ann and Zed", '{"team": ["Ann", "Zed"]}'])
def test_a_name_that_is_not_legal_is_not_passed_over(text: str) -> None:
    with pytest.raises(Refused, match=r"(?i)team cannot be zed here\."):
        read_fields(text, Team, TEAMS)


def test_two_fields_of_the_same_names_are_read_in_order_and_no_name_is_dropped() -> None:
    found = read_fields("Zoë strikes at Ann Lee, sword, yes", Strike, STRIKES)
    assert found == Strike(attacker="Zoë", target="Ann Lee", with_what="sword", openly=True)
    with pytest.raises(Refused, match=r"more than once \(7 too\)"):
        read_fields("Zoë strikes at Ann Lee and 7", Strike, STRIKES)
    with pytest.raises(Refused, match="Force cannot be 3 here"):
        read_fields("attacker: Ann, target: Zoë, force: 3", Strike, STRIKES)


class Letter(Fields):
    """A letter without words beside it."""

    To: Literal["king", "queen"]
    text: str


def test_a_text_has_all_its_lines_and_names_in_capitals_are_names() -> None:
    for text in ("To: king\ntext: My lord,\nit rains.", '{"to": "king", "TEXT": "My lord,\\nit rains."}'):
        assert read_fields(text, Letter) == Letter(To="king", text="My lord,\nit rains.")
    with pytest.raises(Refused, match=r"Your answer has no text\."):
        read_fields("To: king", Letter)


def test_fields_have_one_field_of_words_at_most() -> None:
    with pytest.raises(TypeError, match="Twice has several fields of words"):

        class Twice(Team):
            aside: Words = ""


def test_aliases_are_other_ways_to_write_an_option() -> None:
    aliases = {"blade": "sword", "the twins": "Tom and Jerry", "nobody": "Nobody"}
    found = read_fields("The twins hit Ann with a blade", Strike, STRIKES, aliases)
    assert (found.attacker, found.target, found.with_what) == ("Tom and Jerry", "Ann", "sword")


def test_an_option_that_is_legal_at_other_times_only_is_named_in_the_refusal() -> None:
    with pytest.raises(Refused, match="With what cannot be sword here"):
        read_fields("Ann Zoë sword", Strike, (*STRIKES, ("with_what", ("axe",))))


names = st.sampled_from(SEATS)
texts = st.text(max_size=40)
strikes = st.builds(
    Strike,
    attacker=names,
    target=names,
    with_what=st.sampled_from(("axe", "sword")),
    openly=st.booleans(),
    force=st.sampled_from((None, 1, 2, 5)),
    note=texts,
)
teams = st.builds(Team, team=st.lists(names, unique=True), words=texts)
bids = st.builds(Bid, count=st.integers(2, 10), face=st.integers(1, 6))


@settings(max_examples=150, deadline=None)
@drawing(st.one_of(strikes, teams, bids))
def test_every_answer_reads_back_from_its_text_whatever_it_holds(answer: Fields) -> None:
    legal = {Bid: BIDS, Team: TEAMS, Strike: STRIKES}[type(answer)]
    assert read_fields(text_of(answer, legal), type(answer), legal) == answer
    bare = with_words(answer, "")
    assert read_fields(text_of(bare), type(answer)) == bare, "what is recorded is read without what was legal then"


@settings(max_examples=200, deadline=None)
@drawing(st.one_of(texts, st.text("0123456789 ,:={}[]\"'\nfivecountaeAnZ-", max_size=60)))
def test_no_text_does_more_than_be_refused(text: str) -> None:
    for fields, legal in ((Bid, BIDS), (Team, TEAMS), (Strike, STRIKES)):
        with suppress(Refused):
            assert isinstance(read_fields(text, fields, legal), fields)


def test_the_wording_is_the_class_s_own_where_that_can_be_read_back() -> None:
    assert text_of(Team(team=["Ann", "Zoë"], words="Go."), TEAMS) == "Ann, Zoë\nGo."
    assert text_of(Bid(count=3, face=5), BIDS) == "count: 3, face: 5"

    class Vague(Bid):
        def __str__(self) -> str:
            return "some dice"

    assert text_of(Vague(count=3, face=5)) == "count: 3, face: 5"


def test_the_schema_and_the_help_have_what_is_legal_now() -> None:
    shape = Form(Strike, str, (*STRIKES, ("note", ()))).schema["properties"]
    assert shape["attacker"]["enum"] == list(SEATS)
    assert shape["force"]["anyOf"][0]["enum"] == [1, 2, 5]
    assert "note" not in shape
    assert Form(Bid, str, BIDS).schema["properties"]["count"] | {"title": ""} == {
        "title": "",
        "type": "integer",
        "minimum": 2,
        "maximum": 10,
    }
    assert how_to_write(Bid, BIDS) == "Write count (2 to 10), face (1 to 6)."
    assert how_to_write(Team, legal_of({"team": ("Ann", "Zoë")})) == (
        "Write team (some of Ann, Zoë). Your words can follow on the next line."
    )


def test_a_form_drops_what_is_left_out_and_says_what_is_wrong() -> None:
    form = Form(Strike, lambda strike: strike.note, (("note", ()),))
    assert form.filled({"attacker": "a", "target": "b", "note": "secret"}) == ""
    with pytest.raises(Misfilled, match="the field 'target' is wrong: field required"):
        form.filled({"attacker": "a"})
    for wrong, why in (("nowhere", "has no field 'nowhere'"), ("target", "needs 'target'")):
        with pytest.raises(RulesetDefect, match=why):
            _ = Form(Strike, str, ((wrong, ()),)).schema


# in a game


class State(Table, frozen=True):
    """An auction: everybody offers once, then the winner names what it is for."""

    options: TurnOptions = TurnOptions()
    best: str = ""


class Offer(Fields):
    """A price, and whether to pay at once."""

    price: int = Field(ge=0, le=9)
    at_once: bool = False
    words: Words = ""


class Sold(Closing[State], name="auction.sold.v1", seen_by=everyone):
    """Who bought, and what for."""

    best: str
    purpose: str

    example = {"winner": "Ann", "best": "Ann", "purpose": "a hat"}
    fold = sets("best")
    tell = line("Sold.")


counted: list[Count[Offer]] = []


class Offering(Ballot[State, Offer], kind="offer"):
    """What do you offer?"""

    def among(self, state: State) -> Among:
        return {"price": range(9)} if self.seat == state.seats[0] else {}

    def check(self, state: State, answer: Offer) -> None:
        if answer.at_once and answer.price > 5:
            raise Refused("Nobody has more than 5 at once.")

    @classmethod
    def counted(cls, game: Game[State], count: Count[Offer]) -> None:
        counted.append(count)
        best = max(count.answers, key=lambda seat: count.answers[seat].price)
        game.ask(best, Naming)


class Purpose(Fields):
    """What it is for."""

    purpose: str = "nothing"


class Naming(Turn[State, Purpose], kind="name", silence=Purpose(purpose="a shelf")):
    """What is it for?"""

    def answered(self, game: Game[State], answer: Purpose) -> None:
        game.emit(Sold(winner=self.seat, best=self.seat, purpose=answer.purpose))


class Auction(Ruleset[State]):
    """Offer."""

    name = "auction"
    seats = (Players(2, 4),)
    state = State()
    events = (Sold,)
    turns = (Offering, Naming)

    def advance(self, game: Game[State]) -> None:
        game.ask(game.state.seats, Offering)


AUCTION = Auction()


def opened(seed: int = 1) -> Playtest[State]:
    seats = ("Ann", "Bo", "Cy")
    return given(AUCTION).when(Open(NOON, seats, dict.fromkeys(seats, "house"), Seed.of(seed), {"max_attempts": 1}))


def test_a_ballot_counts_answers_as_they_were_given_with_their_words() -> None:
    counted.clear()
    game = opened().reply("Ann", "7\nFor my hat.").reply("Bo", "price: 5, at once: yes").expire("Cy")
    (count,) = counted
    assert count.answers["Ann"] == Offer(price=7, words="For my hat.")
    assert count.answers["Bo"] == Offer(price=5, at_once=True)
    assert count.votes["Bo"] == "price: 5, at once: yes"
    drawn = game.last(FallbackApplied).choice
    assert str(count.answers["Cy"]) == drawn
    assert [(event.choice, event.text) for event in game.all(ReplyAccepted)] == [
        ("price: 7", "For my hat."),
        ("price: 5, at once: yes", ""),
    ]


def test_what_is_drawn_for_silence_is_legal_and_hangs_on_the_game_alone() -> None:
    drawn = [opened(seed).expire("Bo").last(FallbackApplied).choice for seed in range(9)]
    assert drawn == [opened(seed).expire("Bo").last(FallbackApplied).choice for seed in range(9)]
    assert len({*drawn}) > 3
    game = opened()
    for seat in game.state.seats:
        legal = game.turn(seat).legal(game.known(seat))
        assert len(legal) == len({*map(str, legal)}) == (15 if seat == "Ann" else 16)
        assert all(answer.price < 6 for answer in legal if answer.at_once)


def test_a_refusal_says_why_and_how_to_write_it_and_the_seat_can_answer_again() -> None:
    refused = opened().reply("Ann", "9").last(AttemptFailed).message
    assert (
        refused
        == "Price cannot be 9 here. Write price (0 to 8), at once (yes or no). Your words can follow on the next line."
    )
    assert opened().reply("Ann", "7 yes").last(AttemptFailed).message == "Nobody has more than 5 at once."


def test_an_answer_of_one_text_is_all_that_is_said_and_its_silence_an_answer() -> None:
    game = opened().answer({"offer": "3"})
    assert game.reply("Ann", "a hat: green, with 3 feathers").last(Sold).purpose == "a hat: green, with 3 feathers"
    assert game.exhaust("Ann").last(Sold).purpose == "a shelf"


def test_a_silence_that_is_no_answer_fails_at_import() -> None:
    def built(**head: Any) -> None:
        class Asking(Turn[State, Bid], kind="ask", **head):
            """Bid."""

        class Other(Auction):
            """Offer."""

            turns = (*Auction.turns, Asking)  # type: ignore[assignment]

        Other()

    for silence in (DRAWN, HELD, Bid(count=1, face=1)):
        built(silence=silence)
    for wrong, why in (
        (None, "leaves out count, face"),
        ("3 5", "is a text"),
        (Purpose(), "not an answer in its fields"),
    ):
        with pytest.raises(RulesetDefect, match=why):
            built(silence=wrong)


def test_a_turn_without_fields_takes_choices_and_words_as_ever() -> None:
    class Plain(Turn[State], kind="plain", choices=("yes", "no")):
        """Well?"""

    turn = Plain("Ann", 1, "plain", ("yes", "no"), 3)
    assert turn.fields is None
    assert turn.form(State()) is None
    assert turn.legal(State()) == []
    assert turn.read(State(), "yes, of course") == Answer("yes", "yes, of course")
    assert turn.request(State()).how == ""


class Go(BaseModel):
    """Go somewhere."""

    go: str


class Take(BaseModel):
    """Take something, with something if you like."""

    take: str
    tool: str = ""


class Deeds(Fields):
    """One deed, or several."""

    deed: Go | Take
    more: list[Go | Take] = []


def kinds_in(legal: dict[str, Any]) -> list[str]:
    schema = Form(Deeds, str, legal_of(legal)).schema
    allowed = [one["$ref"].rpartition("/")[2] for one in schema["properties"]["deed"]["anyOf"]]
    assert allowed == [one["$ref"].rpartition("/")[2] for one in schema["properties"]["more"]["items"]["anyOf"]]
    assert set(schema["$defs"]) == set(allowed)
    return allowed


def test_a_kind_of_item_whose_field_has_no_legal_value_is_left_out() -> None:
    assert kinds_in({}) == ["Go", "Take"]
    assert kinds_in({"deed.go": ["home"], "deed.tool": []}) == ["Go", "Take"]
    assert kinds_in({"deed.take": []}) == ["Go"]
    with pytest.raises(RulesetDefect, match="no kind of item left"):
        kinds_in({"deed.take": [], "deed.go": []})
