"""Which of the party a person's words are for: one by name, several, all of them, or whoever was spoken to before.

    to_the_party("Wren, hold my coat, I'm going in", scene)   [Act("companion", "hold my coat", …)], "I'm going in"

Each sentence has its own addressees. A sentence about what the speaker does is left over, for the grammar to read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sottovoce.rulesets.tabletop.house.asides import aside_in
from sottovoce.rulesets.tabletop.house.targets import Act, Named, Scene, named, topic_in
from sottovoce.rulesets.tabletop.house.verbs import lemma_of
from sottovoce.rulesets.tabletop.house.whole_party import ABLE, OPENERS, TO_ALL, TOGETHER, WHICH, WHO, asks_the_party
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST

_OPENED = re.compile(rf"(?i)^\W*{OPENERS}$")
_ASKS = (
    r"(?:what|who|whose|where|why|when|how|which|what's|who's|where's|how's|do|does|did|can|could|would|will"
    r"|won't|are|aren't"
    r"|have|haven't|has|any|got|ever|you|you're|you've|your|you'd|please|don't|let's|never|should|shall|want"
    r"|ready|hungry"
    r"|thoughts|ideas|tell|is (?:he|she|it|this|that|there|they|the)|was (?:he|she|it|this|that)|that (?:was|is)"
    r"|and you)"
)
_GOES_ON = re.compile(rf"(?i)^\s+(?:(?:please|just|quick(?:ly)?|also|now|then) )*{_ASKS}\b(?! is\b)")
_ORDER = re.compile(r"(?i)^\s+(?:(?:please|just|quickly|quietly|now|go and|come and|go|come) )?([a-z]+)\b")
_NO_ORDER = frozenset("light present open name being like love watch look check lead cover left right mine".split())
_CALL_LAST = re.compile(
    r"(?i)(?:[,!?.:-]|\b(?:you|your [\w'-]+|yours|me|us|it|this|that|them|up|down|on|here|there|now|please|off"
    r"|out|back|over|one"
    r"|shot|job|work|catch|try|thinking|idea|point|call|eye|thanks?|thank you|sorry|ok|okay|alright|all right"
    r"|ready|sure|hungry"
    r"|tired|hurt|wait|stop|careful|easy|again|too|first|quiet|enough|morning|night|hello|hi|hey|bye|cheers|yes|no|yeah"
    r"|not|done|so|do|think|mean|say|suggest|plan|ideas?|thoughts|what|why|how|about|man|girl|old|dear|poor"
    r"|dammit|going"
    r"|right|wrong|lying|true|today|tonight|happened|said|sure|see|hear|smell|anything|everything|nothing|else))\s*$"
)
_OBJECT = re.compile(
    r"(?i)\b(?:to|with|at|for|from|by|about|of|behind|after|like|than|near|on|and|or|is|are|was|were|ask|tell"
    r"|help|follow|thank"
    r"|where's|who's|how's|what's|see|without|beside|towards?|against|except|give|hand|show)\s*$"
)
_ABOUT = re.compile(r"(?i)\b(?:how|what) about\s*$")
_OWN = re.compile(
    r"(?i)^\W*(?:(?:and|then|so|now|ok(?:ay)?|but|well|right|meanwhile|first|just|while|because|since),?\s+)*"
    r"(?:[A-Z][\w'’-]+ and (?:i|me) |let's\b|lets\b|let us\b|let me\b|(?:i|we)(?:'m|'re| am| are) (?:going|gonna"
    r"|off|heading|\w{2,12}ing)\b"
    r"|(?:i|we)(?:'ll| will)? (?!(?:think|need|want|don't|do|love|like|hate|trust|know|mean|owe|wish|hope"
    r"|believe|thought|feel"
    r"|guess|suppose|agree|disagree|doubt|swear|can|can't|cannot|couldn't|could|would|wouldn't|should|shouldn't"
    r"|must|have|had"
    r"|was|were|am|are|did|didn't|never|always|miss|see|hear|understand|remember|forgot|forget|admit|bet|said"
    r"|told|heard|saw"
    r"|really|still|just|won't|might|may|be|shall|ought|got|also|both|all|appreciate|apologi[sz]e|forgive"
    r"|dare)\b)[a-z]{2,}\b)"
)
"""A sentence about what the speaker does."""
_CUT = re.compile(
    r"(?i),\s+(?:(?:and|so|then|while|because) )?(?=(?:i|we|i'm|we're|i'll|we'll)\b)| (?:while|and) (?=(?:i|we"
    r"|i'll|we'll)\b)"
)
_SPOKEN = re.compile(r"[\"“](?=[^\"“”]*[.,!?]|(?:[^\"“” ]+ ){2})[^\"“”]+[\"”]|^[^\"“”]*[\"“”][^\"“”]*$")
"""Words in quotation marks that somebody says, and no single word."""
_ALL_MID = re.compile(
    r"(?i),\s(?=(?:(?-i:[A-Z])[\w'’-]+ and (?:i|me)|you (?:two|three|guys|lot|both)|the rest of you|everyone"
    r"|everybody) [a-z])"
)
_TOGETHER_WITH = re.compile(r"^\W*[A-Z][\w'’-]+ and (?:I|i|me) ")
_GESTURE = re.compile(
    r"(?i)^\W*(?:i |we )(?:nod|smile|wink|wave|grin|glance|frown|glare|shrug|scowl|raise (?:an|my) eyebrows?"
    r"|roll my eyes)"
    r" (?:back )?(?:at|to|towards?) $"
)
_TURNS = re.compile(
    r"(?i)^\W*(?:i |we )(?:turn|look|lean|walk|go|step|whisper|talk|speak) (?:over |across "
    r"|back )?(?:to|at|towards?) [\w'’-]+\W*$"
)
"""A sentence that says to whom the next ones are said: `I turn to Sefa.`"""
_SENTENCE = re.compile(r"(?<=[.!?;…])[\"”']?\s+")
_YOU = re.compile(r"(?i)\b(?:you|your|yours|you're|you've|you'd|you'll)\b")
_AGAIN = re.compile(
    r"(?i)^\W*(?:but |and |ok(?:ay)?,? |so |well,? |oh,? )*(?:why(?: not| so| is that)?|how (?:so|come)|really"
    r"|seriously|sure|is that (?:so|true|all|a yes|a no)"
    r"|what do you mean|says who|meaning|go on|tell me more|explain(?: that)?|thanks?(?: a lot| anyway"
    r"| for (?:that|nothing|asking))?|thank you|sorry"
    r"|never ?mind|(?:that's |that was |very )?(?:good|nice|great|fine|lovely|brilliant|funny|clever|fair"
    r"|fair enough|true|right|rude|mean|harsh|sweet|kind"
    r"|better|enough|odd|strange|not (?:funny|nice|fair|true|helpful|an answer|very helpful"
    r"|what i asked))(?: (?:one|point|idea|thinking|of you|to know|enough|then))?"
    r"|i see|got it|understood|ha+|(?:ha)+h?|lol|hehe|same here|me too|me neither|i (?:agree|disagree|know"
    r"|thought so|hope so|don't think so|doubt (?:it|that)|understand)"
    r"|say that again|come again|pardon|what was that|huh|what|no way|liar|shut up|be (?:nice|serious|honest"
    r"|careful|quiet)|don't be .{2,30}|do it|do that|go for it"
    r"|try(?: it| again)?|please(?: do)?|wait|stop(?: it| that)?|what else|anything else|who|where|when|how)\W*$"
)
_BANTER = re.compile(
    r"(?i)^\W*(?:(?:ha)+h?|lol|hehe|heh|oh|hm+|ok)?[,.! ]*(?:(?:ha)+h?|lol|hehe|good one|nice(?: one)?|funny"
    r"|very funny|well done|good (?:thinking|idea|point)"
    r"|clever|brilliant|great idea|love it|i like it)\W*$"
)
_TO_ME = re.compile(
    r"(?i)^\W*(?:please |now |then |ok(?:ay)?,? |just )*[a-z]+ (?:it |that |this |them |him |her )?(?:to |with "
    r"|for )?(?:me|us)\b"
)
_OF_SOMEBODY = re.compile(
    r"(?i)^\W*(?:(?:so|and|but|ok|well),? ){0,4}(?:is|does|did|was|can|could|do|will|would|should) (?:(?:we|you"
    r"|i) )?(?:really )?(?:trust |believe )?(?:he|she|they|him|her|them)\b"
    r".{0,30}\b(?:lying|lie[ds]?|look|seem|trust|honest|hiding|know|mean|guilty|afraid|scared|nervous|truth|mad"
    r"|crazy|drunk|dangerous|like)\b"
    r"|\b(?:trust|believe) (?:him|her|them)\b"
)
_RECALLS = re.compile(
    r"(?i)\bdo you (?:still )?remember\b|\bwho do you (?:think|suspect|reckon|believe)\b|\bwhat (?:did|do) (?:he"
    r"|she|they) (?:say|tell you)\b"
)


def to_the_party(text: str, scene: Scene) -> tuple[list[Act], str]:
    """The acts of what is said to the others of the party, and what is left of the text."""
    text = text[:LONGEST]
    quoted = re.fullmatch(r"\s*[\"“]([^\"“”]*)[\"”]\s*", text)
    text = quoted[1] if quoted else text
    if _SPOKEN.search(text):
        return [], text
    if (told := _told_to(text, scene)) is not None:
        return [told], ""
    if (to_all := _TOLD_ALL.match(text)) is not None:
        return [_act("counsel", None, (), text[to_all.end() :])], ""
    acts: list[Act] = []
    left: list[str] = []
    waiting: list[str] = []
    turned: tuple[str, ...] = ()
    for piece in _pieces(text, scene):
        to, words = _addressees(piece, scene)
        if _TURNS.match(piece) and (names := _companions(piece, scene)):
            turned = (names[-1].id,)
            continue
        if to is None and turned and not _OWN.match(piece):
            to = turned
        if to is not None:
            words = " ".join([*waiting, words]) if words.strip(" .!?,") or not waiting else " ".join(waiting)
            waiting = []
            _said(acts, to, words)
        elif _OWN.match(piece):
            left += [*waiting, _TOGETHER_WITH.sub("We ", piece)]
            waiting = []
        elif acts:
            acts[-1] = _act(acts[-1].kind, acts[-1].target, acts[-1].to, f"{acts[-1].text} {piece}")
        else:
            waiting.append(piece)
    if turned and not acts:
        return [], text
    if acts:
        if (leads := _LEADS.search(text)) is not None and not left:
            left.append(f"We go {leads[1]}")
        return acts, " ".join(left)
    mate = _follows(text, scene)
    return ([mate], "") if mate is not None else ([], quoted[0] if quoted else text)


_LEADS = re.compile(
    r"(?i)\b(?:follow me|come with me|come along|come on|after me|with me),? ((?:to|into|up|down|inside|over to"
    r"|back to) [\w' ]{3,40}?)(?=\W*$|[.,!])"
)
"""Where one goes oneself who tells the others to follow."""
_TOLD_ALL = re.compile(
    r"(?i)^\W*(?:(?:so|then|and|now),? )?(?:i|we) (?:quietly |softly |just )?(?:tell|ask|suggest to|say to|propose to"
    r"|whisper to"
    r"|remind|warn|turn to) (?:the others|everyone|everybody|my (?:friends|companions|people)|the (?:rest|party|team)"
    r"|them all)"
    r"\b(?: of (?:us|the party))?(?: and (?:say|ask))?(?: that|,|:|\.)? {0,2}(?=\w+ \w+)"
)
"""Words that are told to be said to the whole party."""
_SETTLES = re.compile(
    r"(?i)^\W*(?:(?:ok(?:ay)?|so|well|fine|right|alright|good)[,. ]{1,3}){0,3}(?:agreed|deal|come with me|follow me"
    r"|be (?:careful|quiet)|careful|quiet|hush|shh+|don't move)\W*$"
)
"""What is for whoever is spoken to just now, where somebody is."""


def _told_to(text: str, scene: Scene) -> Act | None:
    """Words that are told to be said to somebody, after a colon: `I whisper to Isolde: do you believe her?`"""
    for each in _companions(text, scene):
        if _GESTURE.match(text[: each.start]) and not text[each.end :].strip(" .!"):
            return _act("companion", each.id, (each.id,), text)
        after = re.match(r"\s*:\s*(?=\w)", text[each.end :])
        if (
            each.kind == "companion"
            and after
            and re.match(r"(?i)\W*(?:i|we) [a-z]+(?: [a-z]+){0,3} $", text[: each.start])
        ):
            return _act("companion", each.id, (each.id,), text[each.end + after.end() :])
    return None


def _said(acts: list[Act], to: tuple[str, ...], words: str) -> None:
    kind, target = ("companion", to[0]) if len(to) == 1 else ("counsel", None)
    if acts and acts[-1].kind == kind and acts[-1].target == target and acts[-1].to == to:
        words = f"{acts.pop().text} {words}"
    acts.append(_act(kind, target, to, words))


def _act(kind: str, target: str | None, to: tuple[str, ...], words: str) -> Act:
    return Act(kind, words, target, topic=topic_in(words, ()), to=to)


def _pieces(text: str, scene: Scene) -> list[str]:
    """The sentences, cut again where an order ends and the speaker's own deed begins, or another is called on."""
    found: list[str] = []
    for sentence in _SENTENCE.split(text):
        names = _companions(sentence, scene)
        cuts = [each.start for each in names if _called_mid(sentence, each)]
        cuts = sorted({*cuts, *(found.end() for found in _ALL_MID.finditer(sentence))})
        parts = [sentence[a:b] for a, b in zip([0, *cuts], [*cuts, len(sentence)], strict=True)]
        for part in parts:
            calls = _vocatives(part, _companions(part, scene))
            own = _own_after(part) if calls or TO_ALL.search(part) else 0
            found += [part[:own], part[own:]] if own else [part]
    return [_whole(part) for part in found if re.search(r"\w", part)]


