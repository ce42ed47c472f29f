"""The turns of characters: to answer the GM or relay its request, to speak, to act as a task, to write a journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

from sottovoce import Among, Event, Fields, Request
from sottovoce.domain.turns import TurnClass
from sottovoce.rulesets.tabletop.rules import events, turns, words
from sottovoce.rulesets.tabletop.rules.course import changes, team_lead
from sottovoce.rulesets.tabletop.rules.course.replies import Move, TabletopTurn, items, some_items, words_of
from sottovoce.rulesets.tabletop.rules.documents import (
    VETO_FIRST_LINE,
    Delta,
    check_entry,
    error_report,
    journal,
    prompt_file,
    read_prompt,
    rebuild,
    response_file,
)
from sottovoce.rulesets.tabletop.rules.messages import Item, MessageSent, TextDelta, in_json
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, TEAM_LEAD
from sottovoce.rulesets.tabletop.rules.phrases import is_pass
from sottovoce.rulesets.tabletop.rules.request_types import REQUEST_TYPES, RequestType
from sottovoce.rulesets.tabletop.rules.state import Game
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State


class _OnRequest(TabletopTurn):
    """A character deals with the GM's request, unless it has been dealt with."""

    settled_at_once: ClassVar[bool] = True

    def known(self, state: State) -> tuple[str, ...]:
        """What the character knows, and what it is asked."""
        context = [
            f"You are {self.seat}; speak and act as that character, from what it knows and is.",
            *words.resource_lines(state, (self.seat,)),
            *words.working_files(state, self.seat),
        ]
        held = state.requests.get(self.seat)
        if held is not None:
            context.append(words.marked(f"THE GM ASKS YOU ({held.type}):", held.body))
            if held.decision is not None:
                context.append(words.marked("YOUR HUMAN HAS DECIDED:", held.decision))
        return tuple(context)

    def lacks(self, state: State) -> str | None:
        request = state.requests.get(self.seat)
        if request is None or request.vetoed:
            return None
        return "That does not answer the GM's request; send PLAYER_TO_GM, or what the request asks for."

    def is_stale(self, state: State) -> bool:
        request = state.requests.get(self.seat)
        return request is None or request.vetoed or request.with_the_human


class Relay(_OnRequest, kind="relay"):
    """Your human decides: put the GM's request to it."""

    fields = words.RelayFields

    def becomes(self, state: State) -> Mapping[str, Event]:
        return {"": MessageSent(seat=self.seat, to=TEAM_LEAD, tag="RELAY_TO_HUMAN")}

    def request(self, state: State) -> Request:
        """The human decides about the character's request (T-078)."""
        return Request(
            self.known(state),
            "Your human decides: say what is to be decided.",
            how=f"Send RELAY_TO_HUMAN with character: {self.seat} and the sections ## Scene, ## Decision Needed and "
            "## Suggested Options, the last one a list.",
        )

    def written(self, state: State, answer: words.RelayFields) -> str:
        return words.relay_text(state, self.seat, answer)

    def lacks(self, state: State) -> str | None:
        request = state.requests.get(self.seat)
        return None if request and request.relayed else super().lacks(state)

    def unanswered(self, game: Game, before: State) -> None:
        if self.seat in before.requests and turns.kind_wanted(before, self.seat) == turns.RELAY:
            team_lead.relay_for(game, self.seat)


ANSWER_TYPES = ("ACTION", "REACTION", "VETO")


class Speaking(TabletopTurn):
    """A character speaks to somebody of the party."""

    fields = words.SpeechFields

    def becomes(self, state: State) -> Mapping[str, Event]:
        """By whom it is to, where it is said to a companion; else by the type of the answer to the GM."""
        if self.fields is words.SpeechFields:
            if state.character is None and state.options.player_character is None:
                return {}  # Whose words the human hears too is not known here.
            others = self.among(state).get("to", ())
            return {to: MessageSent(seat=self.seat, to=to, tag="PLAYER_TO_PLAYER") for to in others}
        return {
            kind: MessageSent(seat=self.seat, to=GM, tag="PLAYER_TO_GM", fields={"type": kind, "character": self.seat})
            for kind in ANSWER_TYPES
        }

    def among(self, state: State) -> Among:
        others = tuple(name for name in state.played if name != self.seat)
        return {"to": others} if others and self.fields is words.SpeechFields else {}

    def written(self, state: State, answer: words.SpeechFields | words.AnswerFields) -> str:
        if isinstance(answer, words.SpeechFields):
            return words.speech_text(state, self.seat, answer)
        return words.answer_text(state, self.seat, answer, may_pass=self.skippable)


