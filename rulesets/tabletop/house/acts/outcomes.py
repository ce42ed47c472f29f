"""What comes of a plain deed of which the folder says nothing: whether it gives, how it feels, what it leaves."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.play import Play, Roll
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.rules.lore.lookup import HARD

_FORCE = re.compile(
    r"(?i)\b(?:force|shoulder|heave|pry|prise|wrench|lift|drag|ram|break|bend|tear|smash|batter|bash)\w*\b"
)
FORCED = "athletics: by force"
"""What the roll for a deed of strength is called."""
_KINDS = (
    ("force", _FORCE),
    ("shut", re.compile(r"(?i)\b(?:lock|close|shut|bar|bolt|seal|block)\w*\b")),
    ("door", re.compile(r"(?i)\b(?:door|gate|hatch|shutters?|trapdoor|window|lock|latch|bolt|lid|padlock)\b")),
    (
        "handle",
        re.compile(r"(?i)\b(?:turn|push|pull|press|move|shake|tug|spin|crank|wind|twist|rock|pump)\w*\b"),
    ),
    ("device", re.compile(r"(?i)\b(?:switch|flip|activate|power|ignite|start|boot|charge|tune)\w*\b")),
    (
        "clothes",
        re.compile(
            r"(?i)\b(?:wear|dress|undress|put on|take off|button|cloak|hood|hat|boots|gloves|scarf|coat|shirt)\w*\b"
        ),
    ),
    ("rope", re.compile(r"(?i)\b(?:tie|knot|rope|bind|hang|lash|fasten|hook)\w*\b")),
    ("dark", re.compile(r"(?i)\b(?:blow out|put out|douse|snuff|extinguish|switch off|turn off)\b")),
    ("light", re.compile(r"(?i)\b(?:light|kindle|burn|torch|lantern|candle|lamp|fire)\w*\b")),
    ("water", re.compile(r"(?i)\b(?:drink|wash|splash|rinse|swim|wade|bathe|dip|fill|pour|sip)\w*\b")),
    ("food", re.compile(r"(?i)\b(?:eat|bite|chew|taste|cook|breakfast|supper|dinner|lunch)\w*\b")),
    ("writing", re.compile(r"(?i)\b(?:write|draw|sketch|note|mark|copy|list|map|scratch|carve|sign)\w*\b")),
    ("music", re.compile(r"(?i)\b(?:sing|whistle|hum|play|dance|drum)\w*\b")),
    ("prayer", re.compile(r"(?i)\b(?:pray|bless|kneel|bow|meditate|offering)\w*\b")),
    ("rest", re.compile(r"(?i)\b(?:sit|lean|lie|stretch|stand|crouch|squat|settle)\w*\b")),
    ("touch", re.compile(r"(?i)\b(?:touch|feel|stroke|rub|pat|tap|poke|press|smell|brush|run my)\w*\b")),
    ("drop", re.compile(r"(?i)\b(?:throw|toss|drop|put down|lay down|set down|bury|leave)\w*\b")),
)


def forced(who: str, act: Act) -> Roll | None:
    """The roll for a deed of strength on a thing."""
    if act.kind in ("do", "use") and act.head and _FORCE.search(act.text):
        return Roll(who, "athletics", FORCED, HARD)
    return None


_LASTS = frozenset({"force", "shut", "door", "device", "light", "dark", "rope", "writing", "drop", "prayer"})
"""Deeds that leave things otherwise than they were."""


def outcome_of(play: Play, who: str, act: Act) -> str:
    """How a plain deed turns out; empty where there is nothing to say of it, or it was said tonight.

    What it leaves otherwise than it was is remembered with its place, so that it is done once.
    """
    kind = next((kind for kind, pattern in _KINDS if pattern.search(act.text)), "")
    roll = forced(who, act)
    fallen = play.rolled(roll) if roll is not None else None
    if not kind or (roll is not None and fallen is None):
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
