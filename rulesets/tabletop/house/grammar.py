"""What somebody means by what they say they do: at most two acts, each with whom or what it is about.

    parse("I ask Agnes about the clock, and then go to the tower.", scene)

The main verb of a clause comes first in plain English, once what stands before it is taken away ("I would like to",
"can we"). A denied verb is no act. Names are found only among those that the seat may know: nothing else has a meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files

from sottovoce.rulesets.tabletop.rules.lore.facts import OFFICES, Entity
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, content, stem, words

SKILLS = (
    "acrobatics|animal handling|arcana|athletics|deception|history|insight|intimidation|investigation|medicine|nature"
    "|perception|performance|persuasion|religion|sleight of hand|stealth|survival"
)
SPEECH = frozenset({"ask", "talk", "persuade", "lie", "threaten"})
"""Acts that are words to somebody."""


def lists(name: str) -> dict[str, list[str]]:
    """The lists of a file of this package: a topic after `# `, and the lines below it."""
    found: dict[str, list[str]] = {}
    topic = ""
    for line in files("sottovoce.rulesets.tabletop.house").joinpath(name).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            topic = line[2:]
        elif line.strip():
            found.setdefault(topic, []).append(line)
    return found


VERBS = lists("verbs.txt")
"""The verbs of each kind of act, from a file; one that several kinds list belongs to the first of them."""
_LEXICON: dict[str, str] = {}
for _kind, _lines in VERBS.items():
    for _word in " ".join(_lines).split():
        _LEXICON.setdefault(_word, _kind)
_IRREGULAR = {
    "went": "go", "gave": "give", "took": "take", "said": "say", "told": "tell", "spoke": "speak", "hid": "hide",
    "ran": "run", "sat": "sit", "stood": "stand", "kept": "keep", "held": "hold", "saw": "see", "left": "leave",
    "lies": "lie", "lying": "lie", "tries": "try", "carries": "carry", "hurries": "hurry", "studies": "study",
    "buries": "bury", "getting": "get", "sitting": "sit", "running": "run", "cutting": "cut", "digging": "dig",
}  # fmt: skip
_NOUNS = frozenset(
    "hand pay tip watch look search help rest show light lie talk walk question answer offer fight attack"
    " pass step check"
    " roll use wait cover stand head cross play ring point taste smell touch drink name deal trade order"
    " visit run break"
    " burn work mark note call round turn try view notice present lift force free share swing fire return"
    " move charge camp"
    " open close warm ride drive hunt reason bar lock dress count report dance sleep keep claim joke"
    " trick press eye hold"
    " return bow wave smile mention hum guard feed tie fake row clean".split()
)
"""Verbs that are nouns or adjectives as often: after an article they are no act."""
_BEFORE_NOUN = frozenset(
    "the a an my his their our your its this that these no any some of in at with for on from by into"
    " another other each"
    " every first last old new second third good better closer long quick little more most very".split()
)
_AUXILIARY = re.compile(
    r"(?i)^\W*(?:(?:and|but|so|then|now|well|ok(?:ay)?|alright|right|fine|first|next|please|maybe|perhaps"
    r"|instead|finally|just"
    r"|quickly|slowly|quietly|carefully|gently|also|meanwhile|together|hey|oh|no|yes),?\s+)*"
    r"(?:(?:i|we|you all|the party|everyone|everybody)(?:'d| would| will|'ll| shall| could| can| must"
    r"| should|'m| am|'re| are)?\s+)?"
    r"(?:(?:would )?(?:like|love|want|wish|need|have|prefer|try|plan|decide|intend|hope|start|begin|going"
    r"|about|gonna|ready|happy)\s+to\s+"
    r"|let'?s\s+|let us\s+|let me\s+|(?:can|could|may|shall|should|might|do|will) (?:i|we)\s+"
    r"|why don'?t (?:i|we)\s+|how about (?:i|we)?\s*"
    r"|(?:rather|better|also|then|just|now|first|quickly|slowly|quietly|carefully|gently|simply|all|both"
    r"|together|immediately|still)\s+)*"
)
_MY_DEED = re.compile(
    r"(?i)^\W*(?:can|could|may|shall|should|might|will) (?:i|we)\b|^\W*let'?s\b|^\W*(?:why don'?t|how about) (?:i|we)\b"
)
_WH = re.compile(
    r"(?i)^\W*(?:(?:so|and|but|well|now|then|please|tell me|tell us|excuse me|sorry|hello|hi"
    r"|good (?:evening|morning|day)),?\s+)*"
    r"(?:who|whom|whose|what|what's|where|where's|who's|why|when|how|which|is|are|was|were|has|have|had"
    r"|did|does|do|could|can|will"
    r"|would|should|am|any|anyone|anybody)\b"
)
_CUES = {
    kind: re.compile("|".join(lines).replace("{SKILLS}", SKILLS), re.IGNORECASE)
    for kind, lines in lists("cues.txt").items()
}
"""Turns of phrase that say more than their verb does, in the order in which they count."""
_AROUND, _COUNSEL, _REFUSAL, _YES = (_CUES.pop(name) for name in ("around", "counsel", "refusal", "yes"))
_STRONG = tuple(_CUES.items())
_DENIED = re.compile(
    r"(?i)(?:\b(?:do not|don'?t|won'?t|will not|would ?n[o']t|can'?t|cannot|could ?n[o']t|never|not"
    r"|refuse to|refuses to|without|no need to|stop|instead of|rather than|no longer|avoid|nobody|no one"
    r"|decline to|neither|nor|should ?n[o']t|must ?n[o']t|mustn'?t|shouldn'?t|wouldn'?t|couldn'?t"
    r"|does ?n[o']t|doesn'?t)\b)(?:\W+[\w']+){0,3}?\W*$"
)
_QUOTE = re.compile(r"[\"“]([^\"”]*)[\"”]?|(?<!\w)['‘]([^'’]{6,}[.!?,])['’](?!\w)")
_BREAK = re.compile(
    r"(?<=[a-z0-9'”\"?])[.!;]+\s+|\?\s+|\s*;\s*|,?\s+(?:and )?then\s+|,?\s+but\s+"
    r"|,\s+(?=(?:i|we|then|so i|so we)\b )|\s+[-–—]+\s+|:\s+",
    re.IGNORECASE,
)
_AND = re.compile(r",?\s+and\s+(?:(?:i|we|then|also|just)\s+)*(?=([\w']+))", re.IGNORECASE)
_PRONOUNS = {"she": "she", "her": "she", "he": "he", "him": "he", "his": "he", "them": "they", "they": "they"}
_OFFICE_WORDS = {
    other: office
    for office, others in {
        "innkeeper": "landlord landlady barkeep bartender barman barmaid publican host hostess",
        "trader": "shopkeeper",
        "guard": "watchman sentry",
        "healer": "medic mender",
        "constable": "officer policeman",
    }.items()
    for other in others.split()
}
_MEANT = re.compile(r"(?i)\b(?:it|this|that)\b")


@dataclass(frozen=True, slots=True)
class Act:
    """One act. `target` is an entity or a character; `thing` what is given, shown or used; `topic` stems of the rest.

    `meant` says that the target was not named: it is who was spoken to last.
    """

    kind: str
    text: str
    target: str | None = None
    thing: str | None = None
    topic: frozenset[str] = frozenset()
    skill: str = ""
    denied: str = ""
    meant: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """What the words can mean here: entities that may be named, the party's first names, who was spoken to last."""

    entities: tuple[Entity, ...]
    party: Mapping[str, str]
    present: tuple[str, ...] = ()
    last: str | None = None
    speaker: str = ""
    last_thing: str | None = None