def _whole(part: str) -> str:
    """A part of a sentence without what joined it to the next."""
    part = part.strip(" ,;")
    head, _, last = part.rpartition(" ")
    return head.rstrip(" ,;") if last.lower() in ("and", "while", "so", "then", "because") else part


def _own_after(part: str) -> int:
    """Where an order ends and what the speaker does begins: `hold my coat, I'm going in`; 0 where it does not."""
    for cut in _CUT.finditer(part):
        words = re.findall(r"[\w'’-]+", part[: cut.start()])
        if len(words) > 2 and _OWN.match(part[cut.end() :]):
            return cut.end()
    return 0


def _called_mid(sentence: str, name: Named) -> bool:
    """Whether a second one is called on in the middle of a sentence: `…, Thaneshi take her feet`."""
    before = sentence[: name.start]
    lead = re.sub(r"(?:,|;|:|,? and| -)\s*$", "", before)
    if lead == before or _OPENED.match(before) or _OBJECT.search(lead):
        return False
    after = sentence[name.end :]
    order = _ORDER.match(after)
    if re.match(r"(?i)\s+and (?:i|me|myself)\b", after):
        return False
    return bool(order and _is_order(order[1])) or re.match(r"(?i),?\s+you\b", after) is not None


def _is_order(word: str) -> bool:
    low = word.lower()
    return lemma_of(low) == low and (
        low not in _NO_ORDER or low in ("watch", "look", "check", "lead", "cover", "open", "light")
    )


