"""What comes of a plain deed of which the folder says nothing: whether it gives, how it feels, what it leaves."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.play import Play, Roll
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST
from sottovoce.rulesets.tabletop.rules.lore.lookup import HARD

_FORCE = re.compile(
    r"(?i)\b(?:force|shoulder|heave|pry|prise|wrench|lift|drag|ram|break|bend|tear|smash|batter|bash)\w*\b"
)
FORCED = "athletics: by force"
"""What the roll for a deed of strength is called."""


_ARMS = (
    r"(?:weapons?|swords?|knife|knives|blades?|daggers?|axes?|bows?|crossbow|pistols?|guns?|staff|hammer|cudgel|spear)"
)


def _verbs(words: str, also: str = "") -> re.Pattern[str]:
    """Any form of these verbs, and whatever else is matched by `also`."""
    return re.compile(rf"(?i)\b(?:{words})(?:e?s|ed|ing)?\b{'|' + also if also else ''}")


_KINDS = (
    ("force", _FORCE),
    ("away", re.compile(rf"(?i)\b(?:put away|put (?:my|our|the) {_ARMS} (?:away|down|back)|sheathe|lower)\b")),
    ("arms", re.compile(rf"(?i)\b(?:draw|unsheathe|ready|raise|grip|lift|pull out)\b.*\b{_ARMS}\b")),
    (
        "clothes",
        re.compile(r"(?i)\b(?:put on|take off|pull up|button|wear|dress)\b.*\b(?:\w+)|\b(?:scarf|hood|cloak|boots)\b"),
    ),
    ("shut", _verbs("lock|close|shut|seal", r"\b(?:bolt|bar) the\b")),
    (
        "door",
        re.compile(
            r"(?i)\b(?:try|open|push|pull|knock|enter|unlock|pick|slam|check|lift|move|close)\w*\b.*"
            r"\b(?:doors?|gates?|hatch|shutters?|trapdoor|windows?|lock|latch|bolt|lid|padlock)\b"
        ),
    ),
    ("device", _verbs("switch on|flip|activate|power|ignite|start up|boot up|tune")),
    ("handle", _verbs("turn|push|pull|press|move|shake|tug|spin|crank|wind|twist|rock|pump")),
    ("rope", _verbs("tie|knot|rope|bind|hang|lash|fasten|hook")),
    ("dark", re.compile(r"(?i)\b(?:blow out|put out|douse|snuff|extinguish|switch off|turn off)\b")),
    (
        "light",
        _verbs(
            "light|kindle|burn|torch|lantern|candle|lamp", r"\bon fire\b|\b(?:make|build|start|lay) an? (?:camp)?fire\b"
        ),
    ),
    ("treat", re.compile(r"(?i)\b(?:pour|serve|cook)s? (?:everybody|everyone|him|her|them|us|the [\w-]+)\b")),
    (
        "water",
        _verbs(
            "drink|wash|splash|rinse|swim|wade|bathe|dip|fill|pour|sip",
            r"\btastes? the water\b|\b(?:fetch|get|draw)(?:es|s)? (?:some |the )?water\b",
        ),
    ),
    ("food", _verbs("eat|bite|chew|taste|cook|breakfast|supper|dinner|lunch")),
    ("writing", _verbs("write|draw|sketch|note|copy|list|map|scratch|carve|sign")),
    ("music", _verbs("sing|whistle|hum|play|dance|drum")),
    ("prayer", _verbs("pray|bless|kneel|bow|meditate|offering", r"\b(?:bury|buries|buried)\b")),
    ("rest", _verbs("sit|lean|lie|stretch|stand|crouch|squat|settle")),
    ("touch", _verbs("touch|feel|stroke|rub|pat|tap|poke|smell|brush")),
    ("drop", _verbs("throw|toss|put down|lay down|set down|leave", r"\bdrop (?!to\b|down\b|in\b|by\b)")),
)


_ON_SOMEBODY = re.compile(
    r"(?i)\b(?:push|pull|shake|move|turn|touch|pat|tap|poke|press|drag|lift|bind|tie|close|shut|open)(?:e?s|ed)?"
    r" (?:him|her|them|(?:his|her|their) (?:eyes?|mouth|hands?|lips|eyelids))\b"
)
"""What is done to somebody, and to no thing."""


def forced(who: str, act: Act) -> Roll | None:
    """The roll for a deed of strength on a thing."""
    if act.kind in ("do", "use") and act.head and _FORCE.search(act.text[:LONGEST]):
        return Roll(who, "athletics", FORCED, HARD)
    return None


_LASTS = frozenset({"force", "shut", "door", "device", "light", "dark", "rope", "writing", "drop", "prayer", "handle"})
"""Deeds that leave things otherwise than they were."""


def outcome_of(play: Play, who: str, act: Act) -> str:
    """How a plain deed turns out; empty where there is nothing to say of it, or it was said tonight.

    What it leaves otherwise than it was is remembered with its place, so that it is done once.
    """
    if _ON_SOMEBODY.search(act.text[:LONGEST]):
        return ""
    kind = next((kind for kind, pattern in _KINDS if pattern.search(act.text[:LONGEST])), "")
    roll = forced(who, act)
    fallen = play.rolled(roll) if roll is not None else None
    if not kind or (kind == "force" and fallen is None):
        return ""
    name = play.name(who)
    done = f"left {kind} {act.head} {play.memory.at}"
    if kind in _LASTS and act.head and done in play.memory.done:
        return play.line("came.again", who=name)
    if fallen is not None and fallen.total < HARD:
        return play.line("came.force.lost", who=name)
    told = play.line("came.force.won", who=name) if fallen is not None else play.fresh(f"came.{kind}", who=name)
    if told and kind in _LASTS and (act.head or kind == "writing"):
        play.note(f"done {done}")
        play.productive = True
    return told
