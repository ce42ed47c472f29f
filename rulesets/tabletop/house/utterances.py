"""What words to somebody are: a greeting, thanks, an order, a bargain; and whether a clause is words, and no deed.

    kind_of("I tell her that we only want to help.")  # promised
    is_said("show me your hands")                     # True: nobody of the party does that

The kinds stand in `speech.txt`, the weightiest first, and the answers to them in `remarks.txt`.
"""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.verbs import LEXICON, lemma_of, lists
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, words

_LEAD = (
    r"^\W{0,9}(?:(?:so|and|but|well|oh|ah|hey|haha|ha|look|please|come on|ok|okay|right|now|then|yes|yeah|no|just"
    r"|fine|good|hm+|god|wait|kindly|all right|alright|friends?|sir|madam|ma'am|mate|actually)\b\W{1,9}){0,4}"
)
"""What stands before what is really said."""
_KINDS = {
    kind: re.compile("|".join(lines).replace("{LEAD}", _LEAD), re.IGNORECASE)
    for kind, lines in lists("speech.txt").items()
}
_TOLD = re.compile(
    r"(?i)^.{0,80}?\b(?:tells?|says?|assures?|informs?|warns?|reminds?|admits?|confess(?:es)?|explains?|swears?"
    r"|insists?|claims?|mentions?|promises?|answers?|repl(?:y|ies)|shouts?|whispers?|asks?|begs?|orders?|requests?"
    r"|persuades?|convinces?|urges?|pretends?|invites?|announces?|declares?|hiss(?:es)?|mutters?"
    r"|murmurs?|snaps?|growls?|protests?)\b(?:,? (?:back|softly|quietly|loudly|again|aloud|to))*"
    r"(?: (?:him|her|them|every(?:one|body)|(?:the|old) [\w-]+|(?-i:[A-Z][\w'’-]+))(?: (?:here|(?:in"
    r"|at) (?:the|this) \w+))?)*(?:,? (?:that|to|if (?:he|she|they) (?:can|could|would"
    r"|will)))?(?: (?!only)\w+ly)?(?: to)? *[,:]? *"
)
"""Whose words they are: `I tell her that …`."""
_REPORTS = re.compile(
    r"(?i)^\W{0,9}(?:(?:then|and|so|quietly|softly|now|also|just)\W{1,9}){0,2}(?:i"
    r"|we)\b(?!'d\b)(?! (?:never|will not|do not|did not|\w+n't)\b)"
)
_QUOTED = re.compile(r"[“\"]([^”\"]*)[”\"]?")
QUESTIONS = frozenset(
    "parry smalltalk speak curt repeat listen called offered haggled really none more why hush greeted sing"
    " hand join aid chance serve near".split()
)
"""Kinds that can have a mark of question, and ask for nothing that anybody knows."""
_MINE = frozenset(
    "listen doubted apologised sorry haggled offered farewell thanked declined agreed serve praised personal denied"
    " dismissed comforted opinion wanted jested more begged toast joke why complained".split()
)
"""Kinds of words that begin with `I` or `we`, and are no deed."""
_ORDERS = frozenset(
    "rebuked quieted speak trust hands disarm show hand chance aid near join admit seat sing away stay careful serve"
    " hush more why really none hm repeat called dismissed declined agreed message listen goodnight farewell greeted"
    " thanked paid haggled lead comforted tab parry doubted offered".split()
)
"""Kinds that may begin with the verb of a deed, and are told to somebody else."""
_LOOSE = frozenset("found introduced promised saddened accused threatened ordered of.you".split())
"""Kinds that need more than their turn of phrase to be words and no deed."""
ASIDES = frozenset("agreed declined dismissed more why really none hm repeat".split())
"""Kinds that only go on with a talk, and are a deed or nothing where there is none."""
_OF_OTHERS = re.compile(r"(?i)\b(?:me|us|you|your|yours|yourself|yourselves)\b")


def words_said(text: str) -> str:
    """The words themselves: what stands in quotation marks, or behind `I tell her that`."""
    text = text[:LONGEST].replace("’", "'")
    quoted = " ".join(found[1] for found in _QUOTED.finditer(text))
    if quoted.strip():
        return quoted.strip()
    told = _TOLD.match(text) if _REPORTS.match(text) else None
    return text[told.end() :].strip() if told is not None and text[told.end() :].strip() else text


