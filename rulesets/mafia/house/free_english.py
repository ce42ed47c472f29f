"""What a person types at the table, as far as patterns can tell: who is meant, and what sort of thing is said.

Sentences come in small letters with each name of the roster marked as `\\x01place\\x02`. What no pattern knows is not
guessed at: nobody pretends to have understood it.
"""

from __future__ import annotations

import re

NAME = r"\x01(\d+)\x02"
_MANY = rf"{NAME}(?:(?:,| and| or|, and) {NAME})?"
_NOT = (
    r"(?:not|never|no longer|\b\w{1,8}n['’]t|\b(?:do|does|did|wo|ca|is|was|are|were|could|should|would|have|has)nt|"
    r"cannot|hardly)"
)
_ADVERBS = (
    r"(?:(?:\w+ly|so|very|just|still|also|too|pretty|kind of|a bit|a little|quite|definitely|to me|the|a|an|"
    r"one of the|most|more|our|clean|only|all|such|being|acting|looking|sounding|been|one|of|them) ){0,4}"
)
_IS = (
    r"(?:\s+(?:is|was|seems|seemed|looks|looked|sounds|has been|have been|must be|has to be|might be|could be|may be|"
    r"acts|feels|are|can be|got to be)|['’]s)"
)
_BAD = (
    r"(?:mafia|guilty|sus|sussy|suspicious|suspect|shady|sketchy|fishy|scum|scummy|evil|bad|off|weird|hiding|dirty|"
    r"dangerous|mafioso|killer|murderer|culprit|lying|liar|fake|bluffing|dishonest|wolf|the one|our guy|villain|"
    r"involved|behind (?:it|this|that))\b"
)
_GOOD = (
    r"(?:innocent|town|townie|clean|good|honest|clear|cleared|fine|legit|trustworthy|ok|okay|safe|reliable|straight|"
    r"on our side|one of us|not guilty|right|telling the truth|a villager)\b"
)
_AGAINST = re.compile(
    r"(?:suspect|suspecting|distrust|accuse|accusing|blame|eliminate|lynch|hang|execute|nominate|vote out|voting out|"
    r"vote for|voting for|vote against|get rid of|kick out|kill off|put up|put|look at|looking at|go after|eye on|"
    r"eyes on|bet on|betting on|case against|going with|my vote (?:is|goes) (?:to|for|on)|my vote is|my pick is|"
    r"suspicious of|wary of|bad feeling about|money is on|off with|wrong with|strange about|sure about|push on|"
    r"(?:think|say|guess|bet|believe|thinking|guessing|reckon) (?:that )?"
    rf"(?:it['’]?s|it is|it was|its)|it has to be|it['’]s got to be|it must be|it was|it['’]?s) {_MANY}(?!['’]s)"
)
_FOR = re.compile(
    r"(?:trust|believe|vouch for|believe in|defend|stand by|stand with|standing by|stick up for|leave|lay off|"
    r"let off|"
    rf"faith in|spare|sparing|save|confidence in|side with|back off|clear|cleared|protect) {NAME}(?!['’]s)"
)
_SUBJECT = re.compile(rf"{NAME}{_IS}\s+(?P<no>(?:{_NOT}|no) )?{_ADVERBS}(?:(?P<bad>{_BAD})|(?P<good>{_GOOD}))")
_SUBJECT_NOT = re.compile(
    rf"{NAME} (?:isn['’]?t|wasn['’]?t|is not|was not|can['’]?t be|cannot be|could not be|couldn['’]?t be) "
    rf"{_ADVERBS}(?:(?P<bad>{_BAD})|(?P<good>{_GOOD}))"
)
_DEED = re.compile(
    rf"{NAME} (?:just |has |is |clearly |keeps |kept |totally |obviously )*"
    r"(?:keeps changing|never answers|(?:has been|is|was) (?:way |much |far |a bit )?too (?:quiet|eager|quick|"
    r"nice)|lied|lies|lying|slipped|made (?:it|that|this) up|killed|murdered|did it|is bluffing|bluffing|faked)\b"
)
_YOU_BAD = re.compile(
    rf"\byou(?:['’]re| are| were|r) {_ADVERBS}{_BAD}|\byou (?:lied|did it|killed|murdered|made (?:it|that) up)\b"
)
_DENIED = re.compile(rf"(?:{_NOT}|no reason to|nobody should|stop|without|don['’]?t) (?:\w{{1,20}} ){{0,2}}$")
_DOUBTED = re.compile(r"(?:\bif|\bunless|\bwhether|\bwhy would|\bwhy did|\bwho) (?:\w{1,20} ){0,2}$")

