"""What no house player of Mafia does, whatever the game: `broken` reads a log and says where one did.

- Nobody cites a vote or a nomination that was not made.
- Nobody speaks of themselves by name.
- Nobody claims a role, or its results, that a reveal has taken.
- Nobody loses certainty without cause: a checked result stands in words, in votes and in mind until a reveal.
- Nobody tells of words about somebody that were not said.
- Nobody says the same sentence, without its names, twice in a game, nor one of five words or more that another said;
  the narrator does not either.

The checks go by what was said and recorded, and not by the plans of the house. Only plain English is read for votes and
frames.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sottovoce import Event, GameOpened
from sottovoce.agents.agent import Mind
from sottovoce.domain.spellings import roster
from sottovoce.rulesets.mafia.house.grammar import frames
from sottovoce.rulesets.mafia.house.reading import hear
from sottovoce.rulesets.mafia.rules import events
from sottovoce.rulesets.mafia.rules.roles import NARRATOR

RULES = ("vote", "words", "third person", "taken role", "certainty", "frame", "narrator")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_NAME = re.compile(r"\x01(\d+)\x02")
_N = r"\x01\d+\x02"
_SPEAKER = re.compile(r"\b(?:i|me|my)\b")
CITED: Mapping[str, re.Pattern[str]] = {
    "execute": re.compile(
        r"voted? (?:was )?to (?:execute|hang)|my vote was to execute|was for executing|voted for it|voted to execute|"
        r"helped vote that through|got that vote wrong|voted the wrong way|backed the wrong execution|"
        rf"(?:happy|ready|persuading) to execute|voted yes|in favor|all for it|vote against {_N} was mine"
    ),
    "spare": re.compile(
        r"voted? (?:was )?to spare|wanted to spare|tried to save|said spare|wanted to let that pass|side of mercy|"
        r"had we listened to|if it had been up to"
    ),
    "no": re.compile(
        r"(?:voted|said) no\b|did(?: not|n't) want a trial|voted against a trial|would(?: not|n't) second"
    ),
    "trial": re.compile(
        rf"voted for (?:{_N}|me\b)|had a vote on {_N}|went with {_N}|"
        rf"had me down|(?:gave|got) (?:{_N}|me) (?:my|a|that) vote"
    ),
    "nominated": re.compile(
        r"(?<!was )\bnominated\b|nomination came from|put (?:me|my name)(?: here| on trial| forward)|started it|"
        rf"got that going|who brought up|without {_N} (?:nobody|we)|tried to get me executed|wanted me up here|"
        r"brought me up|put up \x01"
    ),
}
"""The words that cite each kind of act."""
TOLD = re.compile(
    rf"({_N}) (?:brought up|raised|went after|goes after|came after|spoke against|speaks against|spoke up for|accused|"
    rf"was firm about|was on to|was after|is wrong about|got me thinking about|has a case on|checked|looked at) "
    rf"({_N}|me\b)|"
    rf"what ({_N}) (?:said|says|saw|noticed|described|found|told us)(?: about| on) ({_N}|me\b)|"
    rf"(?:listened to|wanted) ({_N}) on ({_N})|result on ({_N}) from ({_N})"
)
"""The words that tell of what somebody said of somebody."""
INVERTED = re.compile(r"had we|if it had|without|nomination came")
"""Cues that name who did it right behind them."""
_RESULT = re.compile(rf"\bi (?:checked|looked at|investigated) {_N}|\bi looked on night|was my check")
_DOUBT = re.compile(
    r"cannot prove it|only a feeling|no hard evidence|gut feeling|an instinct|first impression|thin read|"
    r"have nothing solid|cannot pick one|undecided|by a nose|a little for now"
)


class Breach(NamedTuple):
    """One rule broken: which, by whom, and the words or the deed."""

    rule: str
    player: str
    what: str


@dataclass
class _Course:
    """The public course of a game, as far as the rules ask for it."""

    players: tuple[str, ...] = ()
    plain: bool = True
    counts: dict[str, int] = field(default_factory=dict)
    revealed: dict[str, str] = field(default_factory=dict)
    dead: set[str] = field(default_factory=set)
    verdicts: list[events.ExecutionVoteClosed] = field(default_factory=list)
    seconded: list[events.SecondingClosed] = field(default_factory=list)
    trials: list[events.TrialClosed] = field(default_factory=list)
    nominated: list[events.NominationMade] = field(default_factory=list)
    results: dict[tuple[str, str], bool] = field(default_factory=dict)
    """By speaker and whom it is about: whether a result that was told says Mafia."""
    said: dict[str, set[str]] = field(default_factory=dict)
    """By sentence, without its names: who of the house has said it."""
    spoken_of: dict[str, set[str]] = field(default_factory=dict)
    """By speaker: everybody named in its speeches so far."""

    def taken(self, role: str) -> bool:
        """Whether every player who was dealt the role is known to have had it."""
        shown = sum(had == role for had in self.revealed.values())
        return 0 < self.counts.get(role, 0) <= shown

    def done(self, kind: str, who: str, whom: str) -> bool:
        """Whether somebody did an act of that kind to somebody."""
        match kind:
            case "execute" | "spare":
                return any(vote.condemned == whom and vote.votes.get(who) == kind for vote in self.verdicts)
            case "no":
                return any(vote.nominee == whom and vote.votes.get(who) == "no" for vote in self.seconded)
            case "trial":
                return any(trial.votes.get(who) == whom for trial in self.trials)
            case _:
                return any(made.player == who and made.nominee == whom for made in self.nominated)


def broken(log: Sequence[Event[Any]], seats: Container[str]) -> list[Breach]:
    """Every breach of the rules by the house players in these seats, in the order of the log."""
    course, found = _Course(), list[Breach]()
    for event in log:
        match event:
            case GameOpened():
                course.players = tuple(seat for seat in event.seats if seat != "narrator")
                course.plain = event.options.get("style", "old") == "plain"
            case events.RoleDealt():
                course.counts[event.role] = course.counts.get(event.role, 0) + 1
            case events.DeathsAnnounced():
                course.dead |= set(event.deaths)
            case events.RoleRevealed():
                course.revealed[event.player] = event.role
            case events.NarrationGiven() if course.plain and NARRATOR in seats:
                found += _again(course, NARRATOR, "narrator", event.text)
            case events.SpeakerChosen() if course.plain and NARRATOR in seats:
                found += _again(course, NARRATOR, "narrator", event.words or "")
            case events.SpeechGiven():
                found += _heard(course, event.player, event.text or "", seats)
            case events.NominationMade():
                course.nominated.append(event)
                found += _heard(course, event.player, event.words or "", seats)
            case events.SecondingClosed():
                course.seconded.append(event)
            case events.TrialClosed():
                course.trials.append(event)
            case events.ExecutionVoteClosed():
                found += _doubted_in_a_vote(course, event, seats)
                course.verdicts.append(event)
    return found


def _heard(course: _Course, who: str, text: str, seats: Container[str]) -> list[Breach]:
    """The breaches of one speech, if the house made it; what it says of others is kept in any case."""
    found = list(_speech(course, who, text)) if text and who in seats else []
    course.spoken_of.setdefault(who, set()).update(hear(text, course.players).named)
    return found


LONG = 5
"""Words from which a sentence is taken over from another player, and not just as short."""


def _again(course: _Course, who: str, rule: str, text: str) -> Iterator[Breach]:
    """Sentences that were said before, names aside: by the speaker, or where they are long by anybody of the house."""
    for frame in frames(text, course.players):
        speakers = course.said.setdefault(frame, set())
        if who in speakers or (speakers and len(frame.split()) >= LONG):
            yield Breach(rule, who, frame)
        speakers.add(who)


def _speech(course: _Course, who: str, text: str) -> Iterator[Breach]:
    pattern, spelled = roster(course.players)
    places = {name: at for at, name in enumerate(course.players)}
    heard = hear(text, course.players)
    if who in heard.named:
        yield Breach("third person", who, text)
    marked = pattern.sub(lambda hit: f"\x01{places[spelled[hit.group()]]}\x02", " ".join(text.casefold().split()))
    result = _RESULT.search(marked) is not None
    if (heard.claim and course.taken(heard.claim)) or (result and course.taken("Detective")):
        yield Breach("taken role", who, text)
    yield from _doubted(course, who, text, marked)
    if result:
        course.results |= {(who, about): role == "Mafia" and not denied for about, role, denied in heard.verdicts}
    if not course.plain:
        return
    for sentence in _SENTENCE.split(marked):
        for kind, by, whom in citations(sentence, who, course.players):
            if not course.done(kind, by, whom):
                yield Breach("vote", who, f"{by} {kind} {whom}: {text}")
        for by, about in told_of(sentence, who, course.players):
            if about not in course.spoken_of.get(by, ()):
                yield Breach("words", who, f"{by} of {about}: {text}")
    yield from _again(course, who, "frame", text)


def citations(sentence: str, speaker: str, players: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Every act that a sentence cites, as (kind, who, to whom). Names in it are marked by their place."""
    for kind, cue in CITED.items():
        for hit in cue.finditer(sentence):
            people = [(place.start(), players[int(place[1])]) for place in _NAME.finditer(sentence)]
            people += [(place.start(), speaker) for place in _SPEAKER.finditer(sentence)]
            people.sort()
            before = [name for at, name in people if at < hit.start() + (kind == "nominated")]
            inside = [name for at, name in people if at >= hit.start()]
            if not before or INVERTED.match(hit.group()):
                before, inside = inside[:1], [*inside[1:], *reversed(before)]
            if not before:
                continue
            by = before[-1]
            whom = next((name for name in [*inside, *before[-2::-1]] if name != by), None)
            if whom is not None:
                yield kind, by, whom


