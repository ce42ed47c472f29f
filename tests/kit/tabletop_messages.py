"""Messages to test the protocol with: one well-formed text per tag and edition, and hostile ones from hypothesis."""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from sottovoce.domain.errors import Refused
from sottovoce.rulesets.tabletop.rules.messages import (
    EDITIONS,
    AwaitAiPlayers,
    Edition,
    Field,
    Message,
    Tag,
    Value,
    compose,
)
from sottovoce.rulesets.tabletop.rules.messages.fields import (
    Flag,
    Integer,
    Name,
    Notation,
    Scene,
    SceneNumber,
    Slug,
    Speaker,
)
from sottovoce.rulesets.tabletop.rules.names import RESERVED
from sottovoce.rulesets.tabletop.rules.texts import blank

SCENE = "scene_number: 005\nscene_slug: the-old-mill\n"
PROMPT = "request_type: {}\n" + SCENE + "\n## Scene\nRain.\n\n## Just Happened\nA knock.\n\n## Request\nAnswer it?"

TEXTS: Mapping[str, str] = {
    "NARRATIVE": "\nRain falls on the mill.\n\nIt falls for hours.",
    "GM_TO_PLAYER": PROMPT.format("FULL_CONTEXT"),
    "ASK_PLAYER": (
        'question: "Who do you play?"\nheader: Character\noptions:\n'
        "  - label: Corwin\n    description: A thief, mostly\n"
        "  - label: New\n    description: |\n      Somebody\n      else"
    ),
    "STATE_UPDATED": "deltas_written:\n  - gm-state-delta.md\ncharacters_involved: []",
    "SESSION_END": "summary: |\n  They came.\n\n  They left.\nstate_saved: true\nnext_hook: The mill burns.",
    "NARRATOR_NOTE": "from: gm\nnote: Dwell on the rain.",
    "AWAIT_PLAYERS": (
        "characters:\n  - name: grimjaw\n    request_type: QUICK_REACTION\n    scene_context: |\n      Dark.\n"
        "    just_happened: A knock.\n    request: What now?\n\n" + SCENE
    ),
    "PLAYER_ACTION": "character: corwin-voss\naction: I knock: twice.",
    "DICE_RESULT": 'character: corwin-voss\ncheck: Stealth\nroll: "1d20+5 = [8]+5 = 13"\ndc: 12\nresult: success',
    "PLAYER_ANSWER": "question: Who?\nanswer: no",
    "PLAYER_RESPONSES": (
        "responses:\n  - character: grimjaw\n    response: He grunts.\n"
        "vetoes:\n  - character: tilda-brannock\n    reason: My past."
    ),
    "SESSION_COMMAND": (
        "command: start\ncampaign: the-mill\nplayer_character: corwin-voss\nnarrative_style: novel\nai_characters:\n"
        "  - tilda-brannock\n  - grimjaw"
    ),
    "CONTEXT_REFRESH": "campaign: the-mill\ncurrent_scene: 005 - the-old-mill\nlast_narrative_summary: Rain.",
    "NARRATOR_REQUEST": "to: gm\nrequest: What did the miller say?",
    "HUMAN_DECISION": "character: corwin-voss\n\nI sneak past.",
    "MODE_SWITCH": "mode: AUTONOMOUS\nreason: Dinner",
    "PLAYER_TO_GM": "type: ACTION\ncharacter: tilda-brannock\n\nShe waits.\n\n(Perception, if needed)",
    "PLAYER_TO_PLAYER": 'from: tilda-brannock\nto: grimjaw\n\n"Left flank."',
    "RELAY_TO_HUMAN": (
        "character: corwin-voss\n\n## Scene\nRain.\n\n## Decision Needed\nKnock?\n\n"
        "## Suggested Options\n- Knock\n- Run"
    ),
    "JOURNAL_CHECKPOINT": f"campaign: the-mill\n{SCENE}trigger: manual",
}
"""The text after the tag line of one well-formed message for each tag."""

EVERY_TAG = [(edition, rule) for edition in EDITIONS.values() for rule in edition.tags.values()]


def sample(tag: str) -> str:
    """Return a well-formed message with that tag."""
    return f"[{tag}]\n{TEXTS[tag]}"


def tag_id(value: object) -> str:
    """Return the name of a parameter of `EVERY_TAG` in a test's ID."""
    return value.name if isinstance(value, Edition) else str(getattr(value, "tag", ""))


