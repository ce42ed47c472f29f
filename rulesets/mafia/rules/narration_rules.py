"""What a narration must not say (M-104, M-106).

The narrator knows everything, so its words are the one place where free text could leak. This check is best effort: it
refuses what pairs a name with a role, or with the Doctor's or Detective's work, and lets a story be told. The text is
normalised first, so that spacing, case, look-alike letters, emphasis and invisible characters do not hide a word, and
each name becomes a single character, so that every pattern below is short and takes time linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from sottovoce import plain
from sottovoce.domain.reading import normal, without
from sottovoce.domain.spellings import longest_first, pattern_of
from sottovoce.rulesets.mafia.rules.leak_patterns import NAME, ROLE_MARKS, Known, as_a_claim, told

FIRST_NAME = 0xE000
"""Player number i stands in the marked text as this private-use character plus i."""

LONGEST_LEAD = 200
"""How much before a statement is read for whose words it is."""
LINE_END = "\x02"
LOOKALIKES = str.maketrans(
    "аеіїјкмнорстухѕԁһӏѵαεικνορτυχ’‘´′ʼ‛“”„«»_*`~", "aeiijkmhopctyxsdhlvaeikvoptux" + "'" * 6 + '"' * 5 + " " * 4
)  # Cyrillic and Greek letters that look Latin, every kind of quotation mark, and the marks of emphasis
LOOKALIKES |= str.maketrans("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ‐‑‒–", "abcdefghijklmnoprstuvwyz----")
LOOKALIKES |= {first + place: ord("a") + place for first in (0x1F130, 0x1F150, 0x1F170, 0x1F1E6) for place in range(26)}
DIGITS = str.maketrans("013457@$!|", "oieastasil")
"""Digits and signs that stand for letters within a word."""
_SIGN = re.compile(r"[\d@$|]|!\w")
_MIXED = re.compile(r"(?<![\w@$!|])(?=[\w@$!|]*[a-z])(?=[\w@$!|]*[\d@$!|])[\w@$!|]{2,}(?<![!|])")

PARTICULAR = ("doctor", "detective", "jester")
"""Roles that one player holds: a sentence that names a player has no innocent use for them. Mafia and villagers are a
group and a common noun too, so that only a statement about a name counts."""


def _spaced(word: str) -> str:
    """The word, also with one space or mark between its letters."""
    return r"[\W_]?".join(word)


ROLE_WORDS: Mapping[str, str] = {
    "doctor": rf"{_spaced('doctor')}s?",
    "detective": rf"{_spaced('detective')}s?",
    "jester": rf"{_spaced('jester')}s?",
    "mafia": rf"(?:{_spaced('mafia')}s?|mafios[oi]s?)(?: (?:members?|boss|player|leader|man|woman|agent|side))?",
    "villager": rf"{_spaced('villager')}s?",
}

GAP = rf"[\s{LINE_END}]{{0,4}}"
GROUP = rf"{NAME}(?:{GAP}(?:, ?and|, ?or|,|&|/|\+|and|or|nor){GAP}{NAME}){{0,12}}"
IS = (
    r"(?:is|was|are|were|isn|wasn|aren|weren|ain|be|been|being|became|become|becomes|remains?|remained|prove[sdn]?"
    r"|turn(?:s|ed) out|belong(?:s|ed)?|play(?:s|ed)?|of)(?:n?'t)?"
)
SIDES_WITH = r"(?:join(?:s|ed)|serve[sd]?|leads?|led|work(?:s|ed)?|side[sd]?|stands?|stood)"
FILLER = (
    r"(?:[\s:\x22'*]{0,3}\b(?:not|never|no|none|other than|truly|really|in truth|secretly|indeed|surely|just|only|still"
    r"|once|always|all along|the|a|an|our|your|of|one|some|part|member|members|to|for|in|with|among|league|be|have|been"
    r"|role|card|dealt|revealed|unmasked|known|named|called|as|true|real|simple|mere|plain|good|loyal|honest|humble"
    r"|secret|hidden)\b){0,6}"
)
ALLEGED = "accused|charged|suspected|believed|claim|claims|claimed|claiming|deny|denies|denied|swears|swore|says|said"
ASKED = "who|what|which|whether|if|that|where|how"
BETWEEN = (
    rf"(?: ?,(?! (?:{ALLEGED}|{ASKED})\b)[^,.;:!?{LINE_END}]{{1,40}},)?(?:,? (?:who|that))?(?:'s)?"
    rf"(?: (?!(?:{ALLEGED}|{ASKED})\b)\w+){{0,3}}?"
)
LABEL = r"(?:(?:secret |true |hidden |real )?(?:role|card|identity|part|allegiance|side|alignment)\b)?"
CLAUSE_END = rf"(?= ?(?:[^\w\s{NAME[1:-1]}'\-]|who\b|is\b|was\b|and\b|{NAME}|$)|['\"] ?(?:\W|$))"
NO_DEED_OF = "(?<!by )(?<!by the )(?<!of the )(?<!to the )(?<!from the )"
LOOSE = rf"[^\w.!?…{NAME[1:-1]}]{{1,8}}"

_WORK = re.compile(
    r"\b(?:protect(?:ed|s|ing|ion|or)|sav(?:ed|es|ing)|guard(?:ed|s|ing)|shield(?:ed|s|ing)|heal(?:ed|s|ing)"
    r"|rescu(?:ed|es|ing)|ward(?:ed|s|ing)|investigat(?:ed|es|ing|ion|ions)|examin(?:ed|es|ing)|unmask(?:ed|s|ing)"
    r"|probe[sd]|scrutini[sz]e[sd]|(?:kept|keeps|keeping) (?:\S+ )?(?:safe|alive)|watch(?:ed|es|ing) over"
    r"|(?:did|does|to|i) (?:protect|save|guard|shield|heal|rescue|investigate|examine))\b"
)
_PAST = re.compile(r".*(?:ed|kept \S+|kept \S+ \S+|ion|ions|ors?)")
_ON_SOMETHING = re.compile(
    r" (?:the|a|an|his|its|us|our|my|your|every|all|nothing"
    r"|(?:her|their) (?!in\b|from\b|last\b|at\b|by\b|to\b|tonight\b|this\b|that\b|before\b|while\b|when\b|and\b))\b"
)
_ON_A_THING = re.compile(
    r" (?:a|an|the|some|his|its) (?!(?:life|soul|neck|skin|door|bed|house|throat|victim|one)\b)\w+"
)
_OF_A_THING = re.compile(
    rf"{NAME}'s (?!(?:life|soul|heart|neck|skin|door|bed|bedside|house|home|threshold|throat"
    r"|face|mask|name|secrets?|past)\b)\w+"
)
_PASSIVE = re.compile(r"\b(?:is|was|are|were|be|been|being|gets?|got)(?: \w+){0,2} $")
_INQUEST = re.compile(r"\b(?:body|bodies|corpse|remains|wounds?|death|murder|killing|scene|crime|fate)\b")
_BY_THE_TOWN = re.compile(r" by (?:\w+ ){0,4}(?:votes?|town|townsfolk|ballot)\b")
_OWN_ACT = re.compile(rf"{NAME}(?:'s)?(?: (?:has|had|only|\w+ly|always|once))?(?: \w+ and)? $")
_MAFIA_VOTES = re.compile(
    rf"\bmafia(?: (?:have|has|had))? (?:vote[sd]?|voting|ballot|target)\b[^.!?{LINE_END}]{{0,40}}{NAME}"
    rf"|\bi vote to kill {NAME}"
)
_SENTENCE = re.compile(rf"(?<![.!?;…])[.!?;…]++['\"”»)*]*+(?:\s+|$)|{LINE_END}|\|")

_BROKEN_LINE = re.compile(r"([^\s.!?:;…\"”»]) *\r?\n(?=[^\s*>#|-])")
"""A line end in the middle of a sentence."""


def disclosure(
    text: str,
    players: Sequence[str],
    public: Mapping[str, str],
    dead: Collection[str] = (),
    about: str | None = None,
) -> str | None:
    """What the text gives away, as a message for its author; None if nothing was found.

    `public` are the roles that everybody knows already, by player, `dead` those whose death is announced, and `about`
    is whom the scene is about, if anybody. A text in several lines is read twice: line by line, and with the lines that
    only a margin broke put together again.
    """
    for read in (text, _BROKEN_LINE.sub(r"\1 ", text)) if _BROKEN_LINE.search(text) else (text,):
        marked = _marked(read, tuple(players))
        found = _disclosure(marked, players, public) or _given_away(marked, players, public, dead, about)
        if found is not None:
            return found
    return None


def _given_away(
    marked: str, players: Sequence[str], public: Mapping[str, str], dead: Collection[str], about: str | None
) -> str | None:
    marks = {name: chr(FIRST_NAME + place) for place, name in enumerate(players)}
    roles = {marks[name]: ROLE_MARKS[role.casefold()] for name, role in public.items() if name in marks}
    known = Known(roles, {marks[name] for name in dead if name in marks}, marks.get(about or ""))
    if _BEGUN.search(marked):
        for role, mark in ROLE_MARKS.items():
            marked = _ROLE[role].sub(mark, marked)
    found = next(told(marked, known), None)
    return f"It may not give away {found} (M-104)." if found else None


def _disclosure(marked: str, players: Sequence[str], public: Mapping[str, str]) -> str | None:
    if not re.search(NAME, marked):
        return None
    found = _told_work(marked)
    if found:
        return f"It may not say that {_who(found, players)} was protected, investigated or voted for at night (M-104)."
    if not any(pattern.search(marked) for pattern in _ROLE.values()):
        return None
    known = {
        role: {chr(FIRST_NAME + i) for i, name in enumerate(players) if public.get(name, "").casefold() == role}
        for role in ROLE_WORDS
    }
    found = _mentioned_beside(marked, known) or _stated(marked, known)
    if found:
        return f"It may not link {_who(found, players)} with a role that is not public (M-104)."
    return None


def _who(mark: str, players: Sequence[str]) -> str:
    return players[ord(mark) - FIRST_NAME]


def _bare(words: str) -> str:
    """As `plain`, and without accents, emphasis and look-alike letters."""
    if not words.isascii():
        words = without(normal(plain(words), "NFKD"), "Mn", "Me", "Co")
    bare = plain(words.translate(LOOKALIKES))
    return bare if _SIGN.search(bare) is None else _MIXED.sub(lambda word: word.group().translate(DIGITS), bare)


@lru_cache(maxsize=256)
def _names(players: tuple[str, ...]) -> tuple[re.Pattern[str], Mapping[str, str]]:
    """One pattern for all names, the longest first, and the mark of each."""
    marks = {_bare(name): chr(FIRST_NAME + i) for i, name in enumerate(players)}
    return pattern_of(longest_first(marks)), marks


def _marked(text: str, players: tuple[str, ...]) -> str:
    lines = map(_bare, re.split(r"[\n\r\v\f\x85\u2028\u2029]+", text))
    whole = f" {LINE_END} ".join(line for line in lines if line)
    pattern, marks = _names(players)
    return pattern.sub(lambda match: marks[match.group()], whole)


def _first_name(text: str, besides: frozenset[str] | set[str] = frozenset()) -> str | None:
    return next((mark for mark in re.findall(NAME, text) if mark not in besides), None)


def _told_work(marked: str) -> str | None:
    """The first name in a sentence that tells of protection or investigation, or of a vote of the Mafia."""
    votes = _MAFIA_VOTES.search(marked)
    if votes:
        return _first_name(votes.group())
    for sentence in _SENTENCE.split(marked):
        names = [match.start() for match in re.finditer(NAME, sentence)]
        if not names:
            continue
        inquest = _INQUEST.search(sentence)
        for work in _WORK.finditer(sentence):
            named_after = bisect(names, work.start()) < len(names)
            before = (max(0, work.start() - 40), work.start())
            if not named_after and _OWN_ACT.search(sentence, *before):
                continue  # "Ada examined the well"
            past = _PAST.fullmatch(work.group())
            passive = past and _PASSIVE.search(sentence, *before)
            if not named_after and not passive and _ON_SOMETHING.match(sentence, work.end()):
                continue  # "Ada's tale saved the evening"
            if work.group().startswith(("exam", "invest", "prob", "scrut")) and inquest and not passive:
                continue  # "they examined Hugo's body"
            if _OF_A_THING.match(sentence[names[0] :]) and not named_after:
                continue  # "the candle on Ada's sill was saved by a hand about the flame"
            if _OWN_ACT.search(sentence, *before) and _ON_A_THING.match(sentence, work.end()):
                continue  # "Ada saved a crust for the dog that was Bram's"
            if as_a_claim(sentence, work.start()):
                continue  # "Cleo, you say you investigated Runa"
            if work.group().startswith("exam") and _ON_SOMETHING.match(sentence, work.end()) and "," in sentence:
                continue  # "the wind examines every shutter, and finds Edda's open"
            if _BY_THE_TOWN.match(sentence, work.end()):
                continue  # "saved by a single vote" is public
            if named_after:
                return sentence[names[bisect(names, work.start())]]
            if past:
                return sentence[names[0]]
    return None


def _mentioned_beside(marked: str, known: Mapping[str, set[str]]) -> str | None:
    """A name in one sentence with a role that one player holds, unless the sentence names its public holder."""
    if not any(_ROLE[role].search(marked) for role in PARTICULAR):
        return None
    for sentence in _SENTENCE.split(marked):
        names = set(re.findall(NAME, sentence))
        if not names:
            continue
        for role in PARTICULAR:
            mention = _HELD[role].search(sentence)
            if mention and not names & known[role] and not as_a_claim(sentence, mention.start()):
                return _first_name(sentence)
    return None


def _stated(marked: str, known: Mapping[str, set[str]]) -> str | None:
    """A name that some pattern links with a role not public for it."""
    for role in ROLE_WORDS:
        if not _ROLE[role].search(marked):
            continue
        for pattern in _statements(role):
            for match in pattern.finditer(marked):
                lead = _SENTENCE.split(marked[max(0, match.end() - LONGEST_LEAD) : match.end() - 1])[-1]
                if as_a_claim(lead, len(lead)):
                    continue
                name = _first_name(match["who"], known[role])
                if name:
                    return name
    return None


@lru_cache
def _statements(role: str) -> tuple[re.Pattern[str], ...]:
    word = ROLE_WORDS[role]
    who = rf"(?P<who>{GROUP})"
    single = word.removesuffix("s?")
    states = rf"(?:{IS}|{SIDES_WITH})" if role == "mafia" else rf"(?:{IS})"
    return tuple(
        re.compile(pattern)
        for pattern in (
            # Ada was never Mafia; Ada's true role is Mafia; Ada, who was with the Mafia
            rf"{who}{BETWEEN}{GAP}\b{states}\b{FILLER}{GAP}['\"*]?\b{word}\b(?!'s? )",
            # Ada: Mafia; Ada, a villager; Ada (Mafia); "Ada": "Mafia"; Ada | role: Mafia
            rf"{who}(?:'s)?{LOOSE}(?:as )?{LABEL}[\W\s]{{0,5}}(?:(?:the|a|an|our|not|no|one of the) (?:\w+ )?){{0,2}}"
            rf"\b{word}\b(?!'s? ){CLAUSE_END}",
            # Ada. The Mafia.
            rf"{who}[\W\s]{{1,8}}(?:(?:the|a|an) )?\b{single}\b ?(?:[.!?…{LINE_END}]|$)",
            # the Mafia are Ada and Bram; no villager was Ada
            rf"\b{word}(?:'s? (?:own|leader|boss|head|chief|members?|number))?(?: ?:)? "
            rf"(?:is|are|was|were|be|being|includes?|included|named|called|led by|known as|among them)\b[\s:]{{0,3}}"
            rf"(?:(?:is|was|were|be|been|led|by|not|never|none other than|only|in truth|once) ){{0,3}}{who}(?!'s)",
            # villager Ada; Mafia: Ada, Bram; the Mafia (Ada); role: Mafia, player: Ada
            rf"{NO_DEED_OF}\b{word}\b(?:[^\w,.!?…'{NAME[1:-1]}]{{2,8}}|(?<!the {role}), )"
            rf"(?:(?:player|name|seat)\W{{1,4}})?{who}(?!'s){CLAUSE_END}",
            rf"{NO_DEED_OF}\b{word} {who}(?!'s)",
            # one of the Mafia: Ada
            rf"\b(?:one|some|part|members?|leader|head|boss) of the {word}(?: (?:is|was|are|were))?"
            rf"[\W\s]{{1,4}}{who}(?!'s)",
        )
    )


_BEGUN = re.compile("|".join(_spaced(role[:3]) for role in ROLE_WORDS))
"""How a role's word begins: a cheap look for any of them."""
_HELD = {role: re.compile(rf"(?<!\ba )(?<!\bany )(?<!\bevery )(?<!\bno )\b{_spaced(role)}\b") for role in PARTICULAR}
"""A role as somebody holds it: neither several of the kind nor any of them."""
_ROLE = {role: re.compile(rf"\b{word}\b") for role, word in ROLE_WORDS.items()}
