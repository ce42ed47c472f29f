"""What somebody answers who is asked about themself: a person knows their own name, work and home, and says so, or says
that it is nobody's business; and how somebody says no to any question: by what was asked, with the matter named.
"""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.acts.everyday import home_of, offices_of, told_of_themself
from sottovoce.rulesets.tabletop.house.acts.mouths import subject_of
from sottovoce.rulesets.tabletop.house.acts.questions import Question, roots
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, STOP, words

_NAME = re.compile(
    r"(?i)\byour (?:full |real )?name\b|\bwho (?:are|might) you\b|\bintroduce yourself\b|\bwhat (?:do|should|may"
    r"|can|shall) (?:they|we|i|people) call you\b"
)
_ARE = re.compile(
    r"(?i)(?:\b(?:are|aren't|would|must) you|^\W*(?:[\w']+\W+){0,2}?you(?= (?:(?:the|a|an)\b"
    r"|(?-i:[A-Z])[\w'’-]+\W*$))) (?:be |perhaps |not |really |by any chance )*(?P<what>[\w' -]+)"
)
_WORK = re.compile(
    r"(?i)\bwhat (?:do|are) you (?:do|doing)(?: (?:here|for a living|all day|for work|exactly))*\W*$"
    r"|\byour (?:work|trade|job|craft|business|post|position|role|profession)\b|\bwhat kind of work do you\b"
    r"|\byou\b[^?]*\bfor a living\b"
)
_HOME = re.compile(
    r"(?i)\bwhere\b[^?]*\byou (?:live|sleep|stay|come from|from)\b|\bwhere are you from\b|\bwhere\b[^?]*\b(?:lives"
    r"|sleeps|stays)\b|\byour (?:home|house)\b"
)
_AGE = re.compile(r"(?i)\bhow old\b|\byour age\b")
_LIVES = re.compile(r"(?i)\b(?:lives?|sleeps?|dwells?|home|lodges?|stays?)\b")
_BORN = re.compile(r"(?i)\bborn\b|\byears old\b")
_WORKS = re.compile(
    r"(?i)\b(?:keeps?|kept|runs?|run|ran|builds?|built|works?|sells?|trades?|cuts?|teach\w*|leads?|serves?|been a"
    r"|opens?|books)\b"
)
_MOOD = re.compile(
    r"(?i)\bwhat(?:'s| is) (?:wrong|the matter|up|troubling you|bothering you)(?: with you)?\W*$"
    r"|\b(?:how are you(?! (?:going|sure|planning))|how do you (?:feel|do\W*$)|are you (?:all right|alright|ok"
    r"|okay|well"
    r"|tired|afraid"
    r"|scared|hungry|cold|angry|happy|sad|hurt|nervous|sure|worried|upset|ill|sick|lonely|busy|drunk|thirsty|bored)"
    r"|you (?:look|seem|sound)(?! (?:at|for|after|into|like)\b))\b"
)
_VIEW = re.compile(
    r"(?i)\b(?:do|did|would|don't|didn't|can) you (?:\w+ )?(?:trust|like|believe|love|hate|fear|miss|suspect|blame"
    r"|enjoy|care)\b"
    r"|\bwhat (?:do|did|would) you (?:think|make|believe|suspect|reckon|say|do|suggest|advise)\b|\byour (?:opinion"
    r"|view|guess|feeling)\b"
    r"|\bwho do you (?:think|suspect|blame|believe)\b|\bdo you (?:think|believe|suppose|suspect)\b"
)
_WANT = re.compile(
    r"(?i)\bwhat (?:do|would|did) you (?:want|wish|hope|need|like)\b|\bwhat are you (?:after|looking for)\b"
)
_FEAR = re.compile(r"(?i)\bwhat are you (?:so )?(?:afraid|scared|frightened)\b|\bwhat (?:scares|frightens) you\b")
_WITNESS = re.compile(
    r"(?i)\b(?:did|have|has|had|could|were) you (?:\w+ ){0,2}?(?:see|seen|hear|heard|notice|noticed|find|found"
    r"|meet|met|watch"
    r"|spoken|speak|talk|talked|visit|visited|been|there|present|home|here)\b"
)
_BLAMED = re.compile(
    r"(?i)\b(?:did|have|was|were|are|aren't|isn't|didn't|haven't) (?:it )?you\b.*\b(?:kill\w*|murder\w*|st[eo]al\w*"
    r"|stole\w*|lie|lied"
    r"|lying|hid\w*|hiding|rais\w*|open\w*|drown\w*|burn\w*|poison\w*|take|took|taken|break|broke\w*|betray\w*|do it"
    r"|done (?:it|this)"
    r"|did it|behind|guilty|stop\w*|cut|cheat\w*|sell|sold|bribe\w*|paid|cover\w*|know more|involved|sabotag\w*"
    r"|attack\w*|wound\w*"
    r"|destroy\w*|money)\b"
)


