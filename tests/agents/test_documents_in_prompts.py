"""What a tabletop seat has of the campaign in its prompts, within which budget."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from evenings import PARTY, at_table, folder
from table import Table

from sottovoce.agents.house import HouseAgent
from sottovoce.agents.mcp_tools.server import _reply
from sottovoce.agents.models.blocks import model_blocks
from sottovoce.agents.quoting import tokens
from sottovoce.projections.view import View
from sottovoce.rulesets.tabletop.rules import TABLETOP
from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR

ROOT = Path(__file__).parents[2]
REAL = Path(os.environ.get("SOTTOVOCE_CAMPAIGNS", ROOT / ".." / "shared" / "campaigns")) / "the-dimming"
UPKEEP = {"README.md", "LICENSE", "decision-log.md", "gm-progress.md"}
WHOLE = re.compile(r"^DOCUMENT ([^,\n]+)$", re.MULTILINE)
LISTED = re.compile(r"^DOCUMENT ([^,\n]+), \d+ characters, not shown here", re.MULTILINE)


def own(view: View[Any], budget: int) -> str:
    return model_blocks(view, view.turns[0], budget)[1]


def large() -> dict[str, bytes]:
    """A campaign of 300,000 characters."""
    places = {f"locations/place-{n:02}.md": f"# Place {n}\n\n{'It rains. ' * 750}\n".encode() for n in range(40)}
    return folder() | places


def campaign(files: dict[str, bytes]) -> set[str]:
    return {path for path in files if path not in UPKEEP and not path.startswith("scenes/")}


def test_at_32000_tokens_a_game_master_has_every_document_of_the_sample_campaign_in_full() -> None:
    found = own(at_table().view(GM), 32_000)
    assert {*WHOLE.findall(found)} == campaign(folder())
    assert not LISTED.findall(found)


@pytest.mark.parametrize("budget", [16_000, 32_000])
def test_no_document_of_a_large_campaign_is_out_of_a_game_masters_reach(budget: int) -> None:
    view = at_table(files=large()).view(GM)
    found = own(view, budget)
    whole, listed = WHOLE.findall(found), LISTED.findall(found)
    assert len(whole) + len(listed) == len({*whole, *listed}) == len(campaign(large()))
    assert whole[:2] == ["overview.md", "preferences.md"]
    assert sum(map(tokens, model_blocks(view, view.turns[0], budget))) < budget


@pytest.mark.skipif(not REAL.is_dir(), reason=f"no campaign at {REAL}")
def test_at_32000_tokens_a_game_master_of_a_real_campaign_has_or_can_open_every_document() -> None:
    files = folder(REAL)
    party = ("eamon-lightward", "korimeth", "silani-shen", "thaneshi")
    table = Table(party, 3, {"campaign": "the-dimming"}, HouseAgent(), ruleset=TABLETOP, files=files)
    found = own(table.view(GM), 32_000)
    assert {*WHOLE.findall(found), *LISTED.findall(found)} == campaign(files)


def test_a_seat_has_what_it_may_read_and_nothing_else() -> None:
    table = at_table()
    known = TABLETOP.handouts(table.view(PARTY[0]).state, PARTY[0])
    assert list(known) == [f"party/{PARTY[0]}.md", "party-knowledge.md", "world-primer.md"]
    assert "Secrets of the Valley" not in "".join(known.values())
    briefs = {path for path in folder() if path.endswith("-brief.md")}
    assert {*TABLETOP.handouts(table.view(NARRATOR).state, NARRATOR)} == {"preferences.md", *briefs}


def test_a_cut_history_begins_with_what_was_done_and_told() -> None:
    table = at_table(seed=1).play(60)
    state = table.view(GM).state
    told = TABLETOP.digest(state, GM)
    sizes = [sum(map(tokens, lines)) for lines in told]
    assert sizes == sorted(sizes, reverse=True)
    assert any(line.startswith("Told last: «") for line in told[0])
    assert any(line.startswith(f"{PARTY[0]}: «") for line in told[0])
    assert any(line.startswith("Scene ") for line in told[-1])


def test_the_language_of_the_game_stands_in_the_shared_part_of_every_prompt() -> None:
    view = at_table(language="Deutsch").view(GM)
    shared, *rest = model_blocks(view, view.turns[0], 16_000)
    assert "Speak Deutsch" in shared
    assert "Deutsch" not in "".join(rest).replace('language="Deutsch"', "")
    plain = at_table().view(GM)
    assert "LANGUAGE" not in model_blocks(plain, plain.turns[0], 16_000)[0]


def test_plain_words_of_a_character_are_its_action_over_mcp() -> None:
    table = at_table(human=False)
    while not (seat := next((name for name in PARTY if table.view(name).turns), None)):
        table.play(1)
    view = table.view(seat)
    said = _reply(view, view.turns[0], "I knock first, and then I go in.", "")
    assert said.startswith("[PLAYER_TO_GM]\ntype: ")
    table.reply(seat, said)
    assert seat not in table.state.requests
