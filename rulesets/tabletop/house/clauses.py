"""What a line is made of: its clauses, one deed or one thing said in each, and the condition that it stands under."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sottovoce.rulesets.tabletop.house.verbs import lemma_of
from sottovoce.rulesets.tabletop.shown.deeds import VERBS, joins

_BREAK = re.compile(
    r"(?<=[a-z0-9'”\"?])[.!;]+ {1,3}|\? {1,3}| ?; {0,3}|,? {1,3}(?:and )?then {1,3}|,? {1,3}but {1,3}(?!not\b)"
    r"|, (?:and )?(?=(?:i|we|then|so i|so we|i'll|we'll|i'm|we're|let's)\b )| {1,3}[-–—]+ {1,3}|: {1,3}",
    re.IGNORECASE,
)
_AND = re.compile(r",? {1,3}and {1,3}(?:(?:i|we|then|also|just) {1,3})*(?=([\w']+))", re.IGNORECASE)
_COMMA = re.compile(r", {1,3}(?=([a-z']+) )", re.IGNORECASE)
_PLAN = re.compile(
    r"(?i)(^|[.;!?,] {1,3})(?:(?:so|ok|okay|well|then|and|now|hey|right),? )*"
    r"(?:(?:why don'?t|why shouldn'?t|how about|what about|what if) (we|i)\b(?! (?:know|see|hear)\b)"
    r"|lets (?=[a-z]+ )|(?:how about|what about) (?=we\b))([^.?!;]*)\??"
)
"""A plan that is put as a question: `Why don't we search it?`"""
_AIM = re.compile(
    r"(?i),? (?:because|cos|cause|since|so that|so (?=he|she|they|nobody|no one)|to make up for|just to show|to"
    r" show (?=that"
    r"|i\b|we\b|him|her|them)|in case|seeing as) [^.?!;]*"
)
"""Reasons and aims, which are no deeds of their own."""
_OFFER = re.compile(
    r"(?i)(?:how|what) (?:about|if) (?:we|i)\b.*\byou(?:r|rs)?\b"
    r"|what if (?:we|i) (?:just |simply |all )?(?:left|went|gave|took|made|said|told|came|ran|brought|found|paid"
    r"|[a-z]+ed)\b"
)
"""What is offered to somebody, and no plan: `What if we gave you a boat?`"""
_GOES = r"(?i)\b(go|head|walk|run) (?:over |down |on |back )?and "
_GO_AND = re.compile(rf"{_GOES}(?=(?:find|talk|ask|get|fetch|buy|wake|help|speak)\b)")
_SEE = re.compile(rf"{_GOES}(?:see|visit|have a look at|look at|check out|check on) (?=the\b|(?-i:[A-Z]))")
_KNOCK = re.compile(rf"{_GOES}(knock|bang|listen) (?:at|on) (the (?:door of )?[\w' ]{{3,30}})(?=\W*$|[.,;!])")
"""`go and` before what is done there: the way is told by itself, or with the deed."""


_MANNER = re.compile(
    r"(?i)(?<![^.;!?] )(?<![^\s])(quietly|slowly|carefully|gently|quickly|silently|calmly|politely),? (i"
    r"|we)\b(?= [a-z])"
)
_BEFORE = re.compile(r"(?i)(^|[.;!?] {1,3})(?:before|after|while|now that) [^,.;!?]{3,60}, (?=(?:i|we)\b)")
_TO_DO = re.compile(
    r"(?i)(\b(?:i|we|let's) (?:(?:'ll|will|then|just) )*(?:go|head|walk|run|step|sit down)\b[^.;,!?]{0,50}?),? to "
    r"(?=(?:buy|order|knock|listen|pray|eat|sleep|drink|search)\b)"
)


_MARKLESS = re.compile(
    r"(?i)\b(what|where|who|that|he|she|there|how)s (?=(?:in|on|the|a|an|up|there|under|behind|going|not|here|it|that"
    r"|this|with|your|my|his|her|he|she|they|odd|good|fine)\b)"
)
_NEGATED = re.compile(r"(?i)\b(do|does|did|is|are|was|were|have|has|had|would|could|should|ca|wo|ai)nt\b")
_I = re.compile(r"(?i)\b(i)(m|ve)\b")


def spelled(text: str) -> str:
    """The text with the marks that are left out in haste: `whats`, `dont`, `im`, `teh`."""
    text = _NEGATED.sub(r"\1n't", _MARKLESS.sub(r"\1's ", _I.sub(r"\1'\2", text)))
    return re.sub(r"\b(?:teh|hte)\b", "the", re.sub(r"\badn\b", "and", text))


_HAVE_A = re.compile(r"(?i)\b(?:have|take) an? (?:\w+ )?(drink|sip|swig|wash|smoke)\b(?: of\b)?(?! (?:with|to|for)\b)")
_SHELTER = re.compile(
    r"(?i)(?<=\w),? (?:and|to|so (?:i|we) can) (?:get|come) (?:in )?(?:out of|away from) (?:the|this) (?:cold|rain|wind"
    r"|wet|snow|storm|sun|heat|weather|draught)\b"
)
"""What is had with the place that one goes to."""
_VERB = {"drink": "drink", "sip": "sip", "swig": "drink", "wash": "wash", "smoke": "smoke"}
"""What one does who has a drink."""


def planned(text: str) -> str:
    """The text with plans as the deeds that they are."""

    def plain(found: re.Match[str]) -> str:
        if _OFFER.search(found[0]):
            return found[0]
        return f"{found[1]}{found[2] or ('' if found[3].lstrip().startswith('we') else 'we')} {found[3].strip()}"

    text = _SHELTER.sub("", _HAVE_A.sub(lambda found: _VERB[found[1].lower()], text))
    text = _MANNER.sub(lambda each: f"{each[2]} {each[1].lower()}", text)
    text = _BEFORE.sub(r"\1", _TO_DO.sub(r"\1 and ", text))
    return _GO_AND.sub("", _KNOCK.sub(r"\1 to \3 and \2", _SEE.sub(r"\1 to ", _PLAN.sub(plain, text))))


def without_aim(clause: str) -> str:
    """The clause without its reasons and aims."""
    return _AIM.sub("", clause)


_AGAIN = re.compile(
    r"(?i)^\W*(?:(?:ok|okay|so|and|then|now|well|right|let's|let me|alright),? )*(?:(?:i|we)(?:'ll)? )?"
    r"(?:(?:try|do|go|give it|have)(?: it| that| this| at it)? |it |that |(?:the )?same(?: thing)? ?)?"
    r"(?:again|once more|one more time|another (?:try|go)|a second time)\b(?! (?:to|with|about|at|and|what|who"
    r"|where|how|why)\b)"
)


def repeated(text: str, before: str) -> str:
    """The text of a deed; that of the deed before, where it says no more than to do it again."""
    return before if before and _AGAIN.match(text[:200]) else text


def clauses(body: str) -> list[str]:
    """The clauses of a line, in order."""
    found: list[str] = []
    at = 0
    pieces: list[str] = []
    for cut in _BREAK.finditer(body):
        end = cut.start() + (1 if cut[0].lstrip().startswith("?") else 0)
        pieces.append(body[at:end])
        at = cut.end()
    pieces.append(body[at:])
    for piece in pieces:
        own = _OWN.match(piece)
        cuts = [
            cut for cut in _AND.finditer(piece) if _is_deed(cut, piece, own is not None) and not _in_name(cut, piece)
        ]
        cuts += [cut for cut in _COMMA.finditer(piece) if own and _goes_on(cut, piece)]
        start, subject = 0, ""
        for cut in sorted(cuts, key=lambda each: each.start()):
            if cut.start() >= start:
                found.append(f"{subject}{piece[start : cut.start()]}")
                start, subject = cut.end(), ("we " if own["we"] else "I ") if own else ""
        found.append(f"{subject}{piece[start:]}")
    return [clause.strip() for clause in found if re.search(r"\w|”", clause)]


_OWN = re.compile(
    r"(?i)\W*(?:(?:then|now|so|and|ok|okay|well|first|next|right|fine),? )*(?:i\b|i'[a-z]+|(?P<we>we\b"
    r"|we'[a-z]+|let's|let us))"
)
"""How a deed of one's own begins, or one of the whole party: what is joined to it by `and` or a comma is"
" theirs, too."""


