"""What somebody can do by their own sheet: skills, trade, tongues, and what they carry."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, stems
from sottovoce.rulesets.tabletop.rules.lore.sheets import Sheet

_SKILLS: tuple[tuple[str, str], ...] = (
    ("craft", r"fix|repair|mend|build|make|craft|clock|engine|machine|wheel|hinge|weld|carpent|oil|wind"),
    ("sleight of hand", r"pick|lock|juggle|steal|palm|pocket|untie|knot|trick|card"),
    ("athletics", r"swim|climb|jump|lift|carry|run|row|wrestle|throw|push|pull|dive|break|force|hold|dig|haul"),
    ("acrobatics", r"balance|tumble|fall|leap|dance|squeeze|vault"),
    ("stealth", r"sneak|hide|creep|follow|spy|quiet|unseen"),
    ("medicine", r"heal|first aid|herbs|treat|bandage|cure|wound|sick|fever|poison|stitch|doctor|corpse|body"),
    ("survival", r"track|hunt|trail|cook|fish|camp|navigate|forage|find our way|sail|guide|weather|fire|boats?"),
    ("animal handling", r"ride|tame|horse|dog|animal|beast|mule|goat|bird|saddle"),
    ("nature", r"plant|herb|mushroom|tree|flower|swamp|river"),
    ("arcana", r"cast|spell|magic|enchant|summon|ward|teleport|rune|curse|conjure|fly|detect"),
    ("history", r"history|old letters|inscription|date|crest|seal|read|decipher|translate|writing|script|map"),
    ("religion", r"pray|bless|god|temple|rite|ritual|saint|preach"),
    ("investigation", r"search|investigate|solve|forge a|forgery|count|ledger|reckon|code|cipher"),
    ("insight", r"lies?\b|liar|read (?:people|faces)|tell (?:if|whether|when)"),
    ("perception", r"see|hear|watch|spot|listen|notice"),
    ("deception", r"lie\b|bluff|pretend|disguise|act\b|fake"),
    ("performance", r"sing|play|perform|whistle|dance|tell stories|act\b"),
    ("intimidation", r"scare|frighten|threaten|intimidate"),
    ("persuasion", r"persuade|talk|convince|haggle|bargain|charm|negotiate"),
    ("arms", r"fight|shoot|sword|bow|knife|fence|box|spar|aim"),
)
_CRAFT = re.compile(
    r"(?i)\b(?:tinker|smith|artificer|mechanic|engineer|carpenter|mason|tools?\b|craft|wright|technician)"
)
_SHUT = re.compile(r"(?i)kept close|secret|hidden|gm\b|not know|private|does n.t know")
_GEAR = re.compile(
    r"(?i)equipment|inventory|pack|gear|carried|carries|possession|belongings|items|tools|weapons|attacks"
)
GOOD, FAIR = 4, 2
"""Bonuses from which somebody is good at something, and fair at it."""


def skill_for(deed: str) -> str:
    """The skill that a deed takes; empty where none of them is meant."""
    low = deed.casefold()
    return next((skill for skill, verbs in _SKILLS if re.search(rf"\b(?:{verbs})", low)), "")


def level(sheet: Sheet, deed: str) -> str:
    """How well somebody does that by their sheet: `good`, `fair`, `poor`, or `unknown` where it says nothing of it."""
    skill = skill_for(deed)
    if not skill:
        return "unknown"
    if skill == "arms":
        return "good" if sheet.weapons else "poor"
    if skill == "craft":
        able = any(_CRAFT.search(line) for _, line in open_lines(sheet))
        return "good" if able else "poor"
    if skill == "arcana" and not re.search(r"(?i)spell|cantrip|arcana", sheet.text):
        return "poor"
    stated = re.search(rf"(?i)\b{re.escape(skill)}\b", sheet.text) is not None
    bonus = sheet.bonus(skill)
    anybody = not stated and bonus >= 0 and skill in ("athletics", "survival", "performance", "animal handling")
    return "good" if bonus >= GOOD else "fair" if (bonus >= FAIR and stated) or anybody else "poor"


def open_lines(sheet: Sheet) -> Iterator[tuple[str, str]]:
    """Each line of the sheet that its owner need not keep close, with the heading that it stands under."""
    under = ""
    for line in (each[:LONGEST] for each in sheet.text.splitlines()):
        heading = re.match(r"#{1,6} +(\S.*)", line)
        if heading:
            under = heading[1]
        elif line.strip() and not _SHUT.search(under) and "gm note" not in line.casefold():
            yield under, re.sub(r"[*_|]+", " ", line).strip(" -\t")


def gear(sheet: Sheet) -> list[str]:
    """What somebody carries, each thing in a few words."""
    found = []
    for under, line in open_lines(sheet):
        if _GEAR.search(under) and not re.search(r"\S {2,}\S| (?:is|was|has|uses|shows|keeps) ", line[:40]):
            thing = re.split(r"[(:,;.]|\s{2,}|\s[-–—]\s", line)[0].strip()
            if 0 < len(thing.split()) < 6 and not re.search(
                r"(?i)weapon|bonus|^-+$|^worn|^pack|contents|pack$|^special|strike$", thing
            ):
                found.append(thing)
    keepsake = sheet.fields.get("keepsake", "").rstrip(".")
    if 0 < len(keepsake.split()) < 8:
        found.append(keepsake)
    return found


def carried(sheet: Sheet, about: frozenset[str]) -> str:
    """What somebody carries of that kind; empty without it."""
    scored = [(len(about & stems(each)), each) for each in gear(sheet)]
    shared, thing = max(scored, default=(0, ""))
    return thing if shared else ""


def learnt(sheet: Sheet, about: frozenset[str]) -> str:
    """A thing of their own that has to do with it: a book about it, notes on it; empty without one."""
    for under, line in open_lines(sheet):
        if _GEAR.search(under) and about & stems(line):
            thing = re.split(r"[(:,;.]|\s{2,}|\s[-–—]\s", line)[0].strip()
            if 0 < len(thing.split()) < 7:
                return thing
    return ""


def speaks(sheet: Sheet, tongue: str) -> bool:
    """Whether the sheet lists that language."""
    low = tongue.casefold()
    return any(
        low in line.casefold()
        for under, line in open_lines(sheet)
        if re.search(r"(?i)language|tongue", f"{under} {line[:12]}")
    )


def a(noun: str) -> str:
    """The noun with its article."""
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def trade(sheet: Sheet) -> tuple[str, str]:
    """What somebody is, and what they were before, as the sheet has it; each empty where it says nothing."""
    kind = re.split(r"[,(/]|\blevel\b", sheet.fields.get("class", ""))[0].strip().lower()
    past = re.split(r"[(;:]", sheet.fields.get("background", ""))[0].strip()
    past = past if 0 < len(past.split()) < 7 else ""
    return kind, past[:1].lower() + past[1:]
