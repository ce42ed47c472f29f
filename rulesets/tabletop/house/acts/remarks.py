"""What somebody makes of words that ask for nothing: a claim, an accusation, bad news, a promise, an insult."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.acts.questions import matter_of
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity
from sottovoce.rulesets.tabletop.rules.lore.language import words

_TOLD = re.compile(
    r"(?i)^.*?\b(?:tells?|says?|assures?|informs?|warns?|reminds?|admits?|confess(?:es)?|explains?|accuses?|swears?"
    r"|insists?"
    r"|claims?|mentions?|promises?|answers?|repl(?:y|ies)|shouts?|whispers?)\b(?: to)?(?: (?:him|her|them|the [\w-]+"
    r"|[A-Z][\w'’-]+))*"
    r"(?: (?:that|of|about|how))?,? "
)
_KINDS = (
    (
        "accused",
        re.compile(
            r"(?i)\byou(?:'re| are)? (?:\w+ ){0,2}?(?:liar|lying|hiding|guilty|thief|murderer|lied|killed|stole|took"
            r"|raised|knew"
            r"|drowned|did (?:it|this)|behind|know more|hide|betrayed|responsible|involved|keeping (?:something"
            r"|secrets))\b"
            r"|\baccus|\bit was you\b|\b(?:he|she)(?:'s| is| was| has been)? (?:\w+ )?(?:lying|hiding|guilty|lied)\b"
            r"|\b(?:he|she) (?:did|raised|stole|killed|took|drowned|opened|broke)\b|\b(?:don't|do not"
            r"|doesn't) believe\b"
            r"|\b(?:know|knew) what (?:you|he|she)(?:'ve| have| has|'s)? d(?:id|one)\b"
        ),
    ),
    (
        "denied",
        re.compile(
            r"(?i)\b(?:we|i) (?:did not|didn't|have not|haven't|never|had nothing|are not|aren't|am not|were not"
            r"|weren't|would never|mean no)\b"
            r"|\bi'm not\b|\bwe're not\b|\bnothing to do with (?:it|that|this)\b"
        ),
    ),
    (
        "threatened",
        re.compile(
            r"(?i)\b(?:or else|or (?:i|we)(?:'ll| will)|regret|last warning|(?:i|we)(?:'ll| will) (?:\w+ )?(?:kill"
            r"|hurt|break|burn|throw"
            r"|drown|hang|beat|cut|make you|have you)|if (?:you|he|she) (?:don't|do not|doesn't|does not|won't))\b"
        ),
    ),
    (
        "insulted",
        re.compile(
            r"(?i)\b(?:fool|idiot|coward|stupid|ugly|liars?|disgrace|pathetic|worthless|scum|shut up|insult|mock"
            r"|laugh at|spit)\b"
        ),
    ),
    (
        "saddened",
        re.compile(
            r"(?i)\b(?:is|are|was|were|has|have|found) (?:\w+ )?(?:dead|died|drowned|killed|murdered|lost|gone"
            r"|burned|hurt|body)\b"
        ),
    ),
    (
        "comforted",
        re.compile(
            r"(?i)\bkeep hope\b|\btake heart\b|\bhave courage\b|\b(?:don't|do not|no need to|not to|(?:nobody"
            r"|no one) (?:needs|has) to) (?:be )?"
            r"(?:worry|afraid|scared|fear|cry|despair|lose hope)\b|\beverything (?:will|is going to) be\b"
            r"|\bcalm down\b|\bchin up\b"
        ),
    ),
    (
        "promised",
        re.compile(
            r"(?i)\b(?:i|we)(?:'ll| will| shall|'re going to| are going to| are here to|'re here to| want to"
            r"| can) (?:\w+ )?(?:help|find|mend|fix|bring"
            r"|protect|keep|save|do|see|look|stand|make|set|stop|be|come|pay|not)\b|\bpromis|\bswear\b|\bmy word\b"
            r"|\bdon't worry\b"
            r"|\bcomfort|\breassur|\bnothing to fear\b|\b(?:no harm|your side)\b|\bsafe\b"
        ),
    ),
    (
        "introduced",
        re.compile(
            r"(?i)\b(?:i am|i'm|we are|we're|my name|our names?|call me|we come from|sent (?:us|by)|sends (?:us"
            r"|word)|came (?:from|by|up|to)|here (?:about|because))\b"
        ),
    ),
    (
        "praised",
        re.compile(
            r"(?i)\b(?:beautiful|lovely|delicious|fine|handsome|brave|clever|kind|wonderful|impressive|admire"
            r"|good (?:work|job|ale|food))\b"
        ),
    ),
    (
        "sorry",
        re.compile(r"(?i)\b(?:sorry for (?:your|his|her)|condolences|my sympathy|must be hard|terrible for you)\b"),
    ),
    (
        "ordered",
        re.compile(
            r"(?i)^\W*(?:please )?(?:go|leave|stay|wait|come|follow|stop|run|hide|open|close|give|show|help|bring"
            r"|fetch|sit|stand|get|be|let|keep|put|hold|watch|listen)\b"
            r"|\btells? (?:him|her|them|[A-Z]\w+) to \w+"
        ),
    ),
)
"""What words do, the weightiest first."""
_FEELING = {"accused": -1, "threatened": -1, "insulted": -1, "promised": 1, "comforted": 1, "praised": 1, "sorry": 1}


def kind_of(text: str) -> str:
    """What words to somebody do: accuse, sadden, promise; `claimed` where they only say that something is so."""
    found = next((kind for kind, pattern in _KINDS if pattern.search(text)), "")
    if found:
        return found
    said = _TOLD.match(text)
    return "claimed" if said is not None and re.search(r"(?i)\b(?:that|of|about|how)\b", text) else ""


def reacted(play: Play, person: Entity, text: str) -> str:
    """What somebody says to words that ask for nothing, with what they are about; empty for words of no such kind."""
    kind = kind_of(text)
    if not kind:
        return ""
    if f"told {person.id}" not in play.memory.done:
        play.note(f"done told {person.id}")
        if _FEELING.get(kind, 1) > 0:
            play.like(person.id, 1)
    if kind in _FEELING and f"{kind} {person.id}" not in play.memory.done:
        play.note(f"done {kind} {person.id}")
        play.like(person.id, _FEELING[kind])
    name = play.known.call(person)
    own = {word for each in person.names for word in words(each)}
    matter = matter_of(_TOLD.sub("", text), own)
    slots = {"name": name, "Name": capital(name), "matter": matter, "Matter": capital(matter)}
    if matter and kind in ("claimed", "saddened"):
        return play.fresh(f"{kind}.of", **slots) or play.line("claimed", **slots)
    return play.fresh(kind, **slots) or play.line("claimed", **slots)
