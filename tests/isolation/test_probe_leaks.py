"""The probes find every leak that is planted for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from leaks.probing import looked_for_by_probes, probe_leaks
from leaks.withheld import leaks as withheld_leaks
from sizes import NIGHTLY

EARLY = frozenset(
    """
    document_under_another_spelling contested_claim_names_the_holder_first digests_in_the_link answers_numbered
    requests_counted_by_game transcript_kept_by_game documents_kept_by_path left_out_counted_in_the_prompt
    history_cut_by_the_game_s_length
    house_players_share_what_they_know turns_since_the_end_of_the_log range_from_the_end_of_the_log
    append_id_in_base64 last_secret_in_hex look_kept_by_length documents_that_others_read
    """.split()
)
"""Leaks tested in every run. The others take some seconds each and are tested every night."""


@pytest.mark.parametrize("name", sorted(probe_leaks().keys() if NIGHTLY else EARLY))
def test_a_leak_is_found_by_probes(name: str, tmp_path: Path) -> None:
    pairs, games, finding = looked_for_by_probes(name, tmp_path)
    assert finding is not None, f"{name} survived {pairs} pairs"
    assert "crashed" not in finding.what, f"{name} crashes instead of leaking: {finding}"
    print(f"{name}: found after {pairs} pairs of {games} games; {finding}")


def test_enough_leaks_are_planted() -> None:
    assert probe_leaks().keys() >= EARLY
    assert len(probe_leaks()) >= 30
    assert len(withheld_leaks()) >= 15