@lru_cache(maxsize=4096)
def _lemma(word: str) -> str:
    """The verb that a word is a form of, if it is one of ours."""
    if word in _LEXICON:
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for ending, instead in (
        ("ies", "y"),
        ("es", ""),
        ("s", ""),
        ("ing", ""),
        ("ing", "e"),
        ("ed", ""),
        ("ed", "e"),
        ("d", ""),
    ):
        if word.endswith(ending) and word[: -len(ending)] + instead in _LEXICON and len(word) - len(ending) > 1:
            return word[: -len(ending)] + instead
    return ""


@dataclass(frozen=True, slots=True)
class Named:
    """A name found in a text."""

    start: int
    end: int
    id: str
    kind: str


@lru_cache(maxsize=8192)
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'’])(?:the )?{re.escape(name)}(?:['’]s|s)?(?![\w])")


def named(text: str, scene: Scene) -> list[Named]:
    """The entities and characters that the text names, the longest name first where names overlap."""
    low = text.casefold().replace("’", "'")
    hits: list[tuple[int, int, Named]] = []
    heads: dict[str, list[Entity]] = {}
    for entity in scene.entities:
        for name in entity.names:
            name = name.replace("’", "'")
            if name in low:
                hits += [
                    (-len(name), found.start(), Named(found.start(), found.end(), entity.id, entity.kind))
                    for found in _pattern(name).finditer(low)
                ]
        here = entity.kind in ("part", "thing", "place") or entity.id in scene.present
        last = entity.name.casefold().replace("’", "'").split(" of ")[0].split()[-1]
        if entity.kind in ("part", "thing", "place") and here and last not in entity.names and len(last) > 3:
            heads.setdefault(last, []).append(entity)
        for office in entity.offices if entity.kind == "person" else ():
            heads.setdefault(office, []).append(entity)
    for word, office in _OFFICE_WORDS.items():
        if office in heads and word in low:
            heads.setdefault(word, []).extend(heads[office])
    for head, entities in heads.items():
        near = [each for each in entities if each.id in scene.present] or entities
        if len({each.id for each in near}) == 1 and head in low:
            hits += [
                (-1, found.start(), Named(found.start(), found.end(), near[0].id, near[0].kind))
                for found in _pattern(head).finditer(low)
                if head in OFFICES
                or head in _OFFICE_WORDS
                or re.search(
                    r"\b(?:the|that|this|a|an|to|into) (?:[\w'-]+ )?$",
                    low[: found.start()] + ("the " if low[found.start() :].startswith("the ") else ""),
                )
            ]
    for first, seat in scene.party.items():
        first = first.replace("’", "'")
        if seat != scene.speaker and first.casefold() in low:
            hits += [
                (-len(first) - 1, found.start(), Named(found.start(), found.end(), seat, "companion"))
                for found in _pattern(first.casefold()).finditer(low)
            ]
    taken: list[Named] = []
    for _, _, hit in sorted(hits, key=lambda each: (each[0], each[1], each[2].id)):
        if not any(hit.start < other.end and other.start < hit.end for other in taken):
            taken.append(hit)
    return sorted(taken, key=lambda each: each.start)