_SPEAKS = (
    r"(?P<verb>says?|asks?|tells?|whispers?|shouts?|calls?|repl(?:y|ies)|answers?|mutters?|mumbles?|adds?|wish(?:es)?)"
)
_GESTURE = re.compile(
    r"(?i)^(?P<who>\W{0,9}(?:then )?(?:i|we)) (?:\w+ly )?"
    r"(?:lean|bend|turn|look|smile|laugh|grin|nod|bow|wave|wink|shrug|sigh|frown|chuckle|snort"
    r"|clear my throat|raise my voice"
    r"|lower my voice|shake my head|cross my arms|take a (?:deep )?breath|raise (?:an? |my )(?:eyebrow|hand|finger))\b"
    r"(?: (?:over|in|round|around|up|down|back|closer|close|forward|politely|a little|at once))*"
    r"(?: (?:to|at|towards?) (?P<whom>(?:him|her|them|the [\w'-]+"
    r"|(?-i:[A-Z][\w'-]+)))(?: with a smile)?)?,? and (?:then )?" + _SPEAKS + r"\b"
)
"""A gesture with which something is said: `I lean over and whisper`."""
_OPENER = re.compile(
    r"(?i)^\W{0,9}(?:(?:look|listen|hear me out|hell|with (?:all due )?respect|to be (?:honest|frank"
    r"|fair)|if i were (?:you|in your place))[,.!]+ "
    r"|(?:god|gods|man|oh|ugh|phew|boy|damn|honestly|frankly|if i were you)(?:[,.!]+ | ))"
    r"(?=(?:i|we|i'm|we're|i've|we've|i'd|we'd|you|you're|that|that's|this|it|it's|there|either|if|he|she|they)\b)"
)
"""What a sentence opens with, and no deed: `Look, I know`."""
_TURNED = re.compile(
    r"(?i)^\W{0,9}(?:(?:no|nah|oh|ah|hm+|but|ok|okay)[, ]+)?(?:no[, ]+)?(?:wait|hang on|hold on"
    r"|actually|on second thoughts?|scratch that"
    r"|change of plan)[,.:!-]+ (?:no[, ]+)?(?=\w)"
)
"""A change of mind: `no wait, the tower first`."""
_WHY = re.compile(
    r"(?i)^\W{0,9}(?:so that|so (?=he|she|they|nobody)|because|since|as a sign that|to show (?:him"
    r"|her|them|you) (?:that )?|in order to)"
    r"[^,.;!?]{3,80}, (?=(?:i|we)\b)"
)
"""A reason that stands before the deed: `so that he sees we mean no harm, I put it down`."""
_BARGAIN = re.compile(r"(?i)(\b(?:if|unless|either) you\b[^,.;!?]{2,80}),(?: then)? (?=(?:i|we|i'll|we'll|or)\b)")
"""Where the two halves of a bargain or a threat meet."""
_SILENT = re.compile(r"(?i)\b(?:say nothing|keep (?:quiet|silent)|stay (?:quiet|silent)) and (?=wait for)")
_FIGURE = re.compile(
    r"(?i)^\W{0,9}(?:(?:man|god|oh|ugh|phew|boy),? )?(?:i|we)(?:'m so \w+ (?:that )?(?:i|we)"
    r"| am so \w+ (?:that )?(?:i|we))? "
    r"(?:could|would) (?:really |just |happily |easily )?(?:eat|sleep|kill for|murder|do with|use"
    r"|die for|drink (?:a|the) (?:lake|sea|river))\b"
    r"|^\W{0,9}(?:i|we)(?:'d| would)(?:n't| not)? (?!like\b|love\b|want\b|prefer\b|rather\b|better\b"
    r"|go\b|look\b|ask\b|wait\b"
    r"|(?:give|pay|offer|buy) (?:you|him|her|them)\b)[a-z]+|^\W{0,9}(?:i|we)(?:'ll| will) (?:give"
    r"|grant) (?:you|him|her|them) that\b"
    r"|^\W{0,9}(?:let's|let us) (?:not )?(?:be (?:honest|clear|frank|fair|reasonable|friends|civil"
    r"|real)|cut (?:to the chase|the crap)|face it"
    r"|get (?:one thing|this) (?:straight|clear)|start over|talk business|make a deal|agree|say|put it like)"
)
"""A way of speaking, and no deed: `I could eat a horse`."""
_STATE = re.compile(
    r"(?i)^\W{0,9}(?:(?:so|and|but|well|look|listen|yes|no|because|oh),? ){0,4}(?:(?:i|we)(?:'m|'re"
    r"| am| are| was| were) (?!off\b|about to\b|gonna\b"
    r"|(?!looking for|trying|begging|waiting|telling|asking|starving|freezing|dying|bleeding|joking"
    r"|kidding|lying|warning|counting"
    r"|hoping|wondering|thinking of|feeling)[a-z]+ing\b)|i'm\b.*\b(?:here|sorry|afraid)\b|(?:i"
    r"|we) (?:\w+ly |still |both |all |just )?"
    r"(?:need|want|wish|have|had|like|know|think|believe|mean|hope|hate|love|owe|doubt|miss|remember"
    r"|understand|thought|heard|knew"
    r"|felt|suspect|guess|suppose|bet|swear|expect|prefer|deserve|trust|serve|represent|come from"
    r"|work for|belong|live|lost|got|came"
    r"|speak for|care|fear|admire|respect|appreciate|regret|agree|disagree) (?!to\b|about\b|hard\b"
    r"|it over\b|for\b|up\b|out\b|another\b|an? (?:\w+ )?(?:look|drink|seat|rest|sip|nap|go|try|meal"
    r"|bite|break)\b)"
    r"|(?:i|we) (?:get|am|are|always|never|sometimes|usually|often|tend)\b.*\bwhen (?:i|we|it)\b"
    r"|(?:i|we) (?:saw (?:you|him|her|them|what|how|everything)|(?:won't|will not) (?:ask|tell|warn"
    r"|say|repeat|beg|forget|bother|hurt|harm))\b|(?:i|we)(?:'d| would) rather not\b|(?:i|we)(?:'ll"
    r"| will) (?:come quietly|be (?:good|quiet|honest|careful|brief|quick|frank|blunt)"
    r"|(?:not )?(?:bother|trouble|keep|hurt|harm|tell) (?:you|anybody|anyone|nobody)|remember (?:that"
    r"|this|it)|owe|think about it|take that as|hold you|see about"
    r"|believe (?:it|that)|be in your debt|behave|let you know|make it (?:up|right)))"
)
"""What the speaker is, has, knows or feels, and no deed."""
_TAG = re.compile(
    r"(?i), (?:you know(?: that)?|right|no|eh|huh|ok(?:ay)?|understand|understood|got it|(?:is|are|do"
    r"|did|have|can|would|were|was)n't"
    r" (?:you|it|he|she|they)|(?:are|do|did|have|can|would) you)\?{1,5}$"
)
"""A tag that makes a question of what is none: `…, aren't you?`"""
_TAGGED = frozenset("accused insulted praised".split())


