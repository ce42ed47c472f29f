"""What the narrator may say, and what is refused (M-104, M-106)."""

from __future__ import annotations

import time

import pytest

from sottovoce.rulesets.mafia.rules.narration_rules import disclosure

PLAYERS = ("Ada", "Bram", "Cleo", "Dirk", "Ann", "Ann Lee", "Player 1", "Player 10", "Zoë", "Doctor Who")

REFUSED = (
    "Ada is\nthe Doctor.",
    "They say that Bram was\nnever Mafia.",
    # a name and a role, as a statement
    "Ada was the Doctor.",
    "Ada is the Doctor",
    "Ada was Mafia.",
    "Bram was never Mafia.",
    "Bram isn't Mafia.",
    "Bram wasn’t one of the Mafia.",
    "Ada is not the Jester.",
    "Ada was a Villager.",
    "Ada had always been a loyal villager.",
    "Cleo, who was Mafia, smiles.",
    "Cleo, pale and trembling, was Mafia.",
    "Ada's true role was Mafia.",
    "Ada and Bram are Mafia.",
    "Neither Ada nor Bram was a villager.",
    "Ada belonged to the Mafia.",
    "Ada worked for the Mafia all along.",
    "Ada was in league with the Mafia.",
    "Ada was a member of the Mafia.",
    "Ada turned out to be Mafia.",
    "Ada is the Mafia's leader, and the Mafia's boss is Ada.",
    "Ada was a mafioso.",
    "The town had lost Ada, a simple villager.",
    "The Doctor, Ada, is dead.",
    "The town's Detective, Cleo, will not wake.",
    "Detective Cleo walks the quay.",
    "Villager Ada sleeps.",
    "Was it the Jester who laughed, or was it Dirk?",
    "The Mafia are Ada and Bram.",
    "The Mafia was led by Ada.",
    "One of the Mafia was Ada.",
    "No villager was Ada.",
    "The mafioso Ada waits.",
    "Ada, the Mafia, waits.",
    "They unmasked Ada as Mafia.",
    # several names that begin alike, accents, longer names
    "Ann Lee was the Doctor.",
    "Player 10 is Mafia.",
    "Zoë is Mafia.",
    "Zoe is Mafia.",
    # lists and dumps
    "Ada: Mafia",
    "Mafia: Ada, Bram",
    "Mafia = [Ada, Bram]",
    "Ada (Mafia)",
    "Ada - Villager",
    "Ada – Mafia; Bram – Villager",
    "| Ada | Mafia |",
    '{"Ada": "Mafia"}',
    "player: Ada\nrole: Mafia",
    "role: Mafia, player: Ada",
    "Roles: Ada: Villager; Bram: Mafia; Cleo: Doctor.",
    "Ada\nMafia",
    "Ada is\nMafia",
    "Ada. Mafia.",
    "Mafia members: Ada, Bram.",
    "The Mafia are: Ada, Bram.",
    "Ada is Mafia.",
    "Ada is a\n\nVillager.",
    "Your investigations so far: night 1: Bram is Mafia.",
    "Last night you protected Ada.",
    "How: Ada was saved by protection.",
    "Night 1: Ada protected Bram.",
    "Night 1: Ada investigated Bram, who is Mafia.",
    "Night 1, the Mafia voted: Ada for Bram; the target is Bram.",
    "Cleo: I protect Ada",
    "Cleo: I investigate Ada because she lies.",
    "Bram: I vote to kill Ada",
    # protection and investigation
    "Ada was saved by the Doctor.",
    "Ada was protected last night.",
    "Someone had protected Ada.",
    "A quiet hand shielded Ada from the knife.",
    "Ada was healed before dawn.",
    "Ada lives, for she was guarded.",
    "Bram was investigated.",
    "Somebody examined Bram in the night.",
    "Ada lives under somebody's protection.",
    "Somebody watched over Ada tonight.",
    "Bram's secrets were unmasked by a sleuth.",
    "Cleo was kept safe.",
    "Ada lives, for somebody guarded her.",
    "Ada lives, for somebody guarded her from the knife.",
    "Ada was saved the moment somebody chose her.",
    "Ada joined the Mafia long ago.",
    "Ada led the Mafia.",
    "Ada was investigated, and met her fate.",
    "Ada sided with the Mafia.",
    # disguises
    "ADA WAS THE DOCTOR",
    "ada was mafia",
    "Ada was the Doc\u200btor.",
    "A\u200dda was Ma\u2060fia.",
    "Ａｄａ ｗａｓ Ｍａｆｉａ．",
    "Ada was the Dосtor.",
    "Ada is M a f i a.",
    "Ada is M.a.f.i.a",
    "**Ada** was *Mafia*.",
    "_Ada_ was _Mafia_.",
    "Ada  was\tthe   Doctor",
    "Ada is Ma\u0336f\u0336ia.",
    "Ada is “Mafia”.",
    "«Ada» – «Mafia»",
)

