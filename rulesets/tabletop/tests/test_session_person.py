"""What the person reads and is told: their character's papers (F-065), and where and when it is (T-168)."""

from __future__ import annotations

from typing import Any

import pytest
from session import BRYN, CORWIN, TILDA, Session, asked, content, opened, reply, session

from sottovoce.domain.events import MessageRefused
from sottovoce.domain.piece import Chair
from sottovoce.projections.view import View
from sottovoce.rulesets.tabletop.players.files import as_message
from sottovoce.rulesets.tabletop.rules import TABLETOP
from sottovoce.rulesets.tabletop.rules.documents import rebuild
from sottovoce.rulesets.tabletop.rules.events import PieceRemoved, PieceWritten, PlaceNamed, ResourceChanged
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, TEAM_LEAD

SHEET = "## Hit Points\nHP: 9/12\n\n## Secrets\nShe fears water.\n\n## Notes\nBrave.\n"
FILES = {
    "party-knowledge.md": b"# Known\n\nThe lamp burns.\n\n**GM Note**: it is a trap.\n\nIt burns green.\n",
    f"party/{CORWIN}.md": SHEET.encode(),
    f"party/{CORWIN}-journal.md": b"# Journal\n\nI came by boat.\n",
    f"party/{TILDA}.md": b"# Tilda\n\nHP: 5/5\n",
    f"party/{BRYN}.md": b"# Bryn\n",
    "world-primer.md": b"# The world\n\nIt is wet.\n",
    "story-state.md": b"# State\n\nThe keeper lies.\n",
}
READ = {"party-knowledge.md", f"party/{CORWIN}.md", f"party/{CORWIN}-journal.md", "world-primer.md"}


def read_by(game: Session, seat: str) -> dict[str, str]:
    return {path: rebuild(pieces) for path, pieces in game.play.known(seat).documents.items()}


def chosen() -> Session:
    """A session without a set character, whose person takes Corwin."""
    game = session(files=FILES, start=False)
    question: dict[str, Any] = {
        "question": "Who?",
        "header": "You",
        "options": [{"label": each, "description": "x"} for each in (TILDA, CORWIN, BRYN)],
    }
    asked = content(game.state, "ASK_PLAYER", **question)
    return game.reply(GM, reply((TEAM_LEAD, asked))).reply(HUMAN, "2")


@pytest.mark.spec("F-065")
@pytest.mark.parametrize("late", [False, True], ids=["set up with the character", "chosen at the start"])
def test_the_person_reads_what_their_character_reads_and_has(late: bool) -> None:
    game = chosen() if late else opened(files=FILES, player_character=CORWIN)
    assert game.state.character == CORWIN
    found, own = read_by(game, HUMAN), read_by(game, CORWIN)
    assert set(found) == READ
    assert found == {path: own[path] for path in READ}
    assert "fears water" not in "".join(found.values())
    assert "trap" not in "".join(found.values())
    held = game.play.known(HUMAN).resources
    assert held == {key: value for key, value in game.state.resources.items() if key[0] == CORWIN}
    assert held[CORWIN, "hit-points"].amount == 9


@pytest.mark.spec("F-065")
def test_nobody_but_the_person_is_given_anything_more() -> None:
    with_person, without = opened(files=FILES, player_character=CORWIN), opened(files=FILES, human=False)
    for seat in (TILDA, BRYN, NARRATOR, TEAM_LEAD):
        assert read_by(with_person, seat) == read_by(without, seat)
    assert all(HUMAN not in seats for seats in (draft.audience.seats or () for draft in without.play.drafts))


@pytest.mark.spec("F-065")
def test_the_person_follows_changes_of_papers_and_of_what_they_have_and_no_working_files() -> None:
    game = opened(files=FILES, player_character=CORWIN)
    change = {"delta": {"character": CORWIN, "resource": "hit-points", "change": -2}}
    other = {"delta": {"character": TILDA, "resource": "hit-points", "change": -2}}
    note = {"document": "party-knowledge.md", "operation": "append", "text": "## Open\n- Who lit it?"}
    prompt = {"document": f"tmp/{CORWIN}-prompt.md", "operation": "set", "text": "x"}
    changed = game.reply(GM, reply(change))
    assert changed.audience(ResourceChanged) == {CORWIN, GM, HUMAN}
    assert game.reply(GM, reply(other)).audience(ResourceChanged) == {TILDA, GM}
    noted = game.reply(GM, reply({"delta": note}))
    written = [draft for draft in noted.play.new if isinstance(draft.event, PieceWritten)]
    assert written
    assert all(HUMAN in (draft.audience.seats or ()) for draft in written)
    assert game.reply(GM, reply({"delta": prompt})).audience(PieceWritten) == {CORWIN, GM}
    gone = game.reply(GM, reply({"delta": {**note, "operation": "remove", "text": "", "heading": "Known"}}))
    for draft in gone.play.new:
        if isinstance(draft.event, PieceRemoved):
            assert (HUMAN in (draft.audience.seats or ())) == (CORWIN in draft.event.readers)