_SOUGHT = re.compile(
    r"(?i)(?:\b(?:which (?:one )?of you is|is (?:one|any) of you)|\bwho(?:'s| is| here is)"
    r"|\blooking for) (?:the )?([\w'’-]+)(?: [\w'’-]+)?\W*$"
)
"""Somebody who is asked for, and may be the one who is asked."""
_WHERE = re.compile(
    r"(?i)\bwhere(?:'s| is| (?:can|could|do|would|might|will) (?:we|i|you|one) find) (?:the )?([\w'’-]+"
    r"(?: [\w'’-]+)?)\W*$"
)
"""Somebody who is looked for, and may be the one who is asked."""


def of_themself(play: Play, person: Entity, question: Question, facts: list[Fact]) -> str:
    """What somebody says of themself, where the question is about no more than that; empty where it is not."""
    text = question.text
    name = play.known.call(person)
    slots = {"name": name, "Name": capital(name), "full": person.name}
    if _NAME.search(text):
        return play.line("named", **slots)
    if _FEAR.search(text):
        return play.line("self.fear", **slots)
    called = {word for each in person.names for word in words(each)}
    if (where := _WHERE.search(text)) is not None and {*words(where[1])} & called:
        return play.line("self.here", **slots)
    sought = _SOUGHT.search(text)
    if sought is not None and sought[1].casefold() in called:
        return play.line("self.yes", **slots)
    if (said := is_called(play, person, text) or _is(play, person, text, slots)) is not None:
        return said
    if _MOOD.search(text):
        return play.line("self.mood" if play.memory.liking[person.id] >= 0 else "self.mood.cold", **slots)
    if _WORK.search(text):
        return _work(play, person, facts, slots)
    if question.you and _HOME.search(text):
        own = told_of_themself(play, person, _LIVES, facts)
        home = home_of(play, person)
        return own or (play.line("self.home", place=home, **slots) if home else play.line("private", **slots))
    if question.you and _AGE.search(text):
        return told_of_themself(play, person, _BORN, facts) or play.line("self.age", **slots)
    if question.you and _WANT.search(text):
        return play.line("self.want", **slots)
    if _FEAR.search(text):
        return play.line("self.fear", **slots)
    return ""


def is_called(play: Play, person: Entity, text: str) -> str:
    """The answer to a statement that says who somebody is: `you must be Agnes`; empty for any other."""
    name = play.known.call(person)
    if not re.search(r"(?i)\byou (?:must|would) be\b|\byou(?:'re| are)\b", text):
        return ""
    turned = re.sub(r"(?i)\byou (?:must be|would be|are)\b|\byou're\b", "are you", text)
    return _is(play, person, turned, {"name": name, "Name": capital(name), "full": person.name}) or ""


