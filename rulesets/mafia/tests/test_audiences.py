"""Who sees what: every event class against an account of its own, and what that means for the dead and the narrator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from mafia_game import mafia_game
from mafia_tables import CAST, cast, condemn, random_game
from table import Table

from sottovoce.agents.prompt import build_prompt
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.domain.errors import RulesetDefect
from sottovoce.domain.events import CORE_EVENTS, Draft, Event, TurnOpened
from sottovoce.domain.piece import Chair
from sottovoce.domain.ruleset import CORE_AUDIENCE
from sottovoce.projections.view import view
from sottovoce.rulesets.mafia.rules import MAFIA, events
from sottovoce.rulesets.mafia.rules.events import MAFIA_EVENTS
from sottovoce.rulesets.mafia.rules.roles import Role
from sottovoce.rulesets.mafia.rules.state import MafiaState
from sottovoce.rulesets.mafia.rules.turns.narrator import GUIDELINES

PUBLIC = {
    *("GameOpened", "NarrationGiven", "PhaseBegan", "DeathsAnnounced", "RoleRevealed", "SpeakerChosen", "SpeechGiven"),
    *("FloorGiven", "GameVoided", "GameCopied", "AuditorLinkIssued", "SeatLinkIssued"),
    *("ChairsOpened", "SecretsKnown"),
    *("NominationMade", "SecondingClosed", "TrialClosed", "ExecutionVoteClosed", "PlayerExecuted", "GameEnded"),
}
OF_NOBODY = {"SeatsFilled", "GameForked", "GameRequested", "HoldPlaced", "HoldLifted", "DawnHeld"}
OWN = {
    *("TurnOpened", "ReplyAccepted", "AttemptFailed", "FallbackApplied", "TurnWithdrawn", "MessageRefused"),
    "NotesKept",
}
NARRATOR_ALONE = {"RepliesHeard", "NightResolved", "BidsClosed"}
WITH_NARRATOR = {"RoleDealt": "player", "PlayerProtected": "doctor", "PlayerInvestigated": "detective"}
OF_THE_MAFIA = {"MafiaIntroduced", "MafiaWhispered", "MafiaBallotClosed"}


def expected(event: Any, living_mafia: list[str]) -> Any:
    """Who is to see the event, told without the ruleset's help."""
    kind = type(event).__name__
    if kind in PUBLIC:
        return "everyone"
    if kind in OF_NOBODY:
        return []
    if kind in OWN:
        return [event.seat]
    if kind in NARRATOR_ALONE:
        return ["narrator"]
    if kind in WITH_NARRATOR:
        return sorted([getattr(event, WITH_NARRATOR[kind]), "narrator"])
    assert kind in OF_THE_MAFIA
    return sorted([*living_mafia, "narrator"])


def test_the_account_above_names_every_event_class_once() -> None:
    groups = [PUBLIC, OF_NOBODY, OWN, NARRATOR_ALONE, set(WITH_NARRATOR), OF_THE_MAFIA]
    names = [name for group in groups for name in group]
    assert sorted(names) == sorted(event.__name__ for event in (*CORE_EVENTS, *MAFIA_EVENTS))


@pytest.mark.spec("M-023", "M-029", "M-037", "M-042", "M-048", "M-052", "M-102")
@pytest.mark.parametrize("seed", range(25))
def test_every_event_of_a_random_game_is_seen_by_whom_it_should(seed: int) -> None:
    floor = "bids" if seed % 4 == 3 else "narrator"
    drafts, state = random_game(
        seed, 4 + seed % 8, reveal_role_on_night_death=bool(seed % 2), night_seconds=seed % 3, floor=floor
    )
    dead: set[str] = set()
    for draft in drafts:
        living_mafia = [name for name, role in state.roles.items() if role == "Mafia" and name not in dead]
        assert draft.audience.to_json() == expected(draft.event, living_mafia), draft.event
        match draft.event:
            case events.DeathsAnnounced():
                dead |= set(draft.event.deaths)
            case events.PlayerExecuted():
                dead.add(draft.event.player)


@pytest.mark.parametrize(
    "event", [event.sample() for event in (*CORE_EVENTS, *MAFIA_EVENTS)], ids=lambda e: e.stored_name
)
def test_every_event_class_has_an_audience_in_any_state(event: Event) -> None:
    game = mafia_game(CAST)
    mafia = list(getattr(event, "members", ["Ada", "Dirk"]))
    assert MAFIA.audiences[type(event)](game.state, event).to_json() == expected(event, mafia)


@pytest.mark.parametrize("missing", [events.NightResolved, events.SpeechGiven, *CORE_EVENTS[:3]])
def test_a_ruleset_that_leaves_an_audience_out_cannot_be_made(missing: type[Event]) -> None:
    audiences = {event: rule for event, rule in MAFIA.audiences.items() if event is not missing}
    with pytest.raises(RulesetDefect, match=f"{missing.__name__} states no audience"):
        MAFIA.but(audiences=audiences)


