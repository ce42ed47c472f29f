"""Words that say nothing by themselves, so that they cannot identify a secret."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

SMALL = frozenset(
    "a about after again all also am an and any are as at be because been before being between both but by can could "
    "did do does doing don't done down each either else even ever every few for from get gets give given gives go goes "
    "had has have having he her here hers herself him himself his how i if in into is isn't it its itself just know "
    "known knows less like made make makes many may me might mine more most much must my myself need needs neither "
    "never no nor not now of off on once one only onto or other others our ours out over own per rather same see she "
    "should so some something someone still such take than that the their theirs them themselves then there these they "
    "thing things this those through to too toward towards two under until up upon us use used very want wants was we "
    "were what when where whether which while who whom whose why will with within without would yet you your "
    "yours".split()
)
CALENDAR = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday spring summer autumn fall winter solstice equinox second minute hour day week "
    "fortnight month year decade century age night morning noon midday afternoon evening midnight dawn dusk sunrise "
    "sunset today tonight tomorrow yesterday ago later late early earlier since last next past first third fourth "
    "fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth twentieth thirtieth one "
    "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty hundred thousand date "
    "season session campaign scene chapter act".split()
)
_WORDS = frozenset(files(__package__).joinpath("ordinary.txt").read_text(encoding="utf-8").split())
_ENDINGS = (
    "ationally ational ations ation fulness ments ment ness ingly ities ity ings ions edly ives ally ances ance "
    "ences ence ants ant ents ent ously ous able ible ably ibly ing "
    "ships ship hood less ied ies ion ive ful est ers ed es er ly al or s d y r e"
).split()
_SHORTENED = ("'ll", "'re", "'ve", "'d", "n't", "'m", "'s")


def _bases(word: str) -> set[str]:
    bases = {word}
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            bare = word.removesuffix(ending)
            bases.add(bare)
            if len(bare) > 3 and bare[-1] == bare[-2]:
                bases.add(bare[:-1])
    return bases


_BASES = frozenset(base for word in _WORDS for base in _bases(word))


@lru_cache(maxsize=16_384)
def is_ordinary(stem: str) -> bool:
    """Whether a word, in small letters, is one that anybody uses of anything, in whatever form."""
    if len(stem) < 3 or stem in SMALL or is_calendar(stem) or any(stem.endswith(short) for short in _SHORTENED):
        return True
    return not _bases(stem).isdisjoint(_BASES)


def is_calendar(stem: str) -> bool:
    """Whether it is a word that dates are made of."""
    return stem in CALENDAR or stem.removesuffix("s") in CALENDAR
