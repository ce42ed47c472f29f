"""What a companion answers to one of the party: out of its own sheet, and what it has seen and heard.

Whatever is asked is taken up in words. What the character cannot know, it says that it does not know. Nothing is said
twice in an evening.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from sottovoce.rulesets.tabletop.house import abilities, advice, belongings, judgements, opinions, pasts, recollections
from sottovoce.rulesets.tabletop.house.answers import Answer, Voice, capital, slots_of
from sottovoce.rulesets.tabletop.house.evidence import described, evidence_on
from sottovoce.rulesets.tabletop.house.player import Player, matter
from sottovoce.rulesets.tabletop.house.questions import Question, read
from sottovoce.rulesets.tabletop.rules.lore.language import ended, stems
from sottovoce.rulesets.tabletop.rules.resources import HIT_POINTS

ABOUT = "It is about"
"""How a request says who a pronoun in somebody's words stands for."""
_PERSON = re.compile(rf"{ABOUT} ([^.]+)\.")


def answer(player: Player, text: str, options: Sequence[str] = (), about: str = "") -> Answer:
    """The answer to words of one of the party; `about` says who a pronoun in them stands for."""
    person = _PERSON.search(about)
    question = read(text, player.sheet.first, person[1] if person else "")
    voice = Voice(player, options, question.person)
    given = KINDS[question.kind](voice, question)
    if given.said or given.deed:
        return given
    slots = slots_of(question)
    return Answer(voice.some("know.none", "lost", "know.none.any", "heard", **slots) or f"{slots['Subject']}?")


def _plain(topic: str) -> Callable[[Voice, Question], Answer]:
    return lambda voice, question: Answer(voice.some(topic, "heard", **slots_of(question)))


def _of_want(topic: str) -> Callable[[Voice, Question], Answer]:
    """Words by what somebody wants most, else any on the topic."""
    return lambda voice, question: Answer(
        voice.some(f"{topic}.{voice.want}", topic)
        if voice.player.chance(0.6)
        else voice.some(topic, f"{topic}.{voice.want}")
    )


# what one is and can


def _ability(voice: Voice, question: Question) -> Answer:
    sheet = voice.player.sheet
    slots = slots_of(question)
    if not question.echo:
        return Answer("")
    level = abilities.level(sheet, question.echo)
    craft = abilities.skill_for(question.echo) == "craft"
    said = voice.some(*([f"ability.{level}.craft"] if craft else []), f"ability.{level}", **slots)
    kind, past = abilities.trade(sheet)
    if said and past and level == "good" and voice.player.chance(0.5):
        said = f"{said} {voice.line('before', past=past)}".strip()
    elif said and kind and level == "poor" and voice.player.chance(0.4):
        said = f"{said} {voice.line('trade', akind=abilities.a(kind))}".strip()
    return Answer(said)


def _tongue(voice: Voice, question: Question) -> Answer:
    found = re.search(r"(?:speak|understand|read) ([A-Z][\w'’-]+)", question.text)
    tongue = found[1] if found else "it"
    topic = "tongue.yes" if abilities.speaks(voice.player.sheet, tongue) else "tongue.no"
    return Answer(voice.line(topic, tongue=tongue, Tongue=tongue))


def _origin(voice: Voice, question: Question) -> Answer:
    kind, past = abilities.trade(voice.player.sheet)
    akind = abilities.a(kind or "traveller")
    return Answer(voice.some("origin.past" if past else "origin", "origin", akind=akind, past=past))


def _want(voice: Voice, question: Question) -> Answer:
    ideal = voice.player.sheet.fields.get("ideal", "")
    said = voice.line("want.ideal", matter=matter(ideal)) if ideal and matter(ideal) != "something old" else ""
    return Answer(said or voice.line("want"))


def _state(voice: Voice, question: Question) -> Answer:
    own = voice.line(f"state.{voice.want}") if voice.player.chance(0.6) else ""
    return Answer(own or voice.some("state", f"state.{voice.want}"))


def _hurt(voice: Voice, question: Question) -> Answer:
    player = voice.player
    held = player.state.resources.get((player.seat, HIT_POINTS))
    most = re.search(r"(?i)hit points[^0-9\n]{0,12}[0-9]{1,3} ?/ ?([0-9]{1,3})", player.sheet.text)
    if held is not None and held.amount is not None and most and held.amount < int(most[1]):
        return Answer(voice.line("hurt.yes", now=str(held.amount), most=most[1]))
    return Answer(voice.line("hurt.no"))


