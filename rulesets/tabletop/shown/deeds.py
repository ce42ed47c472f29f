"""A plain deed as it is told of somebody else."""

from __future__ import annotations

import re

LONGEST = 400
"""Characters of a deed that are looked at."""
MOST = 160
"""Characters of a deed that can still be told in one sentence."""
THEY = ("they", "them", "their")

_LEAD = re.compile(
    r"(?i)^(?:(?:ok(?:ay)?|so|then|now|well|right|fine|yes|first|and),? +)*"
    r"(?:let me (?!in\b|go\b|out\b|through\b|past\b|pass\b)|(?:i|we|let's|let us)(?:'d like to|'d rather|'ll| will"
    r"| want to| try to| am going to|'m going to| can| could| should| must| may| might| have to| need to"
    r"| had better)? )"
)
_TOLD = re.compile(
    r"(?i)^(?:tell|tells|say|says|ask|asks|warn|warns|promise|promises|threaten|threatens|swear|swears|explain|explains"
    r"|shout|shouts|whisper|whispers|answer|answers|reply|replies|claim|claims|insist|insists|demand|demands)\b"
    r".*\b(?:i|i'[a-z]+|we|we'[a-z]+|me|us|my|our|you|your)\b"
)
"""Words of somebody's own, which nobody else says in their place."""
_HEDGED = re.compile(r"(?i)\b(?:if|unless|whether|because|so that|in case|although|though|since)\b.*\b(?:i|we)\b")
_VERBS = (
    "add aim apologise apologize ask bang beg begin bend bite blow bow break breathe bring brush burn bury buy"
    " call carry cast catch charge chase check clap climb close collect come cough count cover crawl cross crouch"
    " cry cut dance dig dive drag draw drink drop dry duck eat empty enter examine fall feed feel fetch fill find"
    " fire fix flee fold follow get give go grab greet hand hang head heave help hide hit hold hum hurry inspect"
    " join jump keep kick kneel knock land laugh lay lead lean leap leave let lie lift light listen lock look"
    " lower make mark mend move nod note nudge offer open order paint pat pay peel peer pick place play point pour"
    " pray press pretend promise pry pull push put raise reach read rest return ride ring roll rub run say scan"
    " scratch scream search see send set shake share sharpen shout shove show shrug shut sing sip sit sketch sleep"
    " slide slip smell smile smoke sneak sniff spit splash spread squeeze squint stand stare start stay steal step"
    " stir stop stretch strike stroke study swim swing switch take talk tap taste tear tell test thank think throw tie"
    " tip"
    " toss touch trace try tuck turn unbutton unfold unlock unpack unroll untie unwrap use wait wake walk warm"
    " wash watch wave whisper whistle wipe wrap write yawn yell"
).split()
_BARE = frozenset(_VERBS)
_AGAIN = re.compile(
    r"(?i)(?P<join>(?:, )?\b(?:and|then|but)(?: then| also| just| quietly| quickly| slowly)? |, )(?P<verb>[a-z]+)\b"
)
_SELF = {"he": "himself", "she": "herself", "they": "themselves"}
_SHORT = {"'m": "am", "'ve": "have", "'re": "are", "'ll": "will", "'d": "would"}
_MODAL = frozenset("will would can could shall should may might must did had was were do not never".split())


