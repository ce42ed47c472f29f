"""What players are heard to claim: who is said to be what, and what is no claim at all."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from table import Table

from sottovoce.agents.agent import SeatRandom
from sottovoce.agents.house import HouseAgent
from sottovoce.domain.claims import Claim
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View
from sottovoce.rulesets.mafia.house import player
from sottovoce.rulesets.mafia.house.seat import Seat
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules.claim_parser import LONGEST, said
from sottovoce.rulesets.mafia.rules.roles import NARRATOR

PLAYERS = ("Ada", "Bram", "Caspar", "Nora", "Konrad", "Edda", "Ann Lee", "Ann")

CLAIMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("I am the Doctor.", ("Konrad is Doctor",)),
    ("I'm no Mafia", ("Konrad is not Mafia",)),
    ("Nora is Mafia", ("Nora is Mafia",)),
    ("Nora is not the Detective.", ("Nora is not Detective",)),
    (
        "There is one Detective here, and it is not Nora: I am the Detective",
        ("Konrad is Detective", "Nora is not Detective"),
    ),
    ("I looked at Caspar on night two, and Caspar is Mafia", ("Caspar investigated 2", "Caspar is Mafia")),
    ("I am the Doctor, so why would I kill her?", ("Konrad is Doctor",)),
    ("Caspar claims to be the Detective, and I am the Detective!", ("Konrad is Detective",)),
    ('"I am the Doctor."', ("Konrad is Doctor",)),
    ("I swear to you I am the Doctor.", ("Konrad is Doctor",)),
    ("It is a lie that I am Mafia.", ("Konrad is not Mafia",)),
    ("I deny that I'm Mafia!", ("Konrad is not Mafia",)),
    ("Nora and Caspar are Mafia.", ("Caspar is Mafia", "Nora is Mafia")),
    ("Neither Nora nor Caspar is Mafia.", ("Caspar is not Mafia", "Nora is not Mafia")),
    ("Nora is the Mafia, not Caspar.", ("Caspar is not Mafia", "Nora is Mafia")),
    ("Nora is Mafia and so is Caspar.", ("Caspar is Mafia", "Nora is Mafia")),
    ("I watched Nora all day. She is Mafia.", ("Nora is Mafia",)),
    ("The Detective is Nora.", ("Nora is Detective",)),
    ("The Doctor isn't me.", ("Konrad is not Doctor",)),
    ("Nora, you are Mafia.", ("Nora is Mafia",)),
    ("Nora, Caspar is Mafia!", ("Caspar is Mafia",)),
    ("I am only a simple Villager, no more.", ("Konrad is Villager",)),
    ("As the Detective, I looked at Nora: Mafia.", ("Konrad is Detective", "Nora is Mafia")),
    ("I'm claiming Detective.", ("Konrad is Detective",)),
    ("Night 1: Nora -> Mafia", ("Nora is Mafia",)),
    ("I protected Ada on night 1.", ("Ada protected 1",)),
    ("Ann Lee is the Doctor.", ("Ann Lee is Doctor",)),
    ("Ann is one of the Mafia.", ("Ann is Mafia",)),
    ("**I am the Doctor**", ("Konrad is Doctor",)),
    ("Hang me if you like: I am the Doctor.", ("Konrad is Doctor",)),
    ("If I die tonight, know that I am the Detective.", ("Konrad is Detective",)),
    ("Nora was anything but a Villager.", ("Nora is not Villager",)),
    ("I am not the Doctor and Nora isn't either.", ("Konrad is not Doctor",)),
    ("Nora's Mafia.", ("Nora is Mafia",)),
    ("My role is Doctor.", ("Konrad is Doctor",)),
    ("Nora is no more the Doctor than I am.", ("Nora is not Doctor",)),
    ("I know Nora to be Mafia.", ("Nora is Mafia",)),
    ("Konrad is the Doctor.", ("Konrad is Doctor",)),
    (
        "I was the Detective, and it is not true that Nora is the Detective.",
        ("Konrad is Detective", "Nora is not Detective"),
    ),
    (
        "Everyone, please listen. I'm the Detective and I investigated Bram last night: he is Mafia.",
        ("Bram is Mafia", "Konrad is Detective"),
    ),
    (
        "I am the Doctor and I saved Ada on night 1. Killing me would be a mistake.",
        ("Ada protected 1", "Konrad is Doctor"),
    ),
    ("As a simple villager, I have no special information.", ("Konrad is Villager",)),
    ("I'm just a villager trying to find the Mafia.", ("Konrad is Villager",)),
    ("Bram claims that I'm Mafia. That is a lie; I'm a Villager.", ("Konrad is Villager",)),
    ("I am definitely not Mafia.", ("Konrad is not Mafia",)),
    ("I can confirm that Nora is not Mafia.", ("Nora is not Mafia",)),
    ("My investigation shows Nora is a Villager.", ("Nora is Villager",)),
    ("I investigated Caspar on night 2 and found him to be the Jester.", ("Caspar investigated 2", "Caspar is Jester")),
    ("Let's vote out Caspar, he's Mafia for sure.", ("Caspar is Mafia",)),
    ("You're making a mistake, I'm the Doctor!", ("Konrad is Doctor",)),
    ("I'm not the Jester, and I'm not Mafia either.", ("Konrad is not Jester", "Konrad is not Mafia")),
    ("Bram and Caspar are both Mafia, I'm certain of it.", ("Bram is Mafia", "Caspar is Mafia")),
    ("There's no way that Nora is Mafia.", ("Nora is not Mafia",)),
    ("Nora can't be Mafia.", ("Nora is not Mafia",)),
    ("Nora must be Mafia.", ("Nora is Mafia",)),
    ("Hear me out: Edda is innocent, Caspar is Mafia.", ("Caspar is Mafia",)),
    ("I say again, I am no Jester.", ("Konrad is not Jester",)),
    ("Remember: Nora is our Detective.", ("Nora is Detective",)),
    ("I have been the Doctor all along.", ("Konrad is Doctor",)),
    ("Believe me, Bram isn't the Doctor, because I am.", ("Bram is not Doctor", "Konrad is Doctor")),
    ("Bram is lying. I am the real Detective.", ("Konrad is Detective",)),
    ("I know for a fact Caspar is Mafia; I checked him on the first night.", ("Caspar is Mafia",)),
    ("I checked Caspar on the first night and he is Mafia.", ("Caspar investigated 1", "Caspar is Mafia")),
    ("Being the Doctor, I chose to keep quiet.", ("Konrad is Doctor",)),
    ("Nora is so obviously Mafia.", ("Nora is Mafia",)),
    ("Friends, I must reveal myself: I'm the town's Doctor, and I saved Edda last night.", ("Konrad is Doctor",)),
    (
        "I have information. On night 2 I investigated Nora, and Nora is not Mafia.",
        ("Nora investigated 2", "Nora is not Mafia"),
    ),
    ("Edda's defence convinced me that she's not Mafia.", ("Edda is not Mafia",)),
    ("I vote for Bram because Bram is the Mafia.", ("Bram is Mafia",)),
    ("Ada, you claimed to be the Detective, but the Detective is Nora.", ("Nora is Detective",)),
    ("I'm telling you, I'm not Mafia. I'm a Villager like most of you.", ("Konrad is Villager", "Konrad is not Mafia")),
    ("I can vouch for Nora: she is a Villager.", ("Nora is Villager",)),
    ("My result on Bram: Mafia.", ("Bram is Mafia",)),
    (
        "I'm the Detective. My checks: Ada - Villager, Bram - Mafia.",
        ("Ada is Villager", "Bram is Mafia", "Konrad is Detective"),
    ),
    ("Nora, Edda and Ada are Villagers.", ("Ada is Villager", "Edda is Villager", "Nora is Villager")),
    ("The Doctor should protect Nora tonight since she is the Detective.", ("Nora is Detective",)),
    ("Let me be clear: I have never been Mafia.", ("Konrad is not Mafia",)),
    ("Ada was the Doctor, and the Mafia killed her.", ("Ada is Doctor",)),
    ("You all think I'm Mafia, but I'm the Detective!", ("Konrad is Detective",)),
    ("As your Detective I can tell you Caspar is Mafia.", ("Caspar is Mafia", "Konrad is Detective")),
    ("Trust me: Caspar = Mafia.", ("Caspar is Mafia",)),
    ("Nora would never hurt a fly, she's no Mafia.", ("Nora is not Mafia",)),
    ("It's obvious Bram is Mafia!", ("Bram is Mafia",)),
    ("I, Konrad, am the Doctor of this town.", ("Konrad is Doctor",)),
    ("I want to be honest: I was lying yesterday, I'm not the Doctor.", ("Konrad is not Doctor",)),
    ("I protected Nora on the second night, so Nora cannot be the one who died.", ("Nora protected 2",)),
)

NO_CLAIMS = (
    "If Nora were Mafia, would she have died?",
    "If Nora is Mafia, then Caspar is Mafia too.",
    "Is Nora Mafia?",
    "Nora is Mafia?",
    "Nora is Mafia, isn't she?",
    "Nora says that she is the Doctor.",
    "“I am the Doctor,” said Nora, and nobody laughed.",
    "I think Nora is Mafia.",
    "Nora is Mafia, I think.",
    "Nora might be Mafia.",
    "I never said I am the Doctor.",
    "Nora or Caspar is Mafia.",
    "I asked Nora and Caspar. She is Mafia.",
    "Nora is the Doctor's friend.",
    "Nora is a Mafia-hunter.",
    "Nobody who is Mafia would speak so.",
    "You hang me as Mafia.",
    "Suppose Nora is Mafia.",
    "They say I am Mafia, and they are wrong.",
    "Nora's Mafia friends laughed.",
    "Doctor, if you live, save Nora; I am Mafia's next victim.",
    "I find Bram's behaviour suspicious. He could be Mafia.",
    "Bram, are you the Detective?",
    "If Bram is the Detective, he should come forward.",
    "Bram has claimed Detective, but I don't believe him.",
    "It seems to me that Caspar is Mafia.",
    "Two of the remaining players must be Mafia.",
    "The Mafia is among us, and Edda knows it.",
    "I believe that Edda is the Doctor, so let us protect her.",
    "We lost our Doctor last night, which means Ada was telling the truth.",
    "Ada said she was the Doctor; I believe her.",
    "I would never claim Detective falsely.",
    "If you execute me, you will lose your Detective.",
    "Who among us is Mafia? I suspect Caspar and Edda.",
    "Do not let them tell you that I am Mafia.",
    "That would make Bram the Mafia.",
    "Bram is either Mafia or the Jester.",
    "Bram is Mafia or a fool.",
    "Only a Mafia member would say that, Bram.",
    "Role: Doctor. That's me.",
    "Caspar, the Doctor, would say otherwise.",
    "Last night I protected Ada.",
    "Were I Mafia, I'd have voted otherwise.",
    "I'd be happy if Nora were the Doctor.",
    "Not a single one of us thinks Nora is Mafia.",
    "Caspar keeps deflecting, which is exactly what a Mafia player would do.",
    "Did anyone notice that Bram is silent? A Mafia would be.",
    "I wonder if Edda is the Jester.",
    "There's a chance that Edda is the Jester.",
    "Edda's probably the Jester, so don't vote for her.",
    "Whether or not I am the Doctor does not matter.",
    "Even if I'm Mafia, you have no proof.",
    "Caspar and Bram can't both be Detective.",
    "One of Bram and Caspar is Mafia.",
    "Bram's claim that he is the Doctor is false.",
    "If you're the Doctor, Bram, prove it.",
    "I did not say Bram is Mafia; I said he is careless.",
    "I refuse to believe that Ada is Mafia.",
    "Do I look like I'm Mafia?",
    "Had I been the Detective, I'd have told you.",
    "What makes you think I am Mafia, Nora?",
    "Nobody believes that Edda is the Detective.",
)


def put(claim: Claim) -> str:
    """A claim as the table writes it."""
    kind, about, what = claim.fact
    return f"{about} {kind} {what}" if kind != "role" else f"{about} is {'not ' if claim.denied else ''}{what}"


@pytest.mark.parametrize(("text", "claims"), CLAIMS)
def test_what_is_claimed_is_heard(text: str, claims: tuple[str, ...]) -> None:
    found = said("Konrad", text, PLAYERS)
    assert sorted(map(put, found)) == sorted(claims)
    assert {claim.by for claim in found} == {"Konrad"}


@pytest.mark.parametrize("text", NO_CLAIMS)
def test_what_is_asked_supposed_guessed_or_reported_is_no_claim(text: str) -> None:
    assert said("Konrad", text, PLAYERS) == ()


def test_each_claim_cites_its_sentence() -> None:
    text = "Good morning, all.\n\nI have slept badly;  “alas”. I am the Doctor!  And Nora is Mafia."
    assert [(put(claim), claim.words) for claim in said("Konrad", text, PLAYERS)] == [
        ("Konrad is Doctor", "I am the Doctor!"),
        ("Nora is Mafia", "And Nora is Mafia."),
    ]


def test_the_narrator_tells_and_claims_nothing() -> None:
    seats = (*PLAYERS, NARRATOR)
    assert MAFIA.claims(NARRATOR, "Nora was Mafia.", seats) == ()
    assert [put(claim) for claim in MAFIA.claims("Ada", "Nora was Mafia.", seats)] == ["Nora is Mafia"]


INTENDED = {
    "claim.Detective": ("{by}", "Detective", False),
    "claim.Doctor": ("{by}", "Doctor", False),
    "counter": ("{by}", "Detective", False),
    "counter.Doctor": ("{by}", "Doctor", False),
    "role.Villager": ("{by}", "Villager", False),
    "result.Mafia": ("{t}", "Mafia", False),
    "result.clean": ("{t}", "Mafia", True),
    "result.Jester": ("{t}", "Jester", False),
}
"""What the house means by its topics: who, which role, denied or not."""


def test_the_house_is_heard_to_claim_what_it_means_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every speech, charge, defence, last word and whisper of whole games, against the topics it was made of."""
    lines: list[tuple[str, dict[str, str], str]] = []
    heard = {"speeches": 0, "claims": 0}
    line, reply = Seat.line, player.reply

    def noted(self: Seat, topic: str, **names: str) -> str:
        text = line(self, topic, **names)
        lines.append((topic, names, text))
        return text

    def replied(view: View[Any], turn: Turn, random: SeatRandom) -> str:
        lines.clear()
        text = reply(view, turn, random)
        if type(turn).__name__ not in ("Speech", "Defence", "FinalSpeech", "Nominate", "NightTalk"):
            return text
        meant = set()
        for topic, names, words in lines:
            if topic in INTENDED and words in text:
                who, role, denied = INTENDED[topic]
                meant.add((who.format(by=view.seat, **names), role, denied))
            if topic == "counter" and words in text and f" not {names['s']}" in words:
                meant.add((names["s"], "Detective", True))
        found = said(view.seat, text, view.state.players)
        assert {
            (claim.about, claim.fact[2], claim.denied)
            for claim in found
            if claim.fact[0] == "role" and claim.about not in view.state.revealed
        } == meant, text
        heard["speeches"] += 1
        heard["claims"] += len(meant)
        return text

    monkeypatch.setattr(Seat, "line", noted)
    monkeypatch.setattr(player, "reply", replied)
    for seed in range(40, 52):
        Table(8, seed=seed, agents=HouseAgent()).play()
    assert heard["speeches"] > 300
    assert heard["claims"] > 20


@given(st.text(max_size=400), st.sampled_from(PLAYERS))
def test_any_text_is_read(text: str, by: str) -> None:
    for claim in said(by, f"{text} {by} is Mafia {text}", PLAYERS):
        assert claim.words
        assert claim.about in PLAYERS


@pytest.mark.parametrize(
    "text",
    [
        "i, " * 150 + "are mafia",
        ("Ada and " * 70 + "Bram are mafia. ") * 30,
        "there is one doctor " + "x " * 250 + "and it is Ada",
        ("Ada is not the " + "not the " * 70 + "doctor. ") * 30,
        "“" * LONGEST + " mafia",
        "if " * 180 + "mafia",
        "\ufdfa" * LONGEST + "mafia",
    ],
)
def test_no_text_takes_long(text: str) -> None:
    begun = time.process_time()
    said("Konrad", text, PLAYERS)
    assert time.process_time() - begun < 5