def _vocatives(piece: str, names: Sequence[Named]) -> list[Named]:
    """Those who are called on in a sentence, and not only spoken of."""
    found: list[Named] = []
    for each in names:
        before, after = piece[: each.start], piece[each.end :]
        if piece[each.start : each.end].endswith(("'s", "’s")):
            continue
        rest = re.sub(
            rf"^\s*(?:,|and|&)\s*(?=(?:{'|'.join(re.escape(piece[n.start : n.end]) for n in names)})\b)", "", after
        )
        listed = any(piece[: n.start].rstrip(" ").endswith((",", "and", "&")) for n in names if n.start > each.start)
        begins = _OPENED.match(before) or _ABOUT.search(before)
        opens = begins and (
            not after.strip(' .!?"”')
            or re.match(r"\s*[,:!?–—.-]", after)
            or _GOES_ON.match(after)
            or (listed and rest != after)
            or ((order := _ORDER.match(after)) and _is_order(order[1]))
        )
        own = _OWN.match(piece)
        joins = found and re.search(r"(?i)(?:,|\band|&)\s*$", before) and each.start - found[-1].end < 7
        comma = before.rstrip().endswith(",")
        ends = (
            not after.strip(' .!?,"”)')
            and (_CALL_LAST.search(before) or _YOU.search(before))
            and (comma or not _OBJECT.search(before))
        )
        stands_apart = comma and re.match(r"\s*[,.!?]", after)
        if opens or (not own and (joins or ends or stands_apart)):
            found.append(each)
    return found