def parse(text: str, scene: Scene) -> list[Act]:
    """The acts of a text; `[Act("unsure", …)]` where it has none that is understood."""
    text = " ".join(text.replace("’", "'").split())[:LONGEST]
    own = next((first for first, seat in scene.party.items() if seat == scene.speaker), "")
    if own:
        text = re.sub(rf"^{re.escape(own)} (?:also |then |just )?(?=[a-z])", "", text)
    if not re.search(r"\w", text):
        return [Act("none", text)]
    if _YES.match(text):
        return [Act("yes", text)]
    spoken = [found[1] or found[2] or "" for found in _QUOTE.finditer(text)]
    opened = _called_on(text, scene)
    if opened is not None and not spoken:
        return [opened]
    acts: list[Act] = []
    body = _QUOTE.sub(" ”” ", text)
    for clause in _clauses(body):
        act = _act(clause, scene, acts, spoken)
        if act is not None:
            acts.append(act)
    if spoken and not any(act.kind in SPEECH or act.kind in ("companion", "counsel") for act in acts):
        acts = [act for act in acts if act.kind not in ("unsure", "do", "wait")] + [
            _spoken(" ".join(spoken), text, scene)
        ]
    return _settled(acts, text, spoken)


def _called_on(text: str, scene: Scene) -> Act | None:
    """The act of words that begin with somebody's name and a comma: all of them are said to that one."""
    names = named(text, scene)
    first = _vocative(text, names[:1]) if names else None
    if first is None or (
        text[: first.start].strip()
        and not re.match(r"(?i)(?:hey|psst|so|well|please|excuse|dear|my|good|hello|hi|now|the)\b", text)
    ):
        return None
    rest = text[first.end :].strip(" ,:!-")
    if not text[first.end :].strip().startswith((",", ":", "!", "-", "–")) or not re.search(r"\w", rest):
        return None
    if first.kind == "companion":
        return Act("companion", rest, first.id, topic=_topic(rest, ()))
    kind = next(
        (kind for kind, pattern in _STRONG if kind in ("threaten", "lie", "persuade") and pattern.search(rest)), None
    )
    kind = kind or ("ask" if "?" in rest or re.search(r"(?i)\btell (?:me|us)\b", rest) else "talk")
    act = _aimed(kind, text, names, scene, (), first)
    return replace(act, text=rest)