PASSES = (
    "The fog took Ada\nand the Mafia smiled.",
    "Ada sat.\nThe Mafia struck.",
    "The Mafia killed Bram.",
    "Bram was killed by the Mafia.",
    "The Mafia have taken Bram from us.",
    "Bram fell to the Mafia.",
    "Bram died at the hands of the Mafia.",
    "Killed by the Mafia: Bram.",
    "The Mafia's victim was Ada.",
    "Ada, the Mafia's latest victim, lies by the well.",
    "Ada is not the Mafia's only victim.",
    "Poor Ada, the Mafia took you too soon.",
    "The villagers found Ada at first light.",
    "Ada was found by villagers at the mill.",
    "We lost Ada. Villagers, gather and speak!",
    "Villagers! Ada has been found.",
    "Between Ada and the Mafia stood only a door.",
    "Ada feared the Mafia, and the Mafia feared nobody.",
    "Only Ada wonders who is Mafia.",
    "Mourn Ada as the Mafia celebrate.",
    "Night falls on the village, and the Mafia stir.",
    "Somewhere a doctor lights a lamp.",
    "A detective's work is never done. Ada, the floor is yours.",
    "Is there a Jester among us? Ada, speak.",
    "The roles are dealt: some of you are Mafia, some are Villagers.",
    "Welcome, Ada, Bram, Cleo and Dirk.",
    "Ada, you have the floor.",
    "I call on Bram.",
    "Bram",
    "town_hall",
    "Bram, what do you say to what Ada told us?",
    "Enough words. The town hall opens.",
    "Nobody died. The town breathes again.",
    "Everyone is alive, and everyone is afraid.",
    "Ada did not live to see the morning.",
    "Ada is dead.",
    "Ada and Bram walk to the square.",
    "Ada: your turn to speak.",
    "Ada, Bram and Cleo stand accused.",
    "Cleo steps onto the stand, and the crowd falls silent.",
    "Can Ada save herself with words?",
    "Who will save Ada now?",
    "Ada must guard her tongue.",
    "Ada examined the well and found nothing.",
    "Ada shielded her eyes against the sun.",
    "Bram saved his breath.",
    "Bram was saved by a single vote.",
    "Cleo's guarded smile told the crowd nothing.",
    "Bram was spared.",
    "Bram is led to the gallows.",
    "By four votes to two, Bram is condemned.",
    "The rope creaks. Bram is gone.",
    "Cleo looks at Dirk; Dirk looks away.",
    "Ann Lee weeps for Ann.",
    "Player 1 points at Player 10.",
    "Doctor Who steps forward.",
    "Doctor Who is dead.",
    "Fog lies on the harbour, and the lamps are lit early.",
    "Somebody was protected, or somebody was lucky.",
    "The Mafia struck\nBram lies dead by the well",
    "Zoë was brave to the last.",
    "The town has spoken, and it has spoken of Ada.",
    "What did Dirk see from the bell tower?",
    "The Mafia, Ada, will hear you: choose your words.",
    "A knife in the dark, and Ada was no more.",
    "Ada held the lantern while Bram dug.",
    "Not one villager slept.",
    "Ada stands accused of being Mafia.",
    "Ada, accused of being Mafia, lifts her chin.",
    "Bram swears he is no Mafia.",
    "Edda, are you Mafia, or a victim?",
    "Credit to Ada, whose tale saved the evening.",
    "The villagers examined Bram's body by lantern light.",
    "The town is investigating the death of Bram.",
    "Ada joined the villagers at the well.",
    "Ada has the Mafia to fear.",
    "Bram, once a beloved member of our town, is no more.",
    "The Mafia have struck again; Bram's chair stands empty.",
    "Was it the Mafia who took Bram?",
    "The town spared Dirk, and the Mafia may rejoice or tremble.",
    "",
)


