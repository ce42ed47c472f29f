"""A character at the table: it speaks and acts out of its own sheet, and out of what was asked, said and done.

The human's character relays; alone it plays like any other.
"""

from __future__ import annotations

import random as random_module
import re
from collections.abc import Callable, Mapping

from sottovoce import Turn, View
from sottovoce.rulesets.tabletop.house import companions, opinions
from sottovoce.rulesets.tabletop.house.journal import entry_of
from sottovoce.rulesets.tabletop.house.player import PASS, PASSES, Asked, Player, asked, matter
from sottovoce.rulesets.tabletop.house.relays import human_words, relay
from sottovoce.rulesets.tabletop.house.reply import Spoken
from sottovoce.rulesets.tabletop.house.talk import TALKS, answer_in_kind, exchanged, interaction, speak, speech
from sottovoce.rulesets.tabletop.house.wording import words
from sottovoce.rulesets.tabletop.rules import events
from sottovoce.rulesets.tabletop.rules.documents import (
    VETO_FIRST_LINE,
    error_report,
    journal,
    prompt_file,
    read_prompt,
    rebuild,
)
from sottovoce.rulesets.tabletop.rules.messages import PlayerToGm
from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR
from sottovoce.rulesets.tabletop.rules.state import TabletopState

VETOES = 0.03
"""How often a character asks for more where nothing on its sheet demands it."""


def reply(view: View[TabletopState], turn: Turn, random: random_module.Random) -> Spoken:
    """The character's reply to any of its turns, with the lines of its own sheet that it says in full."""
    player = Player(view, turn, random)
    return Spoken.of(KINDS.get(turn.kind, _answer)(player), player.opened)


def _answer(player: Player) -> str:
    """PLAYER_TO_GM, or a pass."""
    request = player.request
    if request.decision is not None:
        return human_words(player, request.decision)
    if player.chance(PASSES.get(player.turn.kind, 0.0)):
        return PASS
    reason = "" if opinions.ASKED in request.question else _veto(player, request)
    if reason:
        player.reply.send(GM, "PLAYER_TO_GM", reason, type="VETO", character=player.seat)
        return player.reply.text()
    kind = "REACTION" if request.type == "REFLECTION" else "ACTION"
    said = _to_the_party(player, request)
    if (
        said is None
        and request.type == "OPTIONAL_REACTION"
        and not request.options
        and request.question.endswith("say to that?")
    ):
        return PASS
    said = said or words(player, request)
    player.reply.send(GM, "PLAYER_TO_GM", said, type=kind, character=player.seat)
    _asides(player, request)
    return player.reply.text()


def _to_the_party(player: Player, request: Asked) -> str | None:
    """What the character says to one of the party who has asked, or done something that it minds; None elsewhere."""
    asked_ = request.question.partition(opinions.ASKED)[2].strip(" *")
    if asked_:
        given = companions.answer(player, asked_, request.options, request.happened)
        player.opened = list(given.opened)
        return given.told(player.sheet.first)
    if request.type == "OPTIONAL_REACTION" and not request.options:
        said = opinions.stance(player, request.happened)
        return f"“{said}”" if said else None
    return None


def _asides(player: Player, request: Asked) -> None:
    """What may come along with an answer: a word to a friend, a note to the narrator, an entry in the journal."""
    if player.by_human or request.type == "SECRET_ACTION" or player.state.ending:
        return
    talks = (
        opinions.ASKED not in request.question
        and request.type not in ("REFLECTION", "COMBAT_ACTION")
        and request.together
    )
    if player.others and talks and player.chance(0.2):
        to = player.random.choice(player.others)
        if exchanged(player, to) < min(TALKS, player.state.options.messages_per_pair):
            speak(player, to, speech(player, to, request))
    if player.chance(0.08):
        player.reply.send(NARRATOR, "NARRATOR_NOTE", from_=player.seat, note=player.line("note"))
    if player.state.edition_name == "current" and player.chance(0.9 if request.type == "REFLECTION" else 0.05):
        player.reply.write(journal(player.seat), entry_of(player))


def _veto(player: Player, request: Asked) -> str | None:
    """Why the character cannot answer on the spot, if it cannot: something on its sheet asks for more."""
    if request.type != "QUICK_REACTION":
        return None
    text = request.text.casefold()
    concern = next(
        (
            each
            for each in player.sheet.concerns
            if re.search(rf"\b{re.escape(each)}\b", text) and not _raised(player, each)
        ),
        None,
    )
    if concern and (bond := player.on_mind("bond")):
        return player.line("veto", concern=concern, matter=bond)
    flaw = player.on_mind("flaw") or next(map(matter, player.sheet.traits), "")
    if flaw and player.chance(VETOES):
        return player.line("veto.plain", matter=flaw)
    return None


def _raised(player: Player, concern: str) -> bool:
    """Whether it has asked for more about that before."""
    sent = (event.typed() for event in player.sent)
    answers = (message for message in sent if isinstance(message, PlayerToGm))
    return any(answer.type == "VETO" and concern in answer.body.casefold() for answer in answers)


def _chat(player: Player) -> str:
    """Talk beside the game: to the point, in a word or two."""
    said = [
        e.event for e in player.view.entries if isinstance(e.event, events.ChatSaid) and e.event.seat != player.seat
    ]
    text = said[-1].text if said else ""
    if "?" not in text:
        return player.line("chat")
    return companions.answer(player, text).said


def _task(player: Player) -> str:
    """A phase-1 task's result."""
    held = player.state.actions.get(player.seat)
    request = asked(held.type, held.body) if held else asked("QUICK_REACTION", "")
    reason = _veto(player, request)
    return f"{VETO_FIRST_LINE}\n\n{reason}" if reason else words(player, request)


def _response(player: Player) -> str:
    """The text of a response file."""
    state = player.state
    report = error_report(state.documents, state.edition_name, player.seat, state.campaign)
    if report is not None:
        return report
    prompt = read_prompt(rebuild(state.documents[prompt_file(player.seat)]), state.edition_name)
    request = asked(prompt.request_type, prompt.body)
    reason = _veto(player, request)
    return f"{VETO_FIRST_LINE}\n\n{reason}" if reason else words(player, request)


KINDS: Mapping[str, Callable[[Player], str]] = {
    "relay": relay,
    "interaction": interaction,
    "reply": answer_in_kind,
    "chat": _chat,
    "action": _task,
    "response": _response,
    "journal": entry_of,
    "own-notes": entry_of,
}
"""How each kind of turn is answered; every other is an answer to the GM."""