def _is(play: Play, person: Entity, text: str, slots: dict[str, str]) -> str | None:
    """The answer to `are you the miller`, `you must be Agnes`; None where it is no such question."""
    found = _ARE.search(text)
    if found is None:
        return None
    said = [
        word
        for word in words(found["what"])
        if word not in ("the", "a", "an", "our", "this", "here", "old", "master", "mistress", "called")
    ]
    own = {word for each in person.names for word in words(each)} | {*words(person.name)}
    if said and said[0] in own:
        return play.line("self.yes", **slots)
    work = offices_of(play, person)
    alike = {
        "landlady": "innkeeper",
        "landlord": "innkeeper",
        "host": "innkeeper",
        "owner": "innkeeper",
        "barkeep": "innkeeper",
    }
    asked = {alike.get(word, word) for word in said[:3]}
    if asked & work:
        return play.line("self.yes", **slots)
    other = next(
        (e for e in play.known.entities if e.kind == "person" and e is not person and said and said[0] in e.names), None
    )
    if other is not None:
        return play.line("self.other", other=play.known.call(other), **slots)
    if len(said) == 1 and re.search(rf"\b{re.escape(said[0].capitalize())}\b\W*$", text):
        return play.line("self.nobody", **slots)
    shown = " ".join(
        fact.text
        for fact in play.world.of.get(person.id, ())
        if fact.kind in ("looks", "knows") and fact.gate in ("open", "sight") and not play.known.closed(fact)
    )
    if said and len(said) < 3 and said[-1] not in STOP and said[-1] in words(shown[:LONGEST]):
        return play.line("self.shows", **slots)
    return None


def _work(play: Play, person: Entity, facts: list[Fact], slots: dict[str, str]) -> str:
    own = told_of_themself(play, person, _WORKS, facts)
    if own:
        return own
    office = min(offices_of(play, person), default="")
    return play.line("self.work", office=office, **slots) if office else play.line("private", **slots)


_ABLE = re.compile(
    r"(?i)\byou (?:\w+ )?(?:read|write|swim|speak|sing|cook|row|fight|see|hear|walk|count|mend|fix|stop|start)\b"
)


def _is_theirs(play: Play, person: Entity, question: Question) -> bool:
    """Whether what is asked about is the person's own work or business, by what is openly known of them."""
    wanted = roots(question.matter) & question.asked
    own = [f.text for f in play.world.of.get(person.id, ()) if f.gate == "open" and not play.known.closed(f)]
    people = [each for each in play.known.entities if each.kind == "person"]
    papers = play.known.papers.facts
    own += [f.text for f in papers if wanted & roots(f.text) and subject_of(f, papers, people) is person]
    return bool(wanted) and any(wanted <= roots(text[:LONGEST]) for text in own)


_OWN = (
    (
        "own.food",
        re.compile(
            r"(?i)\b(?:have|got|spare|share) (?:\w+ )?(?:any|some|a|an)(?:thing)?\b[^?]{0,20}\b(?:eat|food|bread|bite"
            r"|meal|drink|water|cheese|supper|breakfast|dinner|lunch)\b"
        ),
    ),
    (
        "own.no",
        re.compile(
            r"(?i)\b(?:(?:do|would) you (?:\w+ )?have|have you got|have you|you got|can you (?:spare|lend)|do you own"
            r"|do you keep) (?:any|some|an?|the|enough)\b"
        ),
    ),
    ("self.wish", re.compile(r"(?i)\b(?:do|don't|would|wouldn't) you (?:\w+ )?(?:want|like|prefer|rather)\b")),
    (
        "self.whynot",
        re.compile(r"(?i)\bwhy (?:didn't|don't|haven't|did you not|do you not|have you not|won't) ?(?:you)?\b"),
    ),
    ("self.ever", re.compile(r"(?i)\b(?:have|did|had|do) you ever\b|\byou ever\b")),
    ("self.have", re.compile(r"(?i)\b(?:have|haven't|had) you (?!got\b)")),
    (
        "self.feel",
        re.compile(
            r"(?i)\b(?:do|don't|did|are|aren't) you (?:\w+ ){0,3}?(?:lonely|bored|homesick|regret|worry|worried"
            r"|wonder|dream|hope"
            r"|wish|care|mind|sorry|ashamed|proud|happy|jealous|angry)\b"
        ),
    ),
    ("self.habit", re.compile(r"(?i)\b(?:do|don't) you\b(?! have\b| know\b| need\b| want\b| remember\b)")),
    ("self.did", re.compile(r"(?i)\b(?:did|didn't|were|weren't|had) you\b|\bdid (?:the )?(?:two|both) of you\b")),
    ("self.are", re.compile(r"(?i)^\W*(?:(?:and|so|but|then) )?(?:are|aren't) you\b")),
)
"""What somebody answers of their own doings who would rather not say much of them; only to a yes or no question."""
_EVER = next(at for at, (kind, _) in enumerate(_OWN) if kind == "self.ever")