_ONLY_GESTURE = re.compile(
    r"(?i)^\W{0,9}(?:i|we) (?:\w+ly )?(?:smile|laugh|grin|nod|bow|wave|wink|shrug|sigh|frown|chuckle"
    r"|snort|lean (?:over|in|back|forward)|(?:raise|lower) my voice|clear my throat)\b"
    r"(?: (?!and\b)[\w'-]+){0,4}\W{0,9}$"
)


def is_gesture(clause: str) -> bool:
    """Whether a clause is nothing but a gesture, with which something else can be said."""
    return _ONLY_GESTURE.match(clause) is not None


def is_state(clause: str) -> bool:
    """Whether a clause says what the speaker is, has, knows or feels."""
    return "?" not in clause and _STATE.match(clause) is not None


def plainly(text: str) -> str:
    """A line without gestures before words, reasons before deeds, and changes of mind."""

    def bare(found: re.Match[str]) -> str:
        verb, whom, after = found["verb"], found["whom"], text[found.end() :].lower()
        if not whom or re.match(r" (?:him|her|them|the|to)\b", after):
            return f"{found['who']} {verb}"
        return f"{found['who']} {verb} {'' if re.match('(?i)ask|tell|answer', verb) else 'to '}{whom}"

    turned = _TURNED.sub("", _OPENER.sub("", text))
    if turned != text:
        turned = re.sub(r"(?i)^\W{0,9}(?:to )?(?=the [\w' ]{3,24} first\b)", "go to ", turned)
    turned = re.sub(r"(?i)^\W{0,9}([^.!?]{5,120}), (?:i|we) (promise|swear)\W{0,9}$", r"I \2 that \1", turned)
    turned = re.sub(r"(?i)\bhere, (?:take|have|try) (?=(?:some|an?|this|the|my|it)\b)", "I offer ", turned)
    text = _SILENT.sub("", _WHY.sub("", turned))
    text = re.sub(r"(?i)\b(?:tip|doff|raise|lift) my (?:hat|cap) to\b", "nod to", text)
    return _BARGAIN.sub(r"\1 ", _GESTURE.sub(bare, text))


