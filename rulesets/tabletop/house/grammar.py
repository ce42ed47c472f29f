"""What somebody means by what they say they do: at most two acts, each with whom or what it is about.

    parse("I ask Agnes about the clock, and then go to the tower.", scene)

The main verb of a clause comes first in plain English, once what stands before it is taken away ("I would like to",
"can we"). A denied verb is no act. Names are found only among those that the seat may know: nothing else has a meaning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sottovoce.rulesets.tabletop.house.addressees import to_the_party
from sottovoce.rulesets.tabletop.house.asides import aside_in
from sottovoce.rulesets.tabletop.house.targets import SPEECH, Act, Scene, addressed, aimed, called_in, named, topic_in
from sottovoce.rulesets.tabletop.house.verbs import AROUND, COUNSEL, REFUSAL, SKILLS, STRONG, YES, lemma_of, verb_of
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, content

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


_PLAIN_DEED = re.compile(
    r"(?i)^\W*(?:then |now |so |and )?(?:i|we) (?!am\b|are\b|was\b|were\b|have\b|had\b|do\b|did\b|don't\b|didn't\b"
    r"|think\b"
    r"|know\b|want\b|need\b|like\b|love\b|hate\b|believe\b|guess\b|hope\b|mean\b|suppose\b|feel\b|can\b|can't\b|could\b"
    r"|will\b|won't\b|would\b|wouldn't\b|shall\b|should\b|must\b|might\b|may\b|never\b|just\b|really\b|also\b|still\b)"
    r"[a-z]{3,} (?:[a-z]+ )?(?:the|an?|my|our|his|her|their|its|this|that|these|those|some|any|it|him|them|up|down"
    r"|out|in|on|off"
    r"|to|at|over|back|away|around|about|into|onto|with|from|for|towards?|through|along|across)\b"
)
"""A deed with a verb that is none of ours: `I switch on the lamp`."""


_ASKS = re.compile(
    r"(?i)^\W*(?:so |and |but |well |now )?(?:who|what|when|where|why|how|which|whose)(?:'s|'re|'d)?\b"
    r"(?!.*, ?(?:i|we)\b)(?! (?:i|we) (?:do|want|mean|need)\b)"
)
"""A question, though it has no mark at its end."""
_SAYS = re.compile(
    r"(?i)^\W*(?:(?:that|this|it|he|she|they|you|there|nobody|everybody|my|our|your)(?:'s|'re|'ll|'d)?|thank|thanks"
    r"|sorry|please"
    r"|i'm|i am|we're|we are|liar|coward|traitor|murderer|fool|thief|welcome|goodbye|farewell)\b"
)
"""Words that are said, and no deed."""
_OF_THEM = re.compile(
    r"(?i)^\W*(?:can|could|do|did|are|were|have|will|would) you (?:read|speak|know|like|live|have|remember|swim)\b"
)
_OF_YOU = re.compile(
    r"(?i)^\W*(?:you|you're|you've|you'll|(?:he|she)(?:'s| is| was)? (?:\w+ )?(?:lying|hiding|guilty|lied|did it"
    r"|knows))\b(?! (?:see|hear|go|can)\b)"
)
"""What is said of whoever is spoken to, and is no deed of the party."""


_QUOTE = re.compile(r"[\"“]([^\"”]*)[\"”]?|(?<!\w)['‘]([^'’]{6,}[.!?,])['’](?!\w)")


_CONDITION = re.compile(r"(?i)(^|[.;!?]\s+)(?:if|when|once|as soon as|unless) [^,.;!?]{2,60},\s*(?=(?:i|we)\b)")
"""What a deed waits for: the deed is done all the same."""
_CLOSEST = re.compile(
    r"(?i)\b(?:(?:whoever|anyone|anybody|someone|somebody)(?: who)? (?:is|stands|sits)"
    r" (?:closest|nearest|nearby|near|here)"
    r"|(?:anyone|anybody|someone|somebody) nearby|the (?:first|next|nearest|closest) (?:person|one)"
    r"(?: (?:i|we) (?:meet|see))?)\b"
)
"""Whoever it is that stands next to one."""
_BREAK = re.compile(
    r"(?<=[a-z0-9'”\"?])[.!;]+\s+|\?\s+|\s*;\s*|,?\s+(?:and )?then\s+|,?\s+but\s+"
    r"|,\s+(?=(?:i|we|then|so i|so we)\b )|\s+[-–—]+\s+|:\s+",
    re.IGNORECASE,
)


_AND = re.compile(r",?\s+and\s+(?:(?:i|we|then|also|just)\s+)*(?=([\w']+))", re.IGNORECASE)


_TYPED = {
    "u": "you",
    "ur": "your",
    "pls": "please",
    "plz": "please",
    "thx": "thanks",
    "ty": "thanks",
    "r": "are",
    "y": "why",
}
_TYPED_WORD = re.compile(r"(?i)(?<![\w'.-])(?:u|ur|pls|plz|thx|ty|r(?= u\b)|y(?= u\b))(?![\w'.-])")


def _as_written(text: str) -> str:
    """A text with the short forms that people type written out: `u there?`."""
    return _TYPED_WORD.sub(lambda found: _TYPED[found[0].lower()], text)


def parse(text: str, scene: Scene) -> list[Act]:
    """The acts of a text; `[Act("unsure", …)]` where it has none that is understood."""
    text = _as_written(" ".join(text.replace("’", "'").split())[:LONGEST])
    own = next((first for first, seat in scene.party.items() if seat == scene.speaker), "")
    told = False
    if own:
        bare = re.sub(rf"^{re.escape(own)} (?:also |then |just )?(?=[a-z])", "", text)
        told, text = bare != text, bare
        if re.match(rf"(?:I (?:ask|tell|turn to) )?{re.escape(own)}\b\s*(?:,|to\b|if\b|what\b)", text):
            # words to oneself are words to the whole party
            return [Act("counsel", text, topic=topic_in(text, ()))]
    if not re.search(r"\w", text):
        return [Act("none", text)]
    if YES.match(text):
        return [Act("yes", text)]
    said, text = ([], text) if told else to_the_party(text, scene)
    if not text:
        return said
    text = _CLOSEST.sub("the person", _CONDITION.sub(r"\1", text))
    if said:
        return [*[act for act in parse(text, replace(scene, mate=None)) if act.kind != "unsure"], *said]
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
        elif acts and acts[-1].kind in SPEECH:
            acts[-1] = replace(acts[-1], topic=acts[-1].topic | topic_in(clause, ()))
    if spoken and not any(act.kind in SPEECH or act.kind in ("companion", "counsel") for act in acts):
        acts = [act for act in acts if act.kind not in ("unsure", "do", "wait")] + [
            _spoken(" ".join(spoken), text, scene)
        ]
    return _settled(acts, text, spoken)


def _called_on(text: str, scene: Scene) -> Act | None:
    """The act of words that begin with somebody's name and a comma: all of them are said to that one."""
    names = named(text, scene)
    first = called_in(text, names[:1]) if names else None
    if first is None or (
        text[: first.start].strip()
        and not re.match(r"(?i)(?:hey|psst|so|well|please|excuse|dear|my|good|hello|hi|now|the)\b", text)
    ):
        return None
    rest = text[first.end :].strip(" ,:!-")
    if not text[first.end :].strip().startswith((",", ":", "!", "-", "–")) or not re.search(r"\w", rest):
        return None
    if first.kind == "companion":
        return Act("companion", rest, first.id, topic=topic_in(rest, ()))
    kind = next(
        (kind for kind, pattern in STRONG if kind in ("threaten", "lie", "persuade") and pattern.search(rest)), None
    )
    kind = kind or ("ask" if "?" in rest or re.search(r"(?i)\btell (?:me|us)\b", rest) else "talk")
    act = aimed(kind, text, names, scene, (), first)
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
            if lemma_of(cut[1].lower()) and cut[1].lower() not in ("light", "present", "open"):
                found.append(piece[start : cut.start()])
                start = cut.end()
        found.append(piece[start:])
    return [clause.strip() for clause in found if re.search(r"\w|”", clause)]