def _clauses(body: str) -> list[str]:
    found: list[str] = []
    rest = body
    pieces: list[str] = []
    at = 0
    for cut in _BREAK.finditer(rest):
        end = cut.start() + (1 if cut[0].lstrip().startswith("?") else 0)
        pieces.append(rest[at:end])
        at = cut.end()
    pieces.append(rest[at:])
    for piece in pieces:
        start = 0
        for cut in _AND.finditer(piece):
            if _lemma(cut[1].lower()) and cut[1].lower() not in ("light", "present", "open"):
                found.append(piece[start : cut.start()])
                start = cut.end()
        found.append(piece[start:])
    return [clause.strip() for clause in found if re.search(r"\w|”", clause)]


def _act(clause: str, scene: Scene, before: Sequence[Act], spoken: Sequence[str]) -> Act | None:
    names = named(clause, scene)
    vocative = _vocative(clause, names)
    question = clause.rstrip(" ”\"'").endswith("?")
    companion = next(
        (each for each in names if each.kind == "companion" and (each == vocative or _addressed(clause, each))), None
    )
    if companion is not None:
        return Act("companion", clause, companion.id, topic=_topic(clause, (companion,)))
    if vocative is None and _COUNSEL.search(clause) and not any(each.kind == "person" for each in names):
        return Act("counsel", clause, topic=_topic(clause, ()))
    if vocative is None and _AROUND.search(clause):
        return _aimed("look", clause, names, scene, before)
    if (
        _REFUSAL.match(clause)
        and not question
        and not re.match(r"(?i)\W*no,? (?:i|we|let)\b(?!'d rather not| won't| don't)", clause)
    ):
        return Act("no", clause, topic=_topic(clause, names))
    if re.match(r"(?i)\W*(?:instead of|rather than|nobody|no one)\b", clause) and "?" not in clause:
        return Act("no", clause, topic=_topic(clause, names))
    kind, denied = _verb(clause)
    roll = kind == "roll"
    wh = (
        _WH.match(clause) is not None
        or re.match(
            r"(?i)\W*[\w'. -]{2,30}, ?(?:who|what|where|why|when|how|is|are|was|were|do|did|does|has|have"
            r"|can|could|will|would|tell)\b",
            clause,
        )
        is not None
    )
    mine = bool(_MY_DEED.match(clause))
    if (
        ((question and wh) or (question and kind is None) or (question and vocative is not None))
        and not (mine and kind)
        and not roll
    ):
        return _aimed("ask", clause, names, scene, before, vocative)
    if wh and not mine and kind in (None, "ask", "talk") and before and before[-1].kind in SPEECH:
        return None
    if kind is None:
        if denied:
            return Act("no", clause, denied=denied, topic=_topic(clause, names))
        if "”” " in f"{clause} " and spoken and not content(clause.replace("”", "")):
            return None
        if vocative is not None:
            return _aimed("talk", clause, names, scene, before, vocative)
        if names and before and before[-1].kind == "no":
            return _aimed({"person": "talk", "thing": "look"}.get(names[0].kind, "go"), clause, names, scene, ())
        if (
            names
            and not before
            and len(content(clause)) <= len(content(" ".join(clause[n.start : n.end] for n in names))) + 1
        ):
            bare = {
                "person": "talk",
                "thing": "look",
                "part": "go",
                "place": "go",
                "group": "ask",
                "companion": "companion",
            }
            return _aimed(bare[names[0].kind], clause, names, scene, before)
        if before:
            return None
        return Act("unsure", clause, topic=_topic(clause, names))
    if kind == "talk" and before and before[-1].kind in ("lie", "persuade", "threaten"):
        return None
    skill = re.search(rf"(?i)\b({SKILLS})\b", clause)
    act = _aimed(kind, clause, names, scene, before, vocative)
    return replace(act, skill=skill[1].casefold()) if skill and roll else act