PIECES = (
    "Ada and ",
    "Ada, ",
    "mafia, ",
    "the Mafia Ada was ",
    "m a f i ",
    "Ada's role ",
    "saved ",
    "Ada not never the ",
    "é",
    "( ",
    "Ada, pale, was\n",
    "\u0430\u0501\u0430 ",
)


@pytest.mark.spec("M-104")
@pytest.mark.parametrize("text", REFUSED)
def test_a_sentence_that_gives_something_hidden_away_is_found(text: str) -> None:
    assert disclosure(text, PLAYERS, {}) is not None


@pytest.mark.parametrize("text", PASSES)
def test_a_story_that_gives_nothing_away_passes(text: str) -> None:
    assert disclosure(text, PLAYERS, {}) is None


@pytest.mark.spec("M-106")
@pytest.mark.parametrize(
    "text",
    [
        "Bram was Mafia.",
        "Bram, who was Mafia, swings in the wind.",
        "Mafia: Bram.",
        "The Mafia are fewer by one: Bram was one of the Mafia.",
        "Cleo was the Doctor.",
        "The Doctor, Cleo, is dead, and Ada weeps for Cleo.",
        "Dirk was a simple villager.",
    ],
)
def test_a_role_that_is_public_may_be_told(text: str) -> None:
    public = {"Bram": "Mafia", "Cleo": "Doctor", "Dirk": "Villager"}
    assert disclosure(text, PLAYERS, public) is None
    assert disclosure(text, PLAYERS, {}) is not None


@pytest.mark.spec("M-104", "M-106")
@pytest.mark.parametrize(
    "text",
    [
        "Bram was a Villager.",
        "Bram was the Jester.",
        "Ada is Mafia, as Bram was.",
        "Mafia: Bram, Ada.",
        "Ada is the Doctor.",
        "Cleo was the Doctor, and Ada is the Detective.",
        "Cleo was protected.",
    ],
)
def test_one_public_role_makes_no_other_public(text: str) -> None:
    assert disclosure(text, PLAYERS, {"Bram": "Mafia", "Cleo": "Doctor"}) is not None


@pytest.mark.spec("M-104")
def test_the_refusal_names_the_player_and_says_nothing_of_what_is_true() -> None:
    assert disclosure("Bram is Mafia.", PLAYERS, {}) == disclosure("Bram is a Villager.", PLAYERS, {})
    assert "Bram" in (disclosure("Bram is Mafia.", PLAYERS, {}) or "")
    assert "Ann Lee" in (disclosure("Ann Lee is Mafia.", PLAYERS, {}) or "")


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("end", ["", "Mafia", "Ada is the villager, doctor"])
def test_the_check_takes_time_linear_in_the_text(piece: str, end: str) -> None:
    text = (piece * 65_000)[:65_000] + end
    started = time.process_time()
    disclosure(text, PLAYERS, {})
    assert time.process_time() - started < 2
