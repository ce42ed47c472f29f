"""What somebody means by what they say they do: at most four acts, each with whom or what it is about.

    parse("I ask Agnes about the clock, and then go to the tower.", scene)

The main verb of a clause comes first in plain English, once what stands before it is taken away ("I would like to",
"can we"). A denied verb is no act. Names are found only among those that the seat may know: nothing else has a meaning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sottovoce.rulesets.tabletop.house.addressees import to_the_party
from sottovoce.rulesets.tabletop.house.asides import aside_in, without_preface
from sottovoce.rulesets.tabletop.house.clauses import clauses, condition_in, planned, spelled, without_aim
from sottovoce.rulesets.tabletop.house.speeches import PLAIN_DEED, YOU_ARE, is_words, reads_as_words, words_to
from sottovoce.rulesets.tabletop.house.targets import SPEECH, Act, Scene, addressed, aimed, called_in, named, topic_in
from sottovoce.rulesets.tabletop.house.telling import unquoted
from sottovoce.rulesets.tabletop.house.utterances import ASIDES, QUESTIONS, is_gesture, is_said, kind_of, plainly
from sottovoce.rulesets.tabletop.house.verbs import AROUND, COUNSEL, REFUSAL, SKILLS, STRONG, YES, lemma_of, verb_of
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, content, words
from sottovoce.rulesets.tabletop.shown.deeds import VERBS

_MY_DEED = re.compile(
    r"(?i)^\W*(?:can|could|may|shall|should|might|will) (?:i|we)\b|^\W*let'?s\b|^\W*(?:why don'?t|how about) (?:i|we)\b"
)


_GREETING = re.compile(
    r"(?i)^\W*(?:(?:hello|hi|hey|good (?:morning|day|afternoon|evening)|morning|evening"
    r"|afternoon)(?: there)?[,!.] (?=(?:we|i|is|are|do"
    r"|can|could|what|where|who|how|got|any)\b[^?!.]* \w+ \w+)|(?:listen|look here|see here|hear me out)(?: to me| up"
    r"| here)?"
    r"(?:,? (?:old man|old woman|friend|sir|madam|mate|lad|girl|you))?[,.!:] (?=\w+ \w+))"
)
"""A greeting before what is really said."""
_GROPES = re.compile(r"(?i)^\W*(?:i|we) (?:then |carefully )?feel (?:around|about|along|for|under|inside|with)\b")
_GOING = re.compile(
    r"(?i)^\W*(?:(?:ok|okay|right|so|then|now|and|well|everyone|come on)\W+){0,3}(?:i'm|we're|i am|we are) (?:off"
    r"|going|heading|walking"
    r"|climbing|moving)\b(?! to (?!the\b|a\b|an\b|that\b|our\b|bed\b|(?-i:[A-Z]))| home\b)(?: (?:back|straight|over"
    r"|right|on))? (?:to|in|into|up|down|out|over|after|back"
    r"|through|across|inside|outside|upstairs|downstairs)\b"
)
"""Where one is going just now: `we're off to the tower`."""
_SOME_DAY = re.compile(
    r"(?i)^\W*(?:i|we)(?:'ll| will| shall)\b[^.?!]*\b(?:tomorrow|another (?:time|day)|some ?day|next (?:time|week)"
    r"|one day)\b"
)
"""What is promised for later."""
_MAY_WE = re.compile(
    r"(?i)^\W*(?:(?:so|and|ok|well|then|please),? )*(?:can|could|may|might) (?:i|we) (?:please |maybe |perhaps )?"
    r"(?:get|have|buy|rent|order|borrow|use|stay|sleep|come in|sit|see your|speak|talk|ask|leave|put up)\b"
)
"""A deed that somebody of the place has to allow."""
_WH = re.compile(
    r"(?i)^\W*(?:(?:so|and|but|well|now|then|please|tell me|tell us|excuse me|sorry|hello|hi"
    r"|good (?:evening|morning|day)),?\s+)*"
    r"(?:who|whom|whose|what|what's|where|where's|who's|why|when|how|which|is|are|was|were|has|have|had"
    r"|did|does|do|could|can|will"
    r"|would|should|am|any|anyone|anybody)\b"
)


_ASKS = re.compile(
    r"(?i)^\W*(?:so |and |but |well |now )?(?:who|what|when|where|why|how|which|whose)(?:'s|'re|'d)?\b"
    r"(?!.*, ?(?:i|we)\b)(?! (?:i|we) (?:do|want|mean|need)\b)"
)
"""A question, though it has no mark at its end."""
_OF_THEM = re.compile(
    r"(?i)^\W*(?:can|could|do|did|are|were|have|will|would) you (?:read|speak|know|like|live|have|remember|swim)\b"
    r"|^\W*(?:(?:and|so|but) )?(?:are|were|have|did|do|don't|didn't|aren't|haven't) you (?!all\b|two\b|guys\b"
    r"|three\b)[a-z]"
)
_OF_YOU = re.compile(
    r"(?i)^\W*(?:you|you're|you've|you'll|(?:he|she)(?:'s| is| was)? (?:\w+ )?(?:lying|hiding|guilty|lied|did it"
    r"|knows))\b(?! (?:see|hear|go|can)\b)"
)
"""What is said of whoever is spoken to, and is no deed of the party."""


_PRONOUN = re.compile(r"(?i)\b(?:him|her|them)\b")
_OWN_VERB = re.compile(
    r"(?i)\W*(?:(?:then|now|so|and|ok|okay|well|first|right|fine|just),? )*(?:i|we|let's|let us)(?:'d|'ll|'m"
    r"|'re| would| will| am"
    r"| are| should| must| can| could)?(?: (?:like|want|going|need|have|try|rather|then|just|also|quickly"
    r"|quietly|slowly"
    r"|carefully|gently|to|and))* ([a-z]+)\b"
)
"""The first verb of a deed of one's own."""
_OF_SOMEBODY = re.compile(
    r"(?i)\bwhat (?:do|would|did) you (?!(?:all|two|guys|three|lot)\b)(?!think\W*$)"
    r"|\b(?:are|do|have|did|can) you (?!all\b|two\b|guys\b)|\b(?:can|could|may|might) (?:i|we) (?:please "
    r"|perhaps )?(?:borrow|have|get|buy|rent"
    r"|hire|stay|sleep|come in|use|ask)\b"
)
"""What is asked of whoever is spoken to, and not of one's own people."""
_NO_ATTACK = re.compile(
    r"(?i)^\W*(?:i|we) (?:have |had |never |'ve )?(?!need|speed|shed)[a-z]+(?:ed|illed|ought|truck)\b|\b(?:no"
    r"|any) harm\b"
    r"|^\W*(?:nobody|no one|somebody|someone|he|she|they|it|who)\b"
)
"""What speaks of blows and strikes none: `we killed nobody`, `no harm`."""
_WAS_NOT = re.compile(
    r"(?i)^\W*(?:i|we|he|she|they|it) (?:did not|didn't|have not|haven't|never|was not|wasn't|weren't)\b"
)
_ASKED_TO = re.compile(
    r"(?i)\basks? (?!(?:what|who|where|when|why|how|whether|if|about|for)\b)(?:[\w'-]+ ){1,4}?to (?!know\b|hear\b"
    r"|see (?:what|who|if)\b|find\b|learn\b|speak\b|talk\b)\w+"
)
"""What somebody is asked to do, and not to tell."""
_SEAT = re.compile(r"(?i)\bis (?:this|that) (?:seat|place|chair|table) (?:taken|free)\b")
_CALLS = re.compile(r"(?i)^\W*(?:(?:hello|hey|hallo|hi|good \w+|anybody|anyone|is|there|somebody|home|here|in)\b\W*)+$")
_LEAVE = re.compile(
    r"(?i)^\W*(?:(?:so|and|ok|well|please|excuse me),? )?(?:may|can|could|might|mind if|do you mind if"
    r"|is it ok(?:ay)? if|would you mind if)"
    r" (?:i|we) (?:please |at least |just )?(?:finish|sit|join|borrow|come in|have|stay|sleep|use your|ask you"
    r"|buy you|keep|trouble you|leave|go(?= now| then|\W*$))\b"
)
"""What somebody is asked leave for: `May I sit with you?`"""
_CUT_SHORT = re.compile(
    r"(?i)^\W*(?:(?:so|and|but|well|hey),? )?(?:got|heard|seen|any|anything|ever|fancy|care|mind if|still|everything"
    r"|all) .*\?"
)
"""A question without its first words: `Got a table for four?`"""
_BY_US = re.compile(
    r"(?i)\W{0,9}(?:(?:then|and|so|now|but|ok|okay|well|just),? ){0,4}(?:i|we|let|let's|i'll|we'll|i'd|we'd|i'm"
    r"|we're)\b"
)
_DICED = frozenset({"persuade", "lie", "threaten", "end", "roll"})
"""Acts that their turns of phrase make sure of, whatever else the words could be."""
_HABIT = re.compile(r"(?i)^\W*(?:i|we) (?:get|am|are|always|never|sometimes|usually|often|tend)\b")


