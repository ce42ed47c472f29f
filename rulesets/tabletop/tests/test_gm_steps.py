"""What a GM that answers in fields does: step by step, each read by itself, and documents opened on the way."""

from __future__ import annotations

import json
from typing import Any

import pytest
from session import BRYN, CORWIN, TILDA, Session, answered, asked, opened

from sottovoce import Chair, only
from sottovoce.domain.events import AttemptFailed, ReplyAccepted
from sottovoce.rulesets.tabletop.rules import TABLETOP
from sottovoce.rulesets.tabletop.rules.events import DiceRolled, DocumentOpened, PieceWritten, ResourceChanged
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR
from sottovoce.rulesets.tabletop.rules.words import GmFields

PROMPT = {"prompt": CORWIN, "kind": "QUICK_REACTION", "scene": "a", "just_happened": "b", "request": "What now?"}
LONG = "".join(f"# Part {number}\n\n{'The ferryman rows. ' * 60}\n\n" for number in range(12))
FILES = {"npcs/the-ferryman.md": b"# The ferryman\n\nHe has no name.\n", "locations/river.md": LONG.encode()}


def steps(*given: Any) -> str:
    return json.dumps({"steps": list(given)})


def turn_of_the_gm(**more: Any) -> Session:
    return answered(asked(opened(**more), CORWIN), CORWIN)


def called(game: Session, since: int) -> list[str]:
    return [draft.event.stored_name.split(".")[1] for draft in game.play.drafts[since:]]


@pytest.mark.spec("T-142")
def test_each_step_is_done_in_the_order_that_the_table_needs() -> None:
    game = turn_of_the_gm()
    start = len(game.play.drafts)
    game = game.reply(
        GM,
        steps(
            {"narrative": "The boat turns.", "to": []},
            PROMPT,
            {"note_to_narrator": "The rope was cut."},
            {"roll": "1d20+2", "who": TILDA, "check": "perception", "dc": 12},
            {"resource": "hit-points", "character": BRYN, "change": -3},
            {"document": "story-state.md", "heading": None, "operation": "append", "text": "- The rope was cut."},
        ),
    )
    done = [draft.event for draft in game.play.drafts[start:]]
    kinds = [type(event) for event in done if isinstance(event, ResourceChanged | DiceRolled | MessageSent)]
    assert kinds[:2] == [ResourceChanged, DiceRolled]
    tags = [event.tag for event in done if isinstance(event, MessageSent) and event.seat == GM]
    assert tags == ["NARRATIVE", "NARRATOR_NOTE", "GM_TO_PLAYER"]
    assert any(isinstance(event, PieceWritten) and event.document == "story-state.md" for event in done)
    assert any(isinstance(event, ReplyAccepted) and event.seat == GM for event in done)
    assert CORWIN in game.state.requests


@pytest.mark.spec("T-142")
def test_a_wrong_step_is_refused_by_its_number_and_the_others_stand() -> None:
    game = turn_of_the_gm()
    start = len(game.play.drafts)
    wrong = {**PROMPT, "prompt": "somebody-else"}
    game = game.reply(
        GM, steps({"narrative": "The boat turns."}, wrong, {"sing": "la"}, {"roll": "9 dice", "who": BRYN})
    )
    [failed] = [draft.event for draft in game.play.drafts[start:] if isinstance(draft.event, AttemptFailed)]
    assert "Step 2: 'somebody-else'" in failed.message
    assert "Step 3: it has none of the keys" in failed.message
    assert "Step 4: check is missing" in failed.message
    assert "The other steps are done; do not repeat them." in failed.message
    assert game.state.last_narrative == "The boat turns."
    again = game.reply(GM, steps(PROMPT))
    assert CORWIN in again.state.requests
    assert GM not in again.open()


@pytest.mark.spec("T-047", "T-048")
def test_a_split_is_told_to_each_group_in_one_reply() -> None:
    game = turn_of_the_gm()
    game = game.reply(
        GM,
        steps({"narrative": "Rain on the quay.", "to": [TILDA]}, {"narrative": "Dark below.", "to": [CORWIN, BRYN]}),
    )
    assert game.state.split
    assert len(game.state.group_labels) == 2
    with_names = turn_of_the_gm().reply(GM, steps({"narrative": "Rain.", "to": TILDA.replace("-", "‑")}))
    assert with_names.state.group_of(TILDA) != with_names.state.group_of(BRYN)