def told_of(sentence: str, speaker: str, players: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Everybody else of whose words a sentence tells, with the one they were about. Names are marked by their place."""
    for hit in TOLD.finditer(sentence):
        groups = [group for group in hit.groups() if group]
        by, about = (speaker if group == "me" else players[int(group[1:-1])] for group in groups)
        if "result on" in hit.group():
            by, about = about, by
        if by != speaker:
            yield by, about


def _doubted(course: _Course, who: str, text: str, marked: str) -> Iterator[Breach]:
    """Words that take back a result that the speaker told, with no reveal in between."""
    heard = hear(text, course.players)
    if course.taken("Detective"):
        return
    standing = {about: guilty for (by, about), guilty in course.results.items() if by == who}
    for about, guilty in standing.items():
        if about in course.revealed or about in course.dead:
            continue
        against = about in heard.accused
        if (about in heard.trusted or (against and _DOUBT.search(marked))) if guilty else against:
            yield Breach("certainty", who, text)


def _doubted_in_a_vote(course: _Course, vote: events.ExecutionVoteClosed, seats: Container[str]) -> Iterator[Breach]:
    if course.taken("Detective"):
        return
    for who, choice in vote.votes.items():
        guilty = course.results.get((who, vote.condemned))
        if who in seats and guilty is not None and (choice == "spare") is guilty:
            yield Breach("certainty", who, f"votes to {choice} {vote.condemned}")


CERTAIN = 5.0
"""The logarithm of the odds from which a mind is certain."""


def doubts(minds: Sequence[tuple[str, Mapping[str, str], Mind]]) -> list[Breach]:
    """Every certainty from a seat's own knowledge that its later mind has lost.

    `minds` has each seat's decisions in order: the seat, the roles that it knows for sure, and its mind.
    """
    found = []
    for seat, known, mind in minds:
        for about, much in mind.suspicion.items():
            role = known.get(about)
            if role is not None and (much < CERTAIN if role == "Mafia" else much > -CERTAIN):
                found.append(Breach("certainty", seat, f"{about} is {role}, and held for {much}"))
    return found