def _verb(clause: str) -> tuple[str | None, str]:
    """The main act of a clause, and an act that it denies."""
    strong, denied = _cued(clause)
    weak = None
    for at, kind in _verbs_of(clause):
        if _DENIED.search(clause[:at]):
            denied = denied or kind
        elif weak is None:
            weak = (at, kind)
    firm = next((kind for _, kind in strong if kind in _FIRM), None)
    if firm:
        return firm, denied
    before = [each for each in strong if weak is None or each[0] <= weak[0]]
    if before:
        return _first(before), denied
    if weak is None:
        return None, denied
    for at, kind in strong:
        close = at - weak[0] <= 14
        if (close and (weak[1], kind) in _OUTDONE) or (
            close and kind in ("hide", "persuade", "search") and weak[1] in _LIGHT
        ):
            return kind, denied
    return weak[1], denied


_FIRM = ("end", "roll", "threaten", "lie", "attack")
"""Cues that count wherever in the clause they stand."""
_LIGHT = ("go", "talk", "use", "take", "wait", "look")
"""Acts that only lead up to what the rest of the clause says."""
_OUTDONE = frozenset((weak, kind) for weak in ("go", "wait", "take") for kind in ("look", "give", "ask"))
_OTHERS = frozenset("she he they it who that which you someone somebody everyone".split())
"""Subjects whose deeds are not the speaker's."""
_HELPING = frozenset("make get keep hold see point do try free".split())


def _cued(clause: str) -> tuple[list[tuple[int, str]], str]:
    """The turns of phrase of a clause by where they stand, and the first of those that are denied."""
    strong: list[tuple[int, str]] = []
    denied = ""
    for kind, pattern in _STRONG:
        found = pattern.search(clause)
        if found is None:
            continue
        if _DENIED.search(clause[: found.start()]) and kind != "wait":
            denied = denied or kind
        else:
            strong.append((found.start(), kind))
    return sorted(strong, key=lambda each: each[0]), denied


def _verbs_of(clause: str) -> Iterator[tuple[int, str]]:
    """The verbs of a clause that can be the party's own, in order."""
    lead = _AUXILIARY.match(clause)
    skip = min(lead.end() if lead else 0, len(clause))
    previous = ""
    begun = False
    for word in re.finditer(r"[\w']+", clause):
        low = word[0].lower()
        lemma = _lemma(low)
        noun = previous in _BEFORE_NOUN and (low in _NOUNS or lemma in _NOUNS or low.endswith("ing"))
        other = previous in _OTHERS and not begun
        helping = lemma in _HELPING and _later(clause, word.end())
        if lemma and word.start() >= skip and not (noun or other or helping or (begun and previous == "to")):
            begun = True
            yield word.start(), _LEXICON[lemma]
        previous = low


