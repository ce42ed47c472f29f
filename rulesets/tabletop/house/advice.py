"""What a companion says is to be done, and what they do because another asks for it."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house import belongings, opinions
from sottovoce.rulesets.tabletop.house.answers import Answer, Voice, capital, slots_of
from sottovoce.rulesets.tabletop.house.player import Player
from sottovoce.rulesets.tabletop.house.questions import Question, denied
from sottovoce.rulesets.tabletop.house.telling import in_third_person


def plan(voice: Voice, question: Question) -> Answer:
    player = voice.player
    if question.subject and re.search(r"(?i)\bdo (?:with|about)\b", question.text):
        return Answer(voice.some("plan.with", "plan.none", **slots_of(question)))
    if not voice.options:
        return Answer(voice.some("plan.none", "know.none.any"))
    option = opinions.preferred(player, voice.options)
    option = re.sub(rf"^{re.escape(player.sheet.first)} ", "", option)
    said = voice.line("plan", option=option[:1].lower() + option[1:])
    return Answer(f"{said} {voice.line(f'plan.{voice.want}')}".strip() if said else "")


def proposal(voice: Voice, question: Question) -> Answer:
    player = voice.player
    value = opinions.liking(player.sheet, question.text)
    stance = opinions.stance(player, question.text)
    topic = "proposal.for" if value >= 0.5 else "proposal.against" if value <= -0.5 else "proposal.open"
    goal = _goal(question.text)
    slots = {**slots_of(question), "subject": goal, "Subject": capital(goal)}
    said = voice.line(topic, **slots)
    if stance and not said:
        return Answer(stance)
    other = ""
    if value <= -0.5 and voice.options:
        option = opinions.preferred(player, voice.options)
        if opinions.liking(player.sheet, option) > 0:
            other = voice.line("plan", option=option[:1].lower() + option[1:])
    reason = "" if stance.startswith(("Yes", "No", "I am for", "I am against")) and said else stance
    reason = reason or (voice.line(f"plan.{voice.want}") if value >= 0.5 else "")
    return Answer(" ".join(part for part in (said, reason, other) if part))


def _goal(text: str) -> str:
    """What a proposal would have done: `going to the mill`, said shortly as `to the mill` or as the deed."""
    bare = re.sub(r"^[A-Z][\w'’-]+, (?=\w)", "", text.strip(' ?.!"”'))
    bare = re.sub(
        r"(?i)^\W*(?:(?:is|would|wouldn't) (?:it|that) (?:be )?(?:really )?[\w ]{4,16}? (?:for us )?(?:to|if we)"
        r"|(?:do you think|don'?t you think|you think)\s+(?:that )?(?:we|i) (?:should|can|could|must"
        r"|ought to|need to)"
        r"|(?:should|shall|can|could|may|might|must) (?:we|i)|(?:how|what) about|let'?s|let us|why don'?t we"
        r"|(?:we|i) (?:should|could|must|ought to|need to)"
        r"|(?:are|would) you (?:for|against|with me|in)(?: for)?|who(?:'s| is) (?:for|against|in favou?r of)"
        r"|(?:so |and |but |ok,? )?(?:do|are) (?:we|i))\s+",
        "",
        bare,
    )
    bare = re.sub(r"(?i),.*$|\s+or (?:what|not)\b.*$|\s+(?:now|then)$", "", bare)
    bare = re.sub(r"(?i)^(?:just|also|really|maybe|perhaps|simply|all|now|then) ", "", bare)
    verb, _, rest = bare.partition(" ")
    if re.fullmatch(r"[a-z]+", verb.lower()) and not verb.endswith("ing") and bare != text.strip(' ?.!"”'):
        bare = f"{_ing(verb.lower())} {rest}".strip()
    return bare or "that"


def _ing(verb: str) -> str:
    if verb in ("go", "do", "be", "see"):
        return f"{verb}ing"
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not verb.endswith("ee"):
        return f"{verb[:-1]}ing"
    if verb.endswith("ing"):
        return verb
    return f"{verb}{verb[-1]}ing" if re.fullmatch(r"[^aeiou]*[aeiou][bdgmnprt]", verb) else f"{verb}ing"


def request(voice: Voice, question: Question) -> Answer:
    player = voice.player
    if left := denied(question.text):
        return Answer(voice.line("fine") or f"I will not {left}.")
    deed = re.sub(r"(?i)^(?:please,? |now,? |quick(?:ly)?,? |just |then |go and |come and |first )+", "", question.echo)
    deed = re.sub(r"[\"“”*]", "", deed)
    if re.match(r"(?i)be (?!right|back|off|gone)\w+", deed) and "?" in question.text:
        return Answer(voice.some("you.yesno", "heard", echo=deed, Echo=capital(deed)))
    if re.match(r"(?i)be (?!right|back|off|gone)\w+", deed):
        return Answer(voice.some("be", "request.yes"))
    if re.match(r"(?i)(?:stop|quit|cut)(?: (?:it|that|\w+ing)\b|\W*$)(?! (?:him|her|them))", deed):
        return Answer(voice.some("stop", "fine"))
    if (wanted := _WANTED.match(deed)) and not re.search(
        r"(?i)\b(?:hand|moment|minute|boost|leg|break|second|chance|truth|answer)\b", wanted[1]
    ):
        asked = Question("have", question.text, wanted[1])
        if not belongings.held(player.sheet, asked) and not belongings.shared(voice, asked):
            thing = re.sub(r"(?i)^(?:your|the|my|our|that|this) ", "", wanted[1])
            if _OWN_THING.match(wanted[1]):
                return Answer(voice.line("have.no", subject=f"my {thing}", Subject=f"My {thing}"))
    kinds = opinions.acts_in(f"I {deed}")
    value = opinions.liking(player.sheet, f"I {deed}") if {"attack", "lie", "threaten", "take"} & {*kinds} else 0.0
    if value <= -0.7:
        reason = opinions.stance(player, f"I {deed}")
        return Answer(" ".join(part for part in (reason, voice.line("request.no")) if part) or "No.")
    if _ALONE.match(deed) and not re.search(r"(?i)\b(?:with (?:me|us)|behind (?:me|us)|first|ahead|back)\b", deed):
        said = voice.line("request.alone", echo=re.sub(r"(?i)\band .*$", "", deed).strip(" ,.;"))
        return Answer(said or "Not alone.")
    if re.search(r"(?i)\b(?:if|when|once|as soon as|unless) you\b", deed):
        return Answer(voice.some("request.then", "request.yes"))
    told = done(player, deed)
    if not told:
        return Answer(voice.some("request.yes", "heard"))
    return Answer(voice.line("request.yes"), told)


_WANTED = re.compile(r"(?i)(?:give|hand|lend|pass|throw|toss) (?:me|us) ((?:your|the|an?|some|that|my) [\w' -]{2,30})")
_OWN_THING = re.compile(r"(?i)(?:your|an?|some) ")
_REPORT = re.compile(
    r"(?i),? ?(?:and|to) (?:see|check|find out|look|make sure) (?:if|whether|what|who|how|where|that)\b.{0,80}$"
    r"|,? ?(?:and )?(?:then )?(?:tell|show|report to|let) (?:me|us)(?: know)?\b.{0,60}$|,? ?and (?:report"
    r"|say)(?: back)?(?: what.{0,40})?$"
)
"""What somebody is to do after a deed: to tell what came of it, which is told anyway."""
_MANNER = re.compile(
    r"(?i),? ?\b(?:would you|will you|can you|could you|please|for (?:me|us)|if you (?:can|would|like"
    r"|don't mind)|for once|won't you)\b\W*$|, ?(?:because|since|so that|in case|before|let's|let us|i|we|we're"
    r"|they|he|she|it|it's|there|you're|you are|or)\b.*$"
)
_ALONE = re.compile(
    r"(?i)(?:go|run|ride|swim|walk|travel|sail|row|head|climb down|dive) (?:over |back |down |up |out |in)*(?:to"
    r"|into|across)\b"
)
_THAT = re.compile(
    r"(?i)^((?!that\b|you\b|the\b)[\w'’-]+|the [\w'’-]+) (?=you (?:are|have|will|did|can|were|need|want|come)\b)"
)
_NO_VERBS = frozenset(
    "quick quiet careful easy steady gently slowly quickly ready here there now please what who how why when "
    "where which not no yes you"
    " he she they it we this that the one both all nothing".split()
)
_LIGHT = re.compile(
    r"(?i)^(?:go and|come and|try and|just|go|come|try to|start to) (?=(look|see|check|ask|talk|tell|get|fetch"
    r"|find|open|help|stand|hide|wait|read|take|sit|watch|listen|keep)\b)\1 "
)
_OWN = {"she": ("her", "herself"), "he": ("his", "himself"), "they": ("their", "themself")}


_PLAINER = tuple(
    (re.compile(f"(?i){pattern}"), instead)
    for pattern, instead in (
        (r"^(?:go ahead and|make sure (?:to|you)|be sure to|try not to|remember to) ", ""),
        (r"^(?=(?:behind|under|against|over|up|down|out|back|in|off|inside|outside|into|through)\b)", "go "),
        (r"^(go \w+.*?) with you\b", r"\1"),
        (r",? ?\bplease\b(?=,| )", ""),
        (r"^get ((?:the|that|this|his|her|my|your|our) [\w' -]{2,24}?) open\b", r"open \1"),
        (r"^go over here\b|^(?:go )?this way\b|^here$", "come over"),
        (r",? (?:a sec(?:ond)?|for a (?:sec(?:ond)?|moment|minute|bit)|a (?:moment|minute)|quick)$", ""),
        (r"^come on\b", "come along"),
        (r"^have a (look|go|try|word|listen|think|rest|sit)\b", r"\1"),
    )
)
"""Turns of phrase of an order, and the plain deed that they stand for."""
_LOOK_OVER = re.compile(
    r"(?i)^tell (?:me|us) (?:what|how)\b.{0,20}?\b(it|this|that|(?:the|this|that|these) [\w' -]{2,24})\W*$"
)
_TELL = re.compile(r"(?i)^(?:tell|show) (?:me|us)\b.*$")
_ON_FOOT = re.compile(r"(?i)(?:climb|go|step|walk|get|run|sneak)\b")


def _as_a_deed(order: str) -> str:
    """An order as the deed that it asks for: `climb up and tell me what you see` is `climb up and look about`."""
    deed = order.strip(" .!?")
    deed = _TELL.sub("look about", _LOOK_OVER.sub(r"look \1 over", deed))
    short = _REPORT.sub("", deed)
    if short != deed and _ON_FOOT.match(short):
        short = f"{short} and look about"
    deed = _LIGHT.sub(lambda found: f"{found[1]} ", _MANNER.sub("", short))
    for pattern, instead in _PLAINER:
        deed = pattern.sub(instead, deed)
    return deed


def done(player: Player, deed: str) -> str:
    """A deed as it is told of the character: `hold my rope` is `Wren holds your rope.`; empty where it cannot be."""
    own, self_ = _OWN[player.sheet.pronouns[0]]
    deed = _as_a_deed(deed)
    parts = re.split(r"(?i)[.!;]\s+|,? and then |, then ", deed.strip(" .!?"))[0]
    text = re.sub(r"(?i)\byourself\b", self_, parts)
    text = re.sub(r"(?i)\byour\b", own, text)
    text = re.sub(r"(?i)\b(?:me|us)\b", "you", text)
    text = re.sub(r"(?i)\b(?:my|our)\b", "your", text)
    text = re.sub(r"(?i)\b(?:i am|i'm|we are|we're)\b", "you are", text)
    text = re.sub(r"(?i)\b(?:i|we)\b(?!')", "you", text)
    passed_on = re.match(r"(?i)(tell|say|explain|warn|promise|remind|thank|show|ask) (.+)", text)
    if (
        passed_on
        and re.search(r"(?i)\b(?:you|your)\b", passed_on[2])
        and not re.search(r"(?i)'ll\b|\bi'd\b|'ve\b", text)
    ):
        rest = _THAT.sub(r"\1 that ", passed_on[2])
        return f"{player.sheet.first} {passed_on[1].lower()}s {rest}."
    if re.search(r"(?i)\b(?:i'll|we'll|i'd|i've|that's)", text) or len(text.split()) > 16:
        return ""
    verb, _, rest = text.partition(" ")
    if not re.fullmatch(r"[A-Za-z]{2,14}", verb):
        return ""
    if verb.lower() in _NO_VERBS:
        return ""
    told = in_third_person(f"I {verb.lower()}{' ' + rest if rest else ''}", player.sheet.first, asked=True)
    return told if told.startswith(player.sheet.first) else ""


def words(voice: Voice, question: Question) -> Answer:
    return Answer(voice.some(f"words.{voice.want}", "words"))
