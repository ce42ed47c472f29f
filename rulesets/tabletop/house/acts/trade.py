"""To buy what any place sells, and to pay somebody."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST

_GOODS = re.compile(
    r"(?i)\b(?:buy|buys|order|orders|purchase|purchases|pay for|stock up on|asks? (?:(?:the |old |mistress "
    r"|master )?[\w'-]+ )?for)"
    r"(?: (?:me|us|myself|ourselves|him|her|them|everyone|everybody|(?-i:[A-Z]\w+)))?"
    r" ((?:(?:an?|some|the|two|three|four|five|six|\d+|another|more|our"
    r"|all) )?(?:[\w'-]+ ){0,5}?[\w'-]+(?: and (?:(?:an?|some|two|three|four|a few) )?[\w'-]+)?)"
    r"(?=\W*$|[,.;]| (?:and|from|for|at|with|off|to|in|before|then|here)\b)"
)
_TREAT = re.compile(
    r"(?i)\b(?:buy|buys|order|orders) (?:(?:him|her|them|everyone|everybody|the [\w-]+|[\w'-]+) (?:an?|some|two"
    r"|the) \w+|.*\bfor"
    r" (?:him|her|them|everyone|everybody|the [\w-]+)|a round\b)|\bpay for (?:everyone|everybody|his|her|their"
    r"|the \w+)(?:'s)? "
)
"""What is bought for somebody is a gift."""
_MONEY = re.compile(
    r"(?i)\b(?:coins?|silver|gold|copper|pieces?|money|pence|penny|pennies|crowns?|shillings?|credits?|bribe|tips?"
    r"|purse|pay)\b"
)
_SELLS = re.compile(
    r"(?i)\b(?:inn|tavern|shop|trad|merchant|keeper|smith|brew|cook|bak|butcher|pedlar|peddler|market|sell)"
)


def goods(text: str) -> str:
    """What a plain sentence buys for the party, in its own words; empty where it buys nothing, or a gift."""
    found = _GOODS.search(text[:LONGEST])
    return re.sub(r"(?i)^our ", "", found[1].strip()) if found and not _TREAT.search(text[:LONGEST]) else ""


def is_money(text: str) -> bool:
    """Whether coin changes hands."""
    return bool(_MONEY.search(text))


def purchase(play: Play, who: str, act: Act, what: str) -> list[str]:
    """Buy something of somebody who is here: the one named, or one who sells."""
    people = list(play.known.present)
    named = play.entity(act.target)
    seller = (
        named if named in people else next((each for each in people if _sells(each)), None) or next(iter(people), None)
    )
    came = ""
    if seller is None:
        seller, came = company.comes(play, "comes.deed")
    if seller is None:
        return [play.line("buy.nobody", what=what)]
    intro = " ".join(part for part in (came, play.meet(seller)) if part)
    name = play.known.call(seller)
    play.note(
        f"carries {re.sub(r'(?i)^(?:an?|some|the|two|three|four|five|six|another|more|our|all) ', '', what).lower()}"
    )
    play.productive = True
    told = play.line("buy", who=play.name(who), name=name, Name=capital(name), what=what)
    return [" ".join(part for part in (intro, told) if part)]


def _sells(person: Entity) -> bool:
    return any(_SELLS.search(office) for office in person.offices)