def _first(strong: Sequence[tuple[int, str]]) -> str:
    """The cue that counts among those that begin alike: the order of the table breaks the tie."""
    rank = {kind: place for place, (kind, _) in enumerate(_STRONG)}
    return min(strong, key=lambda each: (each[0], rank[each[1]]))[1]


def _later(clause: str, at: int) -> bool:
    """Whether another verb of ours follows soon, so that this one only helps it."""
    return any(_lemma(word.lower()) for word in re.findall(r"[\w']+", clause[at:])[:3])


def _vocative(clause: str, names: Sequence[Named]) -> Named | None:
    """Who is spoken to by name: at the beginning before a comma, or at the end after one."""
    for each in names:
        if each.kind not in ("person", "companion"):
            continue
        head, tail = clause[: each.start].strip(" ”\"'"), clause[each.end :].strip(" ”\"'")
        opener = re.fullmatch(
            r"(?i)(?:(?:hey|psst|so|and|but|well|please|excuse me|dear|my dear|tell me|good (?:evening"
            r"|morning|day)|hello|hi|thank you|thanks|sorry|listen|look|trust me|come|now|yes"
            r"|no),? ?)*(?:the )?",
            head,
        )
        if opener and tail.startswith((",", ":", "!", "-", "–", "?")) and tail.strip("!?.,"):
            return each
        if re.search(r",(?: dear| my| good| old)*$", head) and not tail.strip("?!. "):
            return each
    return None


def _addressed(clause: str, name: Named) -> bool:
    before = clause[: name.start]
    return bool(
        re.search(
            r"(?i)\b(?:ask|asks|tell|tells|turn to|turns to|whisper to|talk to|talk with|speak to"
            r"|speak with|say to|says to|look to|consult|question|chat with|nudge|confer with|check with"
            r"|remind)\s+$",
            before,
        )
    )


def _aimed(
    kind: str, clause: str, names: Sequence[Named], scene: Scene, before: Sequence[Act], vocative: Named | None = None
) -> Act:
    """The act with whom or what it is about."""
    people = [each for each in names if each.kind == "person"]
    things = [each for each in names if each.kind == "thing"]
    places = [each for each in names if each.kind in ("place", "part")]
    target: Named | None = vocative
    if target is None and kind in SPEECH | {"show", "give", "attack", "help"}:
        after = [
            each
            for each in people
            if re.search(
                r"(?i)\b(?:ask|asks|tell|tells|to|with|at|from|give|gives|show|shows|hand|hands|offer"
                r"|offers|pay|help|helps|for|attack|convince|persuade|threaten|question|of|warn|greet"
                r"|thank|reassure|assure|promise|beg|calm|buy|bribe|intimidate)\s+$",
                clause[: each.start],
            )
        ]
        if kind == "ask" and not re.search(
            r"(?i)\b(?:ask|question|tell|find out from|from|inquire|interrogate|speak|talk|want to know from)", clause
        ):
            after = []
        if kind == "ask" and after:
            after = [
                each
                for each in after
                if not re.search(r"(?i)\b(?:about|of|who) (?:[\w']+ )?(?:to |of )?$", clause[: each.start])
            ] or []
        target = after[0] if after else None
        if target is None and people and kind != "ask":
            target = people[0]
        if target is None and kind in ("attack", "help"):
            target = (things + places)[0] if things + places and kind == "attack" else None
    elif target is None and kind == "go":
        target = next(iter(places + people + things), None)
    elif target is None and kind in ("take", "use", "hide"):
        target = (things + places + people)[0] if things + places + people else None
    elif target is None:
        target = names[0] if names else None
    found = target.id if target else None
    meant = False
    if found is None and kind in SPEECH | {"show", "give", "attack", "help", "look"}:
        found = _meant(clause, scene, before, kind)
        meant = found is not None
    thing = things[0].id if things and (target is None or things[0].id != target.id) else None
    if thing is None and kind in ("show", "give") and _MEANT.search(clause):
        thing = scene.last_thing
    if kind in ("use", "take", "look", "hide", "attack") and found is None and _MEANT.search(clause):
        found = (
            next((act.target or act.thing for act in reversed(before) if act.target or act.thing), None)
            or scene.last_thing
        )
    about = [each for each in names if target is None or each != target]
    topic = _topic(clause, [target] if target else ())
    return Act(kind, clause, found, thing or next((each.id for each in about), None), topic, meant=meant)


