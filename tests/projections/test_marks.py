"""Marks: how an entry changes a viewer's picture of the table, from only that viewer's own entries."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from golden import LOGS
from guests import EXAMPLES, seat_guest
from pydantic import TypeAdapter

from sottovoce.domain.events import Recorded, ReplyAccepted, TurnOpened
from sottovoce.domain.piece import Chair, PieceJson
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.golden import read_log
from sottovoce.projections import marks
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.knowledge import Presence
from sottovoce.projections.perspective import seats_of
from sottovoce.projections.pieces import Teller
from sottovoce.projections.view import public_view, view
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules import events as e
from sottovoce.rulesets.tabletop.rules.events import PieceWritten, ResourceChanged

PLAYERS = ("Ada", "Bram", "Cleo", "Dirk", "Edda")
"""The players of the log written by hand."""
LOG = pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)


@cache
def game(path: Path) -> tuple[Ruleset[Any], list[Recorded]]:
    log = read_log(path)
    return RULESETS[log[0].event.data()["ruleset"]], log


def chairs(log: Sequence[Recorded]) -> tuple[str | None, ...]:
    return (*seats_of(log), None)


def marked(path: Path, seat: str | None) -> Iterator[tuple[int, Any, list[dict[str, Any]]]]:
    """Return each entry of a seat or of the public: its seq, its event and its marks."""
    ruleset, log = game(path)
    teller = Teller(ruleset, seat)
    for entry in (public_view(ruleset, log) if seat is None else view(ruleset, log, seat)).entries:
        yield entry.seq, entry.event, teller.shown(entry.event)["marks"]


def audited(path: Path) -> Iterator[tuple[Recorded, list[dict[str, Any]]]]:
    ruleset, log = game(path)
    teller = Teller(ruleset, auditor=True)
    for item in log:
        yield item, teller.shown(item.event, item.audience)["marks"]


def every_mark(path: Path, seat: str | None, mark: str) -> list[dict[str, Any]]:
    return [one for _, _, made in marked(path, seat) for one in made if one["mark"] == mark]


def log_named(stem: str) -> Path:
    return next(path for path in LOGS if path.stem == stem)


@LOG
def test_what_is_given_out_is_what_the_interface_s_document_says(path: Path) -> None:
    listed = TypeAdapter(list[marks.MarkJson])
    piece = TypeAdapter(PieceJson | None)
    ruleset, log = game(path)
    teller = Teller(ruleset, auditor=True)
    for item in log:
        told = teller.shown(item.event, item.audience)
        listed.validate_python(told["marks"])
        piece.validate_python(told["piece"])


def test_the_document_has_every_mark_with_the_keys_that_are_encoded() -> None:
    schema = TypeAdapter(list[marks.MarkJson]).json_schema()
    told = {one["properties"]["mark"]["const"]: set(one["properties"]) for one in schema["$defs"].values()}
    for kind in get_args(marks.AnyMark):
        keys = {field.encode_name for field in msgspec.structs.fields(kind)}
        assert told.pop(kind.__struct_config__.tag) == {"mark", *keys}
    assert told == {}


@LOG
def test_who_is_awaited_is_the_same_to_every_chair(path: Path) -> None:
    """Nothing that only some know changes it."""
    ruleset, log = game(path)
    standing = EXTRAS.of(ruleset.name).standing
    assert standing is not None
    public = every_mark(path, None, "awaited")
    assert len(public) > 1
    for seat in seats_of(log):
        assert every_mark(path, seat, "awaited") == public
    assert [one for _, made in audited(path) for one in made if one["mark"] == "awaited"] == public


@LOG
def test_whoever_is_named_as_having_a_matter_has_the_entry(path: Path) -> None:
    """What a viewer says about others is right, and it always includes itself."""
    _, log = game(path)
    presence = Presence()
    audiences = [presence.audience(item) for item in log]
    for seat in seats_of(log):
        own = [audience for audience in audiences if seat in audience]
        for (_, event, made), audience in zip(marked(path, seat), own, strict=True):
            for one in made:
                if one["mark"] not in ("fact", "claim"):
                    continue
                if one["to"] is None:
                    assert audience == tuple(seats_of(log)), event
                else:
                    assert seat in one["to"], event
                    assert {*one["to"]} <= {*audience}, event


@LOG
def test_an_auditor_has_who_has_a_matter_from_the_audience(path: Path) -> None:
    presence = Presence()
    for item, made in audited(path):
        audience = presence.audience(item)
        for one in made:
            if one["mark"] == "fact":
                assert one["to"] is None or tuple(one["to"]) == audience
                assert (one["to"] is None) == (item.audience.seats is None) == (one["way"] == "rule")


@LOG
def test_seats_and_phases_are_told_to_every_chair(path: Path) -> None:
    _, log = game(path)
    for seat in chairs(log):
        (seated,) = every_mark(path, seat, "seats")
        assert tuple(seated["seats"]) == seats_of(log)
        assert {*seated["offices"]} == {*seated["seats"]} & EXTRAS.of(game(path)[0].name).shape.offices
        first, *_ = every_mark(path, seat, "phase")
        assert first["level"] == 1


def test_mafia_roles_are_facts_to_those_who_have_them() -> None:
    path = log_named("house-five")
    ruleset, log = game(path)
    dealt = {item.event.player: item.event.role for item in log if item.name == "mafia.role-dealt.v1"}  # type: ignore[attr-defined]
    for player, role in dealt.items():
        own = [one for one in every_mark(path, player, "fact") if one["fact"] == ["role", player, role]]
        assert own[0] | {"about": [player], "label": role, "way": "saw"} == own[0]
        assert own[0]["to"] == [seat for seat in ruleset.seats_for(list(dealt)) if seat in (player, "narrator")]
    public = every_mark(path, None, "fact")
    assert {one["way"] for one in public} == {"rule"}
    assert {tuple(one["fact"]) for one in public} == {("role", *pair) for pair in dealt.items()}


def test_mafia_votes_are_told_when_they_become_known() -> None:
    """A seat's own vote at once, all others when the ballot is counted, under the same name."""
    path = log_named("house-eight")
    _, log = game(path)
    public = every_mark(path, None, "vote")
    for player in seats_of(log):
        told = every_mark(path, player, "vote")
        early = [one for seq, event, made in marked(path, player) for one in made
                 if one["mark"] == "vote" and not hasattr(event, "votes")]  # fmt: skip
        assert {one["of"] for one in early} <= {player}
        assert all(told.count(one) == 2 for one in early), "the count repeats one's own vote"
        assert [one for one in told if one in public and one["of"] != player] == [
            one for one in public if one["of"] != player
        ]
    about = {(one["choice"], one["for"] is None) for one in public}
    assert about >= {("yes", False), ("no", True)}


