"""People of the place come up by themselves because of what the party does, whoever was asked for."""

from __future__ import annotations

from evenings import documents
from worlds import after, open_evening

from sottovoce.rulesets.tabletop.rules.lore.memory import remembered


def test_a_deed_brings_somebody_of_the_place_and_each_of_them_once() -> None:
    table = open_evening(["I ring the bell.", "I whistle a tune.", "I ring the bell.", "I ring the bell."], 1)
    memory = remembered(documents(table)["gm-progress.md"].decode())
    came = [line for line in memory.lines if line.startswith("done came ")]
    assert len(came) >= 3
    assert len(came) == len({*came})


def test_an_unheard_name_is_answered_alike_whether_the_campaign_has_it_or_not() -> None:
    told = {}
    for name in ("Corisande", "Zebedee"):
        line = f"I ask {name} about the flood."
        told[name] = after(open_evening([line], 2), line).replace(name, "NAME")
    assert told["Corisande"] == told["Zebedee"]
    assert "Tobit" in told["Zebedee"], "somebody comes all the same"


def test_words_that_find_nobody_bring_somebody() -> None:
    line = "I buy a smoked eel."
    assert "nobody here" not in after(open_evening([line], 3), line)
