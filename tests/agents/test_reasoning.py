"""Reasoning is never spoken: whatever marks a model puts around it, no seat, narrator or log gets it as words."""

from __future__ import annotations

import asyncio
import json
import shlex
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from delegating import TASK
from endpoint import StandIn
from evenings import at_table
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from reasonings import FORMATS, SECRET, TAGS, Format, HouseBehind
from sizes import sized
from table import Table

from sottovoce.agents.agent import CallRecord, SeatRandom
from sottovoce.agents.command_agent import CommandAgent
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.models.answers import Read, Unreadable, read
from sottovoce.agents.programs.settings import Settings
from sottovoce.domain.reasoning import marks_in, part, speech
from sottovoce.domain.turns import Turn
from sottovoce.projections.leaks import leaks
from sottovoce.projections.view import View
from sottovoce.rulesets.mafia.rules.turns import Speech, TrialVote

VIEW = Table(("Ada", "Bram", "Ann", "Ann Lee", "Dirk"), 1).view("Ada")
VOTE = TrialVote("Ada", 4, "trial-vote", ("Bram", "Ann", "Ann Lee"), 3)
SPEECH = Speech("Ada", 4, "speech", (), 3)
PLANNER = Table(
    ("planner", "executor", "reviewer"), 1, ruleset="delegation", files={f"{TASK}.md": b"Build a house."}
).view("planner")
THOUGHTS = f"I am {SECRET}.\nIs it {{Bram}}?"
WORDS = "Good evening to all of you."


@pytest.mark.parametrize("name", FORMATS)
def test_words_come_without_the_thoughts_of_any_format(name: str) -> None:
    form = FORMATS[name]
    answers: dict[str, tuple[Turn, str]] = {
        WORDS: (SPEECH, json.dumps({"text": WORDS})),
        f"I vote for Bram. {WORDS}": (VOTE, json.dumps({"choice": "Bram", "words": WORDS})),
    }
    for reply, (turn, answer) in answers.items():
        decoy = f'{SECRET} {{"text": "no", "choice": "Ann", "words": "{SECRET}"}} so'
        for thoughts in (THOUGHTS, decoy) if form.clear else (THOUGHTS,):
            content = form.wrap(thoughts, answer)
            found = read_or_not(content, turn)
            if isinstance(found, Unreadable):
                assert not form.clear, f"{found}: {content}"
            else:
                assert found.reply == reply, content
            assert SECRET in found.thoughts or form.name in WITHOUT_THOUGHTS, "kept for the auditor"


def read_or_not(content: str, turn: Turn) -> Read | Unreadable:
    try:
        return read(content, VIEW, turn)
    except Unreadable as unreadable:
        return unreadable


WITHOUT_THOUGHTS = frozenset(
    {"gemini's report", "gemini's stream", "claude's stream", "codex's screen", "codex's old screen", "fields around"}
)
"""Formats of which the thoughts are not kept, or not all: they stand in what is no message."""


@pytest.mark.parametrize("name", FORMATS)
def test_plain_words_come_without_thoughts_or_not_at_all(name: str) -> None:
    form = FORMATS[name]
    for turn in (SPEECH, VOTE):
        try:
            assert SECRET not in read(form.wrap(THOUGHTS, "Bram is quiet, is he not?"), VIEW, turn).reply
        except Unreadable:
            continue


def wrapped_marks() -> st.SearchStrategy[str]:
    """Thoughts in marks that no list holds: other names, brackets, cases and attributes, opened or not, many times."""
    names = st.sampled_from(
        ("think", "Thinking", "THOUGHTS", "deep_think", "reasoning_content", "x:reason", "chain-of-thought", "Reflect",
         "analysis", "scratchPad", "brainstorm", "think_never_used_51bce0c7")
    )  # fmt: skip
    brackets = st.sampled_from(
        (("<", ">"), ("<|", "|>"), ("[", "]"), ("◁", "▷"), ("【", "】"), ("&lt;", "&gt;"), ("＜", "＞"))
    )
    inner = st.text("ab {}[]\"':,\n.<", max_size=30).map(lambda text: f"{text} {SECRET} {text}")

    @st.composite
    def block(draw: st.DrawFn) -> str:
        name, (left, right), thoughts = draw(names), draw(brackets), draw(inner)
        opening = draw(st.sampled_from((f"{left}{name}{right}", "")))
        return f"{opening}{thoughts}{left}/{name}{right}"

    listed = st.tuples(st.sampled_from(sorted(TAGS)), inner).map(
        lambda drawn: f"{TAGS[drawn[0]][0]}\n{drawn[1]}\n{TAGS[drawn[0]][1]}\n"
    )
    return st.lists(st.one_of(block(), listed), min_size=1, max_size=4).map("\n".join)