def test_mafia_deaths_put_players_out() -> None:
    path = log_named("house-eight")
    ruleset, log = game(path)
    state: Any = ruleset.initial
    for item in log:
        state = ruleset.evolve(state, item.event)
    for seat in chairs(log):
        assert {one["seat"] for one in every_mark(path, seat, "out")} == {*state.dead}
        told = every_mark(path, seat, "mention")
        assert [one["seats"] for one in told if one["what"] == "death"] == [[player] for player in state.dead]
        assert told[-1]["what"] == "end"


def test_mafia_betrayals_are_known_to_those_who_know_both() -> None:
    path = log_named("bids")
    _, log = game(path)
    mafia = next(item.event.members for item in log if item.name == "mafia.mafia-introduced.v1")  # type: ignore[attr-defined]
    counts = {seat: sum(one["what"] == "betrayal" for one in every_mark(path, seat, "mention")) for seat in chairs(log)}
    assert all(counts[seat] > 0 for seat in (*mafia, "narrator"))
    assert not any(counts[seat] for seat in counts if seat not in (*mafia, "narrator"))


def said(log: Any, seat: str | None) -> list[dict[str, Any]]:
    """Return the claims and mentions that a viewer has of a log written by hand."""
    teller = Teller(MAFIA, seat)
    entries = (public_view(MAFIA, log.recorded) if seat is None else view(MAFIA, log.recorded, seat)).entries
    made = [one for entry in entries for one in teller.shown(entry.event)["marks"]]
    return [one for one in made if one["mark"] in ("claim", "mention")]


