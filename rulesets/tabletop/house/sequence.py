"""The acts of one line, one after another: under what condition, up to where, and told as one paragraph."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from sottovoce.rulesets.tabletop.house.acts.cases import settled
from sottovoce.rulesets.tabletop.house.acts.outcomes import somebody_dead
from sottovoce.rulesets.tabletop.house.grammar import parse
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.targets import Act, Scene

Effect = Callable[[Play, str, Act], list[str]]
_OF_IT = re.compile(r"(?i)(?:(?:i|we|try to) )*[a-z]+ (?:(?:it|them|this|that|both)\b|.*\b(?:him|her)\b)")


def done(play: Play, who: str, acts: Sequence[Act], effect: Effect, scene: Callable[[], Scene]) -> list[str]:
    """What comes of the acts: theirs in the first paragraph, and what happens besides in those behind it.

    What cannot be had is not used any further.
    """
    came: list[str] = []
    for place, act in enumerate(acts):
        if play.failed and (_OF_IT.match(act.text) or act.head == acts[place - 1].head):
            continue
        play.failed = False
        play.more = place < len(acts) - 1
        nobody = _nobody(play, acts[:place], act)
        came = _joined(play, who, came, [nobody] if nobody else _case(play, who, act, effect, scene))
    play.more = False
    return [_plainly(play, who, came[0]), *came[1:]] if came else []


_TO_THEM = re.compile(
    r"(?i)\W*(?:(?:i|we|then|just|now|try to|quickly|quietly|slowly|gently|carefully|will|'ll) )*[a-z]+ "
    r"(?:(?!the\b|an?\b|my\b|our\b|some\b|what\b|that\b|if\b)[a-z]+ ){0,2}(?P<word>him|his|her)\b"
)
_HANDS = frozenset({"do", "use", "take", "attack", "help", "give", "show", "hide"})


def _nobody(play: Play, before: Sequence[Act], act: Act) -> str:
    """What is said where something is done to him or her, and no such person is here."""
    found = _TO_THEM.match(act.text)
    if act.kind not in _HANDS or found is None or before or act.nobody or somebody_dead(play):
        return ""
    wanted = {"him": "he", "his": "he"}.get(found["word"].lower(), "she")
    known = play.known
    target = play.entity(act.target)
    if (target is not None and not act.meant) or any(each.pronoun in (wanted, "they") for each in known.present):
        return ""
    gone = next((e for e in map(play.entity, sorted(play.memory.away)) if e is not None and e.pronoun == wanted), None)
    play.failed = True
    if gone is not None:
        return play.line("came.gone", name=known.call(gone), Name=capital(known.call(gone)))
    return play.line("came.nobody", who=play.name(play.doer))


def _case(play: Play, who: str, act: Act, effect: Effect, scene: Callable[[], Scene]) -> list[str]:
    """What comes of an act, or of what is done otherwise, behind the sentence that says whether its condition holds."""
    if not act.given:
        return effect(play, who, act)
    holds, told = settled(play, who, act)
    if holds:
        came = effect(play, who, replace(act, given=""))
    else:
        came = [each for other in _otherwise(act, scene) for each in effect(play, who, other)]
        came = came or ([play.line("case.ready", who=play.name(who))] if holds is None else [])
    return [f"{told} {came[0]}".strip(), *came[1:]] if came else [told]


def _otherwise(act: Act, scene: Callable[[], Scene]) -> list[Act]:
    return parse(act.otherwise, scene()) if act.otherwise else []


def _joined(play: Play, who: str, before: list[str], came: Sequence[str]) -> list[str]:
    """One paragraph behind another; two bare deeds are one sentence."""
    if not before or not before[0] or not came or not came[0]:
        return [*(each for each in before if each), *came]
    for subject in (play.name(who), "You"):
        if re.fullmatch(rf"{re.escape(subject)} (?:(?!, and )[^.!?“”]){{1,120}}\.", before[0]) and came[0].startswith(
            f"{subject} "
        ):
            both = ", then " if " and " in before[0] else " and "
            return [f"{before[0][:-1]}{both}{came[0].removeprefix(f'{subject} ')}", *before[1:], *came[1:]]
    return [f"{before[0]} {came[0]}", *before[1:], *came[1:]]


def _plainly(play: Play, who: str, text: str) -> str:
    """The text with a pronoun for the name at the beginning of a sentence behind another with that name."""
    subject = play.table.sheet(who).pronouns[0]
    if subject == "they":
        return text
    name = re.escape(play.name(who))
    return re.sub(
        rf"(?:(?<=^)|(?<=[.!?] ))({name} [^.!?“”]{{1,160}}[.!] ){name} (?=[a-z]+s\b)",
        rf"\g<1>{capital(subject)} ",
        text,
    )