ANSWERS = st.sampled_from(("plain", "object", "fenced", "talk"))


@hypothesis_settings(max_examples=sized(300, 20_000), deadline=None)
@given(wrapped_marks(), ANSWERS, st.sampled_from((SPEECH, VOTE)), st.booleans())
def test_no_thought_in_any_marks_is_spoken(thoughts: str, how: str, turn: Turn, after: bool) -> None:
    if how == "plain":
        answer = "Bram" if turn.choices else WORDS
    else:
        answer = json.dumps({"choice": "Bram", "words": WORDS} if turn.choices else {"text": WORDS})
    answer = {"fenced": f"```json\n{answer}\n```", "talk": f"Here it is: {answer} Good luck!"}.get(how, answer)
    content = f"{thoughts}\n{answer}" if not after else f"{answer}\n\n<think>{thoughts}"
    try:
        found = read(content, VIEW, turn)
    except Unreadable:
        assert after, content
        return
    assert SECRET not in found.reply
    assert found.reply in (WORDS, "Bram", f"I vote for Bram. {WORDS}"), content
    assert SECRET in found.thoughts


@hypothesis_settings(max_examples=sized(150, 5_000), deadline=None)
@given(st.sampled_from(sorted(FORMATS)), st.sampled_from(sorted(FORMATS)), st.sampled_from((SPEECH, VOTE)))
def test_formats_within_formats_say_nothing_of_it_either(outer: str, inner: str, turn: Turn) -> None:
    answer = json.dumps({"choice": "Bram", "words": WORDS} if turn.choices else {"text": WORDS})
    content = FORMATS[outer].wrap(THOUGHTS, FORMATS[inner].wrap(THOUGHTS, answer))
    with suppress(Unreadable):
        assert SECRET not in read(content, VIEW, turn).reply


GM = at_table(human=False)
GMS = GM.view("gm")


@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.clear])
def test_a_form_is_found_behind_the_thoughts_of_any_format(name: str) -> None:
    work = {"action": "execute_delegate_task", "file": "# Build\n\nReviewer: reviewer\n", "note": "", "to": ""}
    beat = {"steps": [{"narrative": "The rope parts.", "to": []}, {"note_to_narrator": "It was cut."}]}
    for view, fields in ((PLANNER, work), (GMS, beat)):
        turn, answer = view.turns[0], json.dumps(fields)
        for content in (FORMATS[name].wrap(THOUGHTS, answer), FORMATS[name].wrap(THOUGHTS, f"```json\n{answer}\n```")):
            if "fields" in name and "```" in content:
                continue
            found = read(content, view, turn)
            assert found.reply == read(answer, view, turn).reply, content


@pytest.mark.parametrize("name", FORMATS)
def test_thoughts_within_the_fields_of_an_answer_are_not_spoken(name: str) -> None:
    form = FORMATS[name]
    if (
        form.name.endswith(("stream", "report", "completion", "message", "screen", "monologue", "around"))
        or "parts" in form.name
    ):
        return  # nobody writes such a thing into a field, or nothing in it tells it from words
    said = form.wrap(THOUGHTS, WORDS)
    for turn, view, fields in (
        (SPEECH, VIEW, {"text": said}),
        (VOTE, VIEW, {"choice": "Bram", "words": said}),
        (PLANNER.turns[0], PLANNER, {"action": "execute_delegate_task", "file": said, "note": said, "to": ""}),
    ):
        try:
            assert SECRET not in read(json.dumps(fields), view, turn).reply or (
                view is PLANNER and form.name in IN_FILES
            )
        except Unreadable:
            continue