def is_reported(text: str) -> bool:
    """Whether a text tells somebody that something is so, in the words of one who tells of it."""
    return bool(
        _REPORTS.match(text) and _TOLD.match(text[:LONGEST]) and re.search(r"(?i)\b(?:that|of|about|how)\b", text)
    )


_CALLED = (
    r"(?:(?:my|old|dear|good|you|the|master|mistress|mr|mrs|miss|mother|father|brother|sister|young) ){0,2}"
    r"(?:sir|madam|ma'am|friends?|man|woman|dear|lad|lass|mate|innkeeper|barkeep|landlord|landlady|mister|miss|boss"
    r"|captain|officer|master|mistress|love|darling|folks|everyone|everybody|all|two|three|boys|people|kid{NAMES})"
)
"""What somebody is called who is spoken to."""


def without_names(text: str, names: frozenset[str] = frozenset()) -> str:
    """Words without the name of the one who is spoken to: `come here` of `Agnes, come here`."""
    text = text.replace("’", "'")[:LONGEST]
    called = _CALLED.replace("{NAMES}", "".join(f"|{re.escape(name)}" for name in sorted(names, key=len, reverse=True)))
    text = re.sub(rf"(?i)^(\W{0, 9}(?:(?:hey|hi|hello|oh|well|so|and|but|please),? )?){called}[,:!] +", r"\1", text)
    return re.sub(rf"(?i), ?{called}(?: (?:\w+))?(?=\W{0, 9}$)", "", text)


_REQUESTED = re.compile(
    r"(?i)^\W{0,9}(?:(?:then|and|so|also|just)\W{1,9}){0,2}(?:i|we) (?:\w+ly )?(?:asks?|tells?"
    r"|orders?|begs?|urges?|invites?|commands?|requests?|want|need)"
    r" (?!(?:what|who|where|when|why|how|whether|if|about|for)\b)[\w' -]{2,40}?(?: not)? to (?!know\b|hear\b)\w+"
)
"""What somebody is asked to do, in the words of one who tells of it."""


def kind_of(text: str, names: frozenset[str] = frozenset()) -> str:
    """The kind of words to somebody, the weightiest of several sentences; empty for words of no kind."""
    said = without_names(words_said(text), names)
    found = [kind for kind in (_kind(without_names(each, names)) for each in _sentences(said)) if kind]
    whole = _kind(said)
    ranked = sorted({*found, *([whole] if whole else [])}, key=list(_KINDS).index)
    return ranked[0] if ranked else _otherwise(text[:LONGEST])


def _otherwise(text: str) -> str:
    return "ordered" if _REQUESTED.match(text) else "claimed" if is_reported(text) else ""


def _sentences(text: str) -> list[str]:
    return [
        each for each in re.split(r"(?<=[.!?;])\s{1,9}|,\s{1,9}(?=(?:so|now|but) )", text) if re.search(r"\w", each)
    ]


def _kind(sentence: str) -> str:
    return next((kind for kind, pattern in _KINDS.items() if pattern.search(sentence)), "")


_TO_YOU = re.compile(
    r"(?i)^\W{0,9}(?:(?:all right|alright|ok|okay|fine|yes|no|so|and|but|well|look|because|then|oh"
    r"|man),? ){0,4}(?:you|you're|you've|you'd|you'll|your|yours)\b(?! (?:all )?(?:see|hear)\b)"
)