def test_what_is_claimed_aloud_is_marked_for_all(log: Any) -> None:
    log.says("Dirk", "Listen. I am the Doctor, and Cleo is not the Detective!")
    for seat in (*seats_of(log.recorded), None):
        own, other = [one for one in said(log, seat) if one["mark"] == "claim"]
        assert own == {
            "mark": "claim",
            "by": "Dirk",
            "about": ["Dirk"],
            "fact": ["role", "Dirk", "Doctor"],
            "label": "Doctor",
            "says": "Dirk is the Doctor",
            "denied": False,
            "words": "I am the Doctor, and Cleo is not the Detective!",
            "to": None,
        }
        assert (other["fact"], other["denied"]) == (["role", "Cleo", "Detective"], True)


def test_what_is_whispered_is_marked_for_those_who_hear_it(log: Any) -> None:
    log.add(e.MafiaWhispered(night=1, round=0, player="Cleo", text="Dirk is the Doctor."))
    assert [one["to"] for one in said(log, "Cleo") if one["mark"] == "claim"] == [["Cleo", "narrator"]]
    assert not [one for seat in ("Ada", "Bram", "Dirk", "Edda", None) for one in said(log, seat)]


def test_a_claim_against_an_earlier_one_is_a_counter_claim(log: Any) -> None:
    log.says("Dirk", "I am the Doctor.")
    log.says("Dirk", "I tell you, I am the Doctor. I saved Ada on night one.")
    log.says("Edda", "I am the Doctor, Dirk is a liar.")
    log.says("Bram", "Dirk is not the Doctor.")
    log.says("Ada", "Cleo is Mafia.")
    log.says("Cleo", "I am no Mafia.")
    log.says("Cleo", "I am a Villager.")
    told = [(one["what"], one["text"]) for one in said(log, None) if one["mark"] == "mention"]
    assert told == [
        ("claim", "Dirk claims to be the Doctor"),
        ("counter", "Edda claims to be the Doctor (against Dirk)"),
        ("counter", "Bram denies that Dirk is the Doctor (against Dirk)"),
        ("claim", "Ada says that Cleo is Mafia"),
        ("counter", "Cleo denies being Mafia (against Ada)"),
        ("counter", "Cleo claims to be a Villager (against Ada)"),
    ]


def test_a_role_that_everybody_knows_is_claimed_by_nobody(log: Any) -> None:
    log.add(e.RoleRevealed(player="Cleo", role="Mafia"))
    log.says("Ada", "Cleo was Mafia, and Dirk is Mafia.")
    assert [one["fact"][1] for one in said(log, "Bram") if one["mark"] == "claim"] == ["Dirk"]


def test_a_question_and_a_supposition_leave_no_mark(log: Any) -> None:
    log.says("Ada", "Is Cleo Mafia? If Cleo were Mafia, would Dirk be alive?")
    assert said(log, None) == []


def test_a_reply_is_nobody_s_claim_until_it_is_told(log: Any) -> None:
    log.add(TurnOpened(seat="Dirk", turn=1, kind="speech", attempts=3))
    log.add(ReplyAccepted(seat="Dirk", turn=1, text="I am the Doctor."))
    assert said(log, "Dirk") == []


def test_a_partner_s_accusation_is_a_betrayal_to_those_who_know_both(log: Any) -> None:
    log.add(e.MafiaIntroduced(members=("Cleo", "Edda")))
    log.says("Cleo", "Edda is Mafia.")
    knowing = {seat for seat in seats_of(log.recorded) if any(one.get("what") == "betrayal" for one in said(log, seat))}
    assert knowing == {"Cleo", "Edda", "narrator"}


def mentions(log: Any, seat: str | None, what: str) -> list[str]:
    return [one["text"] for one in said(log, seat) if one.get("what") == what]