def is_view(text: str) -> bool:
    """Whether somebody is asked what they think."""
    return bool(_VIEW.search(text))


def keeps_to_themself(question: Question) -> bool:
    """Whether somebody who is asked this has nothing to add: it is their own affair, or they are blamed."""
    open_ = _VIEW.search(question.text) or _WITNESS.search(question.text) or question.word in ("many", "long", "far")
    return bool(_BLAMED.search(question.text)) or (question.you and not open_)


def refused(play: Play, person: Entity, question: Question) -> str:
    """How somebody says that they cannot or will not answer this: the matter is named, and nothing else is told."""
    name = play.known.call(person)
    matter = question.matter
    slots = {"name": name, "Name": capital(name), "matter": matter, "Matter": capital(matter)}
    text = question.text
    if _BLAMED.search(text):
        play.like(person.id, -1)
        return play.line("blamed", **slots)
    if _VIEW.search(text):
        return play.line("self.view.of" if matter else "self.view", **slots)
    if question.word == "whether" and _OWN[_EVER][1].search(text):
        return play.line("self.ever", **slots)
    if question.you and _WITNESS.search(text) and question.word in ("whether", "what"):
        return play.line("witness.of" if matter else "witness", **slots)
    if question.you and re.search(r"(?i)\b(?:can|could) you\b", text) and question.word == "whether":
        return play.line("self.can" if _ABLE.search(text) else "self.cannot", **slots)
    kind = next((kind for kind, form in _OWN if form.search(text)), "")
    if kind and (question.word == "whether" or kind == "self.whynot"):
        return play.line(kind, **slots)
    if question.you and question.word not in ("many", "long", "far"):
        kind = question.word if question.word in ("why", "when", "where", "who", "how") else ""
        if question.word == "what" and re.search(r"(?i)\bwhat (?:do|did|does|have|would) you\b", text):
            kind = "what"
        if kind == "when" and re.search(r"(?i)\b(?:when|what time) (?:do|does|will|are|can|would) you\b", text):
            kind = "when.now"
        if not kind and matter and play.table.random.random() < 0.6:
            return play.line("private.of", **slots)
        return play.line(f"private.{kind}" if kind else "private", **slots)
    if matter and question.word not in ("whether", "many", "long", "far") and _is_theirs(play, person, question):
        return play.line("mine", **slots)
    kind = question.word
    if matter and re.search(r"(?i)\b(?:is|are) there (?:an?|any)\b|^\W*any\b", text):
        kind = "there"
    elif re.search(r"(?i)\b(?:is|are) there\b", text):
        kind = "there.plain"
    if kind == "who" and re.search(
        r"(?i)\bwho (?:\w+ly )?(?!is\b|was\b|has\b|does\b|knows\b|owns\b)[a-z]+[^s\W]s\b", text
    ):
        kind = "who.now"
    if kind == "who" and re.search(r"(?i)\bwhose\b|\bown(?:s|ed)?\b|\bbelongs?\b", text):
        kind = "who.owns"
    if kind == "long" and re.search(r"(?i)\b(?:does|will|would|do) (?:it|that|this|one|we|i)\b", text):
        kind = "long.take"
    if kind == "how" and re.search(r"(?i)\bhow (?:do|does|can|could|would|should)\b", text):
        kind = "how.done"
    if kind in ("where", "whether") and not matter:
        kind = f"{kind}.plain"
    if kind == "when" and re.search(r"(?i)\bwhen (?:do|does|will|is|are|can|should)\b", text):
        kind = "when.yet"
    if kind in ("what", "whether", "how", "where", "event") and not matter:
        kind = "plain"
    return play.line(f"no.{kind}", **slots)
