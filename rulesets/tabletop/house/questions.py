"""What one of the party is asked by another: what kind of words they are, and what they are about.

read("could you fix a clock that size?", "Pim")        Question("ability", "a clock that size", "fix a clock …", …)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sottovoce.rulesets.tabletop.house.orders import is_order
from sottovoce.rulesets.tabletop.house.subjects import QUALITY, named_in, short_of, subject_of
from sottovoce.rulesets.tabletop.house.verbs import lemma_of, lists
from sottovoce.rulesets.tabletop.rules.lore.facts import OFFICES
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, stems


@dataclass(frozen=True, slots=True)
class Question:
    """Words to a companion. `subject` is what they are about; `echo` the deed or the quality that they ask for."""

    kind: str
    text: str
    subject: str = ""
    echo: str = ""
    person: str = ""

    @property
    def about(self) -> frozenset[str]:
        """The stems of what they are about."""
        return stems(_EMPTY.sub(" ", f"{self.subject} {self.echo} {self.text}"))


_EMPTY = re.compile(
    r"(?i)\b(?:think|say|feel|believe|suggest|mean|trust|idea|opinion|heard?|remember|notice|sort|kind|order"
    r"|people|word"
    r"|time|ask|speak|look|find|could|would|should|shall|know|anything|guess|suppose|reckon|maybe|perhaps)\w*"
)
_REPORTED = re.compile(
    r"(?i)^\W*(?:i |we |let's )?(?:then |just |quietly )?(?:ask|asks|tell|tells|turn to|whisper to|talk to"
    r"|talk with|speak to"
    r"|speak with|say to|look to|consult|question|chat with|nudge|confer with|check with|remind|call to|beg|order"
    r"|urge|want|need)\s+(?P<name>[\w'-]+)(?:\s+and (?:ask|say|tell)\w*(?: \w+)?)?(?P<rest>[\s,:].*)?$"
)
_SHE = re.compile(r"(?i)\b(?:she|he|they)\b")
_FORMS = tuple((kind, re.compile("|".join(lines), re.IGNORECASE)) for kind, lines in lists("questions.txt").items())
"""The turns of phrase of each kind of question, in the order in which they count."""
_DON_T = re.compile(r"(?i)^\W*(?:please,? )?(?:don'?t|do not|never) (?P<deed>\w+)")
_ASKING = re.compile(
    r"(?i)^\W*(?:who|whom|whose|what|where|why|when|how|which|is|are|was|were|has|have|had|did|does|do|will|am|any)\b"
)


_THE_OTHERS = re.compile(
    r"(?i)^(\W*(?:i |we )?(?:then )?(?:ask|tell|turn to|consult|whisper to)) (?:the others|everyone|everybody"
    r"|(?:my|our) (?:friends|companions)|the (?:party|group|rest"
    r"|team)|all of them|both of them|both)\b"
)


def read(text: str, first: str, person: str = "") -> Question:
    """What somebody called `first` is asked; `person` is who a pronoun stands for. A long name has a short form."""
    text = " ".join(text.replace("’", "'").split())[:LONGEST]
    text = re.sub(
        r"(?i)\b(?:have|take) an? (?:[a-z]+ )?look (?=at|around|round|in|inside|over|under|behind)\b", "look ", text
    )
    if first:
        text = _THE_OTHERS.sub(rf"\1 {first}", text)
    text = re.sub(
        rf"(?i)\b{re.escape(first)}\b", short_of(first), text.replace("what is", "what's").replace("What is", "What's")
    )
    first = short_of(first)
    heard = text
    text = _direct(text, first)
    name = re.escape(first)
    opener = r"^\W*(?:well|so|and|but|hey|listen|look|say|oh|now|tell me)?,?\s*"
    bare = re.sub(rf"(?i){opener}{name}\s*[,:!-]+\s*|,?\s*\b{name}\b(?=\s*[?.!]*$)", "", text)
    bare = re.sub(r"(?i)\byou (?:all(?! right)|two|three|both|guys|lot|others)\b", "you", bare.strip() or text)
    bare = re.sub(
        r"(?i),?\s*\b(?:both|all|each) of you\b(?=\W*$)|,\s*(?:everyone|everybody|guys|team|all|folks)\b(?=\W*$)",
        "",
        bare,
    )
    bare = _main(
        re.sub(rf"(?i)^\W*(?:(?:ok|so|right|hey|well|alright|now|listen),? )*{_ALL}[,:!-]+\s*", "", bare) or bare
    )
    bare = re.sub(r"(?i),\s*(?:will|would|could|can|won't) you(?: please)?\W*$", ", please", bare)
    bare = re.sub(r"(?i)^(\W*(?:come on|come along|listen|thanks?|hurry up|well done|look)) you\b(?=\W*$)", r"\1", bare)
    whole = bare
    if asks := re.search(
        r"(?i)^\W*(?:i|we) .*?\bask(?: (?:her|him|them))? ((?:what|if|whether|how|who|where|why|which)\b.*)", bare
    ):
        bare = _direct(f"ask {first} {asks[1]}", first)
    if re.match(
        r"(?i)\W*you (?!are|were|have|know|look|seem|said|must|should|can|could|will|would|did|do|never|always"
        r"|owe|want|need"
        r"|love|hate|mean|think|believe|sound|feel|remind|scare|worry|surprise|make me|got|win|lose|like)",
        bare,
    ):
        told = re.sub(r"(?i)^\W*you ", "", bare)
        bare = told if is_order(told) else bare
    bare = re.sub(
        r"(?i)^\W*(?:(?:well|so|and|but|hey|oh|ok(?:ay)?|right|now|alright|hmm+|quick|tell me|honestly"
        r"|seriously),?|listen,|look,)"
        r" +(?!me\b)(?=\w)",
        "",
        bare,
    )
    if (
        to_all := re.match(
            r"(?i)\W*(?:everyone|everybody|all of you|both of you|one of you|someone|somebody),? (.+)", bare
        )
    ) and is_order(to_all[1]):
        bare = to_all[1]
    bare = re.sub(r"(?i)^\W*come on,? (?=[a-z]+ )(?!(?:in|up|down|over|with|then|now|you|let|back|and)\b)", "", bare)
    bare = re.sub(r"(?i)[,.]? (?:lol|haha|hehe|mate|buddy|pal|dear|my friend)(?=\W*$)", "", bare)
    bare = re.sub(
        r"(?i)^\W*(?:everyone|everybody|all of you|both of you) (?=(?:stay|keep|wait|hold|get|stop|come|go|be"
        r"|calm|listen|look|move|run|hide)\b)",
        "",
        bare,
    )
    kind = next((kind for kind, form in _FORMS if form.search(bare)), "")
    if not re.search(r"\w", bare):
        kind = "statement"
    later = re.match(r"(?i)\W*(?:if|when|once|as soon as|unless) [^,]{2,60}, (?:just |then |please )?(.+)", bare)
    if later and is_order(later[1]):
        kind = "then"
    asking = bare.rstrip(' "”').endswith("?") or _ASKING.match(bare) is not None
    if not asking and kind not in _NO_REQUEST and is_order(bare) and not re.match(r"(?i)\W*tell (?:me|us)\b", bare):
        kind = "request"
    if re.match(
        r"(?i)\W*(?:tell (?:me|us) )?(?:what(?:'s| is) wrong with|what you (?:make|think) of (?:it|this|that)\b)", bare
    ):
        kind, bare = "request", f"tell me {bare}"
    if kind in _THOUGHT and _LOOKS.match(bare) and not asking:
        kind = "request"
    if kind == "ability" and _AT_ONCE.match(bare):
        kind = "request"
    if kind in ("ability", "request") and re.match(
        r"(?i)\W*(?:can|could) you (?:tell|say|see) (?:if|how|what|when|whether|where|who|why|which)\b", bare
    ):
        kind = "knowledge"
    if re.match(rf"(?i)\W*(?:i|we) (?:tell|sing|read) {name} (?:an?|the|my|our) ", heard):
        kind = "told"
    if not kind and _GIVEN.search(bare):
        kind = "given"
    if kind == "knowledge" and (yours := _yours(bare)):
        kind = yours
    if not kind and asking:
        kind = _yours(bare) or ("quality" if QUALITY.match(bare) else "")
    if kind in ("opinion", "knowledge") and QUALITY.match(bare) and not re.search(r"(?i)\byou\b", bare):
        kind = "quality"
    if kind == "request" and re.match(r"(?i)\W*(?:can|could) you (?:get|bring|take|lead|guide) (?:me|us)\b", bare):
        kind = "ability"
    if kind == "ability" and re.search(r"(?i)\bplease\b", bare):
        kind = "request"
    if not kind and asking and _ABOUT_YOU.search(bare):
        kind = "own"
    kind = kind or ("knowledge" if asking else "statement")
    named = named_in(bare, first)
    if (
        kind in ("knowledge", "opinion", "quality")
        and named
        and not re.search(r"(?i)\byour?\b", bare)
        and re.match(r"(?i)\W*(?:is|was|did|does|has|can|could|will)\b", bare)
    ):
        kind = "verdict"
    subject = subject_of(bare, first) or (subject_of(whole, first) if whole != bare else "")
    pronoun = re.search(r"(?i)\b(?:he|she|him|her(?!\s+(?!and\b|to\b|is\b|in\b|at\b)\w)|them|they)\b", bare)
    known = bool(named and person and set(named.casefold().split()) & set(person.casefold().split()))
    trusted = (named or person) if re.search(r"(?i)\b(?:trust|believe|like)\b", bare) else ""
    if kind == "knowledge" and not subject and (bare_noun := _KNOWS.search(bare)):
        subject = bare_noun[1]
    who = person if pronoun or known or (person and not subject) else trusted
    if person and subject and subject.split()[-1].casefold() in _OFFICES:
        who = person
    if person and not who and any(word in person.casefold().split() for word in subject.casefold().split()[1:]):
        who = person
    return Question(kind, bare, subject, _echo(bare, kind), who if kind in _OF_PEOPLE else "")


_ALL = r"(?:everyone|everybody|guys|team|gang|folks|friends|my friends|lads|people|you)"


def _main(text: str) -> str:
    """The sentence of several that wants an answer: the last question, else the first order, else all of them."""
    parts = [part for part in re.split(r"(?<=[.!?;…])\s+", text) if re.search(r"\w", part)]
    if len(parts) < 2:
        return text
    asking = [part for part in parts if part.rstrip(' "”').endswith("?") or (_ASKING.match(part) and "!" not in part)]
    if len(asking) > 1 and re.match(r"(?i)\W*what do you (?:all )?(?:think|say|reckon)\W*$", asking[-1]):
        asking.pop()
    if asking:
        return max(asking, key=lambda part: (len(part.split()) > 2, parts.index(part)))
    orders = [re.sub(r"(?i)^\W*you (?=[a-z])", "", part) for part in parts]
    orders = [part for part in orders if is_order(part) and not re.match(r"(?i)\W*(?:thank|sorry|please\W*$)", part)]
    plain = [
        part
        for part in orders
        if not re.match(r"(?i)\W*(?:come on|look|listen|wait|try|don'?t \w+|do the talking)\W*$", part)
    ]
    return (plain or orders or [text])[0]


_THOUGHT = frozenset({"opinion", "knowledge", "sight", "plan", "state", "verdict", "quality", "recall"})
_LOOKS = re.compile(
    r"(?i)^\W*(?:please |now |just |you |go (?:and )?)*(?:(?:have|take) a (?:\w+ )?look|look at|examine|inspect"
    r"|study|check|smell|taste|touch)\b"
)
"""A look that is asked for, whatever is to be said of it afterwards."""
_KNOWS = re.compile(r"(?i)\bknow (?:much |anything |a lot )?(?:about |of |any )?([a-z]+(?: [a-z]+)?)\W*$")
_AT_ONCE = re.compile(
    r"(?i)^\W*(?:can|could|would|will) you (?:please |just )?(?:say|pray|sing|play|tell|look|check|listen|watch"
    r"|keep|read|write|wait|stay|hold|ask|talk|show"
    r"|get|bring|fetch|open|close|light|help|stop|come|go|give|put|find|take a|have a|carry|lift|pick (?:him|her"
    r"|it|them)|check)\b(?! (?:in the dark|well|properly)\b)"
)
"""Deeds that are asked for with `could you`, and can be done here and now."""


def _yours(text: str) -> str:
    """The kind of a question about the one who is asked: yes or no, how long, why, or what else."""
    if re.search(r"(?i)\bhow long (?:have|had|are|were|did|do) you\b", text):
        return "you.long"
    if re.search(r"(?i)\bwhy (?:do|did|are|were|have|don'?t|didn'?t|aren'?t|would|won'?t) you\b", text):
        return "you.why"
    if re.search(r"(?i)\bwhat are you (?:thinking|looking|staring|smiling|doing|up to|waiting)", text):
        return "you.what"
    if re.match(r"(?i)\W*(?:you )?ever (?!seen\b|heard\b|met\b)[a-z]+", text):
        return "you.have"
    if re.match(r"(?i)\W*(?:have|had) you (?!ever (?:seen|heard)|heard|seen|read|met|noticed)", text):
        return "you.have"
    if re.match(r"(?i)\W*did you (?!know\b|see\b|hear\b|notice\b|think\b|find\b|get\b)", text):
        return "you.did"
    if re.match(
        r"(?i)\W*(?:are|were|do|did|would|will|don'?t|didn'?t|aren'?t) you (?!know\b|remember\b|think\b|see\b"
        r"|hear\b|recogn)",
        text,
    ):
        return "you.yesno"
    return ""


_ABOUT_YOU = re.compile(r"(?i)\b(?:you|your|yours|you're|you've|you'd)\b(?! (?:see|hear|know|think|all know)\b)")
_GIVEN = re.compile(
    r"(?i)^\W*(?:i |we )?(?:hand|give|pass|offer|share|lend|throw|toss|put|pat|hug|take|kiss|help|squeeze|touch"
    r"|nudge|show|lean|hold|lead|carry)\b"
)
_NO_REQUEST = frozenset(
    "warned calm cheered turn blame word memory unease offer free secret night fun thanks sorry hello comfort "
    "laugh praise hush leave quarrel enough first ready sure why joined say.again "
    "have recall".split()
)
"""Words that ask for no deed, though they look like an order."""
_OFFICES = OFFICES | frozenset("innkeeper landlady landlord barkeep man woman fellow girl boy lady stranger".split())
_OF_PEOPLE = frozenset(
    {"opinion", "verdict", "knowledge", "statement", "recall", "culprit", "of.them", "acquaintance", "named"}
)


def _direct(text: str, first: str) -> str:
    """Words of which it is told that they were said, as they were said: `I ask Wren to wait` is `wait`."""
    found = _REPORTED.match(text)
    if found is None or not (
        found["name"].casefold() == first.casefold()
        or (found["name"].casefold() in ("him", "her", "them") and re.match(r"(?i)\W*(?:i|we)\b", text))
    ):
        return text
    rest = (found["rest"] or "").strip(" ,:")
    if not rest:
        return "what do you think?"
    if re.match(r"(?i)(?:to|not to)\s", rest):
        return re.sub(r"(?i)^to\s+", "", re.sub(r"(?i)^not to\s+", "don't ", rest))
    if re.match(r"(?i)(?:about|of)\s", rest):
        return f"what do you know {rest}?"
    if re.match(r"(?i)for\s", rest):
        return f"have you got {rest[4:].strip()}?"
    asked = re.match(r"(?i)(?:if|whether|what|who|where|why|when|how|which)\b", rest)
    if asked:
        rest = re.sub(r"(?i)^(?:if|whether)\s+(?:she|he|they) (?=can\b|could\b|would\b|will\b)", "you ", rest)
        rest = re.sub(r"(?i)^you (can|could|would|will)\b", r"\1 you", rest)
        rest = re.sub(r"(?i)^(?:if|whether)\s+(?:she|he|they)(?: is|'s| are)\b", "are you", rest)
        rest = re.sub(
            r"(?i)^(?:if|whether)\s+(?:she|he|they)(?:'s| has| have|'ve) (ever |already |also )?(?=\w+(?:ed|en"
            r"|ne)\b|been\b|seen\b|met\b|heard\b|had\b|got\b)",
            r"have you \1",
            rest,
        )
        rest = re.sub(r"(?i)^(?:if|whether)\s+(?:she|he|they) (?:has|have)\b", "do you have", rest)
        rest = re.sub(r"(?i)^(?:if|whether)\s+(?:she|he|they)\b", "do you", rest)
        rest = re.sub(
            r"(?i)^(what|how|where|who|why|which)\s+(?:she|he|they) (would|should|could|can|will|has|had)\b",
            r"\1 \2 you",
            rest,
        )
        rest = re.sub(r"(?i)^(what|how|where|who|why|which)\s+(?:she|he|they)(?: is|'s| are)\b", r"\1 are you", rest)
        rest = re.sub(r"(?i)^(what|how|where|who|why|which)\s+(?:she|he|they)\b", r"\1 do you", rest)
        rest = re.sub(r"(?i)\b(do you) (\w+?)s\b(?=\s|$|\?)", r"\1 \2", rest)
        return f"{rest.rstrip('.?!')}?"
    return re.sub(r"(?i)^that\s+", "", rest)


def _echo(text: str, kind: str) -> str:
    """The deed that is asked for, or the quality that somebody is said to have."""
    bare = text.strip(' ?.!"”')
    if kind in ("ability", "request"):
        bare = re.sub(r"(?i)\bmind ([a-z]+)ing\b", lambda m: lemma_of(f"{m[1]}ing".lower()) or m[1], bare)
        found = re.sub(
            r"(?i)^\W*(?:please,? |now,? |quick(?:ly)?,? |just |so |ok )*(?:who(?: here)? (?:can|could"
            r"|knows how to) |(?:do you know|does any of you know) how to "
            r"|(?:(?:are|is) )?(?:you|(?:any|either|who|which|one) of (?:you|us)) (?:is |are |any )*good (?:at|with) "
            r"|how good are you (?:at|with) |how well (?:do|can) you |have you ever |who of (?:you|us) (?:can"
            r"|could|knows how to) "
            r"|which of (?:you|us) (?:can|could|knows how to) |who(?:'s| is)(?: here)? (?:any )?(?:good"
            r"|best) (?:at|with) |(?:can|could|would|will|won'?t) (?:you|any of you"
            r"|someone|somebody|anyone|anybody"
            r"|one of you) "
            r"|(?:i'm going to|i'll|i will|i'd|i) (?:just )?(?:need|want|like) (?:you|someone|somebody"
            r"|one of you) to |would any of you |to )?(?:please |mind |even |really |also |possibly )*",
            "",
            bare,
        )
        return re.sub(
            r"(?i),? (?:please|would you|will you|can you|could you|for me|now|all right|ok(?:ay)?)$", "", found
        )
    if kind == "either":
        return re.sub(
            r"(?i)^.*?\b(?:rather|prefer|(?:should|shall|do|can) (?:we|i|you)|is it|is that|was it)\s+", "", bare
        )
    if kind == "method":
        return re.sub(r"(?i)^\W*how (?:would|do|can|could|will|should|shall) (?:you|one|i|we) ", "", bare)
    if kind.startswith("you."):
        bare = re.sub(
            r"(?i)\b(me|my|mine)\b", lambda found: {"me": "you", "my": "your"}.get(found[1].lower(), "yours"), bare
        )
        return re.sub(
            r"(?i)^\W*(?:are|were|do|did|have|had|would|will|don'?t|didn'?t|aren'?t) you (?:ever |still |really )*",
            "",
            bare,
        )
    if kind == "quality" and (
        plain := re.match(
            r"(?i)\W*(?:is|are|was) (?:it|this|that|these|those) ((?:(?:an?|the|some|really|still) )?[\w'-]+)$", bare
        )
    ):
        return plain[1]
    if kind == "quality":
        return re.sub(
            r"(?i)^.*\b(?:is|are|was|were|isn'?t|aren'?t|wasn'?t) (?:it|(?:the|this|that|these|those|my|your"
            r"|our) [\w'’-]+)\s*",
            "",
            bare,
        )
    if kind == "verdict":
        found_ = re.search(
            r"(?:(?i:\b(?:he|she|they|him|her|them))|(?:\b[Tt]he )?\b(?!Is|Was|Did|Do|Does|Has|Will|Can|Could"
            r"|I\b)[A-Z][\w'-]+)(?:'s| is| was|'re| are| has)?"
            r" ((?:not |really |always )?\w+(?: \w+){0,3})",
            bare,
        ) or re.search(r"(?i)\b(trust|believe|like)\b", bare)
        if found_ and re.match(
            r"(?: |')(?!(?:isn't|doesn't|didn't|don't|aren't|to (?:you|us)|or|and|at all|though|then|now|here)\b)\w",
            bare[found_.end() :],
        ):
            return ""
        return (
            re.sub(r"(?i),.*$|(?<!\s)\s+(?:isn't|doesn't|didn't|don't you think).*$", "", found_[1]) if found_ else ""
        )
    return ""


def denied(text: str) -> str:
    """The verb that somebody is told to leave off; empty without one."""
    found = _DON_T.match(text)
    return found["deed"] if found else ""