IN_FILES = frozenset(
    (
        *("tags: unknown name", "closed, not opened: unknown name", "tags: comment", "tags: lenses", "tags: details"),
        *("answer tags", "thoughts and answer tags", "sentences", "bold headings", "headings, no answer"),
        *(
            "fields as lines",
            "inside and outside",
            "steps",
            "a plan",
            "a document of tags",
            "a tag that is its own text",
        ),
        *(
            "fields around",
            "unknown marks",
            "an aside",
            "a starred aside",
            "a terminal's",
            "about the user",
            "message marks",
        ),
    )
)
"""What a file of work may hold as its own text."""


@pytest.mark.parametrize(
    "words",
    [
        "I think Bram lied. My reasoning: he was quiet.",
        "[in thought] Bram, who else?",
        "[Smiles.] Me?",
        "<sighs> Not again.",
        "You <b>all</b> know me.",
        "1 < 2, and 3 > 2.",
        "His thoughts were his own; the analysis of the votes says more.",
        "Final answer? No. Let us wait.",
    ],
)
def test_words_that_only_look_a_little_like_it_are_spoken(words: str) -> None:
    assert read(json.dumps({"text": words}), VIEW, SPEECH).reply == words
    assert read(words, VIEW, SPEECH).reply == words


def test_a_file_of_work_keeps_the_code_that_it_quotes() -> None:
    file = "# Parser\n\nDrop `<think>` and `</think>`.\n\n```html\n<think>x</think>\n```\n\n<section>Done.</section>\n"
    fields = {"action": "execute_delegate_task", "file": file, "note": "", "to": ""}
    assert read(json.dumps(fields), PLANNER, PLANNER.turns[0]).reply.endswith(file)


def test_a_thought_is_not_taken_for_an_answer_where_the_answer_is_missing() -> None:
    for content in (
        f'<think>{SECRET}: {{"text": "{SECRET}"}}</think>',
        f'<think>{{"text": "{SECRET}"}}',
        f'{{"text": "{SECRET}"}}</think>',
        f'[{{"type": "thinking", "thinking": "{SECRET}"}}]',
        f'{{"type": "thinking", "text": "{SECRET}"}}',
    ):
        with pytest.raises(Unreadable):
            read(content, VIEW, SPEECH)


def test_the_last_object_that_fits_is_the_answer() -> None:
    draft = json.dumps({"text": "A draft."})
    assert (
        read(f"{draft}\nNo, better: {json.dumps({'text': WORDS})}\n" + '{"type": "log"}', VIEW, SPEECH).reply == WORDS
    )


# whole games


def spoken(table: Table) -> str:
    """Everything that the game's log holds."""
    return "\n".join(item.body.decode() for item in table.recorded)


def check(table: Table, agent: HouseBehind, formats: list[Format]) -> None:
    assert table.state.over
    assert SECRET not in spoken(table)
    assert len(agent.used) >= sized(1, len(formats))
    minds = [record.mind.thoughts for form, record in agent.used if record.mind is not None]
    assert sum(SECRET in thoughts for thoughts in minds) >= len(agent.used) // 2


ALL = list(FORMATS.values())


@pytest.mark.parametrize("seed", range(sized(2, 12)))
def test_a_game_of_mafia_in_every_format(seed: int) -> None:
    with StandIn() as endpoint:
        agent = HouseBehind(endpoint, ALL[seed * 7 :] + ALL[: seed * 7])
        table = Table(7, seed, {"max_days": 2}, agent).play()
    check(table, agent, ALL)


@pytest.mark.parametrize("seed", range(sized(1, 6)))
def test_an_evening_at_the_tabletop_in_every_format(seed: int) -> None:
    with StandIn() as endpoint:
        agent = HouseBehind(endpoint, [form for form in ALL if form.clear])
        table = at_table(seed=seed, human=False, agents=agent).play(sized(90, 1500))
    assert SECRET not in spoken(table)
    assert len(agent.used) > 60