_QUOTE = re.compile(r"[\"“]([^\"”]*)[\"”]?|(?<!\w)['‘]([^'’]{6,}[.!?,])['’](?!\w)")


_CONDITION = re.compile(r"(?i)(^|[.;!?]\s+)(?:when|once|as soon as) [^,.;!?]{2,60},\s*(?=(?:i|we)\b)")
"""What a deed waits for: the deed is done all the same."""
_ANY = re.compile(
    r"(?i)\W*(?:(?:and|so|now|ok|well|hm+|but|is there|are there|do (?:i|we) (?:see|find|notice|spot)"
    r"|can (?:i|we) (?:see|find|spot)),? )*anything (?:odd|strange|unusual|suspicious|out of (?:the ordinary|place)"
    r"|interesting|useful|hidden|valuable|missing|wrong|worth (?:taking|seeing))\b(?!.*\b(?:you|your)\b)"
)
"""A question that a search answers: `anything odd?`"""
_BEFORE = re.compile(r"(?i)^\W*before (?:i|we) [^,.;!?]{2,50}?(?:, | (?=(?:i|we)\b))")
"""What is not done yet."""
_OF_IT = re.compile(r"(?i)\W*(?:it|that|this|he|she|they)\b")
_TRY = re.compile(
    r"(?i)(\blet's |\blets |\b(?:i|we)(?:'ll| could)? )(?:try|check out) (?=(?:the|that) (?:[\w' -]{1,24} )?(?:inn"
    r"|pub|tavern"
    r"|market|tower|church|chapel|house|hall|mill|manor|shop|orchard|village|town|square|bridge|shrine|temple)\b"
    r"|(?:the )?(?-i:[A-Z]))"
)
"""Ways to say that one goes to a place."""
_CLOSEST = re.compile(
    r"(?i)\b(?:(?:whoever|anyone|anybody|someone|somebody)(?: who)? (?:is|stands|sits)"
    r" (?:closest|nearest|nearby|near|here)"
    r"|(?:anyone|anybody|someone|somebody) nearby|the (?:first|next|nearest|closest) (?:person|one)"
    r"(?: (?:i|we) (?:meet|see))?)\b"
)
"""Whoever it is that stands next to one."""


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