def test_the_core_leaves_holds_to_the_rulesets() -> None:
    assert {event.__name__ for event in CORE_EVENTS} - {event.__name__ for event in CORE_AUDIENCE} == {
        "HoldPlaced",
        "HoldLifted",
    }


# the narrator


@pytest.mark.spec("M-102")
@pytest.mark.parametrize("seed", range(6))
def test_the_narrator_sees_every_fact_of_the_game_and_none_of_its_machinery(seed: int) -> None:
    drafts, _ = random_game(seed, 7 + seed)
    for draft in drafts:
        kind = type(draft.event).__name__
        if kind in OF_NOBODY:
            assert not draft.audience.includes("narrator")
        elif kind in OWN:
            assert draft.audience.includes("narrator") == (getattr(draft.event, "seat") == "narrator")  # noqa: B009
        else:
            assert draft.audience.includes("narrator")


@pytest.mark.spec("M-102")
def test_motives_reach_the_narrator_with_their_ballot_in_seating_order() -> None:
    game = cast().until("kill")
    game = game.reply("Dirk", "I vote to kill Hugo, who knows").reply("Ada", "I vote to kill Hugo, the loud one")
    heard = game.last(events.RepliesHeard)
    assert heard == events.RepliesHeard(
        about="kill",
        replies={"Ada": "I vote to kill Hugo, the loud one", "Dirk": "I vote to kill Hugo, who knows"},
    )
    assert list(heard.replies) == ["Ada", "Dirk"]
    assert game.audiences(events.RepliesHeard)[-1] == ["narrator"]


@pytest.mark.spec("M-102")
def test_the_narrator_cannot_tell_a_fallback_from_a_bare_vote() -> None:
    for seed in range(5):
        game = cast(seed).until("kill").reply("Dirk", "Hugo")
        drawn = game.exhaust("Ada")
        choice = drawn.all(events.MafiaBallotClosed)[0].votes["Ada"]
        assert drawn.seen("narrator") == game.reply("Ada", choice).seen("narrator")


@pytest.mark.spec("M-103")
def test_every_narration_is_seen_by_all_seats_the_dead_included() -> None:
    game = condemn(cast(), "Edda", kill="Hugo").until("execution", {"execution-vote": "execute"}).answer()
    narrations = game.all(events.NarrationGiven)
    assert {narration.scene for narration in narrations} >= {"opening", "dawn", "gallows", "execution"}
    assert set(game.audiences(events.NarrationGiven)) == {"everyone"}
    for seat in ("Hugo", "Edda", "Ada", "narrator"):
        assert game.seen(seat, events.NarrationGiven) == narrations


@pytest.mark.spec("M-104")
@pytest.mark.parametrize(
    ("kind", "text"),
    [(scene, "Cleo is the Detective.") for scene in ("opening", "dawn", "introduction", "gallows", "execution")]
    + [("moderate", "Ada, what do you say of Cleo, who is the Detective?")],
)
def test_every_kind_of_narration_is_checked_refused_and_asked_for_again(kind: str, text: str) -> None:
    answers: dict[str, str | Mapping[str, str]] = {
        "nominate": {"Ada": "I nominate Dirk", "Cleo": "I nominate Finn"},
        "second": "yes",
        "kill": "I vote to kill Hugo",
        "trial-vote": "I vote for Dirk",
        "execution-vote": "execute",
    }
    game = cast().until(kind, answers).reply("narrator", text).refused("M-104")
    assert game.new[0].audience.to_json() == ["narrator"]
    assert game.turn("narrator").attempt == 2


@pytest.mark.spec("M-105")
def test_every_narrator_turn_carries_the_guidelines() -> None:
    answers: dict[str, str | Mapping[str, str]] = {
        "nominate": {"Ada": "I nominate Dirk", "Cleo": "I nominate Finn"},
        "second": "yes",
        "kill": "I vote to kill Hugo",
        "trial-vote": "I vote for Dirk",
        "execution-vote": "execute",
    }
    for kind in ("opening", "dawn", "moderate", "introduction", "gallows", "execution"):
        context = cast().until(kind, answers).context("narrator")
        for line in GUIDELINES:
            assert line in context
    text = " ".join(GUIDELINES)
    for word in (
        *("gothic", "mysterious", "vivid", "gratuitous", "suspense", "major moment its weight", "phase to phase"),
        *(
            "breathe between votes",
            "credit",
            "dramatic moments",
            "all deaths equally",
            "favour no side",
            "hint at a role",
        ),
    ):
        assert word in text
    assert GUIDELINES[0] not in cast().until("role").context("Ada")