def _sight(voice: Voice, question: Question) -> Answer:
    player, slots = voice.player, slots_of(question)
    if re.search(r"(?i)\b(?:followed|watched|alone|safe here|following|watching)\b", question.text):
        return Answer(voice.line("sight.nobody") or voice.line("sight.all.none"))
    ears = re.search(r"(?i)\b(?:hear|listen|smell|sniff)", question.text)
    sense = ("smelt" if ears[0].lower() in ("smell", "sniff") else "heard") if ears else ""
    if not question.subject and (sense or re.search(r"(?i)\b(?:feel|sense)\b", question.text)):
        return Answer(
            voice.some("smelt" if sense == "smelt" else "heard.all" if sense else "sight.all.none", "sight.all.none")
        )
    if not question.subject or re.search(r"(?i)\bwhat (?:(?:do|can|did) )?you (?:can )?see\b", question.text):
        seen = described(player)
        said = voice.line("sight.all", seen=seen) if seen and seen.casefold() not in player.worn else ""
        return Answer(said or voice.line("sight.all.none"))
    if re.match(
        r"(?i)\W*(?:any (?:luck|news|progress|word|change|movement)\b|(?:any|some|no)thing\W*$)", question.text
    ):
        return Answer(voice.some("sight.all.none", "know.none.any"))
    seen = opinions.seen(player, stems(question.subject), question.subject)
    if seen and (said := voice.line("sight.seen", seen=ended(seen), **slots)):
        return Answer(said)
    if re.search(r"(?i)\b(?:feel|sense)\b", question.text) and (said := voice.line("felt", **slots)):
        return Answer(said)
    if sense == "heard" and (said := voice.line("heard.not", **slots)):
        return Answer(said)
    keen = player.sheet.bonus("perception") >= abilities.GOOD - 1
    return Answer(voice.some("sight.good" if keen else "sight.poor", "sight.good", "sight.poor", **slots))


def _time(voice: Voice, question: Question) -> Answer:
    told = [each for text in voice.player.heard[1:] for each in opinions.outside(text) if _HOUR.search(each)]
    seen = told[-1] if told and len(told[-1]) < 120 and not opinions.of_the_table(told[-1]) else ""
    said = (
        voice.line("time.seen", seen=seen)
        if seen and seen.casefold() not in voice.worn.split("time of day")[-1]
        else ""
    )
    return Answer(said or voice.line("time.none"))


_HOUR = re.compile(r"(?i)\b(?:morning|noon|afternoon|evening|dusk|dawn|night|midnight|sunset|sunrise)\b")


def _either(voice: Voice, question: Question) -> Answer:
    """One of two that are put before somebody: whichever they like better."""
    sides = [
        re.sub(r"(?i)^(?:do|should|shall|are|can|will) (?:we|i) ", "", side.strip(" ,"))
        for side in re.split(r"(?i)\bor\b", question.echo)
    ]
    sides = [side for side in sides if side]
    pick = opinions.preferred(voice.player, sides) if sides else question.subject
    return Answer(voice.line("either", pick=pick, Pick=capital(pick)))


def _plan(voice: Voice, question: Question) -> Answer:
    if question.subject and re.search(
        r"(?i)\b(?:advice|ideas?|thoughts?|suggestions?) (?:about|on|for)\b", question.text
    ):
        return judgements.of_thing(voice, question, "thing")
    return advice.plan(voice, question)


def _method(voice: Voice, question: Question) -> Answer:
    able = abilities.level(voice.player.sheet, question.echo)
    return Answer(voice.some(f"method.{'poor' if able == 'poor' else 'good'}", "method.poor", **slots_of(question)))


def _given(voice: Voice, question: Question) -> Answer:
    return Answer(voice.some("given.shown" if re.search(r"(?i)\bshow", question.text) else "given", "thanks"))


def _quality(voice: Voice, question: Question) -> Answer:
    if not question.echo:
        return judgements.of_thing(voice, question, "know")
    return Answer(voice.line("quality", **slots_of(question)))


def _own(voice: Voice, question: Question) -> Answer:
    """What the character says to a question about themself that is none of the others: by its first word."""
    told = pasts.told_by(voice.player, stems(question.subject)) if question.subject else ""
    if told and (said := voice.line("know.told", told=told)):
        return Answer(said)
    word = re.search(r"(?i)\b(what|where|when|who|why|how|which)\b", question.text)
    kind = word[1].lower() if word else "yesno"
    slots = {**slots_of(question), "echo": "that", "Echo": "That"}
    if kind == "yesno":
        return Answer(voice.some("own.yesno", "you.yesno", "heard", **slots))
    return Answer(voice.some(f"own.{'what' if kind == 'which' else kind}", "own.any", "heard", **slots))