def test_last_words_are_a_moment_and_silence_is_none(log: Any) -> None:
    for text in ("Remember me.", None):
        log.add(e.SpeechGiven(player="Cleo", occasion="final", text=text))
    log.says("Ada", "These are not my last words.")
    assert mentions(log, "Bram", "last-words") == ["Last words of Cleo"]


@pytest.mark.parametrize(
    ("yes", "no", "close"), [(3, 2, True), (2, 3, True), (4, 1, False), (1, 4, False), (2, 0, False), (2, 2, True)]
)
def test_a_count_that_one_vote_would_have_turned_is_close(log: Any, yes: int, no: int, close: bool) -> None:
    votes: Any = dict(zip(PLAYERS, ["yes"] * yes + ["no"] * no, strict=False))
    tally = {"yes": yes, "no": no}
    log.add(e.SecondingClosed(day=1, nominator="Ada", nominee="Bram", votes=votes, tally=tally, seconded=yes > no))
    assert mentions(log, None, "close") == ([f"Seconding Bram, {yes} to {no}"] if close else [])


def test_a_trial_is_close_where_the_first_two_are(log: Any) -> None:
    for votes in ({"Ada": "Bram", "Bram": "Cleo", "Dirk": "Bram"}, {"Ada": "Bram", "Cleo": "Bram"}):
        tally = {name: list(votes.values()).count(name) for name in votes.values()}
        log.add(e.TrialClosed(day=1, round=0, votes=votes, tally=tally, condemned="Bram"))
    assert mentions(log, None, "close") == ["Trial, 2 to 1"]


def test_nobody_betrays_itself(log: Any) -> None:
    log.add(e.TrialClosed(day=1, round=0, votes={"Cleo": "Cleo"}, tally={"Cleo": 1}, condemned="Cleo"))
    assert mentions(log, "Cleo", "betrayal") == []


def test_who_has_an_event_by_a_rule_of_its_own_knows_of_itself_and_of_whom_the_event_names(log: Any) -> None:
    """For a ruleset that says nothing about marks, its audience function is not called with the state."""
    log.add(e.MafiaWhispered(night=1, round=0, player="Cleo", text="Dirk is the Doctor."))
    marker, state = marks.Marker(MAFIA, "Cleo"), log.state
    (claim, *_) = [
        one
        for one in marker.mark(
            log.recorded[-1].event, MAFIA.tell(log.recorded[-1].event, Chair("Cleo")), state, state, None
        )
        if isinstance(one, marks.ClaimHeard)
    ]
    assert claim.to == ("Cleo", "narrator")


def test_what_a_session_s_party_may_read_together_is_no_hidden_matter() -> None:
    path = log_named("evening")
    _, log = game(path)
    roster = {seat for seat in seats_of(log) if seat not in EXTRAS.of("tabletop").shape.offices}
    told = {tuple(one["fact"]) for one in every_mark(path, "gm", "fact") if one["fact"][0] == "written"}
    closed: set[tuple[str, ...]] = set()
    opened: set[tuple[str, ...]] = set()
    for item in log:
        if isinstance(item.event, PieceWritten):
            key = ("written", item.event.document, item.event.heading or "")
            (opened if roster <= {*item.event.readers} else closed).add(key)
    assert told == closed
    assert opened - closed


def test_a_session_s_split_is_known_to_a_character_as_its_own_group() -> None:
    path = log_named("evening")
    gm = [(one["name"], tuple(one["seats"])) for one in every_mark(path, "gm", "group")]
    assert {name for name, _ in gm} > {""}
    stands: dict[str, tuple[str, ...]] = {}
    for name, seats in gm:
        assert stands.get(name) != seats, "a group is told when it changes"
        stands[name] = seats
    assert {*gm[-1][1]} == {seat for _, seats in gm[:2] for seat in seats}
    own = [tuple(one["seats"]) for one in every_mark(path, "pim-tallow", "group")]
    assert own[0] in [seats for name, seats in gm if name]
    assert own[-1] == gm[-1][1]
    assert all(one["name"] == "" for one in every_mark(path, "pim-tallow", "group"))
    assert not every_mark(path, None, "group")