class Answering(_OnRequest, Speaking):
    """A character answers the GM's request itself, or speaks. Each type of request is a kind of turn."""

    asks: ClassVar[RequestType]

    def request(self, state: State) -> Request:
        """The request, and the form of its answer (T-056 to T-062)."""
        held = state.requests.get(self.seat)
        if held is None:
            return Request(self.known(state), "Answer the GM's request.")
        asked = REQUEST_TYPES[held.type]
        ask = asked.form
        if held.decision is not None:
            ask = f"Put your human's decision into your character's words and deeds, changing nothing of it. {ask}"
        kinds = ", ".join(asked.answers) + (" or VETO" if len(asked.answers) > 1 and asked.vetoable else "")
        if asked.answers:
            how = f"Send PLAYER_TO_GM with type ({kinds}), character: {self.seat}, and your words as the body"
        else:
            how = "Send PLAYER_TO_PLAYER with from, to and your words as the body"
        how += ", or the one word pass." if asked.optional else "."
        return Request(self.known(state), ask, how=how)

    def passed(self, game: Game) -> None:
        turns.may_pass(game.state, self.seat)
        game.emit(events.RequestPassed(character=self.seat))
        super().passed(game)

    def unanswered(self, game: Game, before: State) -> None:
        request = before.requests.get(self.seat)
        if request is None:
            return
        if request.decision is not None:
            team_lead.speak_for(game, self.seat)
        else:
            game.emit(events.RequestPassed(character=self.seat, fallback=not self.skippable))


def _answering(name: str, asks: RequestType) -> type[Answering]:
    body = {
        "__doc__": asks.form,
        "__module__": __name__,
        "__annotations__": {"asks": "ClassVar[RequestType]", "skippable": "ClassVar[bool]", "fields": "ClassVar[Any]"},
        "asks": asks,
        "skippable": asks.optional,
        "fields": words.AnswerFields if asks.answers else words.SpeechFields,
    }
    made: type[Answering] = TurnClass(name.title().replace("_", ""), (Answering,), body, kind=turns.kind_of(name))
    return made


class Reply(Speaking, kind="reply"):
    """Somebody of the party has spoken to you. Answer in character, or let it pass."""

    skippable: ClassVar[bool] = True

    def request(self, state: State) -> Request:
        """What was said is in what the seat has seen (T-153)."""
        context = (f"You are {self.seat}.", *words.working_files(state, self.seat))
        how = "Answer by PLAYER_TO_PLAYER (from, to, your words), or with the one word pass."
        return Request(context, self.request_text, how=how)


class Chat(TabletopTurn, kind="chat"):
    """The human talks with you out of character. Answer in a line or two, or pass."""

    skippable: ClassVar[bool] = True

    def becomes(self, state: State) -> Mapping[str, Event]:
        return {"": events.ChatSaid(seat=self.seat, to=HUMAN, text="")}

    def request(self, state: State) -> Request:
        """The talk itself is in what the seat has seen (T-076)."""
        return Request((f"You are {self.seat}.",), self.__doc__ or "")

    def moves(self, state: State, text: str) -> Sequence[Move]:
        if is_pass(text):
            return [self.passed]
        said = words_of(text)

        def answer(game: Game) -> None:
            team_lead.chat(game, self.seat, HUMAN, said)
            game.accept(self, "")

        return [answer]


class TaskAction(TabletopTurn, kind="action"):
    """Act for your character: answer the GM's request."""

    def request(self, state: State) -> Request:
        """One entry of an AWAIT_PLAYERS, and the files that a task is given (F-017)."""
        held = state.actions.get(self.seat)
        context = [f"You are {self.seat}.", *words.working_files(state, self.seat)]
        if held is None:
            return Request(tuple(context), "Answer in character.")
        asked = REQUEST_TYPES[held.type]
        context.append(words.marked(f"YOU ARE ASKED ({held.type}):", held.body))
        veto = f" If you need more to decide, open with {VETO_FIRST_LINE} and say why." if asked.vetoable else ""
        return Request(tuple(context), f"{asked.form} Answer in character, mechanical notes in parentheses.{veto}")

    def moves(self, state: State, text: str) -> Sequence[Move]:
        return [lambda game: game.accept(self, team_lead.task_answer(game.state.actions.get(self.seat), text))]


