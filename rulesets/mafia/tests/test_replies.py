"""How replies are read, what fails, and what stands in when the attempts run out."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

import msgspec
import pytest
from hypothesis import assume
from hypothesis import given as always
from hypothesis import strategies as st
from mafia_game import mafia_game
from mafia_tables import CAST, NARRATIONS, PATTERNS, Game, cast, everyone_but, reach_trial

from sottovoce.domain import commands
from sottovoce.domain.choices import one_choice
from sottovoce.domain.errors import Refused
from sottovoce.domain.events import AttemptFailed, FallbackApplied, MessageRefused, ReplyAccepted, TurnOpened
from sottovoce.domain.game import KEPT_OF_TOO_LONG, LONGEST_REPLY
from sottovoce.domain.reading import plain
from sottovoce.domain.spellings import named
from sottovoce.domain.testing import given
from sottovoce.rulesets.mafia.rules.events import (
    MafiaBallotClosed,
    NarrationGiven,
    NominationMade,
    PlayerProtected,
    RepliesHeard,
    SpeakerChosen,
    SpeechGiven,
    TrialClosed,
)

# one reply, one turn


@pytest.mark.spec("M-010")
def test_a_turn_is_one_prompt_and_one_reply_applied_before_the_next_turn_starts() -> None:
    game = cast().until("protect")
    assert game.asked() == ("Bram",)
    assert game.request("Bram").context
    assert game.request("Bram").ask
    game = game.reply("Bram", "I protect Ada").then(
        ReplyAccepted(seat="Bram", turn=2, choice="Ada", text="I protect Ada"),
        PlayerProtected(night=1, doctor="Bram", target="Ada"),
        RepliesHeard(about="protect", replies={"Bram": "I protect Ada"}),
        TurnOpened(seat="Cleo", turn=2, kind="investigate", choices=tuple(everyone_but("Cleo")), attempts=3),
    )
    again = game.when(commands.Reply(game.at, "Bram", 2, "I protect Cleo"))
    again.refused("Turn 2 is closed")
    assert again.state.night.protected == "Ada"


@pytest.mark.spec("M-010")
def test_only_a_ballot_and_the_role_turns_are_open_together() -> None:
    game = cast()
    while not game.state.over:
        if len(game.state.turns) > 1:
            [ballot] = {turn.ballot for turn in game.state.turns.values()}
            assert ballot is not None
        game = game.answer(order=game.asked()[:1])


# M-016, M-017: what counts as a choice


@pytest.mark.spec("M-016")
@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("I protect Cleo", "Cleo"),
        ("i PROTECT cleo", "Cleo"),
        ("  I protect Cleo.  ", "Cleo"),
        ("I protect Cleo!!", "Cleo"),
        ("“I protect Cleo.”", "Cleo"),
        ("**I protect Cleo**", "Cleo"),
        ("I protect **Cleo**", "Cleo"),
        ("I protect Cleo, for Ada and Dirk would kill her.", "Cleo"),
        ("I protect Cleo; not Edda.", "Cleo"),
        ("Cleo", "Cleo"),
        ("cleo.", "Cleo"),
        ("_Cleo_", "Cleo"),
        ("Ｃｌｅｏ", "Cleo"),
        ("Cl\u200beo", "Cleo"),
        ("Tonight it must be Cleo, I feel it.", "Cleo"),
        ("Cleo's life matters most to me, Bram.", "Cleo"),
        ("I, Bram, would keep Cleo safe", "Cleo"),
    ],
)
def test_a_reply_with_the_sentence_or_one_mention_counts(text: str, target: str) -> None:
    game = cast().until("protect").reply("Bram", text)
    assert game.last(PlayerProtected).target == target


@pytest.mark.spec("M-017", "M-018")
@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("I protect nobody", "no legal choice"),
        ("Zed", "no legal choice"),
        ("Cleopatra", "no legal choice"),
        ("I protect Cleopatra", "no legal choice"),
        ("Cleo or Dirk", "several choices (Cleo, Dirk)"),
        ("Either Dirk, or else Cleo", "several choices (Dirk, Cleo)"),
        ("I would protect Cleo if not for Edda", "several"),
        ("Bram", "no legal choice"),
        ("I protect Bram", "Bram is not a legal choice"),
        ("I protect Bram, since Ada is safe", "Bram is not a legal choice"),
        ("I protect narrator", "not a legal choice"),
        ("?", "no legal choice"),
        ("", "empty"),
        (" \u200b\n", "empty"),
    ],
)
def test_a_reply_with_no_choice_or_several_is_asked_for_again(text: str, part: str) -> None:
    game = cast().until("protect")
    before = game.state
    game = game.reply("Bram", text).refused(part)
    assert game.turn("Bram").attempt == 2
    assert game.turn("Bram").failures[0]
    unchanged = {"turns"}
    assert {k: v for k, v in msgspec.structs.asdict(game.state).items() if k not in unchanged} == {
        k: v for k, v in msgspec.structs.asdict(before).items() if k not in unchanged
    }


@pytest.mark.spec("M-016")
@pytest.mark.parametrize(
    ("kind", "text", "choice"),
    [
        ("protect", "I protect Ann", "Ann"),
        ("investigate", "I investigate Ann because of Ben", "Ann"),
        ("kill", "I vote to kill Ann, not Ben", "Ann"),
        ("moderate", "I call on Ann; Ben may wait", "Ann"),
        ("moderate", "Ann, what of Ben?", "Ann"),
        ("moderate", "Ben's words hang in the air. Ann, your turn", None),
        ("moderate", "town_hall", "town_hall"),
        ("moderate", "Town hall! Ann and Ben have said enough", "town_hall"),
        ("moderate", "Let the town hall begin", "town_hall"),
        ("nominate", "I nominate Ann, whom Ben suspects", "Ann"),
        ("nominate", "I pass", "pass"),
        ("nominate", "I pass; Ann seems honest", "pass"),
        ("nominate", "Pass.", "pass"),
        ("second", "Yes", "yes"),
        ("second", "NO.", "no"),
        ("second", "yes, no doubt", "yes"),
        ("second", "I second it: yes", "yes"),
        ("second", "maybe", None),
        ("second", "yesterday I said nothing", None),
        ("trial-vote", "I vote for Ann, since Ben lies", "Ann"),
        ("execution-vote", "I vote to spare", "spare"),
        ("execution-vote", "Execute! Do not spare", "execute"),
        ("execution-vote", "execute or spare?", "execute"),
        ("execution-vote", "to execute or to spare?", None),
    ],
)
def test_every_kind_of_turn_has_its_sentence(kind: str, text: str, choice: str | None) -> None:
    choices = {
        "moderate": ("Ann", "Ben", "town_hall"),
        "nominate": ("Ann", "Ben", "pass"),
        "second": ("yes", "no"),
        "execution-vote": ("execute", "spare"),
    }.get(kind, ("Ann", "Ben"))
    aliases = {"town hall": "town_hall"}
    if choice is None:
        with pytest.raises(Refused):
            one_choice(text, choices, PATTERNS[kind], ("Ann", "Ben"), aliases)
    else:
        assert one_choice(text, choices, PATTERNS[kind], ("Ann", "Ben"), aliases) == choice


NAMES = st.lists(
    st.sampled_from(
        ["Ann", "Ann Lee", "Lee", "Ann-Marie", "Player 1", "Player 10", "Player 11", "Player", "Bo", "Bob", "Zoë", "Zo",
         "O'Neil", "J.R.", "Anna", "lee ann", "Łódź", "李", "李小龙"]
    ),
    unique=True,
    min_size=2,
)  # fmt: skip


@pytest.mark.spec("M-016")
@always(names=NAMES, data=st.data())
def test_each_name_reads_as_itself_even_where_another_begins_alike(names: list[str], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(names))
    frame = data.draw(st.sampled_from(["{}", "I protect {}", "({})", "it is {}!", "  {}...", '"{}"', "{}, of course"]))
    cases: list[Callable[[str], str]] = [str, str.upper, str.lower, str.swapcase]
    case = data.draw(st.sampled_from(cases))
    text = frame.format(case(name))
    assert named(text, names) == [name]
    assert one_choice(text, names, ("i protect {}",), names) == name


@pytest.mark.spec("M-016", "M-017")
@always(names=NAMES, data=st.data())
def test_two_names_without_the_sentence_are_no_choice(names: list[str], data: st.DataObject) -> None:
    first, second = data.draw(st.permutations(names))[:2]
    assume(named(f"{first}; {second}", names) == [first, second])
    with pytest.raises(Refused, match="several"):
        one_choice(f"perhaps {first}; or {second}", names, ("i protect {}",), names)
    assert one_choice(f"I protect {first}; not {second}", names, ("i protect {}",), names) == first
    assert one_choice(f"perhaps {first}; or {second}", [first], ("i protect {}",), names) == first


@pytest.mark.spec("M-017")
@always(text=st.text(max_size=60))
def test_no_text_breaks_the_reading(text: str) -> None:
    choices = ("Ann", "Ann Lee", "pass")
    try:
        read = one_choice(text, choices, PATTERNS["nominate"])
    except Refused as refusal:
        read = str(refusal)
    assert read in choices or "name exactly one of: Ann, Ann Lee, pass." in read


@always(text=st.text(max_size=80))
def test_plain_text_stays_plain(text: str) -> None:
    assert plain(plain(text)) == plain(text)
    assert not {"\x00", "\x01", "\x02", "\u200b"} & set(plain(text))


def test_a_dead_players_name_is_no_choice_but_hides_none() -> None:
    game = mafia_game({"Ann": "Mafia", "Ann Lee": "Villager", "Cleo": "Doctor", "Dirk": "Villager", "Edda": "Villager"})
    game = game.until("moderate", {"kill": "Ann Lee"})
    assert "Ann Lee" in game.state.dead
    game.reply("narrator", "Ann Lee").refused("no legal choice")
    assert game.reply("narrator", "Ann").last(SpeakerChosen).choice == "Ann"


# M-018, M-019: attempts


@pytest.mark.spec("M-018")
def test_the_next_prompt_says_what_was_wrong() -> None:
    game = cast().until("protect").reply("Bram", "Cleo or Dirk")
    [message] = game.turn("Bram").failures
    game.then(
        AttemptFailed(seat="Bram", turn=2, attempt=1, reason="invalid", text="Cleo or Dirk", message=message)
    ).refused("Cleo, Dirk")
    assert game.known("Bram").turns["Bram", 2].failures == game.turn("Bram").failures
    assert game.reply("Bram", "Cleo").last(PlayerProtected).target == "Cleo"


@pytest.mark.spec("M-019")
@pytest.mark.parametrize("attempts", [1, 2, 3, 5])
def test_attempts_are_bounded_and_the_first_counts(attempts: int) -> None:
    game = cast(max_attempts=attempts).until("protect")
    for left in range(attempts, 0, -1):
        assert game.turn("Bram").attempts_left == left
        assert not game.all(FallbackApplied)
        game = game.reply("Bram", "?")
    assert len(game.all(FallbackApplied)) == 1
    assert len([event for event in game.all(AttemptFailed) if event.seat == "Bram"]) == attempts


@pytest.mark.spec("M-019")
def test_three_attempts_are_the_default() -> None:
    assert cast().turn("narrator").attempts == 3


@pytest.mark.spec("M-019")
def test_a_timeout_is_one_failed_attempt() -> None:
    game = cast(turn_seconds=30).until("protect")
    assert game.turn("Bram").seconds == 30
    game = game.expire("Bram")
    assert game.last(AttemptFailed).reason == "timeout"
    assert game.turn("Bram").attempts_left == 2
    game = game.reply("Bram", "?").expire("Bram")
    assert game.last(FallbackApplied).reason == "timeout"


@pytest.mark.spec("M-019")
@pytest.mark.parametrize("floor", ["narrator", "bids"])
def test_the_limits_of_attempts_and_time_hold_for_every_kind_of_turn(floor: str) -> None:
    game = cast(max_attempts=2, turn_seconds=30, floor=floor)
    executing: dict[str, str | Mapping[str, str]] = {
        "nominate": {"Ada": "I nominate Dirk", "Cleo": "I nominate Edda"},
        "second": "yes",
        "kill": "Hugo",
        "moderate": "Edda",
        "bid": "1",
        "execution-vote": "execute",
    }
    turns = game.until(lambda state: state.number == 2, executing).all(TurnOpened)
    kinds = {*PATTERNS, *NARRATIONS, "role", "night-talk", "speech", "defence", "final-speech"}
    assert {turn.kind for turn in turns} == kinds - {"bid" if floor == "narrator" else "moderate"}
    assert {(turn.attempts, turn.seconds) for turn in turns} == {(2, 30)}


def test_the_time_limit_of_an_older_attempt_is_ignored() -> None:
    game = cast().until("protect").reply("Bram", "?")
    game.when(commands.Expire(game.at, "Bram", 2, 1)).then_nothing()
    game.when(commands.Expire(game.at, "Bram", 2, 3)).then_nothing()
    game.when(commands.Expire(game.at, "Bram", 1, 1)).then_nothing()
    game.when(commands.Expire(game.at, "Nobody", 1, 1)).then_nothing()


# M-020 to M-022: fallbacks


@pytest.mark.spec("M-020")
def test_a_turn_that_may_pass_passes() -> None:
    game = cast().until("nominate").exhaust("Ada")
    assert game.last(FallbackApplied).choice == "pass"
    assert game.last(NominationMade) == NominationMade(day=1, player="Ada", nominee=None)


@pytest.mark.spec("M-020")
def test_a_turn_that_may_not_pass_gets_a_legal_choice_drawn_from_the_seed() -> None:
    drawn = set()
    for seed in range(60):
        game = cast(seed).until("protect")
        legal = game.turn("Bram").choices
        game = game.exhaust("Bram")
        target = game.last(PlayerProtected).target
        assert target in legal
        assert game.last(FallbackApplied).choice == target
        assert cast(seed).until("protect").exhaust("Bram").last(PlayerProtected).target == target
        drawn.add(target)
    assert len(drawn) == 7


@pytest.mark.spec("M-020", "M-022")
@pytest.mark.parametrize(
    ("kind", "seat"),
    [("protect", "Bram"), ("investigate", "Cleo"), ("kill", "Ada"), ("trial-vote", "Edda"), ("second", "Edda")],
)
def test_a_fallback_is_recorded_with_its_reason_and_its_value(kind: str, seat: str) -> None:
    game = cast().until(
        kind, {"nominate": {"Ada": "I nominate Dirk", "Cleo": "I nominate Finn"}, "second": "yes", "kill": "Hugo"}
    )
    legal = game.turn(seat).choices
    game = game.exhaust(seat)
    fallback = game.last(FallbackApplied)
    assert fallback.reason == "invalid"
    assert fallback.choice in legal
    replayed = given(game.ruleset, *game.events)
    assert replayed.state == game.state, "from the events alone, with nothing drawn"


@pytest.mark.spec("M-022")
def test_the_cause_of_a_fallback_is_seen_by_the_acting_seat_only() -> None:
    game = cast().until("kill").exhaust("Ada").until("speech", {"moderate": "Edda"}).exhaust("Edda")
    game = game.until("moderate").exhaust("narrator")
    assert game.audiences(FallbackApplied) == [["Ada"], ["Edda"], ["narrator"]]
    assert {tuple(audience) for audience in game.audiences(AttemptFailed)} == {("Ada",), ("Edda",), ("narrator",)}
    for seat in game.state.seats:
        for event in game.seen(seat):
            if getattr(event, "seat", seat) != seat:
                raise AssertionError(event)


@pytest.mark.spec("M-021")
def test_silence_stands_in_for_a_speech() -> None:
    game = cast().until("speech", {"moderate": "Edda"}).exhaust("Edda")
    assert game.last(SpeechGiven) == SpeechGiven(player="Edda", occasion="discussion", text=None)
    assert game.audiences(SpeechGiven) == ["everyone"]
    trial = reach_trial_speeches()
    assert trial.exhaust("Dirk").last(SpeechGiven) == SpeechGiven(player="Dirk", occasion="defence", text=None)


def reach_trial_speeches() -> Game:
    return cast().until(
        "defence",
        {"nominate": {"Ada": "I nominate Dirk", "Cleo": "I nominate Finn"}, "second": "yes", "kill": "Hugo"},
    )


@pytest.mark.spec("M-021")
def test_silence_stands_in_for_an_acknowledgment_and_is_nobodys_business() -> None:
    game = cast().until("role").exhaust("Bram").answer()
    assert game.last(FallbackApplied) == FallbackApplied(seat="Bram", turn=1, reason="invalid", choice=None)
    assert game.audiences(FallbackApplied) == [["Bram"]]
    assert game.state.phase == "night"
    assert "Bram" not in game.last(RepliesHeard).replies


@pytest.mark.spec("M-021")
def test_the_town_hall_stands_in_for_a_choice_of_speaker() -> None:
    game = cast().until("moderate").exhaust("narrator")
    assert game.last(FallbackApplied).choice == "town_hall"
    assert game.last(SpeakerChosen) == SpeakerChosen(choice="town_hall", words=None)
    assert game.state.phase == "nominations"


@pytest.mark.spec("M-021")
@pytest.mark.parametrize("scene", ["opening", "dawn", "introduction", "gallows", "execution"])
def test_a_neutral_text_of_public_facts_stands_in_for_a_narration(scene: str) -> None:
    answers: dict[str, str | Mapping[str, str]] = {
        "nominate": {"Ada": "I nominate Dirk", "Cleo": "I nominate Finn"},
        "second": "yes",
        "kill": "I vote to kill Hugo",
        "trial-vote": "I vote for Dirk",
        "execution-vote": "execute",
    }
    texts = set()
    for roles in (CAST, {**CAST, "Ada": "Villager", "Edda": "Mafia"}):
        game = mafia_game(roles).until(scene, answers).exhaust("narrator", "")
        narration = game.last(NarrationGiven)
        assert narration.scene == scene
        assert narration.text
        assert not any(role in narration.text for role in ("Mafia", "Doctor", "Detective", "Villager", "Jester"))
        texts.add(narration.text)
    assert len(texts) == 1, "the hidden roles make no difference"


@pytest.mark.spec("M-021", "M-038")
def test_the_neutral_text_of_a_dawn_without_a_death_claims_no_more_than_that() -> None:
    texts = set()
    for saved in ("Edda", "Gwen"):
        game = cast().until("dawn", {"kill": "Hugo"}).answer()
        game = game.until("dawn", {"kill": saved, "protect": saved}).exhaust("narrator", "")
        texts.add(game.last(NarrationGiven).text)
    assert texts == {"Day 2 breaks. Nobody died in the night."}, "Hugo lies dead, and who was saved is not said"


# M-023, M-024: who hears what


@pytest.mark.spec("M-023")
def test_prompts_failed_replies_and_error_messages_are_seen_by_their_seat_alone() -> None:
    game = cast().until("protect").reply("Bram", "Zed is my friend").reply("Bram", "Cleo").until("kill")
    game = game.reply("Ada", "Hmpf").say("Edda", "psst").until("nominate")
    for event_type in (TurnOpened, AttemptFailed, MessageRefused):
        for draft in game.drafts:
            if isinstance(draft.event, event_type):
                assert draft.audience.to_json() == [draft.event.seat]


@pytest.mark.spec("M-024")
def test_the_words_around_a_vote_reach_its_author_and_the_narrator_only() -> None:
    words: dict[str, str | Mapping[str, str]] = {
        "protect": {"Bram": "I protect Gwen, secret-protect"},
        "investigate": {"Cleo": "I investigate Edda, secret-investigate"},
        "kill": "I vote to kill Hugo, secret-kill",
        "nominate": {"Ada": "I nominate Dirk", "Cleo": "I pass, secret-nominate"},
        "second": "yes, secret-second",
        "trial-vote": "I vote for Dirk, secret-trial",
        "execution-vote": "spare him, secret-execution",
    }
    game = cast().until("protect").until(lambda state: state.number == 2, words)
    for kind in ("protect", "investigate", "kill", "nominate", "second", "trial", "execution"):
        heard = [seat for seat in CAST if f"secret-{kind}" in repr(game.seen(seat))]
        spoke = [seat for seat in CAST if f"secret-{kind}" in repr([e for e in game.seen(seat) if e.actor == seat])]
        assert heard == spoke
        assert heard
        assert f"secret-{kind}" in repr(game.seen("narrator"))
    for seat in CAST:
        for event in game.seen(seat, ReplyAccepted):
            assert event.seat == seat


@pytest.mark.spec("M-024")
def test_the_words_of_a_sealed_vote_reach_the_narrator_only_once_the_ballot_has_closed() -> None:
    game = reach_trial(cast(), "Dirk", kill="Hugo")
    for voter in game.asked("trial-vote")[:-1]:
        game = game.reply(voter, "Dirk, for he lied")
    assert "he lied" not in repr(game.seen("narrator"))
    game = game.answer({"trial-vote": "Dirk, for he lied"})
    assert game.last(RepliesHeard).about == "trial-vote"
    assert list(game.last(RepliesHeard).replies) == list(game.last(TrialClosed).votes)


# the core: what is no answer at all


def test_a_reply_to_a_closed_or_unknown_turn_is_refused_and_changes_nothing() -> None:
    game = cast().until("protect")
    for number, part in ((1, "Turn 1 is closed"), (7, "no turn 7"), (0, "closed"), (-1, "closed")):
        after = game.when(commands.Reply(game.at, "Bram", number, "I protect Ada")).refused(part if number > 0 else "")
        assert after.state == game.state
        assert after.new[0].audience.to_json() == ["Bram"]
    game.when(commands.Reply(game.at, "Cleo", 2, "I protect Ada")).refused("no turn 2")


def test_a_message_that_answers_nothing_is_refused() -> None:
    after = cast().until("protect").say("Edda", "I am the Doctor!").refused("no unprompted messages")
    assert after.new[0].audience.to_json() == ["Edda"]


def test_a_turn_is_answered_once_whoever_repeats() -> None:
    game = cast().until("kill").reply("Ada", "Hugo")
    repeated = game.when(commands.Reply(game.at, "Ada", 2, "Gwen")).refused("closed")
    assert repeated.answer({"kill": "Hugo"}).last(MafiaBallotClosed).votes == {"Ada": "Hugo", "Dirk": "Hugo"}


@pytest.mark.parametrize("kind", ["opening", "role", "protect", "speech"])
def test_a_text_of_more_than_65536_characters_is_an_invalid_attempt(kind: str) -> None:
    game = cast().until(kind, {"moderate": "Edda"})
    [seat] = game.asked(kind)[-1:]
    long = "I protect Ada " * 5000
    game.reply(seat, long).refused("70000 characters; send at most 65536")
    failed = game.reply(seat, long).last(AttemptFailed)
    assert failed.text == long[:KEPT_OF_TOO_LONG]
    assert failed.reason == "invalid"
    assert game.say(seat, long).last(MessageRefused).text == long[:KEPT_OF_TOO_LONG]
    late = game.when(commands.Reply(game.at, seat, 99, long)).refused("no turn")
    assert late.last(MessageRefused).text == long[:KEPT_OF_TOO_LONG]


def test_a_text_of_exactly_65536_characters_is_taken() -> None:
    text = ("Fog. " * LONGEST_REPLY)[:LONGEST_REPLY]
    assert cast().reply("narrator", text).last(NarrationGiven).text == text


@pytest.mark.parametrize(
    "text", ["\ud800", "I protect Ada\udfff", "\ud83d alone", "a\x00b\ud900" * 10, "\udc00" * 70000]
)
@pytest.mark.parametrize("kind", ["opening", "role", "protect", "moderate", "speech"])
def test_unreadable_characters_break_nothing(text: str, kind: str) -> None:
    game = cast().until(kind, {"moderate": "Edda"} if kind == "speech" else {})
    seat = game.asked(kind)[0]
    for after in (game.reply(seat, text), game.say(seat, text)):
        for draft in after.drafts:
            body = draft.event.encoded().decode()
            assert msgspec.json.decode(body, type=type(draft.event)) == draft.event


@pytest.mark.spec("M-020")
def test_draws_depend_on_the_seat_and_turn_and_not_on_the_order_of_replies() -> None:
    results = set()
    for order in itertools.permutations(["Ada", "Dirk"]):
        game = cast(seed=11).until("kill")
        for seat in order:
            game = game.exhaust(seat)
        results.add(tuple(game.all(MafiaBallotClosed)[0].votes.items()))
    assert len(results) == 1
