"""Playing the beats of an evening: each is opened, answered, rolled for where dice decide, and closed."""

from __future__ import annotations

import re
from dataclasses import replace

from sottovoce.rulesets.tabletop.house import fights
from sottovoce.rulesets.tabletop.house.beats import Beat, Choice, Outcome
from sottovoce.rulesets.tabletop.house.choices import Chosen, choose
from sottovoce.rulesets.tabletop.house.parts import Track, blocks
from sottovoce.rulesets.tabletop.house.table import GmTable, safe
from sottovoce.rulesets.tabletop.rules.lore.language import words
from sottovoce.rulesets.tabletop.rules.names import TEAM_LEAD

_BEGUN = re.compile(r"[,;] | and ")
_YES = frozenset(
    ("yes", "yeah", "yep", "aye", "i do", "we do", "that one", "exactly", "yes that", "yes please", "yes i do")
)
CLOSED = "closed"
MOST_PUT = 3
"""Times that a choice is put."""
MOST_BEATS = 6
"""Beats that one reply opens at most, so that a sheet that asks nobody anything is not told in one breath."""


def advance(table: GmTable) -> bool:
    """Go on with the evening until somebody is asked or dice are out; whether it is over."""
    assert table.evening is not None
    for block in blocks(table.evening, table.cast):
        ends = [_advance_track(table, track) for track in block]
        if not all(ends):
            return False
    return True


def _advance_track(table: GmTable, track: Track) -> bool:
    for beat in track.beats:
        step = table.ledger.step(beat.number)
        if step is not None and step.startswith(CLOSED):
            continue
        if step is None:
            if table.opened >= MOST_BEATS:
                return False
            _open(table, track, beat)
        if not _go_on(table, track, beat):
            return False
    return True


def _open(table: GmTable, track: Track, beat: Beat) -> None:
    """Tell the beat, and put its requests."""
    table.opened += 1
    if beat.scene:
        table.scene = beat.scene
    asks = beat.asks
    prose = table.with_prompt(safe(beat.tell), asks, track)
    table.narrate(prose, track, beat.note, beat.place)
    table.mark(beat, "opened")
    if beat.choice and _chooses(table, track):
        _put_choice(table, beat.choice)
    if beat.fight:
        fights.begin(table, track, beat)
    for ask in asks:
        names = table.cast.of(ask.names, track.members)
        if not (beat.fight and ask.type == "COMBAT_ACTION"):
            table.ask(ask, names)


def _chooses(table: GmTable, track: Track) -> bool:
    return table.state.character in track.members


def _put_choice(table: GmTable, choice: Choice) -> None:
    options = tuple({"label": label, "description": about} for label, about in choice.options)
    table.reply.send(TEAM_LEAD, "ASK_PLAYER", question=choice.question, header=choice.header, options=options)
    table.awaiting.add(table.state.character or "")


def _go_on(table: GmTable, track: Track, beat: Beat) -> bool:
    """The next step of an open beat; whether it is closed by it."""
    if table.awaits(track.members) or (table.plain and _ask_again(table, track, beat)):
        return False
    if beat.fight:
        closed = fights.go_on(table, track, beat)
        if closed is None:
            return False
        _close(table, track, beat, closed.prose, won=closed.won)
        return True
    if beat.choices and _asks_back(table, track, beat):
        return False
    result = None
    if beat.check:
        after = table.ledger.since(beat.number, "opened")
        rolled = table.ledger.rolled(after, check_name(beat)) if after else None
        if rolled is None:
            _roll(table, track, beat)
            return False
        result = (rolled.result or "failure").endswith("success")
    after = table.ledger.since(beat.number, "opened")
    prose = table.woven(track.members, after) if after else ""
    _close(table, track, beat, prose, won=result)
    return True


def _ask_again(table: GmTable, track: Track, beat: Beat) -> bool:
    """After a refusal: ask those of an open beat whom nothing has reached; whether there was anybody."""
    after = table.ledger.since(beat.number, "opened")
    if not after:
        return False
    reached = {name for seq, name in table.ledger.asked if seq > after}
    reached |= {deed.character for deed in table.ledger.deeds_of(track.members, after)}
    for ask in beat.asks:
        table.ask(ask, [name for name in table.cast.of(ask.names, track.members) if name not in reached])
    return table.awaits(track.members)