_CALL_FIRST = re.compile(
    rf"^(?:(?:so|and|but|ok|okay|hey|hi|hello|well|now|no|yes|right|listen|dear|oh|yo|look|sorry|thanks|thank you|"
    rf"come on|wait|hold on),? )*@?{NAME}\s*(?:[,:—–!-]|(?:what|who|why|how|where|when|do|did|are|were|can|"
    rf"would|will|you|"
    r"your|please|have|tell|is it)\b|\.\.\.)"
)
_CALL_LAST = re.compile(rf",\s*{NAME}\s*[?!.…]*$")
_CALL_LOOSE = re.compile(rf"\b(?:you|your|u)\b[^\x01]{{0,120}}\s{NAME}\s*[?!.…]*$")
_ABOUT = re.compile(rf"\b(?:what|how) about {NAME}|\bhear from {NAME}|\bi would hear {NAME}|\bgive {NAME} the floor")

SORTS = ("accusation", "defence", "question", "claim", "promise", "lie", "insult", "small talk")
"""The sorts of thing that are told apart, apart from answers; a text can be several at once, or none."""

_SORTS = {
    "question": re.compile(
        r"\?\s*$|^(?:(?:so|and|but|ok|hey) )?(?:@?\x01\d+\x02,? )?(?:who|whom|what|why|how|where|when|which|"
        r"whose)\b.*"
        r"\b(?:you|we|is|are|do|does|did|think|vote|should)\b|\btell (?:me|us) (?:who|what|why|how|where|whether)\b|"
        r"\bwant to (?:hear|know)\b|\bwould hear\b|\bexplain (?:yourself|why|that)\b"
    ),
    "defence": re.compile(
        r"\b(?:it was ?n['’]?t me|wasn['’]?t me|not me\b|i did ?n['’]?t (?:do|kill|say)|i did not (?:do|kill|say)|"
        r"i(?:['’]m| am) (?:innocent|not (?:the |a )?(?:mafia|guilty|lying|your)|clean|on your side|"
        r"with the town|town)|"
        r"i have(?: got)? (?:nothing|no reason)|i have done nothing|i never (?:said|did)|i['’]ve done nothing|"
        r"nothing to hide|wrong about me|"
        r"my (?:votes?|vote record)|not true|backwards|does not hold up|doesn['’]?t hold up|"
        r"wrong (?:person|one|man|woman|target)|"
        r"making a mistake|big mistake|get this wrong|you(?:['’]ll| will) regret|nothing behind it|not what happened|"
        r"why would i (?:kill|do|lie|want)|said what you did wrong|what did i do|what have i done)\b"
    ),
    "claim": re.compile(
        r"\bi(?:['’]m|m| am| was) (?:(?:just|only|really|the|a|an|your|actually|literally|plain|simple|one who) )*"
        r"(?:detective|doctor|doc|cop|villager|vanilla|mafia|jester|townie|saved|protected)\b|"
        r"^as (?:the|a) (?:detective|doctor|villager)\b|"
        r"\bi (?:checked|investigated|looked at|looked into|protected|saved|guarded|inspected)\b|"
        r"\bmy (?:role|result|check|investigation)\b|\bi claim\b|\bclaiming (?:detective|doctor|villager)\b|"
        r"\x02 (?:came back|comes back|checked|turned up) (?:as )?(?:\w+ )?(?:mafia|innocent|clean|town|guilty)"
    ),
    "promise": re.compile(
        r"\bi(?:['’]ll| will|['’]m going to| am going to|['’]m gonna| promise| swear| shall|m going to|ll)\b.{0,120}"
        r"\b(?:vote|nominate|second|spare|protect|check|tell|follow|back|support|execute|stay|keep|investigate|save|"
        r"explain|claim|answer|put|help|be|do|name|watch|hold)\b|\b(?:you have my word|i give you my word|"
        r"count on me|"
        r"count on my vote|my word on it|i promise|if you .{0,120} i(?:['’]ll| will) )"
    ),
    "lie": re.compile(
        r"\b(?:liars?|lying|lied|lies|lie|bluff\w*|faked?|fake claim|made (?:it|that|this|all of it|"
        r"the whole thing) up|"
        r"making (?:it|that|this|things) up|not true|untrue|false|nonsense|bogus|bullshit|made[- ]up)\b"
    ),
    "insult": re.compile(
        r"\b(?:idiots?|idiotic|stupid\w*|dumb\w*|morons?|fools?|foolish|clowns?|shut up|pathetic|useless|losers?|"
        r"ridiculous|trash|garbage|annoying|jerks?|hate you|brainless|no brain|half a brain|imbeciles?|dimwits?|"
        r"worthless|"
        r"you suck|sucks|dense|hopeless|embarrassing|worst player|donkey|pig|rat|snake|coward|get lost|screw you)\b"
    ),
    "answer": re.compile(
        r"\b(?:undecided|nothing solid|nothing firm|no good answer|cannot pick|nobody stands out|ask me again|"
        r"judge me|"
        r"do not know yet|don['’]t know yet|have a name for you|everything i have is a guess|i would tell you|"
        r"asked me|"
        r"noted|fair enough|back to the votes|help us find|calling me names|it proves nothing|hold you to|"
        r"watching your vote|"
        r"follow what you mean|not (?:get|follow) that|not sure what you|if you do it|you went after me|"
        r"you named me|say what i did|one thing i did|since you ask|to answer you|"
        r"fair question|when i am gone|started this|wanted this|look at the votes|vote of mine|name the moment|"
        r"that['’]s wrong|isn['’]t (?:true|right)|can['’]t pick one|i['’]d tell you|no good answer|because you ask|"
        r"wrong (?:about me|chair)|"
        r"wasn['’]t me|what happened|hold up|speaks for me|i (?:never did|did nothing|can explain|have an answer)|"
        r"nothing (?:there|behind it|was added|of the kind)|won['’]t find it|falls apart|say otherwise|the opposite is|"
        r"isn['’]t so|mixed me up|better than that|saw me do|one more vote|not there yet|i['’]m torn|wish i could tell|"
        r"between names|nothing i['’]d bet|too early|getting stuck|shifts with every|too weak to say|"
        r"second time|haven['’]t changed|where they were|nobody saw|make one up|no idea yet|"
        r"not one word|would i have)\b"
    ),
    "small talk": re.compile(
        r"^(?:hi|hello|hey|good (?:morning|evening|day|night|luck|game)|morning|lol|haha+|hehe|gg|thanks|thank you|"
        r"welcome|bye|brb|cheers|wow|nice|cool|ok(?:ay)?|yes|no|sure|fun|so fun|phew|ouch)\b[^\x01]{0,25}$|"
        r"^(?:hi|hello|hey|good (?:morning|evening|day|night|luck)|morning|welcome|thanks|thank you|"
        r"nice to (?:see|meet)|"
        r"cheers|bye)\b|"
        r"\b(?:how are you|how is everyone|how was your|weather|coffee|tea\b|lunch|dinner|pizza|weekend|"
        r"what a (?:day|night|"
        r"game)|nice to (?:see|meet)|first time (?:playing|here)|love this game|great game|fun game|having fun|"
        r"good to see|be right back|hungry|sleepy|tired|slept|my (?:cat|dog|kids?|phone)|music|movie|birthday|"
        r"thanks for|"
        r"appreciate|good of you)\b"
    ),
}


