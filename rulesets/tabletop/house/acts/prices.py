"""What everyday things cost, and what somebody serves: whoever sells it names the price, and others what one pays."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.acts.everyday import HOSTS, offices_of
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, listed

PRICES = {
    "meal": (1, r"meal|food|eat|supper|dinner|breakfast|lunch|stew|soup|bread|loaf|fish|eels?|bite|bowls?|plates?"),
    "bed": (2, r"beds?|rooms?|night|sleep|stay|lodging|board"),
    "drink": (1, r"drinks?|ale|beer|wine|cup|round|mug|tea"),
    "boat": (4, r"boats?|ferry|crossing|passage|fare|barge|ride|trip"),
    "horse": (6, r"horses?|mules?|stable|cart|wagon"),
    "healing": (5, r"heal\w*|bandages?|medicine|herbs?|potions?|physician"),
    "tool": (3, r"rope|lantern|lamp|torch\w*|oil|tools?|shovel|spade|candles?|net|blanket"),
}
"""What everyday things cost, in the small coin of the place, and the words that ask for them."""
_COST = re.compile(
    r"(?i)\b(?:how much|what)\b[^.?!]*\b(?:cost|costs|charge|price|prices|fee|fare|owe|pay for|ask for|take for)\b"
    r"|\bask for the bill\b|\bthe bill,? please\b|\b(?:have|get) the bill\b"
    r"|^\W*(?:(?:and|so|ok|okay|well|right|fine),? )*how much(?: (?:then|altogether|in all|you want))?\W*$"
    r"|\bhow much (?:for|is|are|would|do (?:i|we))\b|\bwhat(?:'s| is) the (?:price"
    r"|fee|fare|charge|damage)\b"
    r"|\bwhat (?:do|would|will) you (?:want|take|ask|charge|get) for\b"
)
SERVERS = HOSTS | {"innkeeper", "cook", "waiter", "waitress", "brewer", "baker", "owner", "host", "trader", "merchant"}
"""Who sells food and drink."""
_COINS = ("silver", "copper", "gold", "crowns", "credits", "marks", "shillings", "pennies", "coins")
_COUNT = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_SERVE = re.compile(
    r"(?i)\bwhat there is to (?:eat|drink)\b|^\W*(?:(?:so|and|hey|well|ok),? )*(?:got |have you "
    r"|is there )?(?:anything|something|what's)"
    r" (?:hot|to eat|to drink|warm|strong|good to)\b|\b(?:(?:do|can|could) you (?:\w+ )?(?:serve|have|sell|offer|cook"
    r"|brew|pour|rent|let)|have you (?:got|any|a"
    r"|an))\b[^?]*\b"
    r"(?:food|eat|meals?|ale|beer|wine|rooms?|beds?|drinks?|supper|breakfast|soup|stew|tea|lodging|anything hot"
    r"|something hot)\b"
    r"|\bwhat(?:'s| is) (?:there )?(?:on the menu|for (?:dinner|supper|breakfast|lunch)|to (?:eat|drink)|cooking"
    r"|good here)\b"
    r"|\b(?:best|special|today's) (?:dish|meal|food|drink|ale|beer|wine)\b|\bwhat do you recommend\b"
    r"|\bput (?:me|us|them) up\b|\b(?:any|free|spare) rooms?\b|\broom for (?:the )?(?:\w+ of us|us|the night)\b"
    r"|\b(?:can|could|may) (?:we|i|one) (?:\w+ )?(?:eat|sleep|drink|stay|dine|rest) here\b"
    r"|\b(?:do|can|could) you (?:\w+ )?sell\b|\bwhat (?:do|can|have) you (?:\w+ )?(?:serve|to eat|to drink|cook"
    r"|cooked|sell|got to)\b"
)
_FOOD = re.compile(r"(?i)\b(?:food|eat|meals?|ale|beer|wine|drinks?|supper|breakfast|soup|stew|tea|hot)\b")
_DUE = re.compile(
    r"\bhow much(?: (?:is|for|are|was))?(?: (?:it|that|this|all|everything|both))?(?: in all| together)?\W*$|\bowe\b"
)
_WARES = {
    "meal": ("a meal", "meals"),
    "bed": ("a bed", "beds"),
    "drink": ("a drink", "drinks"),
    "boat": ("the crossing", "places in the boat"),
    "horse": ("a horse for a day", "horses for a day"),
    "healing": ("a day’s care", "days of care"),
    "tool": ("that sort of thing", "of that sort"),
}


def server(play: Play) -> Entity | None:
    """Whoever here brings food and drink, and takes the money for it; the one spoken to first."""
    here = sorted(play.known.present, key=lambda each: each.id != play.memory.spoken)
    return next((each for each in here if offices_of(play, each) & SERVERS), None)


def asks_to_be_served(text: str) -> bool:
    """Whether a question is for whoever serves here: what there is to have, or what it costs."""
    return bool(_COST.search(text) or _SERVE.search(text))


def price(play: Play, person: Entity, text: str) -> str:
    """What something costs: the one who sells it names the price, and others what one pays around here."""
    if _SERVE.search(text):
        if offices_of(play, person) & HOSTS:
            topic = "serves.what" if re.match(r"(?i)\W*(?:\w+\W+)?what\b", text) else "serves"
        else:
            topic = "own.food" if _FOOD.search(text) else "serves.not"
        return play.line(topic, name=play.known.call(person), Name=capital(play.known.call(person)))
    if not _COST.search(text):
        return ""
    rest = text[:LONGEST].casefold()
    goods = _goods(rest)
    name = play.known.call(person)
    if not goods and not _DUE.search(rest) and " of us" not in rest:
        return play.line("price.any", name=name, Name=capital(name))
    coin = next((word for word in _COINS if word in play.known.papers.words), "coins")
    sums: list[tuple[str, str]] = []
    shared = re.search(rf"\bfor (?:the )?({'|'.join(_COUNT[2:])}|[2-9]) of us\b", rest)
    all_ = _COUNT.index(shared[1]) if shared and shared[1] in _COUNT else int(shared[1]) if shared else 0
    for kind, many in goods or [("bed", all_) if all_ else ("drink", 1)]:
        sum_ = (PRICES[kind][0] + sum(map(ord, play.memory.at)) % 2) * many
        much = f"{_COUNT[sum_] if sum_ < len(_COUNT) else sum_} {coin}"
        if sum_ == 1 and coin in ("crowns", "coins", "credits", "marks", "shillings"):
            much = f"one {coin.removesuffix('s')}"
        one, more = _WARES[kind]
        sums.append((much, "that" if not goods and not all_ else f"{_COUNT[many]} {more}" if many > 1 else one))
    seller = offices_of(play, person) & (HOSTS | {"trader", "merchant", "ferryman", "healer", "shopkeeper", "boatman"})
    play.productive = True
    if len(sums) > 1:
        listing = capital(listed([f"{each} for {ware}" for each, ware in sums]))
        return play.line("price.list" if seller else "price.list.other", name=name, Name=capital(name), much=listing)
    much, what = sums[0]
    slots = {"name": name, "Name": capital(name), "price": capital(much), "much": much, "what": what}
    return play.line("price" if seller else "price.other", **slots)


def _goods(text: str) -> list[tuple[str, int]]:
    """What a text asks the price of, each with its number, in the order in which it is named."""
    found = sorted(
        (hit.start(), key)
        for key, (_, pattern) in PRICES.items()
        if (hit := re.search(rf"\b(?:{pattern})\b", text)) is not None
    )
    if any(key in ("meal", "drink") for _, key in found):
        found = [each for each in found if each[1] != "bed" or re.search(r"\b(?:beds?|rooms?|lodging)\b", text)]
    counts, last = [], 0
    for at, key in found:
        before = text[last:at]
        many = max(
            (n for n, word in enumerate(_COUNT) if n > 1 and re.search(rf"\b(?:{word}|{n})\b", before)), default=0
        )
        counts.append((key, many))
        last = at
    behind = re.search(rf"\bfor (?:the )?({'|'.join(_COUNT[2:])}|[2-9]|1[0-2])\b", text[last:])
    word = behind[1] if behind else ""
    all_ = (_COUNT.index(word) if word in _COUNT else int(word)) if word else 1
    return [(key, many or all_) for key, many in counts]