_UNMARKED = re.compile(
    r"(?i)(?:(?:and|but|so|well|ok),? )?(?:(?:did|does|do|is|are|was|were|has|had|have|can|could|will|would|should)"
    r" (?:he|she|they|you|we|anybody|anyone|somebody|someone|there)|(?:who|what|where|when|why|how)(?:'s"
    r"| (?:did|does|do|is|are|was|were|has|have|can|could|will|would|should)))\b[^.?!,;:“”\"]{2,120}"
)
"""A question that somebody in haste leaves without its mark."""


def parse(text: str, scene: Scene) -> list[Act]:
    """The acts of a text; `[Act("unsure", …)]` where it has none that is understood."""
    text = _BEFORE.sub("", spelled(" ".join(text.replace("’", "'").split())[:LONGEST]))
    text = f"{text}?" if _UNMARKED.fullmatch(text) else text
    text = (
        re.sub(rf" please ({'|'.join(map(re.escape, scene.party))})\b", r", please, \1", text) if scene.party else text
    )
    text = plainly(_TRY.sub(r"\1go to ", text))
    text = re.sub(r"(?i)^(\W*(?:and |so )?who) here (?=\w+s\b)(?!is\b|was\b|has\b)", r"\1 ", text)
    if scene.present and (greeting := _GREETING.match(text)) is not None:
        text = text[greeting.end() :]
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
    if not scene.present and not scene.mate and _CALLS.match(text):
        return [Act("talk", text)]
    if YES.match(text) and not scene.talking:
        return [Act("yes", text)]
    said, text = ([], text) if told else to_the_party(text, scene)
    if not text:
        return said
    condition = condition_in(text) if not said else None
    if condition is not None:
        under = parse(condition.deed, scene)
        first = next((act for act in under if condition.deed.endswith(act.text.rstrip(".!"))), under[-1])
        given = replace(first, given=condition.given, otherwise=condition.otherwise)
        return [given if act is first else act for act in under]
    text = _CLOSEST.sub("the person", _CONDITION.sub(r"\1", planned(text)))
    if said:
        return [*[act for act in parse(text, replace(scene, mate=None)) if act.kind != "unsure"], *said]
    if "?" in text and not re.match(r"(?i)\W*(?:i|we)\b", text):
        text = unquoted(text)
    spoken = [found[1] or found[2] or "" for found in _QUOTE.finditer(text)]
    opened = _called_on(text, scene)
    if opened is not None and not spoken:
        return [opened]
    acts: list[Act] = []
    body = _QUOTE.sub(" ”” ", text)
    for clause in clauses(body):
        act = _act(clause, scene, acts, spoken)
        if act is not None and acts and _is_threat(acts[-1], act):
            acts[-1] = replace(acts[-1], text=f"{acts[-1].text} {act.text}")
        elif act is not None:
            if "”” " in f"{act.text} " and act.kind in _EACH and len(spoken) == 1:
                act = replace(act, text=act.text.replace("””", f"“{spoken[0]}”"))
            acts.append(act)
        elif acts and acts[-1].kind in SPEECH:
            acts[-1] = replace(acts[-1], topic=acts[-1].topic | topic_in(clause, ()))
    if spoken and not any("”" in act.text for act in acts):
        acts = [act for act in acts if not (act.kind == "talk" and is_gesture(act.text))]
    if spoken and not any(act.kind in SPEECH or act.kind in ("companion", "counsel") for act in acts):
        acts = [act for act in acts if act.kind not in ("unsure", "do", "wait")] + [
            _spoken(" ".join(spoken), text, scene)
        ]
    called = called_in(" ".join(spoken), named(" ".join(spoken), scene))
    if called is not None and called.kind == "person":
        acts = [
            replace(act, target=called.id, meant=False)
            if act.kind == "talk" and (act.meant or act.target is None)
            else act
            for act in acts
        ]
    found = _settled(acts, text, spoken)
    if found[0].kind == "unsure" and scene.talking:
        return [replace(found[0], kind="talk", target=scene.spoken, meant=True)]
    return found


