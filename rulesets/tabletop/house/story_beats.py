"""Beats as somebody else writes them: what happens, what is asked, and what comes of the answers."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.acts.replies import beat_fact
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.telling import happening, is_clause
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact, StoryBeat
from sottovoce.rulesets.tabletop.rules.lore.known import found_by
from sottovoce.rulesets.tabletop.rules.lore.language import ended, lowered, sentences

_ARRIVES = re.compile(r"(?i)\b(?:arrives?|approaches|comes|enters|appears|walks in|returns|steps|bursts)\b")


_LEAVES = re.compile(r"(?i)\b(?:leaves?|goes out|departs|withdraws)\b")


def next_lines(play: Play) -> list[str]:
    """The next lines of a written beat."""
    if play.memory.asks:
        return []
    for beat in play.world.beats:
        if f"beat {beat.id}" in play.memory.done:
            continue
        if (
            beat.optional
            and "rested" not in play.memory.done
            and not (play.memory.quiet >= 3 and play.memory.clock > 8)
        ):
            continue
        if play.productive and play.memory.clock % 2 and play.memory.quiet < 2:
            return []
        return _go_on(play, beat)
    return []


def _lines(beat: StoryBeat) -> list[tuple[int, str]]:
    return list(enumerate(beat.happens))


def _go_on(play: Play, beat: StoryBeat) -> list[str]:
    told: list[str] = []
    people = [e for e in play.world.all("person") if not e.gone]
    for place, raw in _lines(beat):
        key = f"{beat.id} {place}"
        if key in play.memory.done:
            continue
        if len(told) >= 2:
            break
        play.note(f"done {key}")
        lead = _lead(play, beat)
        text = happening(raw, play.known.call(lead) if lead else "")
        if not text:
            continue
        who = found_by(raw, people)
        if who and _ARRIVES.search(raw) and who[0] in play.known.present and re.search(r"(?i)\barrives?\b", raw):
            continue
        for each in who:
            if each.id not in play.known.names:
                play.note(f"met {each.id}")
        if who and _ARRIVES.search(raw):
            play.note(f"here {who[0].id}")
            play.note(f"last {who[0].id}")
        if who and _LEAVES.search(raw):
            play.note(f"away {who[0].id}")
        play.table.opened_facts.append(raw)
        told.append(text)
    if told:
        return [" ".join(told)]
    lead = _lead(play, beat)
    asked = sum(1 for each in play.memory.done if each.startswith(f"asked {beat.id} "))
    if lead is not None and asked < len(beat.questions) and lead in play.known.present:
        question = beat.questions[asked]
        play.note(f"done asked {beat.id} {asked}")
        play.note(f"asks {beat.id}")
        play.note(f"last {lead.id}")
        play.table.opened_facts.append(question)
        return [play.line("question", question=question.rstrip(), name=play.known.call(lead))]
    play.note(f"done beat {beat.id}")
    if lead is None or not beat.questions:
        facts = [Fact(f"{beat.id}/{n}", "told", "beat", "", text) for n, text in enumerate(beat.told)]
        if facts and not beat.questions and not re.match(r"(?i)if\b", facts[0].text):
            return (
                [beat_fact(play, facts[0], None)]
                if is_clause(facts[0].text)
                else [play.line("left", what=lowered(facts[0].text.rstrip(".")))]
            )
    return []


def _lead(play: Play, beat: StoryBeat) -> Entity | None:
    """Whose beat it is: the first person whom it names."""
    found = found_by(" ".join((*beat.happens, beat.title)), [e for e in play.world.all("person") if not e.gone])
    return found[0] if found else None


def question_answered(play: Play) -> list[str] | None:
    """What somebody makes of the answer to their question; None where nobody was asked."""
    if not play.memory.asks:
        return None
    beat = next((each for each in play.world.beats if each.id == play.memory.asks), None)
    play.note("asks ")
    if beat is None:
        return None
    lead = _lead(play, beat)
    if lead is None or lead not in play.known.present:
        return None
    play.note(f"answer {beat.id} {play.manner}")
    asked = sum(1 for each in play.memory.done if each.startswith(f"asked {beat.id} "))
    if asked < len(beat.questions):
        said = play.fresh(f"answer.{play.manner}", name=play.known.call(lead), Name=capital(play.known.call(lead)))
        question = beat.questions[asked]
        play.note(f"done asked {beat.id} {asked}")
        play.note(f"asks {beat.id}")
        play.table.opened_facts.append(question)
        wondered = play.line("question", question=question, name=play.known.call(lead))
        return [" ".join(part for part in (said, wondered) if part)]
    weigh = {"cooperative": 1.0, "evasive": 1.5, "hostile": 3.0}
    scores = {
        how: weight * sum(1 for one, mode in play.memory.answers if one == beat.id and mode == how)
        for how, weight in weigh.items()
    }
    outcome = max(scores, key=lambda how: scores[how])
    play.note(f"done beat {beat.id}")
    if outcome == "cooperative":
        play.note(f"done told {beat.id} {lead.id}")
        play.like(lead.id, 1)
    else:
        play.like(lead.id, -1)
    subject = {"she": "She", "he": "He"}.get(lead.pronoun, "They")
    raw = next((text for label, text in beat.outcomes.items() if outcome in label or label in outcome), "")
    told = []
    for sentence in sentences(raw):
        if re.search(r"(?i)\b(?:may|might|should|if|players?|unless|could)\b", sentence) or re.match(
            r"Not\b", sentence
        ):
            continue
        sentence = re.sub(r"^(\w+s) them\b", lambda m: f"{subject} {m[1].lower()} you", sentence)
        sentence = re.sub(
            r"^(Warns|Offers|Does|Calls|Lets|Grows|Asks|Gives|Tells|Refuses|Leaves|Takes|Demands)\b",
            lambda m: f"{subject} {m[1].lower()}",
            sentence,
        )
        sentence = re.sub(r"(?i)\bthe party\b", "you", re.sub(r"\bthem\b", "you", sentence))
        told.append(ended(sentence))
    play.table.opened_facts.append(raw)
    fact = None
    if outcome == "cooperative" and beat.told:
        fact = Fact(f"{beat.id}/0", "told", "beat", lead.id, beat.told[0])
    parts = [" ".join(told)] if told else []
    if fact is not None:
        parts.append(beat_fact(play, fact, lead))
    return parts or [play.line(f"answer.{outcome}", name=play.known.call(lead), Name=capital(play.known.call(lead)))]
