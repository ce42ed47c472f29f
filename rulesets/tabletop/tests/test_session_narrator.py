"""The narrator: scenes, notes and requests for more (T-112, T-114, T-139, T-160)."""

from __future__ import annotations

import json

import pytest
from session import CORWIN, Session, asked, envelope, opened, reply

from sottovoce.domain.events import AttemptFailed, HoldPlaced
from sottovoce.rulesets.tabletop.rules.course.narrator import SceneFile
from sottovoce.rulesets.tabletop.rules.documents.pieces import rebuild
from sottovoce.rulesets.tabletop.rules.events import NoteRequestLapsed, PieceWritten
from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR

SCENE = "scenes/001-opening.md"


def request(game: Session, text: str = "What colour is the lamp?") -> Session:
    return game.say(NARRATOR, envelope(game.state, GM, "NARRATOR_REQUEST", to_=GM, request=text))


def note(game: Session, text: str = "The lamp burns green.") -> Session:
    return game.send(GM, NARRATOR, "NARRATOR_NOTE", from_=GM, note=text)


def busy(**options: object) -> Session:
    """A session in which a player is awaited, so that the GM has no turn."""
    return asked(opened(**options), CORWIN)  # type: ignore[arg-type]


def offered(game: Session) -> set[str]:
    """The fields of a scene that the narrator could fill in now."""
    form = SceneFile(NARRATOR, 1, "scene", (), 3).form(game.state)
    assert form is not None
    return {*form.schema["properties"]}


@pytest.mark.spec("T-112", "T-045")
def test_the_narrator_adds_prose_to_the_scene_from_what_it_was_told() -> None:
    game = opened(prose="Fog lies over the quay.")
    game = game.say(CORWIN, envelope(game.state, NARRATOR, "NARRATOR_NOTE", from_=CORWIN, note="I shiver."))
    assert game.open()[NARRATOR] == ["scene"]
    assert "notes sent to you" in game.play.request(NARRATOR).ask
    done = game.reply(NARRATOR, "Corwin shivered in the fog.")
    assert [event.seat for event in done.last if isinstance(event, PieceWritten)] == [NARRATOR]
    assert rebuild(done.state.documents[SCENE]).endswith("Corwin shivered in the fog.\n")
    assert NARRATOR not in done.open()


@pytest.mark.spec("T-045")
@pytest.mark.parametrize("text", ["pass", "", '{"messages": []}'])
def test_a_narrator_that_adds_nothing_writes_nothing(text: str) -> None:
    game = opened().reply(NARRATOR, text, "scene")
    assert not [event for event in game.last if isinstance(event, PieceWritten)]
    assert NARRATOR not in game.open()


@pytest.mark.spec("T-045", "T-143")
def test_a_narrator_s_reply_in_json_is_no_prose() -> None:
    game = opened().reply(NARRATOR, reply((GM, "I have a question.")), "scene")
    assert [event.body for event in game.sent()] == ["I have a question."]
    assert not [event for event in game.last if isinstance(event, PieceWritten)]
    delta = {"delta": {"document": SCENE, "operation": "append", "text": "It dripped."}}
    written = opened().reply(NARRATOR, json.dumps({"messages": [delta]}), "scene")
    assert rebuild(written.state.documents[SCENE]).endswith("It dripped.\n")


@pytest.mark.spec("T-114", "T-113")
def test_on_a_request_the_gm_is_asked_for_a_note_while_players_think() -> None:
    game = request(busy())
    assert game.open()[GM] == ["note"]
    assert "send a note" in game.play.request(GM).ask
    done = note(game)
    assert done.sent("NARRATOR_NOTE")
    assert GM not in done.open()
    assert not done.state.note_open


@pytest.mark.spec("T-160")
def test_a_request_waits_for_the_one_before() -> None:
    game = request(busy())
    assert "An earlier NARRATOR_REQUEST is open" in request(game).refusal()
    assert request(note(game)).sent("NARRATOR_REQUEST")


@pytest.mark.spec("T-160", "T-161")
@pytest.mark.parametrize("limit", [1, 3])
def test_requests_are_limited_in_a_beat(limit: int) -> None:
    game = busy(note_requests_per_beat=limit)
    for _ in range(limit):
        assert "request" in offered(game)
        game = note(request(game))
    assert "request" not in offered(game)
    assert f"asked {limit} times in this beat" in request(game).refusal()
    game = game.say(GM, reply((None, "[NARRATIVE]\n\nRain.")))
    assert request(game).sent("NARRATOR_REQUEST")
    assert opened().state.options.note_requests_per_beat == 3


@pytest.mark.spec("T-160")
def test_a_beat_that_the_narrator_does_not_see_leaves_its_limit_as_it_is() -> None:
    game = note(request(busy(note_requests_per_beat=1)))
    game = game.say(GM, reply(("team-lead", f"[NARRATIVE]\n\n(Group docks: {CORWIN})\n\nDark.")))
    assert "asked 1 times" in request(game).refusal()


@pytest.mark.spec("T-160", "T-139")
def test_a_request_that_the_gm_leaves_unanswered_lapses_and_pauses_nothing() -> None:
    failed = request(busy()).exhaust(GM)
    assert [type(event) for event in failed.last if isinstance(event, NoteRequestLapsed)] == [NoteRequestLapsed]
    assert failed.state.hold is None
    assert not failed.state.note_open
    other = request(busy()).send(GM, CORWIN, "CONTEXT_REFRESH", campaign="the-drowned-bell")
    assert isinstance(other.last[0], AttemptFailed)
    ignored = request(busy()).reply(GM, reply((CORWIN, "Patience.")))
    assert [type(event) for event in ignored.last if isinstance(event, NoteRequestLapsed)] == [NoteRequestLapsed]
    assert request(ignored).sent("NARRATOR_REQUEST")


@pytest.mark.spec("T-139")
def test_a_narrator_whose_attempts_run_out_is_passed_over() -> None:
    game = opened().exhaust(NARRATOR)
    assert NARRATOR not in game.open()
    assert not [event for event in game.last if isinstance(event, HoldPlaced)]
    again = game.send(GM, None, "NARRATIVE", "Rain.")
    assert again.open()[NARRATOR] == ["scene"]


@pytest.mark.spec("T-162", "T-160")
def test_narrator_and_gm_do_not_keep_the_session_going_by_themselves() -> None:
    game = opened()
    for _ in range(12):
        if game.state.hold is not None:
            break
        game = request(game)
        game = game.send(GM, None, "NARRATIVE", "Rain.") if GM in game.open() else game
    assert game.state.hold is not None


@pytest.mark.spec("T-162", "T-160")
def test_notes_that_the_narrator_asks_for_keep_no_monologue_going() -> None:
    game = opened(idle_gm_turns=2, note_requests_per_beat=9)
    for _ in range(4):
        if game.state.hold is None:
            game = game.send(GM, None, "NARRATIVE", "And on it rains.")
            game = request(game) if game.state.hold is None else game
    assert game.state.hold is not None, "the narrator is no player that the GM has asked"
