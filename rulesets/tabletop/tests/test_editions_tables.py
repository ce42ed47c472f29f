"""The editions: their tags, senders, recipients and transports, and what became of the tags that went."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

import pytest

from sottovoce.domain.errors import Refused, SetupRefused
from sottovoce.rulesets.tabletop.rules import messages
from sottovoce.rulesets.tabletop.rules.messages import (
    DEPRECATIONS,
    EDITIONS,
    AwaitAiPlayers,
    Edition,
    Role,
    Tag,
    check_route,
    edition_named,
    one_recipient,
    parse,
    role_of,
)
from sottovoce.rulesets.tabletop.rules.state import TabletopOptions

PHASE_1, PHASE_2, CURRENT = EDITIONS["phase-1"], EDITIONS["phase-2"], EDITIONS["current"]
FIRST = set(
    "NARRATIVE GM_TO_PLAYER ASK_PLAYER STATE_UPDATED SESSION_END NARRATOR_NOTE AWAIT_PLAYERS PLAYER_ACTION DICE_RESULT "
    "PLAYER_ANSWER PLAYER_RESPONSES SESSION_COMMAND CONTEXT_REFRESH NARRATOR_REQUEST".split()
)
ADDED = set("HUMAN_DECISION MODE_SWITCH PLAYER_TO_GM PLAYER_TO_PLAYER RELAY_TO_HUMAN JOURNAL_CHECKPOINT".split())
GONE = {"AWAIT_PLAYERS", "PLAYER_RESPONSES"}
SEATS: dict[Role, str] = {
    "gm": "gm",
    "team-lead": "team-lead",
    "narrator": "narrator",
    "player": "tilda-brannock",
}
EVERY_RULE = [(edition, rule) for edition in EDITIONS.values() for rule in (*edition.tags.values(), AwaitAiPlayers)]


def named(pair: object) -> str:
    return pair.name if isinstance(pair, Edition) else str(getattr(pair, "tag", ""))


@pytest.mark.spec("T-001")
def test_there_are_three_editions() -> None:
    assert list(EDITIONS) == ["phase-1", "phase-2", "current"]
    assert all(edition_named(name).name == name for name in EDITIONS)


@pytest.mark.spec("T-002")
def test_the_default_is_the_current_edition_and_an_unknown_one_is_refused() -> None:
    assert edition_named() is edition_named(TabletopOptions().edition) is CURRENT
    for name in ("phase-3", "Current", "", "x" * 1000):
        with pytest.raises(SetupRefused, match=r"Choose one of: phase-1, phase-2, current"):
            edition_named(name)


def test_every_class_of_messages_is_in_an_edition() -> None:
    def below(kind: type[Tag]) -> Iterator[type[Tag]]:
        for each in kind.__subclasses__():
            yield each
            yield from below(each)

    for module in iter_modules(messages.__path__, f"{messages.__name__}."):
        import_module(module.name)
    written = {kind for kind in below(Tag) if kind.tag and kind.__module__.startswith(messages.__name__)}
    assert len(written) > 20
    assert written - {kind for edition in EDITIONS.values() for kind in edition.known.values()} == set()


@pytest.mark.spec("T-003")
def test_the_current_edition_has_fifteen_tags() -> None:
    assert len(CURRENT.tags) == 15
    assert set(CURRENT.tags) == FIRST - GONE - {"STATE_UPDATED", "PLAYER_ACTION"} | ADDED - {"JOURNAL_CHECKPOINT"}


@pytest.mark.spec("T-004")
def test_phase_1_has_fourteen_tags() -> None:
    assert len(PHASE_1.tags) == 14
    assert set(PHASE_1.tags) == FIRST


@pytest.mark.spec("T-005")
def test_phase_2_has_eighteen_tags() -> None:
    assert len(PHASE_2.tags) == 18
    assert set(PHASE_2.tags) == FIRST - GONE | ADDED


@pytest.mark.spec("T-007")
def test_it_can_be_looked_up_what_replaced_a_tag_that_went() -> None:
    assert set(DEPRECATIONS) == GONE
    for tag, replacement in (("AWAIT_PLAYERS", "GM_TO_PLAYER"), ("PLAYER_RESPONSES", "PLAYER_TO_GM")):
        deprecation = DEPRECATIONS[tag]
        assert (deprecation.introduced, deprecation.deprecated) == ("phase-1", "phase-2")
        assert deprecation.replaced_by == replacement
        assert replacement in deprecation.advice


@pytest.mark.spec("T-006")
def test_a_tag_of_another_edition_only_is_informal_text() -> None:
    elsewhere = {
        "current": {"STATE_UPDATED", "PLAYER_ACTION", "JOURNAL_CHECKPOINT", *GONE},
        "phase-1": ADDED,
        "phase-2": set(),
    }
    for edition in EDITIONS.values():
        assert {tag for tag in FIRST | ADDED if tag not in edition.tags and tag not in edition.deprecated} == (
            elsewhere[edition.name]
        )
        for tag in elsewhere[edition.name]:
            for text in (f"[{tag}]\ncharacter: x", f"[{tag}] said", f"[{tag.lower()}]"):
                assert parse(text, edition).tag is None
                assert parse(text, edition).body == text


@pytest.mark.spec("T-008", "T-016")
@pytest.mark.parametrize("tag", sorted(GONE))
def test_a_tag_that_went_is_refused_with_what_replaced_it(tag: str) -> None:
    for text in (f"[{tag}]", f"[{tag}]\nresponses: []", f"\n [{tag}] now", f"[{tag.title()}]"):
        with pytest.raises(Refused, match=rf"\[{DEPRECATIONS[tag].replaced_by}\]"):
            parse(text, PHASE_2)


ROUTES = {
    "NARRATIVE": (["gm"], ["team-lead"]),
    "GM_TO_PLAYER": (["gm"], ["player"]),
    "ASK_PLAYER": (["gm"], ["team-lead"]),
    "SESSION_END": (["gm"], ["team-lead"]),
    "STATE_UPDATED": (["gm"], ["team-lead"]),
    "AWAIT_PLAYERS": (["gm"], ["team-lead"]),
    "AWAIT_AI_PLAYERS": (["gm"], ["team-lead"]),
    "NARRATOR_NOTE": (["gm", "player"], ["narrator"]),
    "DICE_RESULT": (["team-lead"], ["gm"]),
    "PLAYER_ACTION": (["team-lead"], ["gm"]),
    "PLAYER_ANSWER": (["team-lead"], ["gm"]),
    "PLAYER_RESPONSES": (["team-lead"], ["gm"]),
    "SESSION_COMMAND": (["team-lead"], ["gm"]),
    "CONTEXT_REFRESH": (["team-lead"], ["gm", "narrator", "player"]),
    "JOURNAL_CHECKPOINT": (["team-lead"], ["player"]),
    "HUMAN_DECISION": (["team-lead"], ["player"]),
    "MODE_SWITCH": (["team-lead"], ["player"]),
    "PLAYER_TO_GM": (["player"], ["gm"]),
    "PLAYER_TO_PLAYER": (["player"], ["player"]),
    "RELAY_TO_HUMAN": (["player"], ["team-lead"]),
    "NARRATOR_REQUEST": (["narrator"], ["gm"]),
}


@pytest.mark.spec("T-035", "T-050", "T-096", "T-104", "T-111", "T-113", "T-115", "T-119", "T-122", "T-127")
@pytest.mark.parametrize(("edition", "rule"), EVERY_RULE, ids=named)
def test_a_tag_goes_from_its_senders_to_its_recipients_and_no_other_way(edition: Edition, rule: type[Tag]) -> None:
    senders, recipients = ROUTES[rule.tag]
    if edition is PHASE_1:
        senders = [role for role in senders if role != "player"]
        recipients = [role for role in recipients if role != "player" or rule.tag == "GM_TO_PLAYER"]
    for sender in SEATS:
        for recipient, seat in {**SEATS, "player": "grimjaw"}.items():
            if sender == recipient and sender != "player":
                continue
            allowed = sender in senders and recipient in recipients and "message" in rule.route.transports
            if allowed:
                check_route(rule.tag, sender=SEATS[sender], transport="message", recipient=seat, edition=edition)
                continue
            with pytest.raises(Refused, match=rule.tag):
                check_route(rule.tag, sender=SEATS[sender], transport="message", recipient=seat, edition=edition)


@pytest.mark.spec("T-034")
@pytest.mark.parametrize(("edition", "rule"), EVERY_RULE, ids=named)
def test_only_a_narrative_is_broadcast(edition: Edition, rule: type[Tag]) -> None:
    sender = SEATS[rule.route.senders[0]]
    if rule.tag == "NARRATIVE":
        check_route(rule.tag, sender=sender, transport="broadcast", recipient=None, edition=edition)
        return
    with pytest.raises(Refused, match="not broadcast"):
        check_route(rule.tag, sender=sender, transport="broadcast", recipient=None, edition=edition)


@pytest.mark.spec("T-034")
def test_informal_text_goes_from_any_seat_to_any_other_but_not_to_all() -> None:
    for sender in SEATS.values():
        with pytest.raises(Refused, match="Informal text is not broadcast"):
            check_route(None, sender=sender, transport="broadcast", recipient=None, edition=CURRENT)
        for recipient in SEATS.values():
            if recipient != sender:
                check_route(None, sender=sender, transport="message", recipient=recipient, edition=CURRENT)


@pytest.mark.spec("T-034")
def test_nothing_is_addressed_to_the_person_or_to_oneself_or_to_nobody() -> None:
    for recipient in ("human", "gm", None):
        for tag in (None, "NARRATIVE"):
            with pytest.raises(Refused, match="one other seat"):
                check_route(tag, sender="gm", transport="message", recipient=recipient, edition=CURRENT)


@pytest.mark.spec("T-034", "T-051")
def test_tasks_are_phase_1_only_and_its_gm_to_player_is_no_message() -> None:
    assert [name for name, edition in EDITIONS.items() if "task" in edition.transports] == ["phase-1"]
    for edition in EDITIONS.values():
        assert edition.tags["GM_TO_PLAYER"].route.transports == (("task",) if edition is PHASE_1 else ("message",))
        assert {way for rule in edition.tags.values() for way in rule.route.transports} == set(edition.transports)
    with pytest.raises(Refused, match=r"\[AWAIT_PLAYERS\]"):
        check_route("GM_TO_PLAYER", sender="gm", transport="message", recipient="grimjaw", edition=PHASE_1)


def test_a_seat_has_the_role_of_its_name_and_a_character_is_a_player() -> None:
    assert [role_of(seat) for seat in SEATS.values()] == list(SEATS)
    assert role_of("gm-voss") == "player"


def test_a_tag_with_one_recipient_says_which() -> None:
    assert one_recipient(CURRENT.tags["PLAYER_TO_GM"].route) == "gm"
    assert one_recipient(CURRENT.tags["GM_TO_PLAYER"].route) is None
    assert one_recipient(CURRENT.tags["CONTEXT_REFRESH"].route) is None
