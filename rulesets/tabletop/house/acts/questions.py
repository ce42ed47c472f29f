"""A question taken apart: what kind of thing it asks for, of whom or what, and what an answer must have in it.

    question_of("Tobit, when did you last see your brother?", frozenset({"tobit", "marsh"}))

A sentence of the folder answers a question where it shares its telling words and holds the asked kind of thing: a
person for `who`, a time for `when`, a number for `how many`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from sottovoce.rulesets.tabletop.house.telling import unquoted
from sottovoce.rulesets.tabletop.rules.lore.entities import OFFICES
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, stem, words


@dataclass(frozen=True, slots=True)
class Question:
    """`word` is the kind of thing that is asked for: who, when, where, why, many, long, far, how, whether, what.

    `asked` are the roots that an answer shares, `matter` is what is asked about, as the one who answers names it, and
    `you` says that it is about the one who answers.
    """

    text: str
    word: str
    asked: frozenset[str]
    matter: str
    you: bool


_FUNCTION = frozenset(
    "a an the and or but if of to in on at by for with from into about as is are was were be been being am it its this"
    " that these those he she they him her his hers their theirs them you your yours we us our ours i me my mine not no"
    " nor who whom whose which what when where why how than then there here so too very can could should would will"
    " shall may might must have has had having do does did doing done some any please sir madam friend ever really"
    " just last exactly anything something everything thing things know tell say think happen happened become became"
    " going went more much many else also well now often ask explain colour color shape size kind sort mean means story"
    " thinks believes suspects"
    " idea"
    " let's it's that's there's what's who's where's he's she's they're you're i'm we're don't didn't doesn't won't"
    " isn't aren't wasn't weren't can't couldn't wouldn't haven't hasn't you've you'd i'd i've we've up out off down"
    " over under again still yet even though good morning evening day hello hi hey true nearest one get got like"
    " way anyone anybody someone somebody everybody everyone nobody master mistress maybe perhaps bring makes make"
    " first new find help today tonight between around ago since until while because before after during bring"
    " trouble matter problem wrong like time times".split()
)
_ROOTS = {
    form: root
    for root, forms in {
        "write": "write writes wrote written writing letter letters",
        "send": "send sends sent sending",
        "keep": "keep keeps kept keeping keeper run runs ran running winds wind tends tend",
        "build": "build builds built",
        "house-of-stone": "building buildings",
        "see": "see sees saw seen seeing",
        "hear": "hear hears hearing rang ring rings rung silent silence quiet",
        "sleep": "sleep sleeps slept sleeping",
        "live": "live lives lived dwell dwells home",
        "people": "people inhabitants souls villagers roofs folk",
        "die": "die dies died dead death deceased kill killed killing murder murdered",
        "flood": "flood floods flooded flooding drown drowns drowned under",
        "gone": "gone alive missing vanish vanished disappear disappeared lost",
        "raise": "raise raised raises raising open opened opens lift lifted",
        "wound": "wound wounded wounds hurt injured",
        "take": "take takes took taken steal stole stolen stealing",
        "pay": "pay pays paid paying",
        "buy": "buy buys bought buying",
        "sell": "sell sells sold selling",
        "leave": "leave leaves left leaving abandon abandoned evacuated",
        "give": "give gives gave given giving",
        "drink": "drink drinks drank drunk drinking",
        "eat": "eat eats ate eaten food meal meals",
        "stand": "stand stands stood standing",
        "begin": "begin begins began begun start starts started",
        "inn": "inn tavern alehouse",
        "child": "child children son daughter",
        "quarrel": "quarrel quarrels quarrelled argue argued fight fought",
        "own": "own owns owned owner belong belongs belonged",
        "rule": "charge rule rules governs govern governed leads lead leader council authority authorities",
    }.items()
    for form in forms.split()
}


def root(word: str) -> str:
    """What a word has in common with others that answer it: `wrote` and `letter` with `write`."""
    return _ROOTS.get(word) or stem(word)


@lru_cache(maxsize=16384)
def roots(text: str) -> frozenset[str]:
    """The roots of the words of a text that say something."""
    return frozenset(root(word) for word in words(text) if word not in _FUNCTION and len(word) > 2)


_ASKING = re.compile(
    r"(?i)^.*?\b(?:asks?|wonders?|inquire|enquire|question(?: \w+)?|(?:want|like|love|need) to (?:know|hear))\b"
    r".*?(?P<rest>\b(?:about|if|whether|who|whose|what|when|where|why|how|which|for|after)\b.*)$"
)
_KNOW = re.compile(
    r"(?i)^\W*(?:(?:so|and|but|well|now|then|please|excuse me|sorry|tell me|tell us)\b,? )*"
    r"(?:(?:(?:do|did|can|could|would|will) you (?:happen to )?(?:please |perhaps |at least )?"
    r"(?:know|tell (?:me|us)|say|remember|explain(?: to (?:me|us))?|give (?:me|us))"
    r"|(?:what|everything|all|anything) (?:do|can|could|that)? ?(?:you|he|she|they) (?:might )?(?:knows?|tell (?:me"
    r"|us)|say|remembers?)"
    r"|(?:if|whether) (?:he|she|they) (?:knows?|remembers?|has (?:ever )?heard|have (?:ever )?heard|can (?:say"
    r"|tell (?:me|us)))"
    r"|(?:does|do|can|could|would|will) (?:any|some|no)(?:body|one)(?: here| of you)? (?:want to |please )?(?:know"
    r"|tell (?:me"
    r"|us)|say|remember|explain)"
    r"|(?:have|has) (?:you|he|she|they) (?:ever )?heard|(?:have you )?any idea|is it true|did you know|(?:is"
    r"|are) there (?:some|any)(?:body|one)(?: here)? (?:who|that)"
    r" (?:could|can|would|might) (?:tell (?:me|us)|say|know))\b,? ?(?:that |if |whether |anything "
    r"|something )?(?:of |about )?)"
    r"(?=(?:\w+))"
)
_WORDS = (
    ("many", r"how (?:many|much|often)|what (?:does|do|is|would)\b.*\b(?:cost|charge|price)s?|at what price"),
    (
        "event",
        r"what(?:'s| is| has)(?: been)? (?:going on|the matter|wrong|up)(?= (?:here|around|in)\b|\W*$)|"
        r"what(?:'s| is| was) (?:wrong|the (?:matter|trouble|problem)) with\b|"
        r"what(?:'s| has| had| did| ever)? (?:really |actually |just |exactly )?(?:become|became|befell|happened"
        r"|happen)\b"
        r"|what(?:'s| is| has)(?: been)? (?:going on(?!\w)|(?:the matter|wrong|up)(?= (?:up |down |round )?(?:here"
        r"|around|in|with (?!you))\b))"
        r"|(?:the|his|her|their) fate|still alive|alive|still living",
    ),
    ("long", r"how long|since when"),
    ("far", r"how (?:far|deep|high|tall|wide|big|large|old|heavy|thick)"),
    ("why", r"why|how come|what(?:'s| is| was| were|) (?:the|his|her|your|their) reason|for what reason|what for"),
    ("when", r"when|(?:at )?what (?:time|day|year|hour|night)|how (?:soon|late)"),
    (
        "where",
        r"where(?:abouts)?|which way|what(?:'s| is) the way|how (?:do|can|could|would) (?:i|we|one) (?:get|come|go)\b",
    ),
    ("who", r"who(?:m|se|'s)?|what(?:'s| is) the name of|which (?:man|woman|person|one of you|of you|of them)"),
    ("how", r"how"),
    ("what", r"what(?:'s)?|which|about"),
)
_AT = r"(?!(?:an?|the|one|that|any|every) (?:single |same |first |last )?"
_AT += r"(?:night|day|evening|morning|time|spring|week|year|hour)s?\b)"
_FIRST = re.compile("|".join(rf"(?P<{word}>\b(?:{pattern})\b)" for word, pattern in _WORDS), re.IGNORECASE)
_WHETHER = re.compile(
    r"(?i)^\W*(?:(?:so|and|but|well|now|then|please|excuse me|sorry),? )*"
    r"(?:is|are|was|were|has|have|had|did|does|do|can|could|will|would|should|am|may|isn't|aren't|wasn't|didn't"
    r"|doesn't|don't|won't|if|whether|any)\b"
)
_WH = re.compile(r"(?i)\W*(?:who|what|when|where|why|how|which)\b")
_YOU = re.compile(
    r"(?i)\b(?:are|were|have|had|do|did|can|could|will|would|won't|don't|didn't|aren't|haven't|can't) you\b"
    r"|\b(?:how come|why) you\b|\byou(?:'ve|'re| (?:are|were|have|had|did|do))\b|\byour (?:own )?(?:name|age|trade"
    r"|work|job|home|family|wife"
    r"|husband|children|story|business|reasons?|place|life|part in)\b|\b(?:pays?|hired?|taught|raised|gave|sent"
    r"|hurt|made|brings?|scares?"
    r"|frightens?|tells?|told) you\b"
)
_THEM = re.compile(r"(?i)\b(?:who|what|when|where|why|how|if|whether|long|old|much|many)\b[^.?!]*?\b(?:she|he)\b")
_DEICTIC = re.compile(
    r"(?i)\bthis (?:very |fine |old )?[a-z-]+|\bthe (?:town|village|city|settlement|place)\b|\bhow (?:far|deep|high"
    r"|tall|wide|big|large|old"
    r"|heavy|thick|long|often|many|much|late|soon)\b"
)
"""What stands for the place, and what only says what kind of answer is asked for."""


_NEXT = re.compile(
    r"(?i)(?:, (?:and )?|\? (?:and )?| and )(?=(?:who|whom|what(?:'s)?|where(?:'s)?|when|why|how|which|is|are|do"
    r"|does|did|can"
    r"|could|will|would|has|have)\b (?!of\b|all\b))"
)


def several(text: str) -> list[str]:
    """The questions of a text that asks two: `How far is it, and what is the way?`; else the text."""
    body = text[:LONGEST].strip()
    parts = [each for each in _NEXT.split(body) if each and each.strip()]
    asking = [each for each in parts if _ASKS.match(each)]
    if len(parts) != 2 or len(asking) != 2 or "?" not in body or re.search(r"[“”\"]", body) or _TAG.match(parts[1]):
        return [text]
    return [each if each.rstrip().endswith("?") else f"{each}?" for each in parts]


_TAG = re.compile(r"(?i)\W*(?:(?:would|could|can|do|don't|will|won't|did) (?:you|we|i)|is it|isn't it)(?: \w+)?\W*$")
_ASKS = re.compile(
    r"(?i)^\W*(?:[\w'-]+, )?(?:(?:and|so|but|ok|well) )?(?:who|whom|what(?:'s)?|where(?:'s)?|when|why|how(?:'s)?"
    r"|which|is|are|do"
    r"|does|did|can|could|will|would|has|have)\b(?: [\w'’-]+){1,14}\W*$"
)
_FLIGHT = re.compile(r"(?i)\b(?:run|ran|running) (?:off|away|from|out)\b")
_RULES = re.compile(r"(?i)\bruns?(?= (?:this|the) (?:town|village|place|city|settlement)\b)")
_AFTER = re.compile(r"(?i)\b(?:looks? after|takes? care of|sees? to)\b")


_THE_ONE = re.compile(r"(?i)\b(?:are|were|aren't) you (?:not )?(?:the |that )?(?:[\w'-]+ ){0,2}?[\w'-]+ (?:who|that) ")
"""`Are you the man who wrote to us?` asks whether you did."""


def _sentence(text: str) -> str:
    """The sentence of a text that asks."""
    found = re.split(r"(?<=[.!?])\s+|[“”\"]", text)
    if found and re.fullmatch(
        r"(?i)\W*(?:and |but )?(?:by |to )?(?:who|whom|why|when|where|how|what for)\W*", found[-1]
    ):
        return found[-1].strip(" “”\"'")
    asking = [each for each in found if "?" in each] or [each for each in found if _FIRST.search(each)]
    asked = (
        re.split(r", (?=(?:do|does|did|can|could|would|will|has|have) (?:any|some)(?:body|one)\b)", asking[-1])[-1]
        if asking
        else text
    )
    return asked.strip(" “”\"'")


def question_of(text: str, own: Iterable[str] = ()) -> Question:
    """Take a question apart. `own` are words of the name of the one who answers, which ask for nothing."""
    sentence = _sentence(unquoted(text).replace("’", "'"))
    own = {*own}
    indirect = _ASKING.match(sentence)
    body = indirect["rest"].strip() if indirect else sentence
    called = re.match(r"(?i)\W*(?:(?:master|mistress|mother|father|old|dear) )?([\w'-]+)(?: [\w'-]+)?, (?=\w)", body)
    if called and {*words(called[0])} & own:
        body = body[called.end() :]
    body = re.sub(r"(?i)^\W*(?:(?:and|so) )?ever (?=[a-z])", "have you ever ", body)
    body = re.sub(
        r"(?i)\b(where|when|why|how) do you (?:really )?(?:think|suppose|reckon|believe|guess) ", r"\1 ", body
    )
    body = _FLIGHT.sub("flee", body)
    body = _RULES.sub("rules", body)
    body = _THE_ONE.sub("did you ", _AFTER.sub("keeps", body))
    known = _KNOW.match(body)
    sure = known is not None and re.search(r"(?i)is it true|did you know|\b(?:if|whether) $", known[0]) is not None
    body = body[known.end() :] if known is not None else body
    whether = _WHETHER.match(body) or (sure and not _WH.match(body))
    first = _FIRST.search(body)
    # "Did you see who raised the gate?" asks for the person, "Were you here when it rang?" for yes or no
    word = first.lastgroup if first and first.lastgroup else "what"
    if whether and (first is None or first.lastgroup in ("when", "where", "what", "how", "why")):
        word = "whether"
    asked = {root(each) for each in words(_DEICTIC.sub(" ", body)) if each not in _FUNCTION and len(each) > 2}
    asked -= {root(each) for each in own} | {each for each in asked if each in own}
    if len(asked) > 1 and re.search(r"(?i)\b(?:here|this (?:place|village|town|city)|the (?:village|town))\b", body):
        asked.discard("live")
    others = re.sub(
        r"\b([A-Z][\w']+) [A-Z][\w']+", lambda m: m[0] if words(m[1])[0] in own else "", body[:1].lower() + body[1:]
    )
    you = bool(_YOU.search(body)) or bool(own & {*words(others)})
    you = you or (indirect is not None and bool(_THEM.search(body)))
    return Question(body, word, frozenset(asked), matter_of(body, own), you)


_NOUN = re.compile(
    r"(?i)\b(?P<the>the|an?|your|my|our|his|her|their|that(?! (?:your|my|his|her|the)\b)|those|these|any|some)\s+"
    r"(?P<noun>(?:(?!of\b|in\b|on\b|at\b|to\b|and\b|that\b|who\b|is\b|was\b|were\b|are\b|for\b|from\b|with\b|did\b"
    r"|do\b|does\b|has\b|have\b|can\b|will\b|be\b|been\b|so\b|because\b)[\w'-]+ ?){1,2})"
)
_NAMED = re.compile(r"(?<=[a-z',] )(?!I\b|I')[A-Z][\w'’-]+(?: (?:of |the |and )?[A-Z][\w'’-]+)*")
_POSSESSED = {"your": "my", "my": "your", "our": "your", "any": "", "some": "", "a": "a", "an": "an", "this": "this"}
_TAIL = re.compile(
    r"(?i) (?:\w+ed|\w+ing|gone|stand|stands|stood|like|look|looks|run|runs|ran|come|came|mean|means|cost|costs|keep"
    r"|keeps|kept|know|here|there|now|not|before|after|since|until|tonight|today|yourself|up|down|out|away|back|lately"
    r"|exactly|again|all|yet|ever|go|goes|went|live|lives|stay|leave|leaves|belong|say|says|said|see|make|makes|by)$"
)


_EPITHETS = frozenset(
    "old young other first last big little small great new good poor dead next whole same two three".split()
)


_CLAUSE = re.compile(r"(?i)(?:that|this|any|all|no) (?:i|we|you|he|she|it|they)\b")
"""What is said after `tell somebody that`, and is no noun."""


def matter_of(text: str, own: Iterable[str] = ()) -> str:
    """What a sentence is about, as somebody answers who takes it up: `my brother` for `your brother`; or nothing."""
    name = next((each for each in _NAMED.finditer(text) if not {*words(each[0])} & {*own}), None)
    noun = _NOUN.search(text)
    if noun is not None and (name is None or noun.start() <= name.start()):
        which = noun["the"].lower()
        bare = noun["noun"].strip(" '")
        behind = words(text[noun.end() :])[:1]
        helped = (
            re.search(r"(?i)\b(?:do|does|did|will|can|could|would|has|have|had) $", text[: noun.start()]) is not None
        )
        verbal = (helped or re.match(r"(?i)\W*(?:is|are|was|were)\b", text) is not None) and not behind
        if helped and " " in bare and bare.split()[0] not in _EPITHETS:
            bare = bare.split()[0]
        if verbal or (behind and behind[0] not in _FUNCTION and " " in bare):
            bare = bare.split()[0]
        while _TAIL.search(f" {bare}"):
            bare = _TAIL.sub("", f" {bare}").strip()
        if _CLAUSE.match(f"{which} {bare}"):
            return ""
        if bare and bare.lower() not in ("way", "time", "name", "truth", "lot", "moment", "one", "same", "hell"):
            return " ".join(part for part in (_POSSESSED.get(which, which), bare) if part)
    alone = re.fullmatch(r"\W*([A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*)\W*", text)
    name = alone if alone is not None and not {*words(text)} & {*own} else name
    return name[0].strip(" ?!.,") if name is not None else ""


_NUMBER = (
    r"\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    r"|eighteen|nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?|hundreds?|thousands?"
    r"|dozens?|half|once|twice|several"
)
_SPAN = r"years?|days?|weeks?|months?|nights?|hours?|minutes?|generations?|centur(?:y|ies)"
HOLDS = {
    "many": re.compile(rf"(?i)\b(?:{_NUMBER}|every|all|one|a few|no more|most|none)\b"),
    "long": re.compile(rf"(?i)\b(?:since|until|(?:{_NUMBER}|for|many|some) (?:\w+ )?(?:{_SPAN}))\b"),
    "far": re.compile(
        rf"(?i)\b(?:(?:{_NUMBER}) (?:\w+ )?(?:{_SPAN}|miles?|leagues?|feet|foot|steps?|yards?|metres?|meters?|paces?"
        rf"|roofs)"
        r"|a (?:day|week|month|hour|mile|league)(?:'s|’s)? \w+|knee|waist|taller than|deeper than|higher than"
        r"|older than|near|seventy(?:-\w+)?|man-high)\b"
    ),
    "when": re.compile(
        rf"(?i)\b(?:since|until|before|after|when|night|morning|evening|noon|dawn|dusk|midnight|spring|summer|autumn"
        rf"|winter"
        rf"|today|yesterday|every|ago|once|twice|{_SPAN}|\w+day|market days?)\b"
    ),
    "where": re.compile(
        rf"(?i)\b(?:(?:in|at|on|under) {_AT}(?!spring\b|all\b|time\b)\w+|behind|near|above|below|beside|through"
        rf"|across|along|between"
        r"|beyond|outside|inside|upstream|downstream|west|east|north|south|toward|towards|from|not been seen|here)\b"
    ),
    "event": re.compile(
        r"(?i)\b(?:been|went|gone|missing|lost|died|dead|fell|came|took|vanished|\w{3,}ed)\b|\b(?:was|were) \w+(?:ed"
        r"|en|t)\b"
    ),
    "why": re.compile(
        r"(?i)\b(?:because|so that|in order|since (?!the|her|his|then|spring|\w+ (?:died|left))|for fear|therefore"
        r"|that is why"
        r"|reason|to (?:find|keep|protect|help|pay|mend|hide|stop|save|get)\b)|, for\b"
    ),
}
"""What a sentence has in it that holds the asked kind of thing."""
_SOMEBODY = OFFICES | frozenset(
    "guild order council lady lord man woman wardens somebody people villagers humans king queen family widow brother"
    " sister wife husband mother father son daughter children riders soldiers owner party clan crew team investigator"
    " guards priests nobody".split()
)


def _undergone(question: Question, text: str) -> bool:
    """Whether a sentence only says to what the asked thing was done: `she was wounded`, and not by whom."""
    if re.search(r"(?i)\bby (?:an? |the )?[\w'’]+", text) or re.match(
        r"(?i)\W*who(?:'s| is| was| are| were)\b", question.text
    ):
        return False
    done = [found[1] for found in re.finditer(r"(?i)\b(?:was|were|been|be|an?|the) (\w+ed)\b", text)]
    return any(root(each.casefold()) in question.asked for each in done) and "nobody" not in text


def holds(question: Question, text: str, people: Iterable[str] = ()) -> bool:
    """Whether a sentence holds what is asked for. `people` are names that a `who` may be answered with."""
    if question.word == "many":
        return any(
            (question.asked & roots(found[1]) or not question.asked)
            and not (re.match(rf" (?:\w+ )?(?:{_SPAN})\b", found[1]) and not re.search(_SPAN, question.text))
            for found in re.finditer(rf"(?i)\b(?<!no )(?:{_NUMBER}|every|all)((?: [\w'’]+){{1,4}})", text)
        )
    if question.word == "who":
        low = words(text)
        mine = [word for word in low if root(word) not in question.asked]
        identity = re.match(r"(?i)\W*who(?:'s| is| was| are| were)\b", question.text) is not None
        return (
            identity
            or bool(_SOMEBODY & {*mine, *(word.removesuffix("s") for word in mine)})
            or any(name in low for name in people if root(name) not in question.asked)
            or any(
                root(each.casefold()) not in question.asked for each in re.findall(r"(?<=[a-z,] )[A-Z][\w'’]{3,}", text)
            )
        ) and not _undergone(question, text)
    pattern = HOLDS.get(question.word)
    return pattern is None or bool(pattern.search(text))
