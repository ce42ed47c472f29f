"""Reads what a player claims about roles and night actions: who is what, and who is not.

A text is read sentence by sentence and clause by clause. A question, a supposition, a guess, a report of another's
words and a quotation are not claims. A claim in words that no pattern knows is not found; every claim that is found was
made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from sottovoce import Claim, plain
from sottovoce.domain.spellings import roster
from sottovoce.rulesets.mafia.rules import claim_patterns

LONGEST = 20_000
LONGEST_SENTENCE = 600
"""Characters of a text, and of a sentence, that are read."""

_HINT = re.compile(r"detective|doctor|villager|mafi|jester|night", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"\n]{0,600}"|“[^“”\n]{0,600}”|«[^«»\n]{0,600}»|„[^„“”\n]{0,600}[“”]')
_A_WORD = re.compile(r"\W*(?:(?:the|a)\s+)?\w+\W*", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?;…\n]+(?:[.!?;…]+[\"'”’)*_]*)?")
_EMPHASIS = re.compile(r"[*`#|~]|(?m:^>+)|(?<!\w)_|_(?!\w)")
_SEGMENT = re.compile(r"(?:(?<!\s)\s++)?+(?:[:—–(]|(?<=\s)--?(?=\s))\s*")
_TURN = re.compile(r", |\b(?:but|so|because|yet|since) (?=\S+$)")
_NAME = re.compile(claim_patterns.NAME)
_ONE = re.compile(claim_patterns.ONE)
_THIRD = ("he", "she", "they", "him", "her", "them")
_NEGATION = re.compile(r"\b(?:not|never|no|anything but)\b")

Said = tuple[str, tuple[str, ...], bool]
"""Of whom something is said, the hidden matter, and whether it is said not to be so."""


def said(speaker: str, text: str, players: Sequence[str]) -> tuple[Claim, ...]:
    """What the speaker claims in a text about the players, each matter once, in order."""
    return _said(speaker, text[:LONGEST], tuple(players)) if _HINT.search(text) else ()


@lru_cache(maxsize=4096)
def _said(speaker: str, text: str, players: tuple[str, ...]) -> tuple[Claim, ...]:
    found: dict[Said, str] = {}
    antecedent = ""
    for match in _SENTENCE.finditer(_without_quotations(text)):
        sentence = _Sentence(match.group(), speaker, players, antecedent)
        antecedent = sentence.only_name
        if not _HINT.search(sentence.text):
            continue
        for claim in sentence.claims():
            found.setdefault(claim, " ".join(text[match.start() : match.end()].split()))
    return tuple(Claim(speaker, about, fact, words, denied) for (about, fact, denied), words in found.items())


def _without_quotations(text: str) -> str:
    """The text with other people's words blanked; one that is all quotation is its author's own."""
    whole = text.strip()
    if _QUOTED.fullmatch(whole):
        return text.replace(whole, f" {whole[1:-1]} ")

    def blank(quoted: re.Match[str]) -> str:
        return quoted.group() if _A_WORD.fullmatch(quoted.group()) else " " * len(quoted.group())

    return _QUOTED.sub(blank, text)


@lru_cache(maxsize=256)
def _roster(players: tuple[str, ...]) -> tuple[re.Pattern[str], dict[str, str]]:
    pattern, spelled = roster(players)
    return pattern, {spelling: chr(0xE000 + players.index(player)) for spelling, player in spelled.items()}


class _Sentence:
    """One sentence, normalised and marked. `antecedent` is whom alone the sentence before it named."""

    def __init__(self, raw: str, speaker: str, players: tuple[str, ...], antecedent: str) -> None:
        pattern, marks = _roster(players)
        text = plain(_EMPHASIS.sub(" ", re.sub("[\ue000-\uf8ff]", " ", raw[:LONGEST_SENTENCE])))
        text = pattern.sub(lambda hit: marks[hit.group()], text)
        for contraction, written in claim_patterns.CONTRACTIONS:
            text = contraction.sub(written, text)
        self.text = text[:LONGEST_SENTENCE]
        self.speaker = speaker
        self.players = players
        self.antecedent = antecedent
        self._earlier: set[str] = set()
        names = {*_NAME.findall(text)}
        self.only_name = self._name(names.pop()) if len(names) == 1 else ""

    def claims(self) -> Iterator[Said]:
        """What it says, save for what it asks."""
        text = self._stated()
        for verdict in claim_patterns.VERDICT.finditer(text):
            yield from self._of(verdict, text)
        for segment in _SEGMENT.split(text):
            for pattern in claim_patterns.STATEMENTS:
                for match in pattern.finditer(segment):
                    yield from self._of(match, segment)
            yield from self._deeds(segment, text)
            self._earlier = {*_NAME.findall(segment)} or self._earlier

    def _stated(self) -> str:
        """The sentence without its question: all of it, unless the question is a clause at its end."""
        if "?" not in self.text[-4:]:
            return self.text
        stated, _, asked = self.text.rpartition(", ")
        if (
            claim_patterns.ASKING.match(self.text)
            or not claim_patterns.ASKING.match(asked)
            or claim_patterns.TAG.match(asked)
        ):
            return ""
        return stated

    def _of(self, match: re.Match[str], segment: str) -> Iterator[Said]:
        start, ones = self._subject(match)
        denied = self._denied(match, segment, start)
        everybody = self._everybody(ones, segment[:start])
        if denied is None or not everybody:
            return
        role = claim_patterns.WORDS[match["role"]]
        for who in everybody:
            yield who, ("role", who, role), denied
        rest = segment[match.end() :]
        if also := claim_patterns.SO_IS.match(rest):
            who = self._name(also["who"])
            yield who, ("role", who, role), also["how"] in ("neither", "nor")
        elif other := claim_patterns.NOT_THEY.match(rest) or claim_patterns.IS_NOT.match(rest):
            who = self._name(other["who"])
            yield who, ("role", who, role), True
        elif claim_patterns.SO_AM_I.match(rest):
            yield self.speaker, ("role", self.speaker, role), False

    def _subject(self, match: re.Match[str]) -> tuple[int, list[str]]:
        """Where what a statement is about begins, and the words for it; none where it may be one or another.

        Before a verb for one it is the last of a list: the others are called by their names, or looked at.
        """
        who, neither = match["who"], match.groupdict().get("neither")
        if who == "my" or who.startswith("i am "):
            return match.start("who"), ["i"]
        ones = [*_ONE.finditer(who)]
        if " or " in who and not neither:
            return match.start("who"), []
        together = (" and " in who or " & " in who) and match.groupdict().get("is") in ("are", "were", "have been")
        if not together and not neither:
            ones = ones[-1:]
        return match.start("who") + ones[0].start(), [one.group() for one in ones]

    def _denied(self, match: re.Match[str], segment: str, start: int) -> bool | None:
        """Whether a statement says that it is not so; None where it does not say that it is or is not."""
        lead = segment[:start]
        turns = [turn.end() for turn in _TURN.finditer(lead)]
        clause = lead[turns[-1] :] if turns else lead
        if clause.lstrip().startswith("that "):
            clause = lead[turns[-2] :] if len(turns) > 1 else lead
        condition = any(claim_patterns.CONDITION.match(segment, place) for place in (0, *turns))
        if condition and not claim_patterns.KNOW.search(clause):
            return None
        if claim_patterns.HEDGED.search(clause) or claim_patterns.HEDGED_AFTER.match(segment[match.end() :]):
            return None
        sayings = [*claim_patterns.SAYING.finditer(clause)]
        if sayings and not (
            sayings[-1]["verb"] in claim_patterns.ASSERTING
            and claim_patterns.OF_ONESELF.search(clause[: sayings[-1].start()])
        ):
            return None
        parts = match.groupdict()
        negations = len(_NEGATION.findall(f"{parts.get('is') or ''} {match['fill']}"))
        negations += bool(parts.get("neither")) + bool(claim_patterns.FALSE.search(clause))
        return negations % 2 == 1

    def _everybody(self, ones: list[str], lead: str) -> tuple[str, ...]:
        """The players meant; nobody where one of the words is not clear."""
        found = [self._one(one, lead) for one in ones]
        return tuple(dict.fromkeys(found)) if all(found) else ()

    def _one(self, one: str, lead: str) -> str:
        if one in ("i", "me"):
            return self.speaker
        if one == "you":
            return self.only_name
        if one in _THIRD:
            before = {*_NAME.findall(lead)} or self._earlier
            return self._name(before.pop()) if len(before) == 1 else "" if before else self.antecedent
        return self._name(one)

    def _name(self, mark: str) -> str:
        place = ord(mark[0]) - 0xE000
        return self.players[place] if 0 <= place < len(self.players) else ""

    def _deeds(self, segment: str, text: str) -> Iterator[Said]:
        """What the speaker has done in a night that it names."""
        nights = [
            night
            for match in claim_patterns.NIGHT.finditer(text)
            if (night := _number(match["after"] or match["before"]))
        ]
        if len(set(nights)) != 1:
            return
        for match in claim_patterns.DEED.finditer(segment):
            if self._denied_deed(match, segment):
                continue
            deed = "protected" if match["deed"] in claim_patterns.PROTECTED.split("|") else "investigated"
            who = self._name(match["who"])
            yield who, (deed, who, nights[0]), False

    def _denied_deed(self, match: re.Match[str], segment: str) -> bool:
        lead = segment[: match.start()]
        clause = lead[max([turn.end() for turn in _TURN.finditer(lead)], default=0) :]
        return bool(
            claim_patterns.HEDGED.search(clause)
            or claim_patterns.CONDITION.match(segment)
            or claim_patterns.SAYING.search(clause)
        )


def _number(word: str) -> str | None:
    return word if word.isdigit() and len(word) < 3 else claim_patterns.NUMBERS.get(word)
