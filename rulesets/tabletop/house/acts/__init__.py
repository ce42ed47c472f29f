"""What an act brings about: one function for each kind, which tells the outcome and notes what has changed.

An act that dice decide names its roll first; its effect follows once the dice have fallen. What is told comes from the
folder by the one door there is (`known.py`), and answers what was said, or it is not told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sottovoce.rulesets.tabletop.house.acts.deeds import attack, do, end, help_, no, rest, roll, wait
from sottovoce.rulesets.tabletop.house.acts.going import go
from sottovoce.rulesets.tabletop.house.acts.looking import look, search
from sottovoce.rulesets.tabletop.house.acts.persuasion import persuade
from sottovoce.rulesets.tabletop.house.acts.rolls import roll_of
from sottovoce.rulesets.tabletop.house.acts.speech import ask, talk
from sottovoce.rulesets.tabletop.house.acts.things import give, hide, take, use
from sottovoce.rulesets.tabletop.house.play import Play
from sottovoce.rulesets.tabletop.house.targets import Act, Scene

EFFECTS: Mapping[str, Callable[[Play, str, Act], list[str]]] = {
    "look": look,
    "search": search,
    "go": go,
    "ask": ask,
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
}


def scene_for(play: Play, speaker: str) -> Scene:
    party = {play.table.names[name]: name for name in play.table.state.played}
    party |= {name.split("-")[0].capitalize(): name for name in play.table.state.played}
    known = play.known
    return Scene(
        known.entities, party, tuple(each.id for each in known.present), play.memory.last, speaker, play.memory.thing
    )


__all__ = ["EFFECTS", "roll_of", "scene_for"]