def _meant(clause: str, scene: Scene, before: Sequence[Act], kind: str) -> str | None:
    """Who a pronoun stands for, or who is spoken to where nobody is named."""
    pronoun = next((_PRONOUNS[word] for word in words(clause) if word in _PRONOUNS), None)
    people = {each.id: each for each in scene.entities if each.kind == "person"}
    earlier = next((act.target for act in reversed(before) if act.target in people), None)
    for candidate in (earlier, scene.last, *scene.present):
        if candidate in people and pronoun and people[candidate].pronoun in (pronoun, "they"):
            return candidate
    if (kind in SPEECH and not pronoun) or (kind in SPEECH and kind != "ask"):
        if earlier:
            return earlier
        return scene.last if scene.last in scene.present else None
    return None


_NO_TOPIC = frozenset({"ask", "talk", "persuade", "look", "search", "go", "wait"})


def _topic(clause: str, without: Iterable[Named | None]) -> frozenset[str]:
    """The stems that say what it is about."""
    text = clause
    for each in sorted((one for one in without if one), key=lambda one: -one.start):
        text = f"{text[: each.start]} {text[each.end :]}"
    return frozenset(
        stem(word) for word in content(text) if len(word) > 2 and _LEXICON.get(_lemma(word)) not in _NO_TOPIC
    )


def _spoken(speech: str, text: str, scene: Scene) -> Act:
    """Words in quotation marks, said to somebody."""
    names = named(text, scene)
    kind = "ask" if "?" in speech else "talk"
    companion = next((each for each in names if each.kind == "companion"), None)
    if companion and not any(each.kind == "person" for each in names):
        return Act("companion", speech, companion.id, topic=_topic(speech, ()))
    inner = [act for act in (_act(clause, scene, (), ()) for clause in _clauses(speech)) if act is not None]
    firm = next((act for act in inner if act.kind in ("persuade", "lie", "threaten", "companion", "counsel")), None)
    act = firm or _aimed(kind, speech, named(speech, scene), scene, ())
    person = next((each.id for each in names if each.kind == "person"), None)
    asked = next((each.target for each in inner if each.target and each.kind in SPEECH), None)
    return replace(act, target=act.target or asked or person)


def _settled(acts: list[Act], text: str, spoken: Sequence[str]) -> list[Act]:
    said = " ".join(spoken)
    acts = [
        replace(act, topic=act.topic | _topic(said, ()), text=f"{act.text} “{said}”")
        if said and act.kind in SPEECH and "”" in act.text
        else act
        for act in acts
    ]
    real = [act for act in acts if act.kind not in ("unsure", "none")]
    if not real:
        return [acts[0] if acts else Act("unsure", text)]
    doing = [act for act in real if act.kind != "no"] or real
    found: list[Act] = []
    for act in doing:
        same = next(
            (
                place
                for place, each in enumerate(found)
                if each.kind == act.kind or {each.kind, act.kind} <= {"ask", "talk"}
            ),
            None,
        )
        if same is None:
            found.append(act)
        elif act.kind == "ask" or found[same].kind == act.kind:
            first = found[same]
            kind = "ask" if "ask" in (first.kind, act.kind) else act.kind
            found[same] = replace(
                first,
                kind=kind,
                target=first.target or act.target,
                thing=first.thing or act.thing,
                topic=first.topic | act.topic,
                text=f"{first.text}. {act.text}",
            )
    if [act.kind for act in found[:2]] == ["wait", "look"] and found[1].target is None:
        return found[:1]
    return found[:2]
