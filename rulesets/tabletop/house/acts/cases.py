"""Whether the condition holds that a deed stands under, which is said before one or the other is done."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.acts.surroundings import was_named
from sottovoce.rulesets.tabletop.house.acts.topics import is_ordinary
from sottovoce.rulesets.tabletop.house.nouns import head_of
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity

_NOT = re.compile(r"(?i)^not\b|\b(?:isn't|is not|not|aren't|doesn't|does not|won't)\b")
_UNSEEN = re.compile(
    r"(?i)\b(?:nobody|no one|no-one|isn't|is not|not|doesn't|stops?|turns?)\b.*\b(?:look\w*|watch\w*|notic\w*"
    r"|sees?|back|away|around|about)\b"
    r"|\b(?:coast is clear|back is turned|leaves?|gone|asleep|busy)\b"
)
_ANSWER = re.compile(
    r"(?i)\b(?:nobody|no one|no-one)\b.*\b(?:answers?|opens?|comes?|repl\w+|responds?|there|in|home|minds?"
    r"|stops?|objects?)\b"
)
_SOMEBODY = re.compile(r"(?i)\b(?:somebody|someone|anybody|anyone)\b")
_LOCKED = re.compile(r"(?i)\b(?:locked|shut|closed|bolted|barred|stuck)\b")
_OPEN = re.compile(r"(?i)\b(?:unlocked|open|ajar)\b")
_THEY = re.compile(r"(?i)\b(?:he|she|they)\b")
_IDENTITY = re.compile(r"(?i)^(?:that|it|this|he|she)(?:'s| is) (?:the |really |a )?(?-i:[A-Z])")
_FOUND = re.compile(
    r"(?i)^(?:i|we) (?:see|hear|find|notice|spot|smell|meet|get)\b|\b(?:there's|there is|there"
    r" are)\b.*\b(?:any\w*|some\w*)\b"
)
_THERE = re.compile(r"(?i)\b(?:there's|there is|there are)\b")


def settled(play: Play, who: str, act: Act) -> tuple[bool | None, str]:
    """Whether the condition of an act holds, None where it may yet, and how it is told."""
    given, name = act.given, play.name(who)
    here = play.known.present
    person = _named(play, given)
    call = play.known.call(person) if person is not None else ""
    slots = {"who": name, "name": call, "Name": capital(call)}
    came = any(line.startswith("- done came") for line in play.table.progress)
    if _ANSWER.search(given):
        return (not came), play.line("case.answered" if came else "case.silent", **slots)
    if _UNSEEN.search(given) and not _LOCKED.search(given) and not _OPEN.search(given):
        if person is None and here:
            person = here[0]
            slots |= {"name": play.known.call(person), "Name": capital(play.known.call(person))}
        return True, play.line("case.unseen" if person is not None else "case.alone", **slots)
    if _OPEN.search(given) or _LOCKED.search(given):
        wants = bool(_LOCKED.search(given)) != bool(_NOT.search(given)) and not _OPEN.search(given)
        opened = "left door " in " ".join(line for line in play.table.progress)
        opened = opened or (bool(act.head) and f"left door {act.head} " in " ".join(play.memory.done))
        if wants and opened:
            return False, play.line("case.needless", **slots)
        return True, play.line("case.locked" if wants else "case.open", **slots)
    if _IDENTITY.search(given):
        return False, play.line("case.other", **slots)
    if _SOMEBODY.search(given):
        return None, play.line("case.nobody", **slots)
    if person is not None:
        return None, play.line("case.waits", **slots)
    if _THEY.match(given):
        return None, play.line("case.nobody", **slots)
    if _FOUND.search(given):
        return None, play.line("case.nothing", **slots)
    if _THERE.search(given):
        thing = Act("look", given, head=head_of(given))
        there = is_ordinary(thing) or was_named(play, thing.head)
        return there, play.line("case.there" if there else "case.nothing", **slots)
    return True, play.line("case.so", **slots)


def _named(play: Play, given: str) -> Entity | None:
    """Whom of those here a condition is about: by name, by what they are, or by a pronoun."""
    here = play.known.present
    low = given.casefold()
    by_name = next((each for each in here if any(f" {name} " in f" {low} " for name in each.names)), None)
    if by_name is not None:
        return by_name
    pronoun = low.split()[0].partition("'")[0] if low.split() else ""
    last = play.entity(play.memory.last)
    people = [each for each in (last, *here) if each is not None and each in here]
    return next(
        (each for each in people if pronoun in ("he", "she", "they") and pronoun in (each.pronoun, "they")), None
    )
