"""The suite finds every planted leak; only this gives meaning to a number of pairs without a difference."""

from __future__ import annotations

from collections import Counter

import pytest
from leaks import LEAKS, Leak
from leaks.planted import looked_for
from sizes import NIGHTLY

LATE = frozenset(
    """
    neutral_text_names_the_saved night_talk_heard_by_the_dead bids_settled_by_talk_at_night
    refusal_depends_on_others limits_by_another_group_s_beat check_in_the_game_s_voice secret_deed_in_the_summary
    refusal_tells_that_a_document_exists refused_while_the_human_chats refusal_says_who_is_awaited
    heading_of_a_secret_left_behind waiting_executor_told_the_step
    tasks_told_apart_by_existence speech_refused_during_another_s_veto time_to_talk_by_the_mafia_s_revotes
    attempts_of_a_second_chat bids_told_to_players bids_settled_by_side
    tied_trial_with_mafia_goes_on tied_execution_falls_by_role
    bids_settled_by_arrival responses_in_order_of_arrival draws_counted time_by_others_secrets
    fallback_drawn_by_others_silence
    no_talk_after_a_drawn_vote turn_numbers_across_seats task_sees_another_entry tied_second_falls_by_role
    note_refused_during_another_s_secret refusal_lists_hidden_headings task_sees_the_broadcast dead_mafia_see_votes
    split_narrative_shared_for_journals choices_sorted_by_a_sealed_ballot attempts_by_another_group_s_rolls
    end_told_to_the_executor stream_moved_by_others_attempts split_narrative_to_the_human attempts_of_another_s_turn
    split_narrative_to_all retry_ends_with_another_s_time responses_seen_by_tasks pass_told_to_all
    dice_move_with_hidden_rolls secret_answer_seen_by_the_narrator
    speech_limited_by_the_whole_table hold_of_all_names_the_task claims_refused_if_true hold_of_all_names_the_silent
    night_announced_again_after_talk story_state_open_to_the_team_lead blank_lines_left_with_a_secret
    refusal_says_who_is_awake
    group_note_leaks narrator_reads_sheets change_told_to_the_planner_by_all veto_seen_by_the_narrator
    digest_of_what_was_said_at_night attempts_lost_in_another_task night_talk_heard_by_all substring_audience
    dawn_held_public night_announced_again_without_a_doctor tie_never_takes_the_doctor doctor_heard_at_night
    night_not_waited_out_without_a_doctor time_to_nominate_while_the_doctor_lives charge_in_the_game_s_voice
    present_before_seated choices_ordered_by_role doctor_told_of_the_save
    dawn_told_in_neutral_words_for_the_detective chat_overheard_by_the_gm clerk_s_talk_seen_by_the_gm
    scene_changes_after_a_secret ending_told_from_hidden_acts records_ordered_by_another_task
    view_brought_up_to_date_by_all_events unfiltered_first_sync_for_spectators choices_by_the_rounds_of_another_task
    fewest_attempts_in_the_inbox deadline_of_another_s_turn refresh_seen_by_the_gm
    goes_to_who_is_awake opened_document_seen_by_the_narrator
    workspace_told_to_the_reviewer_meant failed_program_told_to_the_reviewer merge_told_to_the_executor
    checks_told_to_the_planner call_record_used_again prompt_cached_by_ballot
    """.split()
)
"""Leaks that take a second or more to find: looked for every night, not in every run."""


@pytest.mark.parametrize(
    "leak", [leak for leak in LEAKS if NIGHTLY or leak.name not in LATE], ids=lambda leak: leak.name
)
def test_a_planted_leak_is_found(leak: Leak) -> None:
    tally, finding = looked_for(leak)
    assert finding is not None, f"{leak.name} survived {tally.total} pairs"
    assert not finding.what.startswith("raised"), f"{leak.name} crashes instead of leaking: {finding}"
    print(f"{leak.name}: found after {tally.total} pairs; {finding}")


def test_enough_leaks_are_planted() -> None:
    assert {leak.name for leak in LEAKS} >= LATE
    planted = Counter(leak.system.ruleset.name for leak in LEAKS)
    assert planted["mafia"] >= 25
    assert planted["delegation"] >= 10
    assert planted["tabletop"] >= 25
    by_kinds = Counter(leak.kinds for leak in LEAKS)
    assert by_kinds["served",] >= 19
    assert by_kinds["redeal", "served"] >= 30
    assert sum(leak.peer is not None for leak in LEAKS) >= 7