def _goes_on(cut: re.Match[str], piece: str) -> bool:
    plain = cut[1].lower() not in ("and", "then", "but", "or") and not _OUTCOME.match(piece, cut.end())
    return plain and joins(", ", piece, cut.end())


_OUTCOME = re.compile(r"(?i)(?:see|watch|find out|learn|hear) (?:who|what|if|whether|where|how|when)\b")
"""What is to come of the deed before: `and see who comes`."""


def _in_name(cut: re.Match[str], piece: str) -> bool:
    """Whether `and` stands within a name: `the Eel and Anchor`."""
    return (
        cut[1][:1].isupper() and cut[1] != "I" and re.search(r"(?:^| )[A-Z][\w'-]+$", piece[: cut.start()]) is not None
    )


_SURE = re.compile(
    r"(?i)(?:sleep|rest|wait|go|walk|head|look|see|listen|ask|search|climb|knock|have an? \w+)\b(?: (?:till|until|to"
    r"|for|at|into|back"
    r"|down|up|out|in|of|on|what|who|how|if|whether|the|an?|him|her|them|around|over|some)\b|\W*$)"
)
"""A deed whose verb no noun of a list can be."""


def _is_deed(cut: re.Match[str], piece: str, own: bool) -> bool:
    word = cut[1].lower()
    if own and _SURE.match(piece, cut.start(1)):
        return True
    if _OUTCOME.match(piece, cut.end()):
        return False
    if own and word in VERBS:
        return joins(" and ", piece, cut.end())
    if own and lemma_of(word) != word and not re.match(r"(?i).* and (?:i|we) ", cut[0] + " "):
        return joins(" and ", piece, cut.end())
    return bool(lemma_of(word)) and word not in ("light", "present", "open")


