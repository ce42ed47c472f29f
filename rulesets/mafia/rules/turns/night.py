"""What the Doctor, the Detective and the Mafia are asked at night."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sottovoce import Answer, Ballot, Count, Event, Game, Turn, plain
from sottovoce.rulesets.mafia.rules.events import (
    MafiaBallotClosed,
    MafiaWhispered,
    PlayerInvestigated,
    PlayerProtected,
)
from sottovoce.rulesets.mafia.rules.phrases import living, members, quoted, results
from sottovoce.rulesets.mafia.rules.state import MafiaState
from sottovoce.rulesets.mafia.rules.turns.motives import tell_motive, tell_motives


class Protect(Turn[MafiaState], kind="protect"):
    """Choose one player to protect tonight."""

    patterns = ("i protect {}",)
    sentence = "I protect {}."
    as_text = "Answer: I protect NAME."

    def becomes(self, state: MafiaState) -> Mapping[str, Event]:
        return {"": PlayerProtected(night=state.number, doctor=self.seat, target=self.seat)}

    def context(self, state: MafiaState) -> Iterable[str]:
        yield f"Night {state.number} has begun. You are the Doctor."
        yield living(state)
        if state.protections and state.protections[-1][0] == state.number - 1:
            yield f"Last night you protected {state.protections[-1][1]}."

    def kept(self, answer: Answer) -> str:
        return answer.words or ""

    def answered(self, game: Game[MafiaState], answer: Answer) -> None:
        target = answer.choice or ""
        game.emit(PlayerProtected(night=game.state.number, doctor=self.seat, target=target))
        tell_motive(game, self.kind, self.seat, answer.words, target)


class Investigate(Turn[MafiaState], kind="investigate"):
    """Choose one player to investigate; you learn their true role at once."""

    patterns = ("i investigate {}",)
    sentence = "I investigate {}."
    as_text = "Answer: I investigate NAME."

    def becomes(self, state: MafiaState) -> Mapping[str, Event]:
        return {"": PlayerInvestigated(night=state.number, detective=self.seat, target=self.seat, role="Villager")}

    def context(self, state: MafiaState) -> Iterable[str]:
        yield f"Night {state.number} has begun. You are the Detective."
        yield living(state)
        yield results(state)

    def kept(self, answer: Answer) -> str:
        return answer.words or ""

    def answered(self, game: Game[MafiaState], answer: Answer) -> None:
        state, target = game.state, answer.choice or ""
        role = state.roles[target]
        game.emit(PlayerInvestigated(night=state.number, detective=self.seat, target=target, role=role))
        tell_motive(game, self.kind, self.seat, answer.words, target)


class NightTalk(Turn[MafiaState], kind="night-talk", silence=None):
    """Say one thing to the other Mafia, or pass. Only the living Mafia and the narrator hear it. Nothing is chosen
    yet: the vote follows."""

    def becomes(self, state: MafiaState) -> Mapping[str, Event]:
        return {"": MafiaWhispered(night=state.number, round=0, player=self.seat, text="")}

    def context(self, state: MafiaState) -> Iterable[str]:
        yield f"Night {state.number} has begun. You are Mafia, and the Mafia talk before they vote."
        yield living(state)
        yield members(state)
        yield from whispers(state)

    def answered(self, game: Game[MafiaState], answer: Answer) -> None:
        state, text = game.state, answer.words
        if text is not None and plain(text).strip(" .!'\"") in ("pass", "i pass"):
            text = None
        round_ = state.night.talked // len(state.living_mafia)
        game.emit(MafiaWhispered(night=state.number, round=round_, player=self.seat, text=text))


class Kill(Ballot[MafiaState], kind="kill"):
    """Vote for one player to kill tonight."""

    patterns = ("i vote to kill {}",)
    sentence = "I vote to kill {}."
    as_text = "Answer: I vote to kill NAME."

    def becomes(self, state: MafiaState) -> Mapping[str, Event]:
        night, round_ = state.number, state.night.round
        return {"": MafiaBallotClosed(night=night, round=round_, votes={}, tally={}, target=None, drawn=False)}

    def context(self, state: MafiaState) -> Iterable[str]:
        yield f"Night {state.number} has begun. You are Mafia."
        yield living(state)
        yield members(state)
        yield from whispers(state)
        for ballot in state.mafia_ballots:
            if ballot.night == state.number:
                votes = "; ".join(f"{who} voted for {whom}" for who, whom in ballot.votes.items())
                yield f"Ballot {ballot.round + 1} was tied: {votes}"

    @classmethod
    def counted(cls, game: Game[MafiaState], count: Count) -> None:
        """A tie is voted on again, and the last one settled by a draw (M-046, M-047)."""
        state = game.state
        leaders, round_ = count.leaders, state.night.round
        drawn = len(leaders) > 1 and round_ >= state.options.mafia_revote_rounds
        target = leaders[0] if len(leaders) == 1 else game.draw(leaders, "mafia-tie", state.number) if drawn else None
        tell_motives(game, cls.stored_kind, count)
        game.emit(
            MafiaBallotClosed(
                night=state.number,
                round=round_,
                votes=dict(count.votes),
                tally=count.tally,
                target=target,
                drawn=drawn,
            )
        )


def whispers(state: MafiaState) -> Iterable[str]:
    """What the Mafia have said to each other tonight, as far as it was heard here."""
    said = (whisper for whisper in state.whispers if whisper.night == state.number)
    return (quoted(whisper.player, whisper.text) for whisper in said if whisper.text is not None)