@pytest.mark.spec("M-107")
@pytest.mark.parametrize("seed", range(10))
def test_the_narrator_has_turns_at_the_named_moments_and_at_no_other(seed: int) -> None:
    drafts, _ = random_game(seed, 6 + seed % 5)
    kinds = [d.event.kind for d in drafts if isinstance(d.event, TurnOpened) and d.event.seat == "narrator"]
    count = {kind: kinds.count(kind) for kind in set(kinds)}

    def happened(kind: type[Event], **data: Any) -> int:
        return sum(isinstance(d.event, kind) and all(getattr(d.event, k) == v for k, v in data.items()) for d in drafts)

    assert count.pop("opening") == 1
    assert count.pop("dawn") == happened(events.PhaseBegan, phase="dawn")
    assert count.pop("moderate", 0) == happened(events.SpeakerChosen)
    assert count.pop("introduction", 0) == happened(events.SpeechGiven, occasion="defence")
    assert count.pop("gallows", 0) == happened(events.PhaseBegan, phase="gallows")
    assert count.pop("execution", 0) == happened(events.PlayerExecuted)
    assert not count


# the dead, and what contexts are made of


@pytest.mark.spec("M-015")
def test_the_dead_hear_everything_public_keep_what_they_knew_and_learn_nothing_more() -> None:
    game = cast().until("dawn", {"kill": "Cleo", "investigate": "Ada"})
    at_death = game.known("Cleo")
    later = condemn(game, "Edda").until("execution", {"execution-vote": "execute"})
    later = later.until(lambda state: state.number == 3, {"kill": "Gwen"})
    since: list[Draft] = list(later.drafts[len(game.drafts) :])
    heard = [draft for draft in since if draft.audience.includes("Cleo")]
    assert heard == [draft for draft in since if draft.audience.seats is None]
    assert {"SpeechGiven", "TrialClosed", "RoleRevealed", "DeathsAnnounced"} <= {type(d.event).__name__ for d in heard}
    assert later.known("Cleo").roles == {**at_death.roles, "Edda": "Villager"}, "only what was revealed to all"
    assert later.known("Cleo").investigations == at_death.investigations


@pytest.mark.spec("M-011", "M-012")
@pytest.mark.parametrize("seed", range(8))
def test_a_context_told_from_the_view_alone_is_the_whole_context(seed: int) -> None:
    drafts, _ = random_game(seed, 6 + seed, max_speeches=3)
    full, known = (
        MAFIA.initial,
        dict.fromkeys(MAFIA.seats_for([f"Player {i}" for i in range(1, 7 + seed)]), MAFIA.initial),
    )
    turns = 0
    for draft in drafts:
        full = MAFIA.evolve(full, draft.event)
        for seat in known:
            if draft.audience.includes(seat):
                known[seat] = MAFIA.evolve(known[seat], draft.event)
        if draft.event.stored_name == "core.turn-opened.v1":
            seat = draft.event.seat  # type: ignore[attr-defined]
            turn = full.turns[seat, draft.event.turn]  # type: ignore[attr-defined]
            assert MAFIA.request(known[seat], turn) == MAFIA.request(full, turn)
            turns += 1
    assert turns > 20


@pytest.mark.spec("M-011")
def test_what_a_player_may_not_know_makes_no_difference_to_their_contexts() -> None:
    answers: dict[str, str | Mapping[str, str]] = {
        "nominate": {"Gwen": "I nominate Dirk", "Hugo": "I nominate Gwen"},
        "second": "yes",
        "kill": "I vote to kill Cleo",
        "protect": "Finn",
        "moderate": "Gwen",
    }
    contexts = []
    others: list[dict[str, Role]] = [{}, {"Bram": "Villager", "Edda": "Doctor"}, {"Finn": "Villager", "Edda": "Jester"}]
    for other in others:
        game = mafia_game({**CAST, **other}, max_speeches=1)
        told = []
        for kind in ("role", "speech", "nominate", "trial-vote"):

            def asked(state: MafiaState, kind: str = kind) -> bool:
                return kind in [turn.kind for turn in state.turns.values() if turn.seat == "Gwen"]

            game = game.until(asked, answers)
            told.append(game.request("Gwen"))
        contexts.append(told)
    assert contexts[0] == contexts[1] == contexts[2]


@pytest.mark.spec("M-011", "M-012", "M-023")
def test_a_prompt_holds_the_history_of_the_seats_own_view_and_nothing_else() -> None:
    table = Table(("Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn", "Gwen"), seed=4, agents=RandomAgent())
    table.play()
    opened = [r for r in table.recorded if r.name == "core.turn-opened.v1"]
    assert opened
    for seat in table.seats:
        own = [item for item in table.recorded if item.audience.includes(seat)]
        last = [item for item in opened if item.event.seat == seat][-1]  # type: ignore[attr-defined]
        seq = own.index(last) + 1
        whole, filtered = (view(MAFIA, items, seat, upto=seq) for items in (table.recorded, own))
        [turn] = whole.turns
        assert build_prompt(whole, turn) == build_prompt(filtered, turn)
        told = build_prompt(whole, turn, budget=100_000).text
        for entry in whole.entries:
            line = MAFIA.tell(entry.event, Chair(seat))
            assert line is None or line.text in told