class FileResponse(TabletopTurn, kind="response"):
    """Answer the request in your prompt file."""

    settled_at_once: ClassVar[bool] = True

    def request(self, state: State) -> Request:
        """The prompt file as it stands, or what is wrong with it."""
        context = (f"You are {self.seat}.", *words.working_files(state, self.seat))
        report = error_report(state.documents, state.edition_name, self.seat, state.campaign)
        if report is not None:
            wrong = words.marked("YOUR PROMPT FILE IS NOT IN ORDER. Report it:", report)
            return Request((*context, wrong), "Answer with that report.")
        path = prompt_file(self.seat)
        asked = REQUEST_TYPES[read_prompt(rebuild(state.documents[path]), state.edition_name).request_type]
        veto = f" If you need more, write {VETO_FIRST_LINE}, an empty line, and why." if asked.vetoable else ""
        ask = f"Answer the request in {path}. {asked.form} In character, mechanical notes in parentheses.{veto}"
        return Request(context, ask)

    def moves(self, state: State, text: str) -> Sequence[Move]:
        return some_items(state, self.seat, text) if in_json(text) else [partial(self._respond, text)]

    def _respond(self, text: str, game: Game) -> None:
        """A response file takes the place of a stale one (F-035, F-053)."""
        changes.write(game, self.seat, Delta(response_file(self.seat), "set", text))
        game.accept(self, "")

    def lacks(self, state: State) -> str | None:
        return "Write your response." if self.seat in state.signalled else None

    def unanswered(self, game: Game, before: State) -> None:
        if self.seat in before.signalled:
            game.emit(events.RequestPassed(character=self.seat, fallback=True))

    def is_stale(self, state: State) -> bool:
        return self.seat not in state.signalled


class Journal(TabletopTurn, kind="journal"):
    """Write an entry for your journal."""

    fields: ClassVar[type[Fields] | None] = words.JournalFields
    background: ClassVar[bool] = True
    shared: ClassVar[bool] = True
    """Whether it is written from the shared narrative too."""

    def request(self, state: State) -> Request:
        """What a journal is written from (F-047)."""
        context = (f"You are {self.seat}.", *words.files_of_journal(state, self.seat, shared=self.shared))
        bullets = "What happened: What I did: What I learned: How I feel: Notes:"
        how = f"It is a line ---, a title after ###, and five bullets: {bullets}"
        return Request(context, Journal.request_text, how=how)

    def written(self, state: State, answer: words.JournalFields) -> str:
        return words.journal_text(answer)

    def moves(self, state: State, text: str) -> Sequence[Move]:
        if in_json(text):
            return [self._entry_of(item) for item in items(state, self.seat, text)]
        return [partial(self._enter, Delta(journal(self.seat), "append", check_entry(words_of(text))))]

    def _entry_of(self, item: Item) -> Move:
        """Text appended to one's own journal is its entry."""
        if isinstance(item, TextDelta) and (item.document, item.operation) == (journal(self.seat), "append"):
            return partial(self._enter, Delta(item.document, "append", check_entry(item.text)))
        return item

    def _enter(self, entry: Delta, game: Game) -> None:
        changes.enter(game, self.seat, entry)
        if game.still_open(self) is not None:
            game.accept(self, "")
            team_lead.journal_done(game, self.seat, done=True)

    def lacks(self, state: State) -> str | None:
        return "Write the entry for your journal."

    def unanswered(self, game: Game, before: State) -> None:
        team_lead.journal_done(game, self.seat, done=False)


class OwnNotes(Journal, kind="own-notes"):
    """Write an entry for your journal, from your own notes."""

    fields = None
    shared: ClassVar[bool] = False


CHARACTER_TURNS: tuple[type[TabletopTurn], ...] = (
    Relay,
    *(_answering(name, asks) for name, asks in REQUEST_TYPES.items()),
    Reply,
    Chat,
    TaskAction,
    FileResponse,
    Journal,
    OwnNotes,
)