def check_name(beat: Beat) -> str:
    """How a beat's roll is called in the log, so that it can be found again."""
    assert beat.check is not None
    return f"{beat.check.skill}: {beat.title}"


def _roll(table: GmTable, track: Track, beat: Beat) -> None:
    assert beat.check is not None
    who = table.cast.one(beat.check.who, track.members)
    bonus = table.sheet(who).bonus(beat.check.skill)
    table.reply.roll(who, check_name(beat), f"1d20{bonus:+d}", beat.check.dc)
    table.mark(beat, "rolled")


def _close(table: GmTable, track: Track, beat: Beat, prose: str, won: bool | None) -> None:
    """Tell what came of it, and keep what changed."""
    label = _chosen(table, beat) if beat.choices else None
    outcomes = [
        *((beat.choices[label],) if label else ()),
        *((beat.success if won else beat.failure,) if won is not None else ()),
        beat.then,
    ]
    told = [prose, *(outcome.prose for outcome in outcomes)]
    text = safe("\n\n".join(part for part in told if part))
    if text:
        table.narrate(text, track)
    for outcome in outcomes:
        _change(table, track, outcome)
    table.closed.append(beat)
    how = "" if won is None else ": success" if won else ": failure"
    table.mark(beat, f"{CLOSED}{how}")


def _answers(table: GmTable, beat: Beat) -> list[str]:
    """What the human has answered since the beat was opened."""
    opened = table.ledger.since(beat.number, "opened")
    return [answer for seq, answer in table.ledger.answers if seq > opened]


def _meant(beat: Beat, answer: str) -> Chosen:
    """The outcome that an answer means: by the labels, or else with what the question says about them.

    What fits only the beginning of what it says is a guess, which is named and not taken.
    """
    labels = list(beat.choices)
    about = dict(beat.choice.options) if beat.choice else {}
    fuller = [f"{label}: {about.get(label, '')}" for label in labels]
    begun = [f"{label}: {_BEGUN.split(about.get(label, ''))[0]}" for label in labels]
    readings = [choose(answer, labels), replace(choose(answer, begun), sure=False), choose(answer, fuller)]
    sure = next((reading for reading in readings if reading.sure), None)
    return sure or next((reading for reading in readings if reading.option is not None), readings[0])


def _asks_back(table: GmTable, track: Track, beat: Beat) -> bool:
    """Put the choice once more where the first answer means no option for sure, and name what was understood."""
    answers = _answers(table, beat)
    if beat.choice is None or not 0 < len(answers) < MOST_PUT or not _chooses(table, track):
        return False
    meant = _meant(beat, answers[-1])
    if meant.sure or _is_yes(answers):
        return False
    question = beat.choice.question
    if meant.option is not None:
        question = f"Do you mean: {list(beat.choices)[meant.option]}?"
    _put_choice(table, replace(beat.choice, question=question))
    return True


def _chosen(table: GmTable, beat: Beat) -> str | None:
    """The outcome of what the human answered; None where no option was meant. Without an answer it is the first."""
    labels, answers = list(beat.choices), _answers(table, beat)
    if not answers:
        return labels[0]
    meant = _meant(beat, answers[-2] if _is_yes(answers) else answers[-1])
    taken = meant.sure or _is_yes(answers)
    return labels[meant.option] if taken and meant.option is not None else None


def _is_yes(answers: list[str]) -> bool:
    """Whether the last answer says no more than that the one before was understood."""
    return len(answers) > 1 and " ".join(words(answers[-1])) in _YES


def _change(table: GmTable, track: Track, outcome: Outcome) -> None:
    table.changed = table.changed or bool(outcome.effects)
    for who, resource, change in outcome.effects:
        for name in table.cast.of((who,), track.members):
            table.change(name, resource, change)
    table.learn(outcome.learnt)
    table.record(outcome.story, track.members)
