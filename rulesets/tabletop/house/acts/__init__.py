"""What an act brings about: one function for each kind, which tells the outcome and notes what has changed.

An act that dice decide names its roll first; its effect follows once the dice have fallen. What is told comes from the
folder by the one door there is (`known.py`), and answers what was said, or it is not told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.acts.asides import aside
from sottovoce.rulesets.tabletop.house.acts.deeds import attack, do, end, help_, no, rest, roll, wait
from sottovoce.rulesets.tabletop.house.acts.errands import errand
from sottovoce.rulesets.tabletop.house.acts.everyday import trade_in
from sottovoce.rulesets.tabletop.house.acts.going import go, look_for
from sottovoce.rulesets.tabletop.house.acts.looking import look
from sottovoce.rulesets.tabletop.house.acts.persuasion import persuade
from sottovoce.rulesets.tabletop.house.acts.rolls import roll_of
from sottovoce.rulesets.tabletop.house.acts.speech import ask, talk
from sottovoce.rulesets.tabletop.house.acts.things import give, hide, take, use
from sottovoce.rulesets.tabletop.house.play import Play
from sottovoce.rulesets.tabletop.house.targets import Act, Scene
from sottovoce.rulesets.tabletop.rules.lore.facts import OFFICES

EFFECTS: Mapping[str, Callable[[Play, str, Act], list[str]]] = {
    "look": look,
    "search": look_for,
    "go": go,
    "ask": ask,
    "aside": aside,
    "talk": talk,
    "persuade": persuade,
    "lie": persuade,
    "threaten": persuade,
    "give": give,
    "show": give,
    "take": take,
    "use": use,
    "do": do,
    "attack": attack,
    "wait": wait,
    "rest": rest,
    "hide": hide,
    "help": help_,
    "roll": roll,
    "no": no,
    "yes": no,
    "end": end,
    "errand": errand,
}


def scene_for(play: Play, speaker: str) -> Scene:
    """What words can mean here and now: also those whom the party has seen elsewhere, by what they are."""
    party = {play.table.names[name]: name for name in play.table.state.played}
    party |= {name.split("-")[0].capitalize(): name for name in play.table.state.played}
    for name in play.table.state.played:
        party |= {short: name for short in play.table.sheet(name).nicknames if short not in party}
    known = play.known
    named = {each.id for each in known.entities}
    seen = [
        replace(person, names=person.offices & OFFICES)
        for person in play.world.all("person")
        if person.id not in named and person.offices & OFFICES and company.was_seen(play, person)
    ]
    entities = tuple(
        replace(each, offices=each.offices | trade_in(known.papers, each)) if each.kind == "person" else each
        for each in known.entities
    )
    present = tuple(each.id for each in known.present)
    memory = play.memory
    mate = memory.mate if speaker == play.table.state.character else None
    talking = memory.spoken in present and any(f"spoke {memory.clock - ago}" in memory.done for ago in (0, 1))
    eyes = memory.eyes
    at = play.world.entities.get(eyes)
    thing = eyes if at is not None and at.kind == "thing" else memory.thing if at is not None or not eyes else None
    return Scene(
        (*entities, *seen),
        party,
        present,
        memory.last,
        speaker,
        thing,
        memory.spoken,
        mate,
        memory.interrupted,
        talking=talking,
        eyes=eyes,
    )


__all__ = ["EFFECTS", "roll_of", "scene_for"]