HOSTILE = (
    ":",
    ": ",
    "#",
    " #x",
    "- ",
    "-",
    "|",
    "|-",
    ">",
    "[]",
    "[",
    "]",
    '"',
    "'",
    "'a'",
    '"a"',
    "\n",
    "\n\n",
    "\n ",
    "\n  ",
    "\n\t",
    "\r",
    "\r\n",
    "  ",
    "\t",
    "## X\n",
    "\n## Scene\n",
    "[NARRATIVE]",
    "\n[NARRATIVE]\n",
    "key: value",
    "\nkey: value\n",
    "\n- item\n",
    "a",
    "Zoë",
    "雨",
    "😀",
    "e\u0301",
    "\u200b",
    "\u00a0",
    "\u2028",
    "\x85",
    "\x0b",
    "\x00",
    "true",
    "no",
    "12",
    "005",
    "@gm",
    "```",
    "{}",
    "\ufeff",
)
texts = st.one_of(st.lists(st.sampled_from(HOSTILE), max_size=8).map("".join), st.text(max_size=30))
filled = texts.map(lambda text: f"{text}x" if blank(text) else text)
slugs = st.lists(st.text(string.ascii_lowercase + string.digits, min_size=1, max_size=5), min_size=1, max_size=3).map(
    "-".join
)
names = slugs.filter(lambda name: name not in RESERVED)
numbers = st.text(string.digits, min_size=3, max_size=6)
keys = st.from_regex(r"\A[A-Za-z_][A-Za-z0-9_-]{0,6}\Z")
undefined_values: st.SearchStrategy[Value] = st.one_of(
    texts,
    st.lists(texts, max_size=3).map(tuple),
    st.lists(st.dictionaries(keys, texts, min_size=1, max_size=3), min_size=1, max_size=3).map(tuple),
)


def values(rule: Field) -> st.SearchStrategy[Value]:
    """Return values that the field accepts, mostly."""
    if rule.values:
        return st.sampled_from(rule.values)
    if rule.parts:
        return st.lists(entries(rule), min_size=not rule.may_be_empty, max_size=3).map(tuple)
    if rule.item == Name:
        return st.lists(names, max_size=3, unique=True).map(tuple)
    if rule.item is str:
        return st.lists(filled, min_size=1, max_size=3).map(tuple)
    drawn: dict[Any, st.SearchStrategy[Value]] = {
        Name: names,
        Speaker: names,
        Slug: slugs,
        SceneNumber: numbers,
        Scene: st.tuples(numbers, slugs).map(" - ".join),
        Integer: st.integers(-999, 999),
        Flag: st.booleans(),
        Notation: st.sampled_from(("1d20+5 = [8]+5 = 13", "2d6 = [3, 4] = 7", "4d6dl1 = [1, 2, 3, 4] = 9")),
    }
    return drawn.get(rule.type, filled if rule.required else texts)


def merged(both: tuple[Mapping[str, Any], Mapping[str, str]]) -> Mapping[str, str]:
    """Merge both; the defined ones win."""
    return {**both[1], **both[0]}


def entries(rule: Field) -> st.SearchStrategy[Mapping[str, str]]:
    """Return entries of such a list, sometimes with undefined keys."""
    defined = st.fixed_dictionaries({part.name: values(part) for part in rule.parts})
    return st.tuples(defined, st.dictionaries(keys, texts, max_size=1)).map(merged)


def bodies(rule: type[Tag]) -> st.SearchStrategy[str]:
    """Return bodies for the tag, including its sections if it has any."""
    if rule.form == "none":
        return st.just("")
    if rule.form != "sections":
        return filled
    safe = texts.map(lambda text: "x" + text.replace("## ", "#"))
    parts = [st.tuples(st.just(heading), safe) for heading in rule.sections]
    if rule.tag == "RELAY_TO_HUMAN":
        parts[-1] = st.tuples(st.just(rule.sections[-1]), st.just("- Knock\n- Run"))
    before = texts.map(lambda text: text.replace("## ", "#"))
    return st.tuples(before, *parts).map(
        lambda drawn: drawn[0] + "".join(f"\n## {heading}\n{text}" for heading, text in drawn[1:])
    )


@st.composite
def messages(draw: st.DrawFn, edition: Edition, rule: type[Tag]) -> Message | None:
    """Return a message with that tag as it would be read, or None if the drawn parts don't make one."""
    fields = {each.name: draw(values(each)) for each in rule.fields if each.required or draw(st.booleans())}
    fields |= draw(st.dictionaries(keys, undefined_values, max_size=2)) if rule.form != "prose" else {}
    order = draw(st.permutations(list(fields)))
    try:
        return compose(rule.tag, {name: fields[name] for name in order}, draw(bodies(rule)), edition=edition)
    except Refused:
        return None


SIGNALS = st.lists(names, min_size=1, max_size=4, unique=True).map(
    lambda found: Message(AwaitAiPlayers.tag, {"names": tuple(found)})
)
