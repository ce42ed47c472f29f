"""What one of the party is asked by another: what kind of words they are, and what they are about.

    read("could you fix a clock that size?", "Pim")        Question("ability", "a clock that size", "fix a clock …", …)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sottovoce.rulesets.tabletop.house.verbs import lemma_of
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
    r"(?i)\b(?:think|say|feel|believe|suggest|mean|trust|idea|opinion|heard?|remember|notice|sort|kind|order|people|word"
    r"|time|ask|speak|look|find|could|would|should|shall|know|anything|guess|suppose|reckon|maybe|perhaps)\w*"
)
_REPORTED = re.compile(
    r"(?i)^\W*(?:i |we )?(?:then |just |quietly )?(?:ask|asks|tell|tells|turn to|whisper to|talk to|talk with|speak to"
    r"|speak with|say to|look to|consult|question|chat with|nudge|confer with|check with|remind|call to|beg|order"
    r"|urge|want|need)\s+(?P<name>[\w'-]+)(?:\s+and (?:ask|say|tell)\w*(?: \w+)?)?(?P<rest>[\s,:].*)?$"
)
_SHE = re.compile(r"(?i)\b(?:she|he|they)\b")
_WORD = r"[^\W\d_][\w'’-]*"
_STOP = (
    "of|from|in|into|on|onto|at|with|which|who|to|under|behind|before|while|for|and|or|but|as|so|through|along|across"
    "|around|against|until|if|is|was|are|were|does|did|do|has|had|have|can|could|will|would|should|here|there|we|i|you"
    "|he|she|it|they|then|than|that|by|about|up|down|out|over|please|now|today|tonight|again|alone|too|when|where|how"
    "|why|what|say|says|mean|means|look|looks"
)
_NP = re.compile(
    rf"(?i)\b(?P<the>the|an?|any|some|this|that|these|those|my|your|our|his|her|their|all|no|every)\s+"
    rf"(?P<noun>(?!(?:{_STOP})\b){_WORD}(?:\s+(?!(?:{_STOP})\b){_WORD}){{0,3}}"
    rf"(?:\s+of\s+(?:the\s+|this\s+)?(?!(?:{_STOP})\b){_WORD})?)"
)
_ABOUT = re.compile(rf"(?i)\b(?:about|of|with|for|against|at|to)\s+(?P<noun>(?!(?:{_STOP}|me|us|him|her|them|the|an?|any|this|that|my|your|our|his|their)\b){_WORD})\s*[?.!]*$")
_NAME = re.compile(r"(?<=[\w,;] )((?!I\b)[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*)")
_TURNED = {"my": "your", "your": "my", "our": "our", "yours": "mine", "mine": "yours"}
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("thanks", r"^\W*(?:thanks?\b|thank you|well done|good (?:work|job)|nicely done|i owe you|bless you)"),
        ("sorry", r"^\W*(?:i'?m (?:so |very )?sorry|sorry|forgive me|my fault|i apologi[sz]e)"),
        ("hello", r"^\W*(?:hello|hi|hey|good (?:morning|evening|day|night)|greetings)\W*$"),
        (
            "hurt",
            r"\b(?:are you|you'?re|you are|you look) (?:\w+ )?(?:hurt|injured|wounded|bleeding|bad)\b|how (?:bad|badly)"
            r"|\bhow (?:are|is) your (?:wounds?|\w+ (?:arm|leg|head))|does it hurt",
        ),
        ("hungry", r"\b(?:hungry|thirsty|eat something|something to eat|supper|dinner|breakfast|starving|a bite)\b"),
        (
            "weather",
            r"\b(?:weather|going to rain|will it (?:rain|snow|hold)|looks like rain|nice (?:day|evening|night|morning)"
            r"|lovely (?:day|evening|night|morning)|warm enough|so cold|cold (?:day|night|out)|freezing)\b",
        ),
        ("fun", r"\b(?:a joke|joke about|tell (?:me|us) a (?:story|tale)|sing (?:\w+ ){0,2}(?:song|something|us|me|for)"
                r"|your favou?rite)\b"),
        (
            "state",
            r"\bhow (?:are|do|did) you (?:doing|feel(?:ing)?|holding up|keeping|sleep|today|\W*$)|\bhow are you\b"
            r"|\bare you (?:all right|alright|ok(?:ay)?|well|fine|ready|tired|afraid|scared|frightened|nervous|worried"
            r"|angry|sad|happy|cold|bored|sure)\b|\byou (?:all right|alright|ok(?:ay)?)\b|what'?s (?:wrong|the matter)"
            r"|why (?:are|so) (?:you )?(?:so )?(?:quiet|sad|angry|pale|nervous)|you (?:look|seem)\b|what ails you"
            r"|something (?:wrong|on your mind)|what'?s on your mind|^\W*(?:tired|scared|afraid|nervous|worried|ready"
            r"|cold|bored)\W*$",
        ),
        (
            "comfort",
            r"\b(?:i'?m|i am|i feel) (?:so |very |a bit |really |too )?(?:afraid|scared|frightened|tired|cold|hungry|sad|worried|lost|hurt"
            r"|nervous|exhausted|sick|lonely|homesick|angry|confused)\b|^\W*i (?:miss|can'?t (?:do|go on|sleep)|don'?t know what to do)",
        ),
        (
            "fear",
            r"\bwhat (?:are you|scares|frightens) (?:afraid of|you)|what do you fear|what worries you",
        ),
        (
            "origin",
            r"\bwhere (?:are|do|did) you (?:come |grow |live|from)|where'?s your home|\bwhere were you born"
            r"|what did you do before|(?:who|what) (?:are you|were you)(?: really| before)?\W*$|tell (?:me|us) about"
            r" (?:yourself|you\b)|what do you do for a living|what'?s your (?:trade|story|past|background|work|craft)",
        ),
        ("want", r"\bwhat do you (?:want|hope|believe in|live for|dream|care about)|why (?:are you here|did you come)"),
        ("have", r"\b(?:do you (?:still )?(?:have|carry|own)|have you (?:got|any|a|the|brought)|are you carrying"
                 r"|did you bring|got (?:any|a)|lend me|(?:what|which \w+) (?:do you (?:have|carry)|have you got))\b"),
        ("tongue", r"\b(?:do|can|could) you (?:speak|understand|read) (?P<tongue>(?-i:[A-Z])[\w'’-]+)"),
        (
            "verdict",
            r"\b(?:is|isn'?t|was|are|did|does|do|can|could|will|would|should) (?:(?:we|you|i)(?: really)? (?:trust|believe)"
            r"|(?:he|she|they|him|her|them)\b)|\b(?:he|she|they)(?:'s| is| was|'re| are| has| did| must| knows?| seems?"
            r"| looks?)\b[^?]*\?|\b(?:he|she|they)(?:'s|'re| is| are| was)\b"
            r"|\b(?:trust|believe|like) (?:him|her|them|this (?:man|woman))\b",
        ),
        (
            "plan",
            r"\b(?:what|where|which way|how) (?:should|shall|do|can|would|could) (?:we|i)\b(?![^?]*\b(?:know|see|hear"
            r"|have|owe)\b)|\bwhat (?:now|next)\b|\b(?:any|your|an) (?:ideas?|thoughts?|suggestions?|plan|advice)\b"
            r"|what (?:would|will) you (?:do|suggest|advise)|what'?s (?:the|your|our) (?:plan|next)|your counsel"
            r"|what do you (?:suggest|propose|want to do|say)\W*$|where (?:to|now|next)\W*$|what do you think\W*$"
            r"|do you (?:agree|mind)\b|who (?:should|shall) (?:we|i)\b",
        ),
        (
            "proposal",
            r"^\W*(?:do you think |don'?t you think |you think )?(?:that )?(?:should|shall|can|could|may|might|must) (?:we|i)\b"
            r"|\bdo you think (?:that )?(?:we|i) (?:should|can|could|ought|must|need)|^\W*(?:how|what) about \w+ing\b"
            r"|^\W*(?:let'?s|let us|why don'?t we|we (?:should|could|must|ought|need))\b"
            r"|\bare you (?:for|against|with me|in)\b(?! the| this| a)",
        ),
        (
            "opinion",
            r"\b(?:make of|thinks?(?: of| about)|opinion (?:of|on|about)|impression of|feel about|(?:do|did) you like"
            r"|(?:do|did) you (?:trust|believe)|take on|say (?:to|about))\b",
        ),
        (
            "sight",
            r"\b(?:do|can|could|did|does) you (?:\w+ )?(?:see|hear|smell|notice|spot|make out|sense|feel|find)\b"
            r"|\b(?:any|some) (?:sign|trace|tracks?|footprints?)\b|\bwhat (?:do|can|did) you (?:see|hear|smell|notice)"
            r"|\banything (?:there|out there|moving|up there|down there|behind|ahead|unusual|odd|strange)"
            r"|\b(?:are|is) (?:we|anyone|anybody|someone|somebody)(?: being)? (?:followed|watched|alone|safe here)|\b(?:anyone|anybody|someone|somebody) (?:there|following|watching|behind|coming)|you (?:see|hear) (?:that|it"
            r"|anything)|(?:see|hear|smell|spot|notice) (?:any|some|the|a|that|what)\w*\b[^?]*\?",
        ),
        (
            "knowledge",
            r"\b(?:do|does|did|have|has|had) (?:you|your [\w' -]{2,24}?|any of you)(?: ever| not)? (?:know(?! how)|knew|heard?"
            r"|seen?|read|remember|met|meet|been|come across|recogni[sz]e|think)\b|what do you (?:know|remember)|ever (?:seen"
            r"|heard|been|met)|tell (?:me|us) (?:about|what)",
        ),
        (
            "ability",
            r"\b(?:do you know how|are you (?:any )?good (?:at|with)|how good are you|how well (?:do|can) you|have you ever"
            r" (?:\w+ed|\w+en)|(?:can|could) (?:you|any of you|one of you) (?:even |really |also |possibly )?"
            r"(?!\w+ (?:me|us|it|him|her|them|the|this|that|these|those|my|our|your|please)\b)"
            r"(?!(?:come|go|be|wait|stay|please|help|stop|tell|try|give|keep|hold|stand)\b)\w+"
            r"|(?:who|which) of (?:you|us) (?:can|knows|could))\b",
        ),
        (
            "request",
            r"^\W*(?:please,? |now,? |quick(?:ly)?,? )?(?:(?:can|could|would|will|won'?t) you(?: please| mind)?|would any of you"
            r"|i (?:want|need) you to|to) (?!like\b|rather\b|say\b|call\b|be (?:able|surprised)\b)\w+",
        ),
    )
)
_DON_T = re.compile(r"(?i)^\W*(?:please,? )?(?:don'?t|do not|never) (?P<deed>\w+)")
_ASKING = re.compile(r"(?i)^\W*(?:who|whom|whose|what|where|why|when|how|which|is|are|was|were|has|have|had|did|does|do|will|am|any)\b")


def read(text: str, first: str, person: str = "") -> Question:
    """What somebody called `first` is asked; `person` is who a pronoun stands for. A long name has a short form."""
    text = " ".join(text.replace("’", "'").split())[:LONGEST]
    text = re.sub(rf"(?i)\b{re.escape(first)}\b", _short(first), text.replace("what is", "what's").replace("What is", "What's"))
    first = _short(first)
    text = _direct(text, first)
    name = re.escape(first)
    opener = r"^\W*(?:well|so|and|but|hey|listen|look|say|oh|now|tell me)?,?\s*"
    bare = re.sub(rf"(?i){opener}{name}\s*[,:!-]+\s*|,?\s*\b{name}\b(?=\s*[?.!]*$)", "", text)
    bare = bare.strip() or text
    bare = re.sub(r"(?i)^\W*(?:well|so|and|but|hey|listen|oh|tell me|honestly|seriously),? +(?=\w)", "", bare)
    kind = next((kind for kind, form in _FORMS if form.search(bare)), "")
    asking = bare.rstrip(" \"”").endswith("?") or _ASKING.match(bare) is not None
    if not kind and not asking and _imperative(bare):
        kind = "request"
    if kind == "ability" and re.search(r"(?i)\bplease\b", bare):
        kind = "request"
    kind = kind or ("knowledge" if asking else "statement")
    named = _named(bare, first)
    if kind in ("knowledge", "opinion") and named and re.match(r"(?i)\W*(?:is|was|did|does|has|can|could|will)\b", bare):
        kind = "verdict"
    subject = subject_of(bare, first)
    pronoun = re.search(r"(?i)\b(?:he|she|him|her(?!\s+(?!and\b|to\b|is\b|in\b|at\b)\w)|them|they)\b", bare)
    who = named or (person if pronoun or not subject else "")
    return Question(kind, bare, subject, _echo(bare, kind), who if kind in _OF_PEOPLE else "")


_OF_PEOPLE = frozenset({"opinion", "verdict", "knowledge", "statement"})


def _direct(text: str, first: str) -> str:
    """Words of which it is told that they were said, as they were said: `I ask Wren to wait` is `wait`."""
    found = _REPORTED.match(text)
    if found is None or found["name"].casefold() not in (first.casefold(), "him", "her", "them"):
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
        rest = re.sub(r"(?i)^(?:if|whether)\s+(?:she|he|they) (?:has|have)\b", "do you have", rest)
        rest = re.sub(r"(?i)^(?:if|whether)\s+(?:she|he|they)\b", "do you", rest)
        rest = re.sub(r"(?i)^(what|how|where|who|why|which)\s+(?:she|he|they)\b", r"\1 do you", rest)
        rest = re.sub(r"(?i)\b(do you) (\w+?)s\b(?=\s|$|\?)", r"\1 \2", rest)
        return f"{rest.rstrip('.?!')}?"
    return re.sub(r"(?i)^that\s+", "", rest)


def _imperative(text: str) -> bool:
    word = re.match(r"(?i)\W*(?:please,? |now,? |quick(?:ly)?,? |just |then |go and |come and |first )*([\w']+)", text)
    if word is None:
        return False
    low = word[1].lower()
    return low in _DEEDS or (lemma_of(low) == low and low not in _NO_ORDER)


_DEEDS = frozenset(
    "come hold cover watch keep stay wait go look listen dig bring get fetch take give help push pull lift open close shut"
    " lock follow stand sit hide run climb jump throw light search check read write try put be cast heal bandage guard"
    " protect talk ask tell speak distract start stop count draw tie untie cut break hand pass lend lead step move turn"
    " leave calm shout sing play wake carry catch mind use find hurry pick feel touch smell taste examine inspect study"
    " don't set make attack strike shoot hit kill fight steal scout sneak circle".split()
)
_NO_ORDER = frozenset("light present open wonder thank apologize apologise agree wish like love name being".split())


def _named(text: str, first: str) -> str:
    found = [each for each in _NAME.findall(text) if each.split()[-1].casefold() != first.casefold()]
    opened = re.match(r"(?:(?:Is|Was|Did|Does|Has|Can|Could|Will|Do|About) )?((?!I\b)[A-Z][\w'’-]+) (?:is|was|did|has|knows)\b", text)
    if not found and opened:
        found = [opened[1]]
    name = re.sub(r"['’]s$", "", found[0]) if found else ""
    return f"the {name}" if name and re.search(rf"\bthe {re.escape(name)}\b", text) else name


def _short(first: str) -> str:
    """The short form of a name with a mark in it: `Silani` for `Silani'shen`."""
    return re.split(r"['’-]", first)[0] or first


def subject_of(text: str, first: str = "") -> str:
    """What a question is about, as the one who answers says it: `your order` is `my order`; empty without a noun."""
    about = _ABOUT.search(text)
    nouns = [each for each in _NP.finditer(text) if each["noun"].casefold() not in _NO_NOUN]
    name = _named(text, first)
    after = next((each for each in nouns if re.search(r"(?i)\b(?:about|of|on|at|with) $", text[: each.start()])), None)
    best = after or next((each for each in nouns if each["the"].lower() not in ("your", "my")), None)
    if best is None and about is None and name:
        return name
    if best is None and about is not None:
        return about["noun"]
    best = best or (nouns[0] if nouns else None)
    if best is None:
        return ""
    article = best["the"].lower()
    noun = re.sub(r"(?i)\s+(?:please|now|today|tonight|yet|anyway|really|isn't|doesn't|right|like)$", "", best["noun"])
    if re.search(r"(?i)\b(?:did|does|do|will|would|can|could|should|has|have|had) $", text[: best.start()]) and " " in noun:
        ending = text[best.end() :].strip(" ?.!")
        noun = noun if ending else noun.rsplit(" ", 1)[0]
    if article in ("any", "some", "all", "no", "every"):
        return noun
    return f"{_TURNED.get(article, article)} {noun}"


_NO_NOUN = frozenset("bit lot moment way time of you think one".split())


def _echo(text: str, kind: str) -> str:
    """The deed that is asked for, or the quality that somebody is said to have."""
    bare = text.strip(" ?.!\"”")
    if kind in ("ability", "request"):
        found = re.sub(
            r"(?i)^\W*(?:please,? |now,? |quick(?:ly)?,? |just )*(?:(?:do you know|does any of you know) how to |are you (?:any )?good (?:at|with) "
            r"|how good are you (?:at|with) |how well (?:do|can) you |have you ever |who of (?:you|us) (?:can|could|knows how to) "
            r"|which of (?:you|us) (?:can|could|knows how to) |(?:can|could|would|will|won'?t) (?:you|any of you|one of you) "
            r"|i (?:want|need) you to |would any of you |to )?(?:please |mind |even |really |also |possibly )*",
            "",
            bare,
        )
        return re.sub(r"(?i),?\s+(?:please|would you|will you|can you|could you|for me|now|all right|ok(?:ay)?)$", "", found)
    if kind == "verdict":
        found_ = re.search(
            r"(?:(?i:\b(?:he|she|they|him|her|them))|(?:\b[Tt]he )?\b(?!Is|Was|Did|Do|Does|Has|Will|Can|Could|I\b)[A-Z][\w'-]+)(?:'s| is| was|'re| are| has)?"
            r" ((?:not |really |always )?\w+(?: \w+){0,3})",
            bare,
        ) or re.search(r"(?i)\b(trust|believe|like)\b", bare)
        return re.sub(r"(?i),.*$|\s+(?:isn't|doesn't|didn't|don't you think).*$", "", found_[1]) if found_ else ""
    return ""


def denied(text: str) -> str:
    """The verb that somebody is told to leave off; empty without one."""
    found = _DON_T.match(text)
    return found["deed"] if found else ""
