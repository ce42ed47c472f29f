"""Eight words in a row out of sources closed to the one who is told them (T-063)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.rulesets.tabletop.rules.documents.folder import import_folder
from sottovoce.rulesets.tabletop.rules.documents.secret_phrases import RUN, Heard, is_source

SECRET = "The harbour master’s half-brother sells the lamps' oil to smugglers every new moon, and nobody dares to ask."
CLOSED = Heard().adding(SECRET, ["gm"])


@pytest.mark.spec("T-063")
@pytest.mark.parametrize(
    "body",
    [
        "You hear: the harbour master's half-brother sells the lamps oil to smugglers!",
        "THE HARBOUR MASTERS HALF BROTHER — sells, the “lamps” oil",
        "the harbour\nmaster's **half-brother**\n\n> sells the _lamps_ oil",
        "the har\u00adbour mas\u200bter's half-brother sells the lamps oil",
        "ｔｈｅ harbour master's half-brother sells the lamps oil",
    ],
)  # fmt: skip
def test_a_run_of_eight_words_is_found_however_it_is_written(body: str) -> None:
    assert CLOSED.repeats(body, "tilda") is not None


@pytest.mark.spec("T-063")
def test_the_run_found_is_the_longest_from_where_it_begins_in_the_bodys_own_words() -> None:
    body = "Well. Sells the Lamps’ oil to smugglers every new moon — and so on."
    assert CLOSED.repeats(body, "tilda") == "Sells the Lamps’ oil to smugglers every new moon — and"


@pytest.mark.spec("T-063")
def test_seven_words_are_no_repetition() -> None:
    words = "sells the lamps oil to smugglers every new".split()
    assert CLOSED.repeats(" ".join(words), "tilda")
    assert CLOSED.repeats(" ".join(words[:7]) + " moonless night and more words", "tilda") is None


@pytest.mark.spec("T-063")
def test_what_the_hearer_has_from_any_source_is_free() -> None:
    known = CLOSED.adding("They say he sells the lamps' oil to smugglers every new moon.", ["gm", "tilda"])
    body = "he sells the lamps oil to smugglers every new moon"
    assert known.repeats(body, "tilda") is None
    assert known.repeats(body, "corwin") == body


@pytest.mark.spec("T-063")
def test_what_the_author_has_not_seen_changes_nothing() -> None:
    """Neither does it make a refusal, nor spare one: either would tell the GM about it."""
    assert Heard().adding(SECRET, ["corwin", "tilda"]) == Heard()
    assert CLOSED.adding(SECRET, ["tilda", "narrator"]).repeats(SECRET, "tilda")


@pytest.mark.spec("T-063")
def test_the_sources_are_secrets_and_what_characters_read_and_a_place_may_be_described() -> None:
    files = {
        "story-state.md": b"now",
        "party/tilda.md": b"sheet\n\n**GM Note**: heir",
        "party/corwin.md": b"\xff",
        "party-knowledge.md": b"known",
        "locations/pier.md": b"# Pier\nWet boards.\n## Secrets\nA bell.\n",
    }
    roster = ("corwin", "tilda")
    sources = [piece.text for piece in import_folder(files, roster) if is_source(piece, roster)]
    assert sources == ["## Secrets\nA bell.\n", "known", "sheet\n", "\n**GM Note**: heir", "now"]


WORDS = st.lists(st.sampled_from("a b c".split()), max_size=30).map(" ".join)
SOURCES = st.lists(
    st.tuples(WORDS, st.frozensets(st.sampled_from(["gm", "tilda", "corwin"]))), max_size=12
)  # fmt: skip


@pytest.mark.spec("T-063")
@given(SOURCES, WORDS)
def test_the_index_agrees_with_a_search_through_all_sources(
    sources: list[tuple[str, frozenset[str]]], body: str
) -> None:
    index = Heard()
    for text, readers in sources:
        index = index.adding(text, readers)
    words = body.split()
    expected = False
    for start in range(len(words) - RUN + 1):
        run = " ".join(words[start : start + RUN])
        having = [readers for text, readers in sources if "gm" in readers and f" {run} " in f" {text} "]
        expected |= bool(having) and not any("tilda" in readers for readers in having)
    assert (index.repeats(body, "tilda") is not None) == expected


def test_an_index_that_is_added_to_stays_as_it_was() -> None:
    more = "nine words that nobody else has ever put together here"
    before = CLOSED.runs()
    known, closed = CLOSED.adding(more, ["gm", "tilda"]), CLOSED.adding(more, ["gm"])
    opened = closed.adding(SECRET, ["gm", "tilda"])
    assert closed.repeats(more, "tilda") == more
    assert opened.repeats(SECRET, "tilda") is None
    assert known.repeats(more, "tilda") is None
    assert closed.repeats(SECRET, "tilda")
    assert CLOSED.runs() == before
    assert CLOSED.repeats(more, "tilda") is None
    assert closed.adding(more, ["gm", "tilda"]) == known
    assert closed != known


def test_adding_and_checking_stay_cheap_with_tens_of_thousands_of_texts() -> None:
    index, took = Heard(), []
    for batch in range(6):
        began = time.process_time()
        for number in range(5_000):
            text = " ".join(f"w{(batch * 5_000 + number) * 7 + place}" for place in range(12))
            index = index.adding(text, ["gm", "tilda"] if number % 2 else ["gm"])
            if number % 10 == 0:
                assert index.repeats(text, "corwin") == text
        took.append(time.process_time() - began)
    assert took[-1] < 10 * took[0] + 1
    began = time.process_time()
    for _ in range(100):
        assert index.repeats("w140 w141 w142 w143 w144 w145 w146 w147", "corwin")
    assert time.process_time() - began < 2
