"""Whatever somebody writes, reading it takes no more time than its length accounts for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache

import delegating
import pytest
from attacks import Attack, attacks_of, attacks_on, growth
from patterns import PACKAGES, Found, found
from sizes import sized
from table import Table

from sottovoce.agents import quoting
from sottovoce.agents.file_agent import prompts as bridge
from sottovoce.agents.models import answers, streams
from sottovoce.domain import choices, reading, reasoning, safe_text, spellings
from sottovoce.projections import prose
from sottovoce.rulesets.delegation.rules import briefs, leak_patterns, messages, orders, replies, reports
from sottovoce.rulesets.mafia.house import reading as hearing
from sottovoce.rulesets.mafia.house import speech
from sottovoce.rulesets.mafia.rules import claim_parser, claims, narration_rules
from sottovoce.rulesets.tabletop.house import account, beats
from sottovoce.rulesets.tabletop.rules import resources, rolls
from sottovoce.rulesets.tabletop.rules.documents import secrecy, secret_phrases
from sottovoce.rulesets.tabletop.rules.lint import passages
from sottovoce.rulesets.tabletop.rules.lore import sheets
from sottovoce.rulesets.tabletop.rules.messages import editions, envelopes, message

MANY = sized(16, 400)
LORE = (
    *("beats", "entities", "facts", "headings", "known", "language", "lines", "lookup", "papers", "people", "places"),
    "things",
)
DEEDS = (
    *("cases", "deeds", "errands", "findings", "going", "looking", "outcomes", "papers", "senses", "sights", "things"),
    *("topics", "trade", "ways"),
)
ASKED = (
    *("answers", "everyday", "inquiries", "mouths", "neighbours", "party", "plain_sight", "prices", "questions"),
    *("remarks", "replies", "speech", "themself", "threads"),
)
BOUNDED_HOUSE = (
    *("abilities", "addressees", "advice", "asides", "belongings", "choices", "clauses", "companions", "consultation"),
    *("first_person", "grammar", "judgements", "open_fights", "pasts", "questions", "recollections", "sequence"),
    *("speeches", "struggle", "subjects", "telling", "utterances", "verbs", "whole_party"),
)
BOUNDED = {
    "rulesets/mafia/rules/claim_patterns.py": 600,
    "rulesets/mafia/rules/leak_patterns.py": 300,
    "rulesets/tabletop/house/account.py": 322,
    **{f"rulesets/tabletop/house/{name}.py": 400 for name in BOUNDED_HOUSE},
    **{f"rulesets/tabletop/house/acts/{name}.py": 400 for name in (*ASKED, *DEEDS)},
    **{f"rulesets/tabletop/rules/lore/{name}.py": 400 for name in LORE},
    "rulesets/tabletop/shown/deeds.py": 400,
}
"""Modules whose patterns are given no longer texts than that."""
OWN = {"eventlog/postgres/schema.py"}
"""Modules whose patterns read texts of the product alone."""

SLOW = (
    r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$",
    r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*",
    r"^Reviewer: *(\S.*?) *$",
    r"(?:\s|<!--.{0,300}?-->)*<summary\b[^<>]{0,300}>(.{0,300}?)</summary>",
    r"[ \t>]*\|?(?:[ \t]*:?-+:?[ \t]*\|)*[ \t]*:?-+:?[ \t]*\|?[ \t]*",
    r"[.!?;…]+['\"”»)*]*(?:\s+|$)",
    r"(?<![\w@$])(?=[\w@$!|]*[a-z])(?=[\w@$!|]*[\d@$!|])[\w@$!|]{2,}(?<![!|])",
    r"(?:\A|(?<=[.!?])\s+|\n\n+)([a-zà-öø-ÿ])",
    r"[^\s'\"]*@",
    r"\s+$",
    r"(a+)+b",
)
"""Patterns for which some text takes too long."""

SEATS = ("planner", "executor", "reviewer")
PLAYERS = ("Ada", "Bram", "Cleo Finch")
PARTS = (
    *"\n\t |*_`-.,;:?!()[]{}<>#=+@$%01é\x00\u200b\u2028\ufdfa",
    *(
        "  ",
        "\n\n",
        "\r\n",
        "...",
        "“",
        "”",
        '"',
        "'",
        "- ",
        "1. ",
        "> ",
        "# ",
        "## Must-fix\n",
        "---\n",
        "```\n",
        "~~~\n",
    ),
    *(
        "Ada ",
        "Bram",
        "Cleo Finch ",
        "doctor ",
        "mafia ",
        "is the ",
        "was ",
        "i am ",
        "protected ",
        "saved ",
        "he says ",
    ),
    *("you ", "if ", "night 1 ", "Ada, ", "Ada and ", "a\u0301", "task ", "20260101-1200-tidy-notes ", "accept "),
    *(
        "[NARRATIVE]\n",
        "[GM_TO_PLAYER]\n",
        "note: x\n",
        "to: x\n",
        "@all ",
        "<think>",
        "</think>",
        "<|channel|>",
        "HP: 5/5\n",
        "d6",
    ),
    *('{"a":[', '{"a":[\n', '{"messages":[', "{\n", '{"action":1},\n', "| a | b |\n", "|--|--|\n", "**Name**: x\n"),
    *("<|message|>", "final", "Thought: x\n", "Answer: x\n", "(thinking: ", "```thinking\n", "<x>", "</x>", "◁think▷"),
    *(
        "<details>",
        "<summary>",
        "</summary>",
        "</details>",
        "<!--",
        "-->",
        "%%",
        "[//]: x\n",
        "GM: ",
        "analysis",
        "assistantfinal",
        "usage limit ",
        "error: ",
        '{"type":"text"}\n',
        "data: {}\n",
    ),
)
"""What means something to one reader or another."""


def readers() -> dict[str, Callable[[str], object]]:
    """What reads texts that somebody has written."""
    work = delegating.opened().state
    (asked,) = work.turns.values()
    view = Table(5, 1).view("narrator")
    spoken = view.turns[0]
    planner = Table(SEATS, 1, ruleset="delegation", files={f"{delegating.TASK}.md": b"Build a house."}).view("planner")
    edition = editions.edition_named()
    seats = ("gm", "narrator", "pim-tallow", "human")
    return {
        "unwrapped": lambda text: reading.unwrapped(text, ("[NARRATIVE]",)),
        "plain": reading.plain,
        "named": lambda text: spellings.named(text, PLAYERS),
        "one choice": lambda text: choices.one_choice(text, PLAYERS, ("i protect {}", "{}"), ("Dirk",)),
        "visible": safe_text.visible,
        "visible JSON": safe_text.visible_json,
        "narration": lambda text: narration_rules.disclosure(text, PLAYERS, {"Ada": "Doctor"}, ("Bram",)),
        "claims": lambda text: claim_parser.said("Ada", f"{text} doctor", PLAYERS),
        "words of roles": lambda text: claims.claims(text, PLAYERS),
        "work, answered": lambda text: replies.read(work, asked.seat, asked, text),
        "work, unasked": lambda text: replies.read(work, delegating.USER, None, text),
        "orders": lambda text: orders.order(work, text),
        "control message": lambda text: messages.parse(text, 500, delegating.PLANNER),
        "must-fix": reports.must_fix,
        "brief": lambda text: briefs.read_brief(text, "brief.md"),
        "mentions": lambda text: leak_patterns.mentions(("must-fix", "x", "one two three four"), text),
        "GM's reply": lambda text: envelopes.read_reply(text, seat="gm", edition=edition, seats=seats),
        "character's reply": lambda text: envelopes.read_reply(text, seat=seats[2], edition=edition, seats=seats),
        "message": lambda text: message.parse(text, edition),
        "document": lambda text: secrecy.cut("overview.md", text, seats),
        "closed words": secret_phrases.runs_in,
        "passages": lambda text: list(passages.sentences(text)),
        "resources": resources.stated_in,
        "dice": rolls.expression,
        "roll": rolls.check_notation,
        "thoughts": reasoning.part,
        "speech": reasoning.speech,
        "reasoning": reasoning.marks_in,
        "stream": streams.final_message,
        "notice": streams.outage,
        "answer": lambda text: answers.read(text, view, spoken),
        "form": lambda text: answers.read(text, planner, asked),
        "what the house hears": lambda text: hearing.hear(text, PLAYERS),
        "sentences": speech.sentences,
        "deed": account.trimmed,
        "beats": lambda text: beats.parse("beats/1.md", text),
        "sheet": lambda text: sheets.read("pim-tallow", text),
        "inert": quoting.inert,
        "quoted": quoting.quoted,
        "tokens": quoting.tokens,
        "escaped": prose.escaped,
        "response": bridge.without_echo,
    }


@cache
def all_patterns() -> list[Found]:
    return found()


def slow(run: Callable[[str], object], attacks: Iterable[Attack], **more: object) -> str | None:
    return next(filter(None, (growth(run, attack, **more) for attack in attacks)), None)  # type: ignore[arg-type]


@pytest.mark.parametrize("pattern", SLOW)
def test_a_slow_pattern_is_found(pattern: str) -> None:
    one = Found("here", re.compile(pattern, re.MULTILINE), frozenset())
    assert any(slow(run, attacks_on(one.pattern, MANY)) for run in one.runs())


@pytest.mark.parametrize("package", PACKAGES)
def test_no_pattern_is_slow(package: str) -> None:
    here = [one for one in all_patterns() if one.path.startswith(f"{package}/") and one.path not in OWN]
    assert here
    for one in here:
        longest = BOUNDED.get(one.path, 4096)
        lengths = [length for length in (32, 256, longest) if length <= longest]
        for run in one.runs():
            found = slow(run, attacks_on(one.pattern, MANY), lengths=lengths)
            assert found is None, f"{one.where}: {one.pattern.pattern}: {found}"


@pytest.mark.parametrize("name", readers())
def test_no_reader_is_slow(name: str) -> None:
    read = readers()[name]

    def run(text: str) -> None:
        with suppress(Exception):  # that it is refused is no matter
            read(text)

    found = slow(run, attacks_of(PARTS, 3 * MANY), long=0.015, lengths=(512, 8192))
    assert found is None
