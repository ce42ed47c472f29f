"""Who gets each tag, in every edition, with and without a human, together and split (T-036 to T-040, T-146, T-147)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from session import (
    BODY,
    BRYN,
    CORWIN,
    PARTY,
    TILDA,
    Session,
    answered,
    asked,
    content,
    decided,
    envelope,
    opened,
    reply,
    seats_in,
    session,
)

from sottovoce.domain.events import HoldLifted, HoldPlaced, MessageRefused
from sottovoce.rulesets.tabletop.rules.documents.prompt_files import write_context, write_prompt
from sottovoce.rulesets.tabletop.rules.events import ChatSaid, RequestPassed, RequestWithdrawn
from sottovoce.rulesets.tabletop.rules.messages import EDITIONS, AwaitAiPlayers, MessageSent, Tag
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, TEAM_LEAD

RELAY = "## Scene\nThe quay.\n\n## Decision Needed\nThe rope?\n\n## Suggested Options\n- Grab it"
OPTIONS = [{"label": "Left", "description": "The left door"}]
Step = Callable[[str, bool], Session]


def split(edition: str = "current", *names: str, human: bool = True) -> Session:
    """A session in which those characters, CORWIN and BRYN if none are named, form a group of their own."""
    group = f"(Group docks: {', '.join(names or (CORWIN, BRYN))})"
    return opened(edition, human=human).send(GM, TEAM_LEAD, "NARRATIVE", f"{group}\n\nThe docks are dark.")


def begun(edition: str, human: bool) -> Session:
    return opened(edition, human=human)


def from_gm(to: str | None, tag: str, body: str = "", **fields: object) -> Step:
    return lambda edition, human: begun(edition, human).send(GM, to, tag, body, **fields)


def from_lead(to: str, tag: str, body: str = "", **fields: object) -> Step:
    def step(edition: str, human: bool) -> Session:
        game = begun(edition, human)
        return game.say(TEAM_LEAD, envelope(game.state, to, tag, body, **fields))

    return step


def said(seat: str, to: str, tag: str, body: str = "", **fields: object) -> Step:
    def step(edition: str, human: bool) -> Session:
        game = begun(edition, human)
        return game.say(seat, envelope(game.state, to, tag, body, **fields))

    return step


def answer(name: str, request: str, kind: str) -> Step:
    return lambda edition, human: answered(asked(begun(edition, human), name, kind=request), name, kind)


def relayed(edition: str, human: bool) -> Session:
    return asked(begun(edition, human), TILDA).send(TILDA, TEAM_LEAD, "RELAY_TO_HUMAN", RELAY, character=TILDA)


def acting(edition: str, human: bool) -> Session:
    return opened(edition, "Fog.\n\nWhat do you do?", human=human).reply(HUMAN, "I wait.", "act")


def answering(edition: str, human: bool) -> Session:
    game = begun(edition, human).send(GM, TEAM_LEAD, "ASK_PLAYER", question="Which?", header="Door", options=OPTIONS)
    return game.reply(HUMAN, "Left", "choose") if human else game


def awaiting(edition: str, human: bool) -> Session:
    entry = {"request_type": "QUICK_REACTION", "scene_context": "a", "just_happened": "b", "request": "c"}
    return begun(edition, human).send(
        GM,
        TEAM_LEAD,
        "AWAIT_PLAYERS",
        characters=[{"name": CORWIN, **entry}],
        scene_number="001",
        scene_slug="opening",
    )


def updating(edition: str, human: bool) -> Session:
    game = begun(edition, human)
    write = {"delta": {"document": "tmp/gm-state-delta.md", "operation": "set", "text": "- Tide."}}
    told = content(game.state, "STATE_UPDATED", deltas_written=["tmp/gm-state-delta.md"], characters_involved=[])
    return game.reply(GM, reply(write, (TEAM_LEAD, told)))


def signalling(edition: str, human: bool) -> Session:
    game = begun(edition, human)
    notes = write_context("a", [("b", "c")], "d", "e")
    items = [("tmp/gm-context.md", notes), (f"tmp/{CORWIN}-prompt.md", write_prompt("QUICK_REACTION", "a", "b", "c"))]
    written = [{"delta": {"document": path, "operation": "set", "text": text}} for path, text in items]
    return game.reply(GM, reply(*written, (TEAM_LEAD, f"[AWAIT_AI_PLAYERS: {CORWIN}]")))


ALL = {GM, TEAM_LEAD, NARRATOR, *PARTY, HUMAN}
TOLD = {GM, TEAM_LEAD, HUMAN}
SCENE = {"scene_number": "001", "scene_slug": "opening"}
CASES: tuple[tuple[str, str, Step, set[str]], ...] = (
    ("NARRATIVE", "phase-1", from_gm(None, "NARRATIVE", "Rain."), {GM, TEAM_LEAD, NARRATOR, HUMAN}),
    ("NARRATIVE", "phase-2 current", from_gm(None, "NARRATIVE", "Rain."), ALL),
    (
        "NARRATIVE",
        "phase-1 phase-2 current",
        from_gm(TEAM_LEAD, "NARRATIVE", f"(Group docks: {CORWIN}, {BRYN})\n\nDark."),
        {GM, TEAM_LEAD},
    ),
    (
        "NARRATIVE",
        "phase-1 phase-2 current",
        from_gm(TEAM_LEAD, "NARRATIVE", f"(Group docks: {CORWIN}, {TILDA})\n\nDark."),
        TOLD,
    ),
    (
        "GM_TO_PLAYER",
        "phase-2 current",
        from_gm(CORWIN, "GM_TO_PLAYER", BODY, request_type="QUICK_REACTION", **SCENE),
        {GM, CORWIN},
    ),
    (
        "GM_TO_PLAYER",
        "phase-2 current",
        from_gm(TILDA, "GM_TO_PLAYER", BODY, request_type="SECRET_ACTION", **SCENE),
        {GM, TILDA},
    ),
    (
        "ASK_PLAYER",
        "phase-1 phase-2 current",
        from_gm(TEAM_LEAD, "ASK_PLAYER", question="Which?", header="Door", options=OPTIONS),
        TOLD,
    ),
    (
        "SESSION_END",
        "phase-1 phase-2 current",
        from_gm(TEAM_LEAD, "SESSION_END", summary="s", state_saved="false", next_hook="h"),
        TOLD,
    ),
    (
        "NARRATOR_NOTE",
        "phase-1 phase-2 current",
        from_gm(NARRATOR, "NARRATOR_NOTE", from_=GM, note="n"),
        {GM, NARRATOR},
    ),
    (
        "NARRATOR_NOTE",
        "phase-2 current",
        said(CORWIN, NARRATOR, "NARRATOR_NOTE", from_=CORWIN, note="n"),
        {GM, NARRATOR, CORWIN},
    ),
    (
        "NARRATOR_REQUEST",
        "phase-1 phase-2 current",
        said(NARRATOR, GM, "NARRATOR_REQUEST", to_=GM, request="r"),
        {GM, NARRATOR},
    ),
    ("PLAYER_ANSWER", "phase-1 phase-2 current", answering, TOLD),
    (
        "SESSION_COMMAND",
        "phase-1 phase-2 current",
        from_lead(GM, "SESSION_COMMAND", command="save"),
        TOLD,
    ),
    *(
        (
            "CONTEXT_REFRESH",
            "phase-1 phase-2 current" if to != CORWIN else "phase-2 current",
            from_lead(to, "CONTEXT_REFRESH", campaign="the-drowned-bell"),
            {TEAM_LEAD, to},
        )
        for to in (GM, NARRATOR, CORWIN)
    ),
    (
        "DICE_RESULT",
        "phase-1 phase-2 current",
        from_lead(GM, "DICE_RESULT", character=TILDA, check="luck", roll="1d20 = [8] = 8"),
        TOLD,
    ),
    ("PLAYER_ACTION", "phase-1 phase-2", acting, TOLD),
    ("STATE_UPDATED", "phase-1 phase-2", updating, {GM, TEAM_LEAD}),
    ("AWAIT_AI_PLAYERS", "phase-1 phase-2 current", signalling, {GM, TEAM_LEAD}),
    ("AWAIT_PLAYERS", "phase-1", awaiting, {GM, TEAM_LEAD}),
    ("PLAYER_RESPONSES", "phase-1", lambda e, h: awaiting(e, h).reply(CORWIN, "I run."), {GM, TEAM_LEAD}),
    (
        "JOURNAL_CHECKPOINT",
        "phase-2",
        from_lead(CORWIN, "JOURNAL_CHECKPOINT", campaign="the-drowned-bell", trigger="manual", **SCENE),
        {TEAM_LEAD, CORWIN},
    ),
    (
        "JOURNAL_CHECKPOINT",
        "phase-2",
        from_lead(TILDA, "JOURNAL_CHECKPOINT", campaign="the-drowned-bell", trigger="manual", **SCENE),
        {TEAM_LEAD, TILDA},
    ),
    ("PLAYER_TO_GM", "phase-2 current", answer(CORWIN, "QUICK_REACTION", "ACTION"), {CORWIN, GM, NARRATOR}),
    ("PLAYER_TO_GM", "phase-2 current", answer(CORWIN, "COMBAT_ACTION", "REACTION"), {CORWIN, GM, NARRATOR}),
    ("PLAYER_TO_GM", "phase-2 current", answer(CORWIN, "QUICK_REACTION", "VETO"), {CORWIN, GM}),
    ("PLAYER_TO_GM", "phase-2 current", answer(CORWIN, "SECRET_ACTION", "ACTION"), {CORWIN, GM}),
    ("PLAYER_TO_GM", "phase-2 current", answer(CORWIN, "SECRET_ACTION", "VETO"), {CORWIN, GM}),
    (
        "PLAYER_TO_PLAYER",
        "phase-2 current",
        said(CORWIN, BRYN, "PLAYER_TO_PLAYER", "Psst.", from_=CORWIN, to_=BRYN),
        {CORWIN, BRYN, GM, NARRATOR},
    ),
    *(
        (
            "PLAYER_TO_PLAYER",
            "phase-2 current",
            said(one, other, "PLAYER_TO_PLAYER", "Psst.", from_=one, to_=other),
            {TILDA, BRYN, GM, NARRATOR, TEAM_LEAD, HUMAN},
        )
        for one, other in ((TILDA, BRYN), (BRYN, TILDA))
    ),
)
WITH_HUMAN_ONLY: tuple[tuple[str, str, Step, set[str]], ...] = (
    ("RELAY_TO_HUMAN", "phase-2 current", relayed, {TILDA, TEAM_LEAD, HUMAN}),
    ("HUMAN_DECISION", "phase-2 current", lambda e, h: relayed(e, h).reply(HUMAN, "Go!"), {TILDA, TEAM_LEAD, HUMAN}),
    ("MODE_SWITCH", "phase-2 current", lambda e, h: begun(e, h).say(HUMAN, "/away"), {TILDA, TEAM_LEAD, HUMAN}),
)
NEEDS_HUMAN = ("PLAYER_ACTION",)


def _rows() -> list[object]:
    rows: list[object] = []
    for tag, editions, step, seats in (*CASES, *WITH_HUMAN_ONLY):
        for edition in editions.split():
            for human in (True, False):
                if not human and (tag in NEEDS_HUMAN or (tag, editions, step, seats) in WITH_HUMAN_ONLY):
                    continue
                name = f"{tag}-{edition}-{'human' if human else 'alone'}"
                rows.append(pytest.param(tag, edition, human, step, seats, id=name))
    return rows


@pytest.mark.spec(
    "T-036", "T-038", "T-040", "T-047", "T-048", "T-050", "T-072", "T-073", "T-075", "T-078", "T-081", "T-083",
    "T-087", "T-090", "T-092", "T-096", "T-098", "T-104", "T-107", "T-111", "T-113", "T-115", "T-119", "T-122",
    "T-127", "F-026",
)  # fmt: skip
@pytest.mark.parametrize(("tag", "edition", "human", "step", "seats"), _rows())
def test_each_tag_goes_to_exactly_those_whom_the_rules_name(
    tag: str, edition: str, human: bool, step: Step, seats: set[str]
) -> None:
    game = step(edition, human)
    assert game.audience(MessageSent, tag) == (seats if human else seats - {HUMAN})


def test_the_table_of_audiences_leaves_out_no_tag_of_any_edition() -> None:
    for name, edition in EDITIONS.items():
        covered = {tag for tag, editions, _, _ in (*CASES, *WITH_HUMAN_ONLY) if name in editions.split()}
        live = {tag for tag, rule in edition.tags.items() if "task" not in rule.route.transports}
        assert covered == live | {AwaitAiPlayers.tag}
    kinds = {kind for edition in EDITIONS.values() for kind in edition.tags.values()} | {AwaitAiPlayers}
    assert all(kind.audience is not Tag.audience for kind in kinds)


def test_a_tag_that_does_not_say_who_sees_it_is_found_at_import() -> None:
    with pytest.raises(TypeError, match="states no audience; say who sees a WHISPER"):
        type("Whisper", (Tag,), {}, tag="WHISPER")


@pytest.mark.spec("T-037", "T-038")
@pytest.mark.parametrize(
    ("seat", "to", "seats"),
    [
        (GM, TEAM_LEAD, {GM, TEAM_LEAD}),
        (GM, TILDA, {GM, TILDA}),
        (NARRATOR, GM, {NARRATOR, GM}),
        (CORWIN, GM, {CORWIN, GM}),
        (CORWIN, TEAM_LEAD, {CORWIN, TEAM_LEAD}),
        (CORWIN, NARRATOR, {CORWIN, NARRATOR}),
        (CORWIN, BRYN, {CORWIN, BRYN, GM, NARRATOR}),
        (TILDA, BRYN, {TILDA, BRYN, GM, NARRATOR}),
        (TILDA, TEAM_LEAD, {TILDA, TEAM_LEAD, HUMAN}),
        (TEAM_LEAD, TILDA, {TILDA, TEAM_LEAD, HUMAN}),
    ],
)
def test_informal_text_is_seen_by_both_and_between_players_by_gm_and_narrator_too(
    seat: str, to: str, seats: set[str]
) -> None:
    game = opened().say(seat, reply((to, "By the way.")))
    assert game.sent()[0].tag is None
    assert game.audience(MessageSent) == seats


@pytest.mark.spec("T-038")
def test_the_human_sees_a_pause_and_its_end() -> None:
    game = opened().exhaust(GM)
    assert game.audience(HoldPlaced) == {GM, TEAM_LEAD, HUMAN}
    lifted = game.say(HUMAN, "/save")
    assert lifted.audience(HoldLifted) == {GM, TEAM_LEAD, HUMAN}


@pytest.mark.spec("T-036")
def test_an_audience_is_that_of_the_moment_of_sending_and_does_not_change_later() -> None:
    game = answered(asked(opened(), CORWIN, kind="SECRET_ACTION"), CORWIN)
    place = len(game.play.drafts) - len(game.play.new)
    before = [draft.audience for draft in game.play.drafts]
    later = game.send(GM, None, "NARRATIVE", "All is told.")
    assert [draft.audience for draft in later.play.drafts][: len(before)] == before
    assert seats_in(later.play.drafts[place].audience, later.state) == {CORWIN, GM}


@pytest.mark.spec("T-039")
def test_a_refused_message_is_seen_by_its_author_alone_and_changes_nothing() -> None:
    game = opened()
    step = game.say(CORWIN, envelope(game.state, None, "NARRATIVE", "I say so."))
    assert [type(event) for event in step.last] == [MessageRefused]
    assert step.audience(MessageRefused) == {CORWIN}
    assert step.state == game.state
    assert "not by corwin-voss" in step.refusal()


@pytest.mark.spec("T-039", "T-142")
def test_what_a_reply_holds_beside_a_refused_message_stands_and_only_that_is_asked_for_again() -> None:
    game = opened()
    step = game.reply(
        GM, reply((NARRATOR, content(game.state, "NARRATOR_NOTE", from_=GM, note="Green.")), ("zed", "Hi"))
    )
    assert [event.tag for event in step.sent()] == ["NARRATOR_NOTE"]
    assert "'zed' is not a seat" in step.refusal()
    assert step.turn(GM).attempt == 2
    done = step.send(GM, None, "NARRATIVE", "Rain.")
    assert done.sent("NARRATIVE")


@pytest.mark.spec("T-146")
def test_to_and_the_envelope_name_the_same_seat() -> None:
    game = opened()
    text = content(game.state, "PLAYER_TO_PLAYER", "Psst.", from_=CORWIN, to_=BRYN)
    assert "make them equal" in game.say(CORWIN, reply((TILDA, text))).refusal()
    request = content(game.state, "NARRATOR_REQUEST", to_=GM, request="More?")
    assert not game.say(NARRATOR, reply((TEAM_LEAD, request))).sent()
    assert game.say(NARRATOR, reply((GM, request))).sent("NARRATOR_REQUEST")


@pytest.mark.spec("T-147")
def test_after_the_start_another_campaign_than_its_own_is_refused() -> None:
    game = opened("phase-2")
    fields = {"scene_number": "001", "scene_slug": "opening", "trigger": "manual"}
    for tag, more in (("CONTEXT_REFRESH", {}), ("JOURNAL_CHECKPOINT", fields)):
        wrong = game.say(TEAM_LEAD, envelope(game.state, CORWIN, tag, campaign="another-bell", **more))
        assert "campaign must be the-drowned-bell" in wrong.refusal()
        assert game.say(TEAM_LEAD, envelope(game.state, CORWIN, tag, campaign="the-drowned-bell", **more)).sent(tag)
    unstarted = session(start=False)
    early = unstarted.say(TEAM_LEAD, envelope(unstarted.state, NARRATOR, "CONTEXT_REFRESH", campaign="any-other"))
    assert early.sent("CONTEXT_REFRESH")


@pytest.mark.spec("T-076", "T-038")
def test_a_chat_is_seen_by_the_two_who_take_part() -> None:
    game = opened().say(HUMAN, f"/chat {CORWIN} Shall we hurry?")
    assert game.audience(ChatSaid) == {HUMAN, CORWIN}
    answer = game.reply(CORWIN, "By all means.", "chat")
    assert answer.audience(ChatSaid) == {HUMAN, CORWIN}
    assert "Shall we hurry" not in answer.play.context(GM)
    silent = game.reply(CORWIN, "pass", "chat")
    assert not silent.sent()
    assert CORWIN not in silent.open()
    assert "can't chat" in opened("phase-1").say(HUMAN, f"/chat {CORWIN} Hm").refusal()


@pytest.mark.spec("T-060", "T-157")
def test_a_pass_and_a_withdrawal_are_seen_by_the_character_and_the_gm() -> None:
    game = asked(opened(), CORWIN, kind="OPTIONAL_REACTION")
    assert game.reply(CORWIN, "pass").audience(RequestPassed) == {CORWIN, GM}
    assert game.say(HUMAN, "/end").audience(RequestWithdrawn) == {CORWIN, GM}


def test_decided_words_reach_the_gm_by_the_character_alone() -> None:
    game = decided(asked(opened(), TILDA), "Grab the rope, quickly!")
    assert not any("Grab the rope" in str(event) for event in game.seen_by(GM))


@pytest.mark.spec("T-147", "T-110")
@pytest.mark.parametrize("edition", ["phase-1", "phase-2", "current"])
@pytest.mark.parametrize("to", [GM, NARRATOR, CORWIN])
def test_a_refresh_of_another_campaign_is_refused_whoever_it_is_for_and_asks_for_no_recap(
    edition: str, to: str
) -> None:
    if edition == "phase-1" and to == CORWIN:
        pytest.skip("characters have no seats there")
    game = opened(edition)
    for wrong in ("another-bell", "the-drowned", "the-drowned-bell-2"):
        step = game.say(TEAM_LEAD, envelope(game.state, to, "CONTEXT_REFRESH", campaign=wrong))
        assert "campaign must be the-drowned-bell" in step.refusal()
        assert not step.sent()
        assert step.state.calls == game.state.calls
    assert game.say(TEAM_LEAD, envelope(game.state, to, "CONTEXT_REFRESH", campaign="the-drowned-bell")).sent()
