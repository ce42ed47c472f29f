"""A reply put together from a choice and words is read as that choice, whatever the words say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mafia_tables import PATTERNS

from sottovoce.domain.turns import Turn
from sottovoce.rulesets.mafia.rules.state import MafiaState
from sottovoce.rulesets.mafia.rules.turns import MAFIA_TURNS, Moderate

NAMES = ("Ada", "Ann", "Ann Lee", "Dr. No", "Dr", "Player 1", "Player 10", "Bram", "I", "Will")
STATE = MafiaState(players=NAMES, seats=(*NAMES, "narrator"))
CHOICES = {
    "moderate": (*NAMES, "town_hall"),
    "nominate": (*NAMES[1:], "pass"),
    "second": ("yes", "no"),
    "execution-vote": ("execute", "spare"),
}
PIECES = st.sampled_from(
    (
        *NAMES,
        *Moderate.aliases,
        "yes",
        "no",
        "pass",
        "execute",
        "spare",
        "town_hall",
        "I vote for",
        "I nominate",
        "and",
        "\n",
        ".",
    )
)
WORDS = st.one_of(st.text(max_size=30), st.lists(PIECES, max_size=8).map(" ".join))


KINDS = {kind.stored_kind: kind for kind in MAFIA_TURNS}


def turn(kind: str) -> Turn:
    return KINDS[kind]("narrator" if kind == "moderate" else "Ada", 1, kind, CHOICES.get(kind, NAMES), 3)


@pytest.mark.spec("M-016")
@pytest.mark.parametrize("kind", PATTERNS)
@given(words=WORDS, data=st.data())
def test_the_words_never_change_the_choice(kind: str, words: str, data: st.DataObject) -> None:
    asked = turn(kind)
    choice = data.draw(st.sampled_from(asked.choices))
    text = asked.wording(STATE, choice, words)
    state = STATE.but(revealed=dict.fromkeys(NAMES, "Villager"))
    assert asked.read(state, text).choice == choice


@pytest.mark.parametrize(
    ("kind", "choice", "words", "text"),
    [
        ("trial-vote", "Bram", "Ada is too quiet.", "I vote for Bram. Ada is too quiet."),
        ("trial-vote", "Bram", "I vote for Bram because Ada said so.", "I vote for Bram because Ada said so."),
        ("trial-vote", "Bram", "", "Bram"),
        ("nominate", "pass", "Ada and Bram are both fine.", "I pass. Ada and Bram are both fine."),
        ("second", "yes", "No doubt.", "Yes. No doubt."),
        ("execution-vote", "spare", "Why execute anyone?", "I vote to spare. Why execute anyone?"),
        ("moderate", "Bram", "Bram, what do you say?", "Bram, what do you say?"),
        ("moderate", "Bram", "Ada has spoken.", "Bram. Ada has spoken."),
        ("moderate", "town_hall", "Enough of Ada and Bram.", "Town hall. Enough of Ada and Bram."),
        ("trial-vote", "Dr", "No doubt about Ada.", "Dr"),
    ],
)
def test_it_reads_like_a_person(kind: str, choice: str, words: str, text: str) -> None:
    assert turn(kind).wording(STATE, choice, words) == text