def _addressees(piece: str, scene: Scene) -> tuple[tuple[str, ...] | None, str]:
    """Whom a sentence is for, with what is said to them; `()` is the whole party, None nobody of it."""
    names = _companions(piece, scene)
    if (of_one := _asked_of(piece, names)) is not None:
        return of_one
    called = _vocatives(piece, names)
    if called:
        words = piece
        for each in reversed(called):
            words = f"{words[: each.start].rstrip(' ,')} {words[each.end :].lstrip(' ,:')}"
        words = re.sub(r"^\s*(?:and|&|,)\s+|\s+([?!.,])", r"\1", words).strip(" ,:-–—")
        return tuple(dict.fromkeys(each.id for each in called)), re.sub(r"^(?:(?:and|&|,|[?!.])\s*)+", "", words) or "?"
    if not any(form.search(piece) for form in (TO_ALL, WHICH, _PEACE)) and not asks_the_party(piece):
        return None, piece
    if not (TOGETHER.match(piece) or WHO.search(piece)) and any(n.kind == "person" for n in named(piece, scene)):
        return None, piece
    if scene.talking and (
        _SETTLES.match(piece) or re.match(r"(?i)\W*(?:i|we) (?:know|think|heard|bet|saw|believe) you\b", piece)
    ):
        return None, piece
    if aside_in(piece) and not TO_ALL.search(piece):
        return None, piece  # what the game master answers
    strangers = scene.spoken in scene.present or (bool(scene.present) and (scene.mate is None or scene.interrupted))
    if _PEACE.match(piece) and (TO_ALL.search(piece) or scene.mate):
        return (() if TO_ALL.search(piece) else (scene.mate or "",)), piece
    if _OWN.match(piece) and not re.search(r"(?i)\?\W*$", piece):
        return None, piece
    if TO_ALL.search(piece) and not (strangers and _GREETS.match(piece)):
        if (
            scene.spoken in scene.present
            and scene.mate is None
            and re.search(r"(?i)\b(?:you all|all of you|(?:two|rest) of you)\b", piece)
        ):
            return None, piece
        return (), piece
    if WHICH.search(piece) and strangers and not ABLE.search(piece):
        return None, piece
    return (() if not _PEACE.match(piece) else None), piece