def sorts(marked: str) -> set[str]:
    """The sorts of thing that a sentence says by its own words; accusations and kind words are `opinions`."""
    found = {sort for sort, pattern in _SORTS.items() if pattern.search(marked)}
    if "claim" in found and ("question" in found or re.search(r"\bif i (?:was|were|am)\b", marked)):
        found.discard("claim")
    return found


def spoken_to(marked: str) -> int | None:
    """Whom the sentence is spoken to by name, as a place in the roster."""
    for pattern in (_CALL_FIRST, _CALL_LAST, _CALL_LOOSE):
        if hit := pattern.search(marked):
            return int(hit[1])
    return None


def asked_about(marked: str) -> int | None:
    """Who is to answer a question that does not speak to them: "what about Bram?"."""
    hit = _ABOUT.search(marked)
    return next((int(place) for place in hit.groups() if place), None) if hit else None


def only_asks(marked: str) -> bool:
    """Whether the sentence is a question to somebody by name, which says nothing of them by itself."""
    return marked.rstrip().endswith("?") and spoken_to(marked) is not None


def opinions(marked: str) -> tuple[list[int], list[int]]:
    """Against whom the sentence speaks, and for whom, as places in the roster, where its grammar says so."""
    against: dict[int, None] = {}
    favour: dict[int, None] = {}
    asking = marked.rstrip().endswith("?")

    def put(place: str | None, bad: bool) -> None:
        if place is not None:
            (against if bad else favour)[int(place)] = None

    for hit in _AGAINST.finditer(marked):
        denied = _DENIED.search(marked[: hit.start()]) is not None
        if not asking and not _DOUBTED.search(marked[: hit.start()]):
            for place in hit.groups():
                put(place, not denied)
    for hit in _FOR.finditer(marked):
        if not asking:
            put(hit[1], _DENIED.search(marked[: hit.start()]) is not None)
    for pattern in (_SUBJECT, _SUBJECT_NOT):
        for hit in pattern.finditer(marked):
            if not asking and not _DOUBTED.search(marked[: hit.start()]):
                denied = pattern is _SUBJECT_NOT or bool(hit["no"])
                put(hit[1], (hit["bad"] is not None) != denied)
    for hit in _DEED.finditer(marked):
        if not asking:
            put(hit[1], True)
    to = spoken_to(marked)
    if to is not None and _YOU_BAD.search(marked):
        against[to] = None
    for place in against:
        favour.pop(place, None)
    return list(against), list(favour)
