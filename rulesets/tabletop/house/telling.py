"""The author's own words as the table hears them: in somebody's mouth, or as what is there to be seen."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, ended, lowered
from sottovoce.rulesets.tabletop.shown.deeds import in_third_person as in_third_person

_SUBJECT = {"she": r"She|she", "he": r"He|he", "they": r"They|they"}
_OWN = {"she": ("her", "hers", "herself"), "he": ("his", "his", "himself"), "they": ("their", "theirs", "themself")}
_BASES = {
    "has": "have",
    "is": "am",
    "was": "was",
    "does": "do",
    "goes": "go",
    "are": "am",
    "were": "was",
    "doesn't": "don't",
    "isn't": "am not",
    "hasn't": "haven't",
    "wasn't": "wasn't",
}
_OTHERS = re.compile(
    r"(?i)\b(?:cousin|grandmother|grandfather|father|mother|nephew|niece|uncle|aunt|brother|sister|wife"
    r"|husband|son|daughter|man|woman|boy|girl|who|herself|himself|whoever)\b"
)


def _base(verb: str) -> str:
    if verb in _BASES:
        return _BASES[verb]
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    if re.search(r"(?:ss|ch|sh|x|zz|o)es$", verb):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith(("ss", "us")) else verb


def in_first_person(text: str, speaker: Entity) -> str:
    """The sentence as its subject says it; empty where that is not sure to come out right."""
    subject = _SUBJECT[speaker.pronoun]
    start = rf"(?:{subject}|{re.escape(speaker.short)})"
    match = re.match(
        rf"{start}(?:['’](?P<short>s|d|re|ve|ll))? (?:(?P<adverb>\w+ly|also|never|often|always"
        rf"|still) )?(?P<verb>[\w'’]+)",
        text,
    )
    if match is None or _OTHERS.search(text):
        return ""
    rest = text[match.end() :]
    own = _OWN[speaker.pronoun]
    if (speaker.pronoun == "they" and re.search(r"(?i)\bthem\b", rest)) or (
        speaker.pronoun == "he" and re.search(r"(?i)\bhim\b", rest)
    ):
        return ""
    adverb = f"{match['adverb']} " if match["adverb"] else ""
    short, verb = match["short"], match["verb"].replace("’", "'")
    if short == "s":
        done = re.search(
            r"(?:ed|en)$|^(?:been|run|had|seen|lived|kept|got|gone|done|made|known|heard|come|lost|taught"
            r"|built|sold|held|spent|met)$",
            verb,
        )
        head = f"I've {adverb}{verb}" if done else f"I'm {adverb}{verb}"
    elif short:
        head = f"I'{ {'d': 'd', 're': 'm', 've': 've', 'll': 'll'}[short] } {adverb}{verb}"
    else:
        head = f"I {adverb}{verb if speaker.pronoun == 'they' and verb not in _BASES else _base(verb)}"
    if re.search(rf"\b(?:{subject})\b(?!['’](?:s|d) )", rest) and speaker.pronoun == "they":
        return ""

    def again(found: re.Match[str]) -> str:
        if found[1]:
            tail = found[2]
            short = {"s": "ve" if re.search(r"(?:ed|en)$|^been$", tail) else "m"}.get(found[1], found[1])
            return f"I'{short} {tail}"
        return f"I {_base(found[2])}"

    rest = re.sub(rf"\b(?:{subject})(?:['’](s|d|ll))? ([\w'’]+)", again, rest)
    rest = re.sub(
        r"(?<=[a-z,;] )(and|but|or) (\w+s)\b(?= )", lambda m: f"{m[1]} {_base(m[2])}" if _is_verb(m[2]) else m[0], rest
    )
    rest = re.sub(
        r"(?<=[a-z],) (and|but|or) (\w+s) (?=(?:it|them|the|a|an|his|her|their|every\w*|all|on|in|up|down)\b)",
        lambda m: f" {m[1]} {_base(m[2])} ",
        rest,
    )
    rest = re.sub(r"( [-–—] )(\w+s)\b(?= )", lambda m: f"{m[1]}I {_base(m[2])}" if _is_verb(m[2]) else m[0], rest)
    if speaker.pronoun == "she":
        rest = re.sub(r"(?i)\bher\b(?= [a-z])", "my", rest)
        rest = re.sub(r"(?i)\bher\b", "me", rest)
    else:
        rest = re.sub(rf"(?i)\b{own[0]}\b", "my", rest)
    return f"{head}{rest}"


_VERBS = frozenset(
    "knows keeps trades treats hosts speaks serves notices runs works buys sells carries watches thinks"
    " believes suspects remembers"
    " maintains lives says hears sees wants needs tries helps makes takes gives tells finds fears hopes"
    " owns looks feels writes reads"
    " answers trusts supports teaches travels visits pays owes holds leads guards repairs mends builds"
    " grows cooks brews".split()
)


def _is_verb(word: str) -> bool:
    return word in _VERBS


_CLAUSE = re.compile(
    r"(?i)^(?!wh(?:ere|en|ich|at|o|y)\b|how\b)(?:she|he|they|it|there|one|some|most|many|all|few|no|nobody"
    r"|everyone|everybody|people|this|that|these|those|her|his|their|the|a|an|in|at|on|under|when|since"
    r"|for|after|before|once|every|[A-Z][\w'’-]+)\b.*?\s"
    r"(?:is|are|was|were|has|have|had|does|did|do|can|could|will|would|must|may|\w+(?:s|ed)|went|came|saw"
    r"|left|built|took|gave|ran|sent|keep|kept|know|knew|say|said|lie|lies|lay|stood|stand|sit|sat|lost"
    r"|found|brought|made|met|told|paid|bought|sold|fell|grew|died|began)\b"
)


def is_clause(text: str) -> bool:
    """Whether a text is a sentence with a verb, so that somebody can say it."""
    return bool(_CLAUSE.match(text)) or bool(re.match(r"(?i)(?:she|he|they|it)['’](?:s|d|re|ve|ll)\b", text))


def quoted(text: str) -> str:
    """The text to stand between double quotes: its own become single."""
    text = re.sub(r"[\"“]([^\"”]*)[\"”]", r"‘\1’", text[:LONGEST]).replace('"', "’").replace("“", "‘").replace("”", "’")
    return text[0].upper() + text[1:] if text else text


def unquoted(text: str) -> str:
    """The text without the marks around a single word or name: `what does "Keth'vorah" mean?`"""
    return re.sub(r"[“\"]([\w'’-]+(?: [\w'’-]+){0,2})[”\"](?! ?$)", r"\1", text[:LONGEST])


def spoken(fact: Fact, speaker: Entity, name: str) -> str:
    """A fact as somebody tells it: in the first person where that is sure, and reported otherwise."""
    text = fact.text.strip()
    if fact.kind == "line":
        return (
            f"“{quoted(text).rstrip('.')},” says {name}." if text[-1] not in "?!…" else f"“{quoted(text)}” says {name}."
        )
    about_self = fact.owner == speaker.id
    own = in_first_person(text, speaker) if about_self else ""
    if own:
        return f"“{quoted(own).rstrip('.')},” says {name}."
    if about_self and re.fullmatch(
        r"(?!In|At|On|From|Of|To)[A-Z][a-z]+ (?:of|at|for|to|in|from) [^,.;:]{3,50}\.?", text
    ):
        return f"“I am the {lowered(text).rstrip('.')},” says {name}."
    if not is_clause(text):
        return f"{_capital(name)} can tell you something about that: {lowered(text).rstrip('.')}."
    if about_self:
        return f"{_capital(name)} tells you that {_inside(text).rstrip('.')}."
    return f"“{quoted(ended(text)).rstrip('.')},” says {name}."


def _inside(text: str) -> str:
    return (
        lowered(text)
        if re.match(
            r"(?:She|He|They|It|There|The|A|An|One|Some|Most|Her|His|Their|In|At|On|No|This|That|Every\w*)\b", text
        )
        else text
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_CONDITION = re.compile(
    r"(?i)\b(?:may|might|could|should|if|unless|whether|only if|players?|gms?|depending|will (?:want|need"
    r"|likely)|once|would)\b"
)


def happening(text: str, lead: str = "") -> str:
    """A line of a beat sheet as what happens now; empty where it is only what might."""
    text = re.sub(r"\s*\([^)]*\)", "", text[:LONGEST]).strip()
    if _CONDITION.search(text) or not text:
        return ""
    text = re.sub(
        r"\bwill (\w+)",
        lambda m: {"be": "is", "have": "has"}.get(
            m[1], f"{m[1]}es" if m[1].endswith(("s", "ch", "sh", "x")) else f"{m[1]}s"
        ),
        text,
    )
    if lead:
        text = re.sub(
            r"^(?:He|She)['’]s ((?:already |just |now )?(?:\w+ed|been|seen|gone|come)\b)", rf"{lead} has \1", text
        )
        text = re.sub(r"^(?:He|She)['’]s ", f"{lead} is ", text)
        text = re.sub(r"^(?:He|She)\b", lead, text)
    text = re.sub(r"(?i)\bthe (?:party|players|pcs|characters|group|adventurers|heroes)['’]s?(?= \w)", "your", text)
    text = re.sub(r"(?i)\bthe (?:party|players|pcs|characters|group|adventurers|heroes)\b", "you", text)
    text = re.sub(
        r"(?i)\b(offers|asks|tells|gives|shows|warns|greets|leads|brings|hands|invites|approaches) them\b",
        r"\1 you",
        text,
    )
    text = re.sub(
        r"(?i)\b(in|into|to|at|of|before|near) their (rooms?|table|feet|way|door|camp)\b", r"\1 your \2", text
    )
    text = re.sub(r"(?i)\bthey have time\b", "you have time", text)
    return ended(text)


_WE = (
    (re.compile(r"\bWe['’]re\b"), "You’re"),
    (re.compile(r"\bwe['’]re\b"), "you’re"),
    (re.compile(r"\bWe['’]ve\b"), "You’ve"),
    (re.compile(r"\bwe['’]ve\b"), "you’ve"),
    (re.compile(r"\bWe\b"), "You"),
    (re.compile(r"\bwe\b"), "you"),
    (re.compile(r"\bOur\b"), "Your"),
    (re.compile(r"\bour\b"), "your"),
    (re.compile(r"\bus\b"), "you"),
    (re.compile(r"\bours\b"), "yours"),
)


def to_you(text: str) -> str:
    """The party's own notes, as the GM tells them."""
    for pattern, instead in _WE:
        text = pattern.sub(instead, text)
    return text