_OR_ELSE = re.compile(r"(?i)\bor (?:else )?(?:i|we)(?:'ll| will| am going to)\b")
_MUST = re.compile(r"(?i)\b(?:if (?:i|we) (?:must|have to|need to)|if need be|if necessary)\W*$")


def _is_threat(said: Act, act: Act) -> bool:
    """Whether a deed is still part of what somebody is told: `or I'll come in and fetch you`."""
    to_them = said.kind in SPEECH and act.kind not in SPEECH and re.search(r"(?i)\byou\b", act.text) is not None
    return to_them and (_OR_ELSE.search(said.text) is not None or _MUST.search(act.text) is not None)


def _called_on(text: str, scene: Scene) -> Act | None:
    """The act of words that begin with somebody's name and a comma: all of them are said to that one."""
    names = named(text, scene)
    first = called_in(text, names[:1]) if names else None
    if first is None or (
        text[: first.start].strip()
        and not re.match(r"(?i)(?:hey|psst|so|well|please|excuse|dear|my|good|hello|hi|now|the)\b", text)
    ):
        return None
    rest = text[first.end :].strip(" ,:!?-") + ("?" if text.rstrip().endswith("?") else "")
    if not text[first.end :].strip().startswith((",", ":", "!", "?", "-", "–")) or not re.search(r"\w", rest):
        return None
    if first.kind == "companion":
        return Act("companion", rest, first.id, topic=topic_in(rest, ()))
    kind = next(
        (kind for kind, pattern in STRONG if kind in ("threaten", "lie", "persuade") and pattern.search(rest)), None
    )
    said = is_said(rest)
    kind = kind or ("ask" if not said and ("?" in rest or re.search(r"(?i)\btell (?:me|us)\b", rest)) else "talk")
    act = aimed(kind, text, names, scene, (), first)
    return replace(act, text=rest)