@pytest.mark.spec("T-099", "F-065")
def test_a_session_set_up_for_one_character_starts_with_no_other() -> None:
    assert opened(files=FILES, player_character=BRYN).state.character == BRYN
    game = session(files=FILES, start=False)
    assert not read_by(game, HUMAN)


def told(game: Session, *where: str, to: str | None = None, body: str = "Rain.") -> Session:
    item = {"type": "broadcast" if to is None else "message", "content": f"[NARRATIVE]\n\n{body}"}
    item |= {} if to is None else {"recipient": to}
    return game.reply(GM, reply(item | dict(zip(("place", "time"), where, strict=False))))


GROUP = f"(Group docks: {CORWIN}, {BRYN})\n\nThe docks are dark."
APART = f"(Group tower: {TILDA})\n\nThe tower sways."


@pytest.mark.spec("T-168")
@pytest.mark.parametrize("edition", ["phase-1", "phase-2", "current"])
def test_a_place_and_a_time_are_seen_by_those_whom_the_narrative_reaches(edition: str) -> None:
    game = told(opened(edition, player_character=CORWIN), "The quay", "before dawn")
    whole = set(game.state.seats) if edition != "phase-1" else {GM, TEAM_LEAD, NARRATOR, HUMAN}
    assert game.audience(PlaceNamed) == whole
    assert game.play.known(HUMAN).place == ("The quay", "before dawn")
    split = told(game, "The docks", to=TEAM_LEAD, body=GROUP)
    assert split.audience(PlaceNamed) == split.audience(type(split.sent("NARRATIVE")[0])) == {GM, TEAM_LEAD, HUMAN}
    apart = told(game, "The tower", to=TEAM_LEAD, body=APART)
    assert apart.audience(PlaceNamed) == {GM, TEAM_LEAD}
    assert apart.play.known(HUMAN).place == ("The quay", "before dawn")


@pytest.mark.spec("T-168", "T-151")
@pytest.mark.parametrize(
    "where",
    [("Scene 002",), ("The quay", "002"), ("the-drowned-stair",), ("At the-drowned-stair",), ("a-slug",), ("x" * 81,)],
)
def test_a_place_never_holds_the_scene_s_number_or_a_slug(where: tuple[str, ...]) -> None:
    game = opened()
    body = "## Scene\nA\n\n## Just Happened\nB\n\n## Request\nC"
    given = {"request_type": "QUICK_REACTION", "scene_number": "002", "scene_slug": "the-drowned-stair"}
    game = game.send(GM, TILDA, "GM_TO_PLAYER", body, **given)
    game = game.say(GM, reply({"type": "broadcast", "content": "[NARRATIVE]\n\nRain.", **_at(where)}))
    assert any(isinstance(event, MessageRefused) for event in game.last)
    assert not [event for event in game.last if isinstance(event, PlaceNamed)]


def _at(where: tuple[str, ...]) -> dict[str, str]:
    return dict(zip(("place", "time"), where, strict=False))


@pytest.mark.spec("T-168")
def test_a_place_goes_with_a_narrative_alone_and_may_stand_in_plain_text_and_in_steps() -> None:
    game = opened()
    note = {"type": "message", "recipient": NARRATOR, "content": "[NARRATOR_NOTE]\nfrom: gm\nnote: x", "place": "A"}
    assert not [event for event in game.say(GM, reply(note)).last if isinstance(event, PlaceNamed)]
    for text in (
        "@place The quay; dawn\n[NARRATIVE]\n\nRain.",
        '{"steps": [{"narrative": "Rain.", "to": [], "place": "The quay", "time": "dawn"}]}',
    ):
        named = [event for event in game.reply(GM, text).last if isinstance(event, PlaceNamed)]
        assert [(event.place, event.time) for event in named] == [("The quay", "dawn")]


@pytest.mark.spec("T-168")
def test_a_game_master_in_files_names_the_place_above_plain_words() -> None:
    game = opened()
    turn = next(turn for turn in game.state.turns.values() if turn.seat == GM)
    view = View(TABLETOP, GM, [], 0, game.play.known(GM))
    named = game.reply(GM, as_message(view, turn, "@place The quay; dawn\nRain falls."))
    assert PlaceNamed(place="The quay", time="dawn") in named.last
    assert named.sent("NARRATIVE")[0].body == "Rain falls."


@pytest.mark.spec("T-168")
def test_a_place_that_is_known_already_opens_no_chapter_again() -> None:
    game = told(opened(), "The quay")
    event = PlaceNamed(place="The quay")
    again, first = (
        TABLETOP.tell(event, Chair(HUMAN, state=state)) for state in (game.play.known(HUMAN), opened().state)
    )
    assert again is not None
    assert first is not None
    assert (again.chapter, again.weight) == (None, 0)
    assert first.chapter is not None
    assert "quay" in first.text
    assert asked(game, TILDA).state.place == ("The quay", "")