_OF_IT = re.compile(
    r"(?i)^\W{0,9}(?:(?:so|and|but|well|look|because|then|oh|man|at least),? ){0,4}(?:(?:he|she|it"
    r"|that|this|nobody|no one|someone|somebody)"
    r"(?: \w+ly| never| always| just| only)? (?!(?:[a-z]+s)\b)[a-z]+|nobody \w+|no one \w+"
    r"|(?:the|an?|my|our|his|her|their|some|people|one|two|three|every \w+|those|these|most|many"
    r"|money|life|there)(?: [\w']+){0,4}?"
    r" (?:is|are|was|were|has|have|had|can|could|will|would|must|should|may|might|does|do|did|used to|said|says)"
    r"|(?-i:[A-Z][a-z]+)(?: (?-i:[A-Z]\w+))? (?:is|was|has|had|sends?|sent|said|told|wants?|wanted"
    r"|asked|needs?|died|knows?|thinks?|thought)"
    r"|(?:that|this|it|he|she|there|nobody|no one|someone|somebody)"
    r"(?:'s|'ll|'d| (?:is|was|were|has|had|can|could|will|would|must|should|does|did|did|went|looks?"
    r"|seems?|sounds?|smells?|tastes?|feels?"
    r"|made|makes|means|helps?|gave|took|told|said|wants|wanted|came|comes|needs|knows|deserves?|lied"
    r"|died|never|always|won't|can't|isn't"
    r"|wasn't|didn't|doesn't|hasn't)))\b"
)
"""What is said of somebody or something else, and no deed of the party."""


def is_said(clause: str) -> bool:
    """Whether a clause is words to somebody who is here, though nothing says so: `liar`, `come with us`."""
    clause = without_names(clause)
    if re.match(r"(?i)\W{0,9}(?:i|we) (?:say|answer|reply) nothing\b", clause):
        return False
    if "?" not in clause and (any(form.match(clause) for form in (_FIGURE, _STATE, _TO_YOU, _OF_IT))):
        return True
    if (
        re.match(
            r"(?i)\W{0,9}(?:(?:and|but|please|so|fine|now|just|no|hey),? ){0,2}(?:don't|do not) (?!you\b|we\b"
            r"|i\b|they\b)\w+",
            clause,
        )
        and "?" not in clause
    ):
        return True
    if _TAG.search(clause):
        return kind_of(_TAG.sub(".", clause)) in _TAGGED
    bare = re.sub(_LEAD, "", clause.replace("’", "'")[:LONGEST], flags=re.IGNORECASE)
    first = (words(bare) or [""])[0]
    mine = re.match(
        r"(?i)\W{0,9}(?:i|we|let's|lets|let us|let me)\b(?! (?:in|through|pass|out|by|go|past|explain"
        r"|finish|tell|see your)\b)",
        bare,
    )
    for kind, pattern in _KINDS.items():
        if kind in _LOOSE or not pattern.search(clause[:LONGEST]):
            continue
        if "?" in clause and kind not in QUESTIONS:
            continue
        if mine:
            if kind in _MINE:
                return True
        elif kind in _ORDERS or not lemma_of(first) or LEXICON[lemma_of(first)] == "talk" or _OF_OTHERS.search(bare):
            return True
    verb = LEXICON.get(lemma_of(first), "do" if first == "do" else "")
    return verb not in ("", "ask", "talk") and not mine and "?" not in clause and _is_order(bare, first)


def _is_order(bare: str, first: str) -> bool:
    """Whether a bare verb is an order to somebody else: what is to be done is done with them, or for the party."""
    if re.match(r"(?i)\W{0,9}do (?:as|what|exactly (?:as|what)) (?:you|i|we)\b", bare):
        return True
    if lemma_of(first) != first or first in ("let", "read", "tell", "describe", "remind"):
        return False
    return bool(re.match(r"(?i)\W{0,9}\w+ (?:[\w'-]+ ){0,2}?(?:me|us|your|yourself|yourselves)\b", bare))


_STATED = re.compile(
    r"(?i)\b(?:you|you're|you've|your|he|she|they|it|it's|that's|there's|this|is|are|was|were|isn't|aren't|wasn't"
    r"|don't|doesn't|didn't|can't|won't|has|have|had|would|could|should|will|never|always|nobody|everybody|what an?"
    r"|how|too|such|poor|good|nice|bad)\b"
)


def is_stated(clause: str) -> bool:
    """Whether a clause with no verb of a deed reads as a statement: `nice place you've got here`."""
    first = (words(clause) or [""])[0]
    verbal = re.match(r"(?i)\W{0,9}[a-z]+ (?:the|an?|my|our|some)\b", clause) and not _STATED.match(first)
    return bool(_STATED.search(clause)) and not verbal


__all__ = [
    "ASIDES",
    "QUESTIONS",
    "is_gesture",
    "is_reported",
    "is_said",
    "is_state",
    "is_stated",
    "kind_of",
    "plainly",
    "without_names",
    "words_said",
]