def _act(clause: str, scene: Scene, before: Sequence[Act], spoken: Sequence[str]) -> Act | None:
    names = named(clause, scene)
    vocative = called_in(clause, names)
    question = clause.rstrip(" ”\"'").endswith("?") or bool(_OF_THEM.match(clause)) or _ASKS.match(clause) is not None
    companion = next(
        (each for each in names if each.kind == "companion" and (each == vocative or addressed(clause, each))), None
    )
    if companion is not None:
        return Act("companion", clause, companion.id, topic=topic_in(clause, (companion,)))
    if _GROPES.match(clause):
        return aimed("search", clause, names, scene, before)
    if _GOING.match(clause):
        return aimed("go", clause, names, scene, before)
    if vocative is None and _SOME_DAY.match(clause) and scene.present:
        return aimed("talk", clause, names, scene, before)
    if scene.talking and vocative is None and kind_of(clause) in ASIDES | QUESTIONS and is_words(clause, scene):
        return words_to(clause, scene, before, names, vocative)
    if vocative is None and aside_in(without_preface(clause)):
        return aimed("aside", without_preface(clause), names, scene, before)
    kind, denied = verb_of(without_aim(clause))
    firm = any(kind == each and cue.search(clause) for each, cue in STRONG)
    if (
        kind in ("persuade", "lie", "threaten")
        and not firm
        and not _BY_US.match(clause)
        and not lemma_of(words(clause)[0])
    ):
        kind = None  # somebody else's deed: `that's blackmail`
    if (kind not in _DICED or kind_of(clause) in ("doubted", "hush", "repeat")) and is_words(
        without_aim(clause), scene
    ):
        return words_to(clause, scene, before, names, vocative)
    asked = scene.spoken in scene.present and scene.mate is None and _OF_SOMEBODY.search(clause)
    if vocative is None and not asked and COUNSEL.search(clause) and not any(each.kind == "person" for each in names):
        return Act("counsel", clause, topic=topic_in(clause, ()))
    if vocative is None and _ANY.match(clause):
        return aimed("search", clause, names, scene, before)
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
    own = _OWN_VERB.match(clause)
    verb = own[1].lower() if own else ""
    if kind == "attack" and (_NO_ATTACK.search(without_aim(clause)) or not (own or lemma_of(words(clause)[0]))):
        kind, denied = None, ""
    if kind is None and not denied and verb in ("do", "have", "make", "get", "pull", "be") and not question:
        kind = "do"
    if verb in VERBS and not lemma_of(verb) and not question and not any(cue.search(clause) for _, cue in STRONG):
        kind = "do"
    if denied and kind is None and _WAS_NOT.match(clause):
        return words_to(clause, scene, before, names, vocative)
    if not question and kind not in ("persuade", "threaten", "ask", "end", "lie") and _OF_YOU.match(clause):
        return words_to(clause, scene, before, names, vocative)
    if kind == "ask" and not question and _ASKED_TO.search(clause):
        kind = "talk"
    friend = next((each for each in names if each.kind == "companion"), None)
    alone = friend is not None and not any(each.kind == "person" for each in names)
    if friend is not None and alone and kind in ("give", "show", "help", "use", "talk") and not question:
        return Act("companion", clause, friend.id, topic=topic_in(clause, (friend,)))
    if before and kind in SPEECH | {"give", "show", "help"} and not names and _PRONOUN.search(clause):
        of_before = named(before[-1].text, scene)
        if of_before and all(each.kind == "companion" for each in of_before):
            return Act("companion", clause, of_before[-1].id, topic=topic_in(clause, ()))
    if kind in ("attack", "threaten") and question and not _MY_DEED.match(clause) and before:
        return None
    if kind == "show" and re.search(r"(?i)\bshow (?:me|us)\b", clause):
        kind = "ask"
    if kind == "go" and not names and re.search(r"(?i)\bthere\b", clause):
        spots = {each.id for each in scene.entities if each.kind in ("place", "part")}
        near = [key for act in reversed(before) for key in (act.target, act.thing)]
        told_of = next((key for key in (*near, scene.eyes) if key in spots), None)
        if told_of:
            return replace(aimed(kind, clause, names, scene, before), target=told_of)
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
    mine = bool(_MY_DEED.match(clause)) and not (scene.present and question and _MAY_WE.match(clause))
    if (
        question
        and names
        and names[0].kind == "person"
        and not clause[: names[0].start].strip() + clause[names[0].end :].strip(" ?!")
    ):
        return aimed("talk", clause, names, scene, before, names[0])
    if question and scene.present and (_LEAVE.match(clause) or _SEAT.search(clause)):
        return aimed("ask", clause, names, scene, before, vocative)
    if question and _CUT_SHORT.match(clause) and scene.present:
        return aimed("ask", clause, names, scene, before, vocative)
    if (
        ((question and wh) or (question and kind is None) or (question and vocative is not None))
        and not (mine and kind)
        and not roll
    ):
        return aimed("ask", clause, names, scene, before, vocative)
    if wh and not mine and kind in (None, "ask", "talk") and before and before[-1].kind in SPEECH:
        return None
    if _HABIT.match(clause) and before and before[-1].kind in SPEECH and kind != "go":
        return None
    if kind is None:
        if scene.present and not question and reads_as_words(clause, denied=bool(denied)):
            return words_to(clause, scene, before, names, vocative)
        if denied:
            return Act("no", clause, denied=denied, topic=topic_in(clause, names))
        if "”” " in f"{clause} " and spoken and not content(clause.replace("”", "")):
            return None
        if vocative is not None:
            return aimed("talk", clause, names, scene, before, vocative)
        if names and before and before[-1].kind == "no" and not _OF_IT.match(clause):
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
        if PLAIN_DEED.match(clause) and not question:
            return aimed("do", clause, names, scene, before)
        if before:
            return None
        return Act("unsure", clause, topic=topic_in(clause, names))
    if kind == "talk" and before and before[-1].kind in ("lie", "persuade", "threaten"):
        return None
    skill = re.search(rf"(?i)\b({SKILLS})\b", clause)
    if kind == "talk":
        return words_to(clause, scene, before, names, vocative)
    if kind == "attack":
        clause = without_aim(clause)
    act = aimed(kind, clause, [each for each in names if each.end <= len(clause)], scene, before, vocative)
    return replace(act, skill=skill[1].casefold()) if skill and roll else act