def _act(clause: str, scene: Scene, before: Sequence[Act], spoken: Sequence[str]) -> Act | None:
    names = named(clause, scene)
    vocative = called_in(clause, names)
    question = clause.rstrip(" ”\"'").endswith("?") or bool(_OF_THEM.match(clause)) or _ASKS.match(clause) is not None
    companion = next(
        (each for each in names if each.kind == "companion" and (each == vocative or addressed(clause, each))), None
    )
    if companion is not None:
        return Act("companion", clause, companion.id, topic=topic_in(clause, (companion,)))
    if vocative is None and aside_in(clause):
        return aimed("aside", clause, names, scene, before)
    asked = scene.spoken in scene.present and re.search(r"(?i)\bwhat do you (?:want|need)\b", clause)
    if vocative is None and not asked and COUNSEL.search(clause) and not any(each.kind == "person" for each in names):
        return Act("counsel", clause, topic=topic_in(clause, ()))
    if vocative is None and AROUND.search(clause):
        return aimed("look", clause, names, scene, before)
    if (
        REFUSAL.match(clause)
        and not question
        and not re.match(r"(?i)\W*no,? (?:i|we|let)\b(?!'d rather not| won't| don't)", clause)
    ):
        return Act("no", clause, topic=topic_in(clause, names))
    if re.match(r"(?i)\W*(?:instead of|rather than|nobody|no one)\b", clause) and "?" not in clause:
        return Act("no", clause, topic=topic_in(clause, names))
    kind, denied = verb_of(clause)
    if not question and kind not in ("persuade", "threaten", "ask", "end") and _OF_YOU.match(clause):
        kind = "talk"
    friend = next((each for each in names if each.kind == "companion"), None)
    alone = friend is not None and not any(each.kind == "person" for each in names)
    if friend is not None and alone and kind in ("give", "show", "help", "use", "talk") and not question:
        return Act("companion", clause, friend.id, topic=topic_in(clause, (friend,)))
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
        return aimed("ask", clause, names, scene, before, vocative)
    if wh and not mine and kind in (None, "ask", "talk") and before and before[-1].kind in SPEECH:
        return None
    if kind is None:
        if denied:
            return Act("no", clause, denied=denied, topic=topic_in(clause, names))
        if "”” " in f"{clause} " and spoken and not content(clause.replace("”", "")):
            return None
        if vocative is not None:
            return aimed("talk", clause, names, scene, before, vocative)
        if names and before and before[-1].kind == "no":
            return aimed({"person": "talk", "thing": "look"}.get(names[0].kind, "go"), clause, names, scene, ())
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
            return aimed(bare[names[0].kind], clause, names, scene, before)
        if _SAYS.match(clause) and scene.last in scene.present:
            return aimed("talk", clause, names, scene, before)
        if _PLAIN_DEED.match(clause) and not question:
            return aimed("do", clause, names, scene, before)
        if before:
            return None
        return Act("unsure", clause, topic=topic_in(clause, names))
    if kind == "talk" and before and before[-1].kind in ("lie", "persuade", "threaten"):
        return None
    skill = re.search(rf"(?i)\b({SKILLS})\b", clause)
    act = aimed(kind, clause, names, scene, before, vocative)
    return replace(act, skill=skill[1].casefold()) if skill and roll else act


