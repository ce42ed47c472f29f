"""What players are asked in the town hall: to nominate, to second, to defend themselves, and to judge."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sottovoce import Answer, Ballot, Count, Event, Game, Turn, plain, the_one
from sottovoce.rulesets.mafia.rules.events import ExecutionVoteClosed, NominationMade, SecondingClosed, TrialClosed
from sottovoce.rulesets.mafia.rules.phrases import living, named_list, quoted
from sottovoce.rulesets.mafia.rules.state import MafiaState
from sottovoce.rulesets.mafia.rules.turns.day import Spoken
from sottovoce.rulesets.mafia.rules.turns.motives import tell_motive, tell_motives

NOMINEES = 3
"""How many may stand trial on one day (M-066)."""
PASS = "pass"


class Nominate(Turn[MafiaState], kind="nominate", silence=PASS):
    """Nominate one player for execution, or pass. All hear the words that you nominate with."""

    patterns = ("i nominate {}", "i {}")
    sentence = "I nominate {}."
    spoken = {PASS: "I pass."}
    as_text = "Answer: I nominate NAME, or: I pass."

    def becomes(self, state: MafiaState) -> Mapping[str, Event]:
        return {"": NominationMade(day=state.number, player=self.seat, nominee=None, words=None)}

    def context(self, state: MafiaState) -> Iterable[str]:
        left = NOMINEES - len(state.nominees)
        yield f"Town hall, day {state.number}: nominations."
        yield f"Nominees: {named_list(state.nominees)}. Nominations remaining: {left}."
        yield living(state)

    def kept(self, answer: Answer) -> str:
        return (answer.words or "") if answer.choice == PASS else ""

    def answered(self, game: Game[MafiaState], answer: Answer) -> None:
        """All hear the words of a nomination, and the narrator alone those of a pass (M-102, M-113)."""
        nominee = None if answer.choice == PASS else answer.choice
        words = charge(answer.words or "", nominee) if nominee else None
        game.emit(NominationMade(day=game.state.number, player=self.seat, nominee=nominee, words=words))
        if nominee is None:
            tell_motive(game, self.kind, self.seat, answer.words, answer.choice)


def charge(text: str, nominee: str) -> str | None:
    """The words that a nomination is made with, without the sentence that makes it (M-113); None if there are none."""
    opened = re.match(rf"\W*i nominate\s+{re.escape(nominee)}(?!\w)[\s.,:;!—–-]*", text, re.IGNORECASE)
    if opened is None:
        name = rf"(?:\S+\s+){{{len(nominee.split()) - 1}}}[^\s.,:;!]+"
        opened = re.match(rf"\W*i nominate\s+({name})[\s.,:;!—–-]*", text, re.IGNORECASE)
        opened = opened if opened and the_one(opened[1].strip('*_"“”'), (nominee,)) else None
    words = (text[opened.end() :] if opened else text).strip()
    bare = "".join(filter(str.isalnum, plain(words)))
    return words if bare and bare != "".join(filter(str.isalnum, plain(nominee))) else None


class Second(Ballot[MafiaState], kind="second", choices=("yes", "no")):
    """Do you second this nomination? Answer yes or no."""

    patterns = ("{}",)
    spoken = {"yes": "Yes.", "no": "No."}

    def becomes(self, state: MafiaState) -> Mapping[str, Event]:
        one, other = state.pending or ("", "")
        return {
            "": SecondingClosed(
                day=state.number, nominator=one, nominee=other, votes={}, tally={"yes": 0, "no": 0}, seconded=False
            )
        }

    def context(self, state: MafiaState) -> Iterable[str]:
        nominator, nominee = state.pending or ("Somebody", "somebody")
        yield f"{nominator} has nominated {nominee}."
        if state.charge is not None:
            yield quoted(nominator, state.charge)
        yield living(state)

    @classmethod
    def counted(cls, game: Game[MafiaState], count: Count) -> None:
        """More than half of the living must say yes (M-071)."""
        assert game.state.pending is not None, "a nomination is seconded"
        nominator, nominee = game.state.pending
        tell_motives(game, cls.stored_kind, count)
        game.emit(
            SecondingClosed(
                day=game.state.number,
                nominator=nominator,
                nominee=nominee,
                votes=dict(count.votes),  # type: ignore[arg-type]
                tally=_both(count),
                seconded=count.carried("yes"),
            )
        )


class Defence(Spoken, kind="defence"):
    """Give your defence: why should the town spare you?"""

    occasion = "defence"

    def context(self, state: MafiaState) -> Iterable[str]:
        yield "You are nominated for execution."
        yield f"Nominees: {named_list(state.nominees)}."
        if state.narrated is not None:
            yield quoted("The narrator", state.narrated)


class TrialVote(Ballot[MafiaState], kind="trial-vote"):
    """Vote for the nominee who should go to the gallows."""

    patterns = ("i vote for {}",)
    sentence = "I vote for {}."
    as_text = "Answer: I vote for NAME."

    def becomes(self, state: MafiaState) -> Mapping[str, Event]:
        round_ = state.trial_round
        return {
            "": TrialClosed(day=state.number, round=round_, votes={}, tally={}, condemned=None, tied=(), again=False)
        }

    def context(self, state: MafiaState) -> Iterable[str]:
        yield f"Trial, day {state.number}. Nominees: {named_list(self.choices)}."
        yield from (quoted(name, state.defences[name]) for name in self.choices if name in state.defences)
        yield living(state)
        if state.trial_round:
            yield "The last ballot was tied; vote again among the tied."

    @classmethod
    def counted(cls, game: Game[MafiaState], count: Count) -> None:
        """The most votes condemn; the tied stand again, as often as the rules say (M-079, M-080)."""
        state = game.state
        tied = count.leaders if len(count.leaders) > 1 else ()
        tell_motives(game, cls.stored_kind, count)
        game.emit(
            TrialClosed(
                day=state.number,
                round=state.trial_round,
                votes=dict(count.votes),
                tally=count.tally,
                condemned=None if tied else count.leaders[0],
                tied=tied,
                again=bool(tied) and state.trial_round < state.options.trial_revote_rounds,
            )
        )


class FinalSpeech(Spoken, kind="final-speech"):
    """Give your final speech before the vote on your life."""

    occasion = "final"

    def context(self, state: MafiaState) -> Iterable[str]:
        yield "You have been sent to the gallows."
        yield living(state)
        if state.narrated is not None:
            yield quoted("The narrator", state.narrated)


class ExecutionVote(Ballot[MafiaState], kind="execution-vote", choices=("execute", "spare")):
    """Execute or spare? Answer execute or spare."""

    patterns = ("i vote to {}", "{}")
    sentence = "I vote to {}."

    def becomes(self, state: MafiaState) -> Mapping[str, Event]:
        day, condemned = state.number, state.condemned or ""
        tally = dict.fromkeys(self.choices, 0)
        return {"": ExecutionVoteClosed(day=day, condemned=condemned, votes={}, tally=tally, executed=False)}

    def context(self, state: MafiaState) -> Iterable[str]:
        yield quoted(str(state.condemned), state.final_speech[0] if state.final_speech else None)
        yield living(state)

    def ask(self, state: MafiaState) -> str:
        return f"Execute or spare {state.condemned}? Answer execute or spare."

    @classmethod
    def counted(cls, game: Game[MafiaState], count: Count) -> None:
        """More than half of the others must say execute (M-087)."""
        assert game.state.condemned is not None, "somebody is judged"
        tell_motives(game, cls.stored_kind, count)
        game.emit(
            ExecutionVoteClosed(
                day=game.state.number,
                condemned=game.state.condemned,
                votes=dict(count.votes),  # type: ignore[arg-type]
                tally=_both(count),
                executed=count.carried("execute"),
            )
        )


def _both(count: Count) -> dict[str, int]:
    """The tally of a ballot of two choices, where none for one of them is told too."""
    return {choice: count.tally.get(choice, 0) for choice in count.choices}