def _spoken(speech: str, text: str, scene: Scene) -> Act:
    """Words in quotation marks, said to somebody."""
    names = named(text, scene)
    kind = "ask" if "?" in speech and not is_said(speech) else "talk"
    companion = next((each for each in names if each.kind == "companion"), None)
    if companion and not any(each.kind == "person" for each in names):
        return Act("companion", speech, companion.id, topic=topic_in(speech, ()))
    inner = [act for act in (_act(clause, scene, (), ()) for clause in clauses(speech)) if act is not None]
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
    firm = next((kind for kind, cue in STRONG if kind in ("threaten", "persuade") and cue.search(said)), "")
    acts = [replace(act, kind=firm) if firm and act.kind == "talk" and "”" in act.text else act for act in acts]
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
    if sum(act.kind in SPEECH for act in doing) > 1:
        doing = [act for act in doing if act.kind != "talk" or kind_of(act.text) != "listen"] or doing
    found: list[Act] = []
    for act in doing:
        same = next(
            (
                place
                for place, each in enumerate(found)
                if (each.kind == act.kind and act.kind not in _EACH) or {each.kind, act.kind} <= {"ask", "talk"}
            ),
            None,
        )
        asked = act.kind in ("ask", "aside") or (act.kind == "look" and act.text.endswith("?"))
        if asked and found and found[-1].kind in _EACH and _OF_THE_DEED.match(act.text):
            continue  # what comes of the deed is the answer
        if same is None:
            found.append(_of_the_same(act, found))
        elif act.kind == "ask" or found[same].kind == act.kind:
            first = found[same]
            joined = "\n" if act.kind == "aside" else ". "
            kind = "ask" if "ask" in (first.kind, act.kind) else act.kind
            if first.kind == "talk" and act.kind == "ask" and not PLAIN_DEED.match(first.text):
                # what is said before a question only leads up to it
                if YOU_ARE.search(first.text):
                    continue
                found[same] = replace(
                    act, target=act.target if act.target and not act.meant else first.target or act.target
                )
                continue
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
    return found[:_MOST]