def _companions(text: str, scene: Scene) -> list[Named]:
    """Those of the party whom a text names."""
    return [each for each in named(text, replace(scene, entities=())) if each.kind == "companion"]


_OF_ONE = re.compile(r"(?i)^\W*(?:(?:so|and|but|ok|well),? )?(does|do|can|could|is|has|would|will|did|was|should) $")
_AS_YOU = {"does": "do", "is": "are", "has": "have", "was": "were"}


def _asked_of(piece: str, names: Sequence[Named]) -> tuple[tuple[str, ...], str] | None:
    """A question about one of the party, as it is put to that one: `does Isolde know any prayers?`"""
    for each in names:
        if (
            each.kind == "companion"
            and piece.rstrip(' "”').endswith("?")
            and (verb := _OF_ONE.match(piece[: each.start]))
        ):
            word = verb[1].lower()
            return (each.id,), f"{_AS_YOU.get(word, word)} you {piece[each.end :].strip()}"
    return None


_PEACE = re.compile(r"(?i)^\W*let'?s not\b")
_GREETS = re.compile(
    r"(?i)^\W*(?:hello|hi|hey|good (?:morning|day|evening|night|afternoon)|greetings|goodbye|bye|cheers|evening"
    r"|morning)\b"
)


_TO_US = re.compile(r"(?i)\b(?:us|our|sir|madam|ma'am|master|mistress|your time)\b")
"""Words of the party to somebody who is none of it."""
_FOR_STRANGERS = re.compile(
    r"(?i)\bwho are you\b|\bthank you\b|\bexcuse\b|\byou (?:sell|serve|charge|rent|run|own|live)\b"
    r"|^\W*(?-i:[A-Z])[\w'’-]+, "
)


def _follows(text: str, scene: Scene) -> Act | None:
    """What is said to one of the party because they were spoken to before, or because nobody else is here."""
    remembers = re.match(r"(?i)\W*do you (?:still )?remember\b", text)
    if _OWN.match(text) or (not scene.mate and not remembers and (scene.present or not _YOU.search(text))):
        return None
    names = [each for each in named(text, scene) if each.kind in ("person", "companion")]
    if remembers and any(each.kind == "person" for each in names):
        return _act("companion", scene.mate, (scene.mate,), text) if scene.mate else _act("counsel", None, (), text)
    if names or (scene.present and re.match(r"(?i)\W*(?:either you|if you (?:don't|do not|won't))\b", text)):
        return None
    if scene.mate and (_BANTER.match(text) or re.search(r"(?i)\byou (?:always|never|lot|again)\b", text)):
        return _act("companion", scene.mate, (scene.mate,), text)
    if scene.spoken in scene.present and _TO_US.search(text):
        return None
    if scene.mate and not scene.interrupted and (_YOU.search(text) or _AGAIN.match(text) or _TO_ME.match(text)):
        return _act("companion", scene.mate, (scene.mate,), text)
    if scene.mate and (_RECALLS.search(text) or _OF_SOMEBODY.search(text)):
        return _act("companion", scene.mate, (scene.mate,), text)
    if not scene.present and not scene.mate and _YOU.search(text) and not _FOR_STRANGERS.search(text):
        return _act("counsel", None, (), text)
    return None
