"""The server's own clerk, who fills the team lead's seat: what it sends, shows and starts, and when.

It decides nothing by itself. It starts the session as it was set up, carries the human's words to the table and the
table's questions to the human, gathers the answers of phase-1 tasks, starts background work, and closes the session.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sottovoce import Refused, named, plain
from sottovoce.rulesets.tabletop.rules import events, turns
from sottovoce.rulesets.tabletop.rules.documents import notes_file
from sottovoce.rulesets.tabletop.rules.messages import Message, compose, edition_of, post
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, TEAM_LEAD, meant_by
from sottovoce.rulesets.tabletop.rules.phrases import veto_reason
from sottovoce.rulesets.tabletop.rules.state import Game, OpenRequest
from sottovoce.rulesets.tabletop.rules.texts import blank, sections

NO_REPLY = "(no answer)"
NO_REASONS = ("need more input", "need more context", "need full context", "veto")
"""What a veto's first line says by itself; it is no reason yet (T-128, F-033)."""


def message(game: Game, tag: str, body: str = "", **fields: Any) -> Message:
    """A message with those fields, the ones that are None left out."""
    given = {name: value for name, value in fields.items() if value is not None}
    return compose(tag, given, body, edition=edition_of(game.state))


def start(game: Game) -> None:
    """T-098 to T-100: the session starts as it was set up, or with the character that the human has chosen."""
    state = game.state
    options = state.options
    character = options.player_character or state.chosen or state.roster[0]
    post(
        game,
        TEAM_LEAD,
        GM,
        message(
            game,
            "SESSION_COMMAND",
            command="start",
            campaign=state.campaign,
            player_character=character,
            narrative_style=options.narrative_style,
            ai_characters=tuple(name for name in state.roster if name != character),
        ),
    )


def command(game: Game, word: str, reason: str | None = None) -> None:
    post(game, TEAM_LEAD, GM, message(game, "SESSION_COMMAND", command=word, reason=reason))


def switch(game: Game, mode: str, reason: str | None = None) -> None:
    """Tell the human's character that its human steps away or is back (T-083 to T-086)."""
    post(game, TEAM_LEAD, game.state.character, message(game, "MODE_SWITCH", mode=mode, reason=reason))


def sum_up_absence(game: Game) -> None:
    """The human is back: its character says what it did meanwhile (T-086)."""
    state = game.state
    deeds = "\n".join(state.away) if state.away else "Nothing was asked of me."
    post(game, state.character or "", TEAM_LEAD, Message(None, {}, f"While you were away:\n{deeds}"))


def decided(game: Game, words: str) -> None:
    """The human's words on a relay (T-081)."""
    character = game.state.character
    post(game, TEAM_LEAD, character, message(game, "HUMAN_DECISION", words, character=character))


def speak_for(game: Game, character: str) -> None:
    """The human's words become the character's answer as they stand (T-167), or a pass where no message takes them."""
    try:
        _spoken_for(game, character)
    except Refused:
        game.emit(events.RequestPassed(character=character, fallback=True))


def _spoken_for(game: Game, character: str) -> None:
    request = game.state.requests[character]
    words = request.decision or ""
    if request.type == "INTERACTION":
        _talk_for(game, character, words)
        return
    kind = "REACTION" if request.type == "REFLECTION" else "ACTION"
    post(game, character, GM, message(game, "PLAYER_TO_GM", words, type=kind, character=character), fallback=True)


def _talk_for(game: Game, character: str, words: str) -> None:
    """The human's words are said to the one they name; where nobody can be told, the request is passed."""
    others = [name for name in game.state.played if name != character]
    meant = [name for name in others if named(words, (name, name.split("-")[0]))]
    for to in dict.fromkeys((*meant, *others)):
        try:
            spoken = compose("PLAYER_TO_PLAYER", {"from": character, "to": to}, words, edition=edition_of(game.state))
            post(game, character, to, spoken, fallback=True)
        except Refused:
            continue
        return
    game.emit(events.RequestPassed(character=character, fallback=True))


def relay_for(game: Game, character: str) -> None:
    """The character's agent failed before it relayed: the clerk shows the human the request itself (T-167)."""
    request = game.state.requests[character]
    parts = sections(request.body)
    body = (
        f"## Scene\n{parts.get('Scene', '')}\n\n{parts.get('Just Happened', '')}\n\n"
        f"## Decision Needed\n{parts.get('Request', '')}\n\n## Suggested Options\n- Your own words"
    )
    post(game, character, TEAM_LEAD, message(game, "RELAY_TO_HUMAN", body, character=character), fallback=True)