_EACH = frozenset({"do", "use", "take", "look", "search", "hide", "wait", "help", "attack", "give", "show", "go"})
"""Deeds of which each is done by itself, however many a line has of one kind."""
_MOST = 4
_OF_THE_DEED = re.compile(
    r"(?i)^\W*(?:so |and |well )?(?:(?:is|are) (?:it|that|they|the \w+|there any\w*) (?:\w+ )?(?:locked|open"
    r"|shut|closed|stuck|empty|heavy|deep|hot"
    r"|cold|warm|wet|inside|in (?:it|there)|under|behind|there|loaded|sharp)\b"
    r"|any(?:thing|body|one) (?:in|inside|under|behind|there|useful|interesting|of|else|written|odd|good|home)\b"
    r"|(?:does|do|did|will) (?:it|they) (?:move|open|hold|give|work|budge|turn|fit|burn|break|ring)\b"
    r"|what (?:does|do) (?:it|they) (?:say|read|smell|taste|feel|sound|look)\b"
    r"|what (?:do|can|did) (?:i|we) (?:see|hear|smell|find|feel|read|get|notice)\b|what(?:'s| is) (?:in|inside"
    r"|behind|under|written)\b"
    r"|how many (?:are|do|can|is)\b|who(?:'s| is) (?:there|inside|home)\b|can (?:i|we) (?:hear|see|make|lift"
    r"|open|move|read)\b)"
    r"(?!.*\byou(?:r)?\b)"
)
"""A question that the deed before it answers."""


def _of_the_same(act: Act, before: Sequence[Act]) -> Act:
    """The act with what `it` stands for: the thing of the deed before."""
    if act.head or not before or not re.search(r"(?i)\b(?:it|them|this|that|both)\b", act.text):
        return act
    return replace(act, head=before[-1].head)
