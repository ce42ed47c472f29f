"""What a seat may not see changes nothing that it gets: not its view, its prompts, nor what it is refused."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from session import BODY, BRYN, CORWIN, PARTY, TILDA, Session, answered, asked, content, envelope, opened, reply
from sizes import sized
from storm import step

from sottovoce.domain.events import AttemptFailed, MessageRefused
from sottovoce.domain.piece import Chair
from sottovoce.rulesets.tabletop.rules import TABLETOP
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, TEAM_LEAD

DOCKS = f"(Group docks: {CORWIN})\n\nThe docks are dark."


def say(game: Session, seat: str, to: str | None, tag: str, body: str = "", **fields: object) -> Session:
    return game.say(seat, envelope(game.state, to, tag, body, **fields))


def talk(game: Session, one: str, other: str, words: str) -> Session:
    return say(game, one, other, "PLAYER_TO_PLAYER", words, from_=one, to_=other)


def busy() -> Session:
    return asked(opened(), BRYN)


def gm_says(game: Session, to: str | None, text: str) -> Session:
    return game.say(GM, reply((to, text)))


PAIRS: dict[str, tuple[str, Callable[[], Session], Callable[[], Session]]] = {
    "another's request": (BRYN, lambda: busy(), lambda: gm_says(busy(), CORWIN, _prompt(busy(), "SECRET_ACTION"))),
    "another's secret": (
        BRYN,
        lambda: answered(asked(busy_for(CORWIN), CORWIN, kind="SECRET_ACTION"), CORWIN, body="I take the purse."),
        lambda: answered(asked(busy_for(CORWIN), CORWIN, kind="SECRET_ACTION"), CORWIN, body="I leave it there."),
    ),
    "a veto": (
        NARRATOR,
        lambda: answered(asked(opened(), CORWIN, BRYN), CORWIN, "VETO", "How deep?"),
        lambda: asked(opened(), CORWIN, BRYN),
    ),
    "a talk of two": (TILDA, lambda: busy(), lambda: talk(talk(busy(), CORWIN, BRYN, "Psst."), BRYN, CORWIN, "What?")),
    "a narrative for others": (TILDA, busy, lambda: gm_says(busy(), TEAM_LEAD, f"[NARRATIVE]\n\n{DOCKS}")),
    "what is told to others": (
        TILDA,
        lambda: gm_says(busy(), TEAM_LEAD, f"[NARRATIVE]\n\n{DOCKS}"),
        lambda: gm_says(busy(), TEAM_LEAD, f"[NARRATIVE]\n\n{DOCKS} A body floats by."),
    ),
    "a note to the narrator": (CORWIN, busy, lambda: gm_says(busy(), NARRATOR, "[NARRATOR_NOTE]\nfrom: gm\nnote: Hm.")),
    "a save": (CORWIN, busy, lambda: busy().say(HUMAN, "/save")),
    "the human's leaving": (CORWIN, busy, lambda: busy().say(HUMAN, "/away")),
    "a chat": (BRYN, busy, lambda: busy().say(HUMAN, f"/chat {CORWIN} Shall we?")),
    "a question to the human": (
        CORWIN,
        busy,
        lambda: gm_says(
            busy(),
            TEAM_LEAD,
            "[ASK_PLAYER]\nquestion: Which?\nheader: Door\noptions:\n  - label: a\n    description: b",
        ),
    ),
    "what the GM writes for itself": (
        CORWIN,
        busy,
        lambda: busy().say(
            GM, reply({"delta": {"document": "story-state.md", "operation": "append", "text": "All will drown."}})
        ),
    ),
    "a pause": (CORWIN, lambda: opened(), lambda: opened().exhaust(GM)),
    "another's failed attempts": (CORWIN, busy, lambda: busy().reply(BRYN, "[narrative]").reply(BRYN, "Hm.")),
}


def busy_for(name: str) -> Session:
    game = opened()
    return gm_says(game, BRYN, _prompt(game, "QUICK_REACTION")) if name != BRYN else game


def _prompt(game: Session, kind: str) -> str:
    body = BODY.replace("A rope snaps.", "A purse lies open on the wet planks.") if kind == "SECRET_ACTION" else BODY
    return content(game.state, "GM_TO_PLAYER", body, request_type=kind, scene_number="001", scene_slug="opening")


def probes(game: Session, seat: str) -> list[object]:
    """What becomes of many things that the seat could send now, as it is told itself."""
    state = game.state
    told: list[object] = []
    texts = ["", "pass", "[narrative]", "Hello", reply(("zed", "Hi")), reply((GM, "Hi"))]
    others = [name for name in PARTY if name != seat]
    texts += [
        envelope(state, GM, "PLAYER_TO_GM", "I run.", type="ACTION", character=seat),
        envelope(state, others[0], "PLAYER_TO_PLAYER", "Hm.", from_=seat, to_=others[0]),
        envelope(state, others[-1], "PLAYER_TO_PLAYER", "Hm.", from_=seat, to_=others[-1]),
        envelope(state, NARRATOR, "NARRATOR_NOTE", from_=seat, note="Hm."),
        envelope(state, GM, "NARRATOR_REQUEST", to_=GM, request="Hm?"),
        '{"delta": {"document": "story-state.md", "operation": "remove"}}',
        '{"delta": {"document": "scenes/001-opening.md", "operation": "append", "text": "Rain."}}',
        f'{{"delta": {{"document": "party/{CORWIN}.md", "operation": "remove"}}}}',
        f'{{"roll": {{"who": "{seat}", "check": "luck", "expression": "1d20"}}}}',
    ]
    for text in texts:
        after = game.say(seat, text)
        own = [draft.event for draft in after.play.new if draft.audience.includes(seat)]
        told.append(
            [event for event in own if isinstance(event, MessageRefused | AttemptFailed)]
            or [type(event).__name__ for event in own][:1]
        )
    return told


@pytest.mark.spec("T-036", "T-039")
@pytest.mark.parametrize("name", PAIRS)
def test_a_hidden_difference_is_in_nothing_that_the_seat_gets(name: str) -> None:
    seat, one, other = PAIRS[name]
    first, second = one(), other()
    assert [draft.event for draft in first.play.drafts] != [draft.event for draft in second.play.drafts]
    assert first.seen_by(seat) == second.seen_by(seat)
    known, too = first.play.known(seat), second.play.known(seat)
    assert known == too
    for turn in known.turns.values():
        assert TABLETOP.request(known, turn) == TABLETOP.request(too, too.turns[turn.seat, turn.number])
    assert probes(first, seat) == probes(second, seat)


@pytest.mark.spec("T-036")
def test_any_part_of_any_view_can_be_folded_in_any_order() -> None:
    for seed in range(sized(12, 300)):
        random = Random(f"parts {seed}")
        game = opened(random.choice(("phase-1", "phase-2", "current")), human=random.random() < 0.7)
        for _ in range(40):
            game = game.when(step(game, random, 0.15))
        for seat in game.state.seats:
            seen = game.seen_by(seat)
            part = [event for event in seen if random.random() < 0.6]
            random.shuffle(part)
            state = TABLETOP.initial
            for event in part:
                state = TABLETOP.evolve(state, event)
                TABLETOP.tell(event, Chair(seat))
            for turn in state.turns.values():
                TABLETOP.request(state, turn)
            TABLETOP.phase(state)


@pytest.mark.spec("T-036", "T-039")
def test_a_view_is_the_same_however_the_hidden_events_are_dropped_or_doubled() -> None:
    for seed in range(sized(8, 200)):
        random = Random(f"hidden {seed}")
        game = opened(random.choice(("phase-1", "phase-2", "current")))
        for _ in range(40):
            game = game.when(step(game, random, 0.15))
        for seat in game.state.seats:
            log = []
            for draft in game.play.drafts:
                log += [draft] * (1 if draft.audience.includes(seat) else random.choice((0, 1, 2)))
            state = TABLETOP.initial
            for draft in log:
                if draft.audience.includes(seat):
                    state = TABLETOP.evolve(state, draft.event)
            assert state == game.play.known(seat)
            assert state.agents == {}
            assert state.seed is None


def test_no_seat_but_gm_and_those_concerned_knows_of_turns_requests_and_files_of_others() -> None:
    for seed in range(sized(10, 200)):
        random = Random(f"others {seed}")
        game = opened(random.choice(("phase-2", "current")))
        for _ in range(40):
            game = game.when(step(game, random, 0.1))
        for seat in game.state.seats:
            known = game.play.known(seat)
            assert {turn.seat for turn in known.turns.values()} <= {seat}
            if seat in PARTY:
                assert set(known.requests) <= {seat}
                foreign = [path for path in known.documents if any(name in path for name in PARTY if name != seat)]
                assert not foreign
                assert "story-state.md" not in known.documents
            if seat != GM:
                reader = game.state.persons_character if seat == HUMAN else seat
                assert all(reader in piece.readers for pieces in known.documents.values() for piece in pieces)