def test_an_opened_document_is_shown_to_the_gm_alone_within_the_turn() -> None:
    game = turn_of_the_gm(files=FILES)
    turn = game.play.turn(GM)
    start = len(game.play.drafts)
    game = game.reply(GM, steps({"open": "npcs/the-ferryman.md"}))
    assert called(game, start) == ["document-opened"]
    [shown] = [draft for draft in game.play.drafts[start:] if isinstance(draft.event, DocumentOpened)]
    assert shown.audience == only(GM)
    assert game.play.turn(GM) == turn, "no attempt is used, and the turn is the same"
    assert "He has no name." in game.play.context(GM)
    told = TABLETOP.tell(shown.event, Chair(GM))
    assert told is not None
    assert "> He has no name." in told.text
    for seat in (CORWIN, NARRATOR):
        assert not [event for event in game.seen_by(seat) if isinstance(event, DocumentOpened)]
    game = game.reply(GM, steps({"narrative": "A man without a name rows."}))
    assert game.play.turn(GM).number == turn.number + 1, "the story goes on"
    assert not game.state.gm_turn.opened


def test_at_most_two_documents_are_opened_in_a_turn() -> None:
    game = turn_of_the_gm(files=FILES)
    one = {"open": "npcs/the-ferryman.md"}
    game = game.reply(GM, steps(one)).reply(GM, steps(one))
    assert game.play.turn(GM).attempt == 1
    game = game.reply(GM, steps(one))
    assert "You have opened 2 documents in this turn" in game.refusal()
    assert game.play.turn(GM).attempt == 2


def test_a_long_document_is_opened_by_its_headings() -> None:
    game = turn_of_the_gm(files=FILES).reply(GM, steps({"open": "locations/river.md"}))
    [(name, text)] = game.state.gm_turn.opened
    assert name == "locations/river.md"
    assert len(text) < 9000
    assert "Part 11" in text.rpartition("[…")[2]
    game = game.reply(GM, steps({"open": "locations/river.md", "heading": "Part 11"}))
    assert game.state.gm_turn.opened[1][1].startswith("# Part 11")


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ({"open": "npcs/nobody.md"}, "there are: npcs/the-ferryman.md"),
        ({"open": "locations/river.md", "heading": "Part 99"}, "It has no heading 'Part 99'"),
    ],
)
def test_what_cannot_be_opened_is_refused_with_what_can(step: dict[str, Any], why: str) -> None:
    assert why in turn_of_the_gm(files=FILES).reply(GM, steps(step)).refusal()


def test_no_character_opens_a_document() -> None:
    game = asked(opened(files=FILES), CORWIN)
    text = json.dumps({"messages": [{"open": "npcs/the-ferryman.md"}]})
    assert "Only the GM opens documents" in game.reply(CORWIN, text).refusal()


def test_the_form_lists_each_kind_of_step_with_a_key_of_its_own() -> None:
    game = turn_of_the_gm()
    form = TABLETOP.form(game.play.known(GM), game.play.known(GM).turns[GM, game.play.turn(GM).number])
    assert form is not None
    kinds = [
        form.schema["$defs"][one["$ref"].rpartition("/")[2]]
        for one in form.schema["properties"]["steps"]["items"]["anyOf"]
    ]
    first = [next(iter(kind["properties"])) for kind in kinds]
    assert len(first) == len({*first}) == 13
    prompt = kinds[first.index("prompt")]["properties"]
    assert prompt["prompt"]["enum"] == list(game.state.played)
    assert "FULL_CONTEXT" in prompt["kind"]["enum"]
    assert all("maxLength" in str(kind) for kind in kinds)


def test_no_prompt_of_fields_teaches_tags() -> None:
    game = turn_of_the_gm()
    told = "\n".join((*GmFields.told, TABLETOP.rulebook, game.play.request(GM).ask))
    for tag in ("NARRATIVE", "GM_TO_PLAYER", "SESSION_END", "PLAYER_TO_GM", "NARRATOR_NOTE"):
        assert tag not in told
        assert tag in TABLETOP.protocol + game.play.request(GM).how


def test_the_examples_in_the_form_are_read_as_they_stand() -> None:
    game = turn_of_the_gm(files=FILES)
    examples = [json.loads(line) for line in GmFields.told if line.startswith("{")]
    assert len(examples) == 13
    text = steps(*examples).replace("tilda-brannock", TILDA)
    made = TABLETOP.read(game.state, GM, game.play.turn(GM), text)
    assert len(made) == 14, "and the note of what was told"