def test_a_session_s_resources_are_known_to_their_owner() -> None:
    path = log_named("evening")
    gm = every_mark(path, "gm", "resource")
    for seat in ("pim-tallow", "isolde-marrow"):
        assert every_mark(path, seat, "resource") == [one for one in gm if one["seat"] == seat] != []
    assert not every_mark(path, None, "resource")
    _, log = game(path)
    changes = [item.event for item in log if isinstance(item.event, ResourceChanged)]
    assert [(one["seat"], one["name"], one["value"], one["most"]) for one in gm] == [
        (
            change.character,
            change.resource,
            ", ".join(change.words) if change.amount is None else change.amount,
            change.most,
        )
        for change in changes
    ]
    assert any(change.amount != change.most for change in changes)


def test_delegated_tasks_move_over_the_board() -> None:
    path = log_named("delegated-minutes")
    moves = every_mark(path, "user", "task")
    assert [one["state"] for one in moves][:3] == ["proposed", "delegated", "review"]
    assert moves[-1]["state"] == "complete"
    assert moves[-1]["seat"] is None
    assert {one["title"] for one in moves} == {"council minutes"}
    assert len(every_mark(path, "planner", "task")) < len(moves)
    assert not every_mark(path, None, "task")


@pytest.mark.parametrize("stem", ["house-eight", "evening", "delegated-minutes"])
def test_marks_cost_no_more_than_the_telling(stem: str) -> None:
    """Counted in calls, which other load does not change."""
    ruleset, log = game(log_named(stem))
    Teller(ruleset, auditor=True).mark(log[0].event, log[0].audience)

    def calls(marking: bool) -> int:
        made = 0

        def count(frame: Any, event: str, argument: Any) -> None:
            nonlocal made
            made += event in ("call", "c_call")

        teller = Teller(ruleset, auditor=True)
        sys.setprofile(count)
        try:
            for item in log:
                if marking:
                    teller.shown(item.event, item.audience)
                else:
                    piece = teller.tell(item.event)
                    _ = piece and piece.to_json()
        finally:
            sys.setprofile(None)
        return made

    calls(True)  # what is worked out once for all games is worked out here
    telling = calls(False)
    assert calls(True) - telling <= telling


def test_a_ruleset_from_outside_is_marked_without_a_word_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The seats, who can't see what, each vote under the name of its ballot, and the end."""
    rules = seat_guest(monkeypatch, "resistance")
    path = EXAMPLES / "resistance" / "golden" / "logs" / "missions.jsonl"
    log = read_log(path)
    made: dict[str | None, list[dict[str, Any]]] = {}
    for seat in chairs(log):
        teller = Teller(rules.RESISTANCE, seat)
        entries = (public_view(rules.RESISTANCE, log) if seat is None else view(rules.RESISTANCE, log, seat)).entries
        made[seat] = [one for entry in entries for one in teller.shown(entry.event)["marks"]]
    assert made[None][0] == {"mark": "seats", "seats": list(seats_of(log)), "offices": []}
    votes = [one for one in made[None] if one["mark"] == "vote"]
    counted = [item.event.votes for item in log if hasattr(item.event, "votes")]
    assert [(one["of"], one["choice"]) for one in votes] == [pair for each in counted for pair in each.items()]
    assert len({one["ballot"] for one in votes}) == len(counted)
    assert all([one for one in made[seat] if one["mark"] == "vote"] == votes for seat in seats_of(log))
    assert [one["what"] for one in made[None] if one["mark"] == "mention"] == ["end"]
    assert {one["way"] for one in made[None] if one["mark"] == "fact"} == {"rule"}
    for seat in seats_of(log):
        saw = [one for one in made[seat] if one["mark"] == "fact" and one["way"] == "saw"]
        assert ["side", seat] in [one["fact"][:2] for one in saw]
        assert all(seat in one["to"] for one in saw)