def _never(voice: Voice, question: Question) -> Answer:
    """Whether the character has ever done something: its sheet says so, or it has not."""
    here = re.search(r"(?i)\b(?:here|there|before|this (?:place|village|town))\b", question.text)
    topics = ("never.here", "never") if here else ("never", "you.have")
    return Answer(voice.some(*topics, "heard", **slots_of(question)))


def _statement(voice: Voice, question: Question) -> Answer:
    if (
        not re.search(r"\w", question.text)
        or question.text.casefold().strip(" ?!.") == voice.player.sheet.first.casefold()
    ):
        return Answer(voice.line("call"))
    if voice.person and not question.subject:
        return Answer(judgements.of_person(voice, f"hope.{evidence_on(voice.player, voice.person).attitude}", question))
    if re.match(r"(?i)\W*you\b", question.text) and (said := voice.line("teased")):
        return Answer(said)
    if question.subject:
        value = opinions.liking(voice.player.sheet, question.text)
        topic = "doubt" if value < 0 else "agree"
        said = voice.line(topic, **slots_of(question))
        return Answer(f"{said} {opinions.stance(voice.player, question.text) if value else ''}".strip())
    return Answer(voice.line("heard"))


KINDS: Mapping[str, Callable[[Voice, Question], Answer]] = {
    **{kind: _plain(kind) for kind in ("thanks", "sorry", "hello", "hungry", "weather", "fun", "fear", "comfort")},
    **{
        kind: _plain(kind)
        for kind in ("laugh", "praise", "hush", "quarrel", "enough", "ready", "sure", "age", "joined")
    },
    **{
        kind: _plain(kind)
        for kind in (
            "say.again",
            "we",
            "supplies",
            "belief",
            "ours",
            "told",
            "you.long",
            "you.why",
            "you.yesno",
            "way",
        )
    },
    "pledge": _plain("pledge"),
    "learned": _plain("learned"),
    "favourite": _plain("favourite"),
    "leave": _plain("fine"),
    "past": pasts.answer("past", "home master life", ("bond",)),
    "slots": pasts.slots,
    **{kind: _plain(kind) for kind in ("regard", "coming", "accused", "fear.of", "you.now", "night", "you.did")},
    "custom": judgements.custom,
    "acquaintance": judgements.acquaintance,
    "of.them": judgements.of_them,
    "first": _of_want("first"),
    "why": _of_want("why"),
    "money": belongings.have,
    "recall": recollections.recall,
    "culprit": recollections.culprit,
    "kin": pasts.answer("kin", "family father mother brother sister parents home people", ("bond",)),
    "creed": pasts.answer("creed", "", ("ideal",)),
    "bond": pasts.answer("bond", "", ("bond",)),
    "flaw": pasts.answer("flaw", "", ("flaw",)),
    "habit": pasts.answer("habit", "", ("flaw",)),
    "keepsake": pasts.keepsake,
    "skills": pasts.skills,
    "you.have": _never,
    "odds": _plain("odds"),
    "caught": _plain("caught"),
    "word": _plain("call"),
    "named": lambda voice, question: Answer(
        (voice.line("named", name=voice.person) if re.match(r"(?!the\b)[A-Z]", voice.person) else "")
        or voice.some("named.none", "know.none.any")
    ),
    "warned": _plain("be"),
    **{kind: _plain(kind) for kind in ("memory", "guess", "turn", "blame", "go.on")},
    **{kind: _plain(kind) for kind in ("calm", "cheered", "safe", "secret")},
    **{kind: _plain(kind) for kind in ("offer", "free", "hypo", "how", "how.was", "you.what")},
    "own": _own,
    "gesture": _plain("gesture"),
    "unease": _plain("unease"),
    "then": _plain("request.then"),
    "time": _time,
    "words": advice.words,
    "method": _method,
    "either": _either,
    "given": _given,
    "quality": _quality,
    "state": _state,
    "hurt": _hurt,
    "origin": _origin,
    "want": _want,
    "have": belongings.have,
    "tongue": _tongue,
    "verdict": judgements.verdict,
    "plan": _plan,
    "proposal": advice.proposal,
    "opinion": judgements.opinion,
    "sight": _sight,
    "knowledge": judgements.knowledge,
    "ability": _ability,
    "request": advice.request,
    "statement": _statement,
}
"""How words of each kind are answered."""
