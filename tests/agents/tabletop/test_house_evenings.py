"""The house plays the sample campaign through: in every edition, with and without a human, without one refusal."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from evenings import EDITIONS, PARTY, at_table, documents, evening, folder, mishaps, sent, spoken_to
from sizes import sized

from sottovoce.agents.house import HouseAgent
from sottovoce.domain import commands
from sottovoce.rulesets.tabletop.house.account import trimmed
from sottovoce.rulesets.tabletop.rules import events
from sottovoce.rulesets.tabletop.rules.documents.folder import import_folder
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.phrases import asks_for_action

SEEDS = range(sized(2, 6))


def rolls(table: Any, check: str) -> list[events.DiceRolled]:
    found = (recorded.event for recorded in table.recorded)
    return [event for event in found if isinstance(event, events.DiceRolled) and check in event.check]


@pytest.mark.spec("T-130", "T-131", "T-132")
@pytest.mark.parametrize("human", [False, True], ids=["alone", "with-a-human"])
@pytest.mark.parametrize("edition", EDITIONS)
def test_an_evening_is_played_to_its_end_without_a_refusal(edition: str, human: bool) -> None:
    for seed in SEEDS:
        table = evening(edition, seed, human=human)
        assert not mishaps(table)
        (end,) = sent(table, "SESSION_END")
        assert "Hollin Reach" in end.fields["summary"]
        assert end.fields["state_saved"] is True


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_same_seed_gives_the_same_evening_and_another_seed_another(edition: str) -> None:
    first, again, other = (evening(edition, seed, player_character=PARTY[0]) for seed in (5, 5, 6))
    assert [r.event for r in first.recorded] == [r.event for r in again.recorded]
    assert [m.body for m in sent(first, "NARRATIVE")] != [m.body for m in sent(other, "NARRATIVE")]


def test_an_evening_holds_all_that_a_session_is_made_of() -> None:
    table = evening("current", 1, player_character="isolde-marrow", human=False)
    kinds = {message.fields["request_type"] for message in sent(table, "GM_TO_PLAYER")}
    assert kinds == {
        *("QUICK_REACTION", "FULL_CONTEXT", "COMBAT_ACTION", "SECRET_ACTION"),
        *("OPTIONAL_REACTION", "REFLECTION", "INTERACTION"),
    }
    assert any(message.fields["type"] == "VETO" for message in sent(table, "PLAYER_TO_GM", "isolde-marrow"))
    assert len(sent(table, "ASK_PLAYER")) == 2
    assert rolls(table, "initiative")
    assert rolls(table, "death save")
    changed = {r.event.resource for r in table.recorded if isinstance(r.event, events.ResourceChanged) and r.event.seat}
    assert {"hit-points", "conditions", "initiative", "death-save-successes"} <= changed
    written = {r.event.document for r in table.recorded if isinstance(r.event, events.PieceWritten) and r.event.seat}
    assert {"story-state.md", "party-knowledge.md", "scenes/001-the-bridge.md"} <= written
    assert any(document.endswith("-journal.md") for document in written)
    assert sent(table, "NARRATOR_NOTE")


@pytest.mark.spec("T-047", "T-048", "T-049", "T-148")
@pytest.mark.parametrize("edition", EDITIONS)
def test_a_split_party_is_told_apart_noted_and_brought_together(edition: str) -> None:
    table = evening(edition, 2, human=False)
    told = sent(table, "NARRATIVE")
    split = [message for message in told if message.group]
    assert {message.label for message in split} == {"tower", "orchard"}
    after = told[told.index(split[-1]) + 1]
    assert after.to is None
    assert after.body.startswith("(Group everyone: ")
    order = [
        recorded.event
        for recorded in table.recorded
        if isinstance(recorded.event, MessageSent) and recorded.event.tag in ("NARRATIVE", "NARRATOR_NOTE")
    ]
    for place, message in enumerate(order):
        if message.group:
            note = order[place + 1]
            assert note.tag == "NARRATOR_NOTE"
            assert f"Group {message.label}" in note.fields["note"]


@pytest.mark.spec("T-041", "T-069")
def test_the_gm_tells_what_was_really_done_and_keeps_to_itself_what_was_secret() -> None:
    table = evening("current", 3, human=False)
    told = "\n".join(message.body for message in sent(table, "NARRATIVE"))
    kinds: dict[str, str] = {}
    open_deeds: list[Any] = []
    secret: list[Any] = []
    for recorded in table.recorded:
        event = recorded.event
        if isinstance(event, MessageSent) and event.tag == "GM_TO_PLAYER":
            kinds[event.to or ""] = event.fields["request_type"]
        if isinstance(event, MessageSent) and event.tag == "PLAYER_TO_GM" and event.fields["type"] == "ACTION":
            (secret if kinds[event.seat] == "SECRET_ACTION" else open_deeds).append(event.body)
    assert secret
    assert not [body for body in secret if body[:60] in told]
    assert open_deeds
    assert not [body for body in open_deeds if re.sub(r"\s*\([^()]*\)$", "", body)[:60] not in told]


def test_what_two_say_to_each_other_is_not_read_out_to_the_rest() -> None:
    table = evening("current", 4, human=False)
    told = "\n".join(message.body for message in sent(table, "NARRATIVE"))
    talk = sent(table, "PLAYER_TO_PLAYER")
    assert talk
    assert not [message.body for message in talk if message.body in told]


@pytest.mark.spec("T-043")
def test_a_narrative_asks_for_action_in_phase_1_only() -> None:
    asking = {
        edition: [m for m in sent(evening(edition, 1), "NARRATIVE") if asks_for_action(m.body)] for edition in EDITIONS
    }
    assert asking["phase-1"]
    assert not asking["current"]


@pytest.mark.spec("F-005", "F-007", "F-060", "F-061")
@pytest.mark.parametrize("edition", EDITIONS)
def test_no_character_ever_reads_what_is_the_gms_alone(edition: str) -> None:
    closed = [
        (piece.document, json.dumps(line.strip(), ensure_ascii=False)[1:-1])
        for piece in import_folder(folder(), PARTY)
        if piece.readers == ("gm",) and not piece.document.startswith(("beats/", "README"))
        for line in piece.text.splitlines()
        if len(line) > 40
    ]
    places = {document.split("/")[0] for document, _ in closed}
    assert places >= {"party", "npcs", "locations", "items", "factions", "overview.md", "story-state.md"}
    assert places >= {"party-knowledge.md", "world-primer.md"}
    for seed in SEEDS:
        table = evening(edition, seed)
        for seat in (*PARTY, "human", "narrator"):
            seen = spoken_to(table, seat)
            assert not [line for _, line in closed if line in seen], seat


@pytest.mark.spec("T-145")
@pytest.mark.parametrize("edition", EDITIONS)
def test_a_second_evening_goes_on_where_the_first_ended(edition: str) -> None:
    first = evening(edition, 1)
    second = evening(edition, 2, files=documents(first))
    assert not mishaps(second)
    assert sent(second, "NARRATIVE")[0].body.startswith("You are back above the village")
    assert "Captain Harrow" in sent(second, "SESSION_END")[0].fields["summary"]


def test_an_evening_that_was_broken_off_goes_on_with_the_beat_it_broke_off_in() -> None:
    table = at_table("current", 1, player_character=PARTY[0])
    while "The Square" not in documents(table)["story-state.md"].decode():
        table.play(1)
    table.send(commands.Say(table.now, "human", "/end"))
    table.play(100)
    assert table.state.over
    again = evening("current", 2, files=documents(table))
    played = re.findall(r"Played: beat (\d+) of", documents(again)["story-state.md"].decode())
    assert sorted(map(int, played)) == list(range(1, 14))


@pytest.mark.spec("T-103", "T-157")
@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("after", [5, 25, 60])
def test_the_gm_ends_at_once_when_told_to(edition: str, after: int) -> None:
    table = at_table(edition, 1, player_character=PARTY[0]).play(after)
    told = len(sent(table, "NARRATIVE"))
    table.send(commands.Say(table.now, "human", "/end"))
    table.play(60)
    assert table.state.over
    assert len(sent(table, "NARRATIVE")) <= told + 1
    assert sent(table, "SESSION_END")[0].fallback is False


@pytest.mark.spec("T-085", "T-086")
@pytest.mark.parametrize("edition", ["phase-2", "current"])
def test_the_humans_character_relays_and_plays_alone_while_the_human_is_away(edition: str) -> None:
    table = at_table(edition, 3, player_character="bertram-oakes").play(12)
    assert sent(table, "RELAY_TO_HUMAN")
    relayed = len(sent(table, "RELAY_TO_HUMAN"))
    table.send(commands.Say(table.now, "human", "/away"))
    table.play(60)
    assert len(sent(table, "RELAY_TO_HUMAN")) == relayed
    table.send(commands.Say(table.now, "human", "/back"))
    table.play(1500)
    assert table.state.over
    assert len(sent(table, "RELAY_TO_HUMAN")) > relayed
    assert not mishaps(table)


@pytest.mark.spec("T-082")
def test_what_the_human_decides_is_what_the_character_does() -> None:
    class Human:
        by = "view"
        immediate = True

        async def act(self, view: Any, turn: Any, random: Any, record: Any) -> str:
            if turn.kind == "choose":
                return str(view.state.questions[0].options[-1]["label"])
            return f"Tie a knot in the rope, number {turn.number}"

    others = dict.fromkeys((*PARTY, "gm", "narrator", "team-lead"), HouseAgent())
    table = at_table(agents={**others, "human": Human()})
    table.play(1500)
    assert table.state.over
    decided = [message.body for message in sent(table, "HUMAN_DECISION")]
    character = table.state.character
    said = "\n".join(m.body for tag in ("PLAYER_TO_GM", "PLAYER_TO_PLAYER") for m in sent(table, tag, character))
    assert decided
    assert not [words for words in decided if words not in said]
    assert not mishaps(table)
    assert any("It takes two wheels" in message.body for message in sent(table, "NARRATIVE"))


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("party", [PARTY[:1], PARTY[1:3], PARTY[::-1]], ids=["one", "two", "reversed"])
@pytest.mark.parametrize("human", [False, True], ids=["alone", "with-a-human"])
def test_any_part_of_the_party_can_play(edition: str, party: tuple[str, ...], human: bool) -> None:
    if edition == "phase-1" and not human and len(party) == 1:
        pytest.skip("phase-1 asks nobody but companions and the human: there is nobody at this table")
    assert not mishaps(evening(edition, 8, party=party, human=human))


@pytest.mark.parametrize("options", [{"idle_gm_turns": 1}, {"messages_per_pair": 0}, {"note_requests_per_beat": 0}])
@pytest.mark.parametrize("edition", EDITIONS)
def test_the_tightest_limits_are_kept(edition: str, options: dict[str, Any]) -> None:
    assert not mishaps(evening(edition, 5, **options))


def told_in(**preferences: Any) -> tuple[str, str, list[Any]]:
    """What an evening of its own is told as, with those preferences: the narratives, the scene files, what was done."""
    files = {path: text for path, text in folder().items() if not path.startswith("beats/")}
    seed = preferences.pop("seed", 6)
    table = evening("current", seed, files=files, human=False, player_character=PARTY[0], **preferences)
    assert not mishaps(table)
    scenes = "\n".join(text.decode() for path, text in documents(table).items() if path.startswith("scenes/"))
    done = [m for m in sent(table, "PLAYER_TO_GM") if m.fields["type"] == "ACTION"]
    return "\n".join(m.body for m in sent(table, "NARRATIVE")), scenes, done


def test_the_preferences_decide_how_the_house_tells_what_was_done() -> None:
    names = {name: name.split("-")[0].capitalize() for name in PARTY}
    labels = re.compile(rf"(?m)^(?:{'|'.join(name.upper() for name in names.values())}): ")
    quoted, _, done = told_in(seed=4, narrative_style="hybrid", dialogue_format="quoted")
    assert not labels.search(quoted)
    assert [m for m in done if "“" in m.body and trimmed(m.body)[:40] in quoted]
    for preferences in ({"narrative_style": "script"}, {"dialogue_format": "labels"}):
        told, scenes, _ = told_in(**preferences)
        assert labels.search(told)
        assert labels.search(scenes)
    told, scenes, done = told_in(dialogue_format="reported")
    assert not [m for m in done if "“" in m.body and trimmed(m.body)[:40] in told + scenes]
    assert done
    brief, scenes, done = told_in(narrative_style="minimal")
    assert len(brief) < len(quoted)
    long = [m for m in done if len(re.findall(r"[.!?](?:\s|$)", trimmed(m.body))) > 2]
    assert long
    assert not [m for m in long if trimmed(m.body) in brief + scenes]
    moods = re.compile(
        r"Somewhere, something small|The light does not help|Nobody says what|look at their boots|let it stand"
    )
    assert moods.search("".join(told_in(seed=seed, narrative_style="novel")[0] for seed in (6, 7)))
    assert not moods.search(quoted)