def in_third_person(text: str, name: str, pronouns: tuple[str, str, str] = THEY) -> str:
    """A plain deed as it is told of somebody: `I open the window` becomes `Ada opens the window`.

    `pronouns` are those of subject, object and possessive. Empty where it would not come out as a sentence: a question,
    words of the speaker's own, or a deed with its reasons.
    """
    text = re.sub(r"[\"“][^\"”]*[\"”]", "", text[:LONGEST]).replace("’", "'").strip(" .!,")
    bare = _LEAD.sub("", text)
    own, text = bare != text, bare
    found = re.match(r"([a-z]+)\b(.*)", text, re.DOTALL | re.IGNORECASE)
    if not found or "?" in text or len(text) > MOST or _TOLD.match(text) or _HEDGED.search(text):
        return ""
    verb = found[1].lower()
    if verb in _NO_VERBS or not (own or verb in _KNOWN or verb.rstrip("s") in _KNOWN):
        return ""
    said = {"am": "is", "have": "has", "be": "is"}.get(verb, _third(verb))
    if verb.endswith("s") and not verb.endswith("ss"):
        said = verb
    rest = _AGAIN.sub(lambda again: _inflected(again, found[2]), found[2])
    subject, object_, his = pronouns
    rest = re.sub(r"(?i)\bmyself\b", _SELF[subject], rest)
    rest = re.sub(r"(?i)\bourselves\b", "themselves", rest)
    rest = re.sub(r"(?i)\bmy\b", his, rest)
    rest = re.sub(r"(?i)\bour\b", "their", rest)
    rest = re.sub(r"(?i)\bmine\b", f"{his}s" if his != "his" else his, rest)
    rest = re.sub(r"\b(?:I|i)('(?:m|ve|ll|d))?(?: (\w+))?\b(?!')", lambda each: _subject(each, subject), rest)
    rest = re.sub(r"(?i)\bwe('(?:re|ve|ll|d))?(?: (\w+))?\b(?!')", lambda each: _subject(each, "they"), rest)
    rest = re.sub(r"\bme\b", object_, rest)
    rest = re.sub(r"\bus\b", "them", rest)
    return f"{name} {said}{rest}."


def _inflected(again: re.Match[str], rest: str) -> str:
    """A verb of the same subject, in its form; what only looks like one stays."""
    verb = again["verb"].lower()
    after = rest[again.end() :]
    goes_on = re.match(
        r"(?i)(?: (?:some|any|two|the|an?|my|our|it|him|her|them|up|down|at|to|on|in)\b|,| and\b|$)", after
    )
    noun = again["join"] == ", " and not goes_on
    if verb not in _BARE or noun or re.match(r"(?i) (?:of|is|are|was|were|from)\b", after) or not _plain(rest, again):
        return again[0]
    return f"{again['join']}{_third(verb)}"


def _plain(rest: str, again: re.Match[str]) -> bool:
    """Whether what stands before is no infinitive that goes on: `to eat and drink`."""
    before = rest[: again.start()]
    return not re.search(
        r"(?i)\bto (?!the\b|an?\b|my\b|our\b|his\b|her\b|their\b|him\b|them\b)[a-z]+(?: [a-z']+)?$", before
    )


def _subject(found: re.Match[str], subject: str) -> str:
    """`I've`, `we are`, `I keep` with the subject of others."""
    short, verb = found[1], found[2] or ""
    many = subject == "they"
    if short:
        plain = _SHORT[short]
        helper = {"am": "are" if many else "is", "have": "have" if many else "has"}.get(plain, plain)
        return f"{subject} {helper}{' ' + verb if verb else ''}"
    if not verb:
        return subject
    low = verb.lower()
    if low in ("am", "are"):
        return f"{subject} {'are' if many else 'is'}"
    if low == "was":
        return f"{subject} {'were' if many else 'was'}"
    if low == "have":
        return f"{subject} {'have' if many else 'has'}"
    if many or low in _MODAL or low.endswith(("ed", "ly")) or low not in _KNOWN:
        return f"{subject} {verb}"
    return f"{subject} {_third(low)}"


_NO_VERBS = frozenset(
    "which what who whose how why when where there this that these those it he she they you yes no not either neither"
    " should must would could may might shall ought will can".split()
)
_KNOWN = frozenset({*_VERBS, *"know need want hear think do meet own wear carry live like love hope".split()})


def _third(verb: str) -> str:
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if re.search(r"(?:s|x|z|ch|sh|o)$", verb) else f"{verb}s"