@dataclass(frozen=True, slots=True)
class Condition:
    """What a deed stands under: `if`, the deed, and what is done otherwise; each in the line's own words."""

    given: str
    deed: str
    otherwise: str = ""


_GIVEN = re.compile(
    r"(?i)(?:^|[.;!?,] {1,3}| {1,3}(?:and|but) )(?:(?:so|and|but|ok|well|then|only) )?(?P<word>if|when|once|as soon"
    r" as|unless|in case) "
    r"(?P<given>[^,.;!?]{3,70}?)(?:, {0,3}(?:then )?| (?:then )?)(?P<deed>(?:i|we|i'[a-z]+|we'[a-z]+|let's)\b[^.;!?]*)"
)
_BEHIND = re.compile(
    r"(?i)(?P<deed>\b(?:i|we|i'[a-z]+|we'[a-z]+|let's)\b [^.;!?]{4,90}?),? (?P<word>if|unless|when|while) (?P<given>"
    r"(?:it|that|the [a-z' ]{2,24}|nobody|no one|no-one|anybody|anyone|somebody|someone|he|she|they|there)(?:'s"
    r"|'re)?\b[^,.;!?]{0,50}"
    r"\b(?:locked|unlocked|open|shut|closed|looking|watching|watches|looks|answers?|there|around|about|comes?|empty"
    r"|safe"
    r"|clear|asleep|alone|refuses?|attacks?|moves?|possible|away|out|in))(?=\W*$|[,.;] ?)"
)
_OTHERWISE = re.compile(
    r"(?i)(?:[,.;] {0,3}| {1,3})(?:otherwise|or else|else|if not|if (?:it|he|she|they|there)(?:'s| is| are|'re)?(?:"
    r" not| isn't| doesn't"
    r"| don't)?(?: (?:locked|shut|closed|open))?),? {1,3}(?:then )?(?P<deed>(?:i|we|i'[a-z]+|we'[a-z]+"
    r"|let's)\b[^.;!?]*|(?:[a-z]+ )[^.;!?]*)"
)


def condition_in(text: str) -> Condition | None:
    """The condition of a line, where a deed stands under one."""
    text = planned(text)
    if text.rstrip().endswith("?"):
        return None
    found = _GIVEN.search(text) or _BEHIND.search(text)
    if found is None or re.match(r"(?i)(?:i|we) were\b|you\b(?! (?:see|hear|notice)\b)", found["given"]):
        return None  # a bargain or a threat
    if found["word"].lower() in ("when", "while") and not re.search(_UNSEEN, found["given"]):
        return None
    if re.search(
        r"(?i)\b(?:see|check|ask|know|wonder|find out|test|tell|look|learn|unsure|sure)$",
        text[: found.start("word")].rstrip(" ,"),
    ):
        return None
    rest = text[found.end("deed") :] if found.end("deed") > found.end("given") else text[found.end("given") :]
    deed = found["deed"]
    other = _OTHERWISE.search(deed) or _OTHERWISE.search(rest)
    if other is not None and other.string is deed:
        deed = deed[: other.start()]
    given = f"not {found['given']}" if found["word"].lower() == "unless" else found["given"]
    before = text[: found.start()]
    return Condition(given, f"{before}{'. ' if before.strip() else ''}{deed}".strip(), other["deed"] if other else "")


_UNSEEN = re.compile(
    r"(?i)\b(?:look|looks|looking|watch\w*|notic\w*|sees?|around|about|turn\w*|back|asleep|sleeps?|gone|leaves?)\b"
)