def acted(game: Game, words: str) -> None:
    """The human's input on an action prompt (T-096)."""
    post(game, TEAM_LEAD, GM, message(game, "PLAYER_ACTION", character=game.state.character, action=words))


def answered(game: Game, words: str, *, fallback: bool = False) -> None:
    """The human's answer to the oldest question (T-090)."""
    question = game.state.questions[0]
    answer = next((o["label"] for o in question.options if o["label"].casefold() == words.casefold()), words)
    answer_message = message(game, "PLAYER_ANSWER", question=question.question, answer=answer)
    post(game, TEAM_LEAD, GM, answer_message, fallback=fallback)


def ask_for_journals(game: Game, trigger: str) -> None:
    """T-118, T-119: in phase-1 a task for each companion, in phase-2 a checkpoint to each player."""
    state = game.state
    number, slug = state.scene
    if state.edition_name == "phase-1":
        ask_for_own_journals(game, state.ai_characters)
    elif state.edition_name == "phase-2":
        fields = {"campaign": state.campaign, "scene_number": number, "scene_slug": slug, "trigger": trigger}
        for name in state.played:
            post(game, TEAM_LEAD, name, message(game, "JOURNAL_CHECKPOINT", **fields))


def ask_for_own_journals(game: Game, characters: Sequence[str]) -> None:
    """One journal task for each of those characters (F-048, T-118); in a split only for those with notes (F-064)."""
    for name in characters:
        noted = notes_file(name) in game.state.documents
        if game.state.split and not noted:
            continue
        if turns.open_turn_of(game.state, name, *turns.JOURNALS) is None:
            game.emit(events.TaskStarted(task="ai-player-journal", character=name))
            turns.ask_for_journal(game, name)


def gather(game: Game) -> None:
    """Once all tasks have ended: PLAYER_RESPONSES, with every awaited character in it once (T-128)."""
    state = game.state
    ballot = f"tasks.{state.task_round}"
    replies = state.replies.get(ballot, {})
    responses, vetoes = [], []
    for name in state.tasks:
        text = replies.get(name, "")
        reason = veto_reason(text)
        if reason is not None:
            vetoes.append({"character": name, "reason": reason})
        else:
            responses.append({"character": name, "response": text or NO_REPLY})
    fields: dict[str, Any] = {"responses": tuple(responses)}
    if vetoes:
        fields["vetoes"] = tuple(vetoes)
    post(game, TEAM_LEAD, GM, message(game, "PLAYER_RESPONSES", **fields))


def task_answer(request: OpenRequest | None, text: str) -> str:
    """The text of a task's result, or Refused where it is a veto that may not stand (T-128)."""
    cleaned = text.strip()
    reason = veto_reason(cleaned)
    if reason is not None:
        if request is not None and request.type == "FULL_CONTEXT":
            raise Refused("A FULL_CONTEXT request cannot be vetoed: you have the full context; answer it.")
        if blank(reason) or plain(reason) in NO_REASONS:
            raise Refused("A veto needs its reason: write it on the lines after [VETO - need more input].")
    if blank(cleaned):
        raise Refused("Your reply is empty; say what your character does.")
    return cleaned


def chat(game: Game, seat: str, to: str, text: str) -> None:
    """Talk out of character between the human and a companion, seen by those two alone (T-076)."""
    state = game.state
    if state.edition_name == "phase-1":
        raise Refused("You can't chat in phase-1: characters only do their tasks.")
    if to != HUMAN:
        meant = meant_by(to, state.played)
        if meant is None:
            raise Refused(f"There is no character {to!r} to chat with. Choose one of: {', '.join(state.played)}.")
        to = meant
    game.emit(events.ChatSaid(seat=seat, to=to, text=text))
    if to != HUMAN and turns.open_turn_of(state, to, "chat") is None:
        game.ask(to, "chat", attempts=state.options.max_attempts, seconds=state.options.optional_seconds)


def journal_done(game: Game, character: str, *, done: bool) -> None:
    """The team lead's task of having a journal written has ended, if there was one."""
    if ("ai-player-journal", character) in game.state.background:
        game.emit(events.TaskEnded(task="ai-player-journal", character=character, done=done))


def end_without_gm(game: Game) -> None:
    """T-158: the session is ended by the server, with a summary of what the human has seen and no more."""
    state = game.state
    seen = " ".join(state.last_shown.split())
    summary = f"{seen[:600]} […]" if len(seen) > 600 else seen
    post(
        game,
        GM,
        TEAM_LEAD,
        message(
            game,
            "SESSION_END",
            summary=summary or "The session ended before anything was told.",
            state_saved=False,
            next_hook="The story goes on where it was left.",
        ),
        fallback=True,
    )