@pytest.mark.parametrize("start", range(0, len(FORMATS), sized(12, 2)))
def test_a_task_of_work_in_every_format(start: int) -> None:
    with StandIn() as endpoint:
        agent = HouseBehind(endpoint, ALL[start : start + sized(12, 2)])
        table = Table(
            ("planner", "executor", "reviewer"), start, {}, agent, ruleset="delegation", files={f"{TASK}.md": b"Build."}
        ).play(200)
    check(table, agent, ALL)


def test_what_a_program_thinks_aloud_is_not_said(tmp_path: Path) -> None:
    view = Table(5, 1).view("narrator")
    record = CallRecord()
    for name in ("codex's screen", "claude's stream", "a terminal's", "codex's stream", "gemini's report"):
        (tmp_path / "said").write_text(FORMATS[name].wrap(THOUGHTS, "Night falls."), "utf-8")
        agent = CommandAgent(f"cat {shlex.quote(str(tmp_path / 'said'))}", Settings.from_environment())
        record = CallRecord()
        assert asyncio.run(agent.act(view, view.turns[0], Random(1), record)) == "Night falls.", name
    for name in ("claude's stream", "codex's stream", "a terminal's"):
        assert SECRET in read(FORMATS[name].wrap(THOUGHTS, "Night falls."), view, view.turns[0]).thoughts


# the audit


@pytest.mark.parametrize(
    "name", [name for name, form in FORMATS.items() if name.startswith(("tags", "closed", "harmony"))]
)
def test_an_audit_finds_what_was_said_of_it(name: str) -> None:
    found = marks_in(FORMATS[name].wrap(THOUGHTS, WORDS))
    assert found is not None
    assert found[0] == "finding"


def test_an_audit_tells_a_look_of_it_from_marks_and_leaves_speeches_alone() -> None:
    assert marks_in("Okay, so I need to respond with one name.") == (
        "note",
        "Okay, so I need to respond with one name.",
    )
    assert marks_in("Thought: he lies.") == ("note", " he lies.")
    for words in (WORDS, "I think he lies.", "<sighs> No.", "# Notes\n\n<section>x</section>\n"):
        assert marks_in(words) is None


def test_words_and_thoughts_together_are_all_of_a_text() -> None:
    assert part("a <think>b</think> c").words == "c"
    assert part("a <think>b</think> c").pieces == ("a", "c")
    assert part("a </think> c").pieces == ("c",)
    assert speech("(thinking: b) c").words == "c"


class ThinksAloud(HouseAgent):
    """The house, before anything took its thoughts out: as games of old have it."""

    async def act(self, view: View[Any], turn: Turn, random: SeatRandom, record: CallRecord) -> str:
        said = str(await super().act(view, turn, random, record))
        return f"I am {SECRET}, and hide it.\n</think>\n\n{said}" if turn.kind == "speech" else said


def test_the_audit_of_an_older_game_finds_whose_reasoning_was_said_and_who_heard_it() -> None:
    agents = dict.fromkeys(("Ada", "Bram", "Cleo", "Dirk", "Edda", "narrator"), HouseAgent())
    clean = Table(5, 1, {"max_days": 1}, agents).play()
    assert not [one for one in leaks(clean.ruleset, clean.recorded, ()).findings if one.kind == "reasoning"]
    aloud = Table(5, 1, {"max_days": 1}, agents | {"Bram": ThinksAloud()}).play()
    found = [one for one in leaks(aloud.ruleset, aloud.recorded, ()).findings if one.kind == "reasoning"]
    speeches = [
        item.position for item in aloud.recorded if item.audience.seats is None and SECRET in item.body.decode()
    ]
    assert [one.position for one in found] == speeches
    assert speeches
    for one in found:
        assert (one.severity, one.author) == ("finding", "Bram")
        assert "Ada" in one.seats
        assert f"What Bram said holds reasoning: I am {SECRET}" in one.what
