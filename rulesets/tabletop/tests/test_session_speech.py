"""Talk within the party (T-075 to T-077, T-153, T-161)."""

from __future__ import annotations

import pytest
from session import BRYN, CORWIN, TILDA, Session, asked, envelope, opened

from sottovoce.domain.events import AttemptFailed
from sottovoce.rulesets.tabletop.rules.events import BeatBegun
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, TEAM_LEAD


def talk(game: Session, one: str, other: str, words: str = "Hm.") -> Session:
    return game.say(one, envelope(game.state, other, "PLAYER_TO_PLAYER", words, from_=one, to_=other))


def talked(game: Session, one: str, other: str, times: int) -> Session:
    for number in range(times):
        game = talk(game, *((one, other) if number % 2 == 0 else (other, one)))
        assert game.sent("PLAYER_TO_PLAYER")
    return game


@pytest.mark.spec("T-077")
@pytest.mark.parametrize("limit", [1, 6])
def test_a_pair_exchanges_a_limited_number_of_messages_in_a_beat(limit: int) -> None:
    game = talked(opened(messages_per_pair=limit), CORWIN, BRYN, limit)
    for one, other in ((CORWIN, BRYN), (BRYN, CORWIN)):
        step = talk(game, one, other)
        assert f"exchanged {limit} messages" in step.refusal()
        assert not step.sent()
    assert talk(game, CORWIN, TILDA).sent()
    assert opened().state.options.messages_per_pair == 6


@pytest.mark.spec("T-161", "T-077")
def test_a_beat_ends_with_the_next_narrative() -> None:
    game = talked(opened(messages_per_pair=1), CORWIN, BRYN, 1)
    assert talk(game.send(GM, None, "NARRATIVE", "Rain."), CORWIN, BRYN).sent("PLAYER_TO_PLAYER")


@pytest.mark.spec("T-161")
def test_in_a_split_each_group_has_beats_of_its_own_and_is_told_of_their_begin() -> None:
    docks, tower = f"(Group docks: {CORWIN}, {BRYN})\n\nDark.", f"(Group tower: {TILDA})\n\nStone."
    game = opened(messages_per_pair=1).send(GM, TEAM_LEAD, "NARRATIVE", docks)
    assert game.audience(BeatBegun) == {CORWIN, BRYN, GM}
    game = talked(talked(game, CORWIN, BRYN, 1), TILDA, BRYN, 1)
    elsewhere = game.send(GM, TEAM_LEAD, "NARRATIVE", tower)
    assert "exchanged 1 messages" in talk(elsewhere, CORWIN, BRYN).refusal()
    here = elsewhere.send(GM, TEAM_LEAD, "NARRATIVE", docks)
    assert talk(here, CORWIN, BRYN).sent("PLAYER_TO_PLAYER")
    assert "exchanged 1 messages" in talk(here, BRYN, TILDA).refusal()


@pytest.mark.spec("T-153")
def test_who_is_spoken_to_may_answer_in_kind_or_pass() -> None:
    game = talk(opened(), CORWIN, BRYN)
    assert game.open()[BRYN] == ["reply"]
    passed = game.reply(BRYN, "pass")
    assert BRYN not in passed.open()
    assert not passed.sent()
    assert not [event for event in game.expire(BRYN).last if isinstance(event, AttemptFailed)]
    back = game.send(BRYN, CORWIN, "PLAYER_TO_PLAYER", "Aye.", from_=BRYN, to_=CORWIN)
    assert back.open()[CORWIN] == ["reply"]
    assert BRYN not in back.open()


@pytest.mark.spec("T-153")
def test_the_chance_to_answer_holds_up_no_beat() -> None:
    game = talk(asked(opened(), CORWIN), BRYN, TILDA)
    done = game.send(CORWIN, GM, "PLAYER_TO_GM", "I run.", type="ACTION", character=CORWIN)
    assert GM in done.open()
    quiet = talk(opened(), CORWIN, BRYN)
    assert GM in quiet.open()


@pytest.mark.spec("T-153")
def test_nobody_answers_for_a_human_who_is_present() -> None:
    assert TILDA not in talk(opened(), CORWIN, TILDA).open()
    assert talk(opened().say(HUMAN, "/away"), CORWIN, TILDA).open()[TILDA] == ["reply"]
    assert talk(opened(human=False), CORWIN, TILDA).open()[TILDA] == ["reply"]


@pytest.mark.spec("T-153", "T-077")
def test_no_chance_to_answer_is_given_where_the_answer_would_be_refused() -> None:
    assert BRYN not in talk(opened(messages_per_pair=1), CORWIN, BRYN).open()


@pytest.mark.spec("T-076")
@pytest.mark.parametrize("words", ["/chat hello", "(OOC) brb", "OOC: brb"])
def test_speech_is_in_character(words: str) -> None:
    game = opened()
    text = f"[PLAYER_TO_PLAYER]\nfrom: {CORWIN}\nto: {BRYN}\n\n{words}"
    step = game.say(CORWIN, f"@{BRYN}\n{text}")
    assert "/chat" in step.refusal()
    assert not step.sent()


@pytest.mark.spec("T-077")
def test_a_pair_that_never_stops_comes_to_an_end_by_itself() -> None:
    game = talk(opened(), CORWIN, BRYN)
    for _ in range(20):
        speaker = next((seat for seat, kinds in game.open().items() if "reply" in kinds), None)
        if speaker is None:
            break
        other = BRYN if speaker == CORWIN else CORWIN
        game = game.send(speaker, other, "PLAYER_TO_PLAYER", "And then?", from_=speaker, to_=other)
    else:
        pytest.fail("they still talk")
    assert sum(game.state.pairs.values()) == 6