def _spoken(speech: str, text: str, scene: Scene) -> Act:
    """Words in quotation marks, said to somebody."""
    names = named(text, scene)
    kind = "ask" if "?" in speech else "talk"
    companion = next((each for each in names if each.kind == "companion"), None)
    if companion and not any(each.kind == "person" for each in names):
        return Act("companion", speech, companion.id, topic=topic_in(speech, ()))
    inner = [act for act in (_act(clause, scene, (), ()) for clause in _clauses(speech)) if act is not None]
    firm = next((act for act in inner if act.kind in ("persuade", "lie", "threaten", "companion", "counsel")), None)
    within = named(speech, scene)
    vocative = called_in(speech, within)
    vocative = vocative if vocative is not None and vocative.kind == "person" else None
    act = firm or aimed(kind, speech, within, scene, (), vocative)
    person = next((each.id for each in names if each.kind == "person"), None)
    asked = next((each.target for each in inner if each.target and each.kind in SPEECH), None)
    return replace(act, target=act.target or asked or person)


def _settled(acts: list[Act], text: str, spoken: Sequence[str]) -> list[Act]:
    said = " ".join(spoken)
    acts = [
        replace(act, topic=act.topic | topic_in(said, ()), text=f"{act.text} “{said}”")
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
            joined = "\n" if act.kind == "aside" else ". "
            kind = "ask" if "ask" in (first.kind, act.kind) else act.kind
            found[same] = replace(
                first,
                kind=kind,
                target=first.target or act.target,
                thing=first.thing or act.thing,
                topic=first.topic | act.topic,
                text=f"{first.text}{joined}{act.text}",
            )
    if [act.kind for act in found[:2]] in (["wait", "look"], ["hide", "look"]) and found[1].target is None:
        return found[:1]
    if [act.kind for act in found[:2]] == ["companion", "ask"] and found[1].target is None:
        return [replace(found[0], text=f"{found[0].text} {found[1].text}", topic=found[0].topic | found[1].topic)]
    return found[:2]
