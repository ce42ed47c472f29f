"""What the characters say to each other."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.player import PASS, PASSES, Asked, Player, called
from sottovoce.rulesets.tabletop.rules.phrases import is_out_of_character, is_pass

TALKS = 3
"""Messages with one other character, in a beat, after which it has said its say."""


def exchanged(player: Player, other: str) -> int:
    """How many messages the two have exchanged in this beat."""
    low, high = sorted((player.seat, other))
    return player.state.pairs.get((low, high), 0)


def speak(player: Player, to: str, body: str) -> None:
    """Say something to another character; never in words that are taken for talk out of character."""
    if is_out_of_character(body):
        body = f"Well. {body}"
    player.reply.send(to, "PLAYER_TO_PLAYER", body, from_=player.seat, to=to)


def speech(player: Player, to: str, request: Asked) -> str:
    """A word of its own to a friend, about what is going on."""
    focus = request.focus if request.focus != "this" else "what we are doing here"
    slots = {"to": called(to), "focus": focus, "Focus": focus[:1].upper() + focus[1:]}
    parts = [player.line("talk", **slots)]
    saying = player.saying()
    parts.append(saying if saying and player.chance(0.5) else player.line("talk.more", **slots))
    return " ".join(parts)


def interaction(player: Player) -> str:
    """PLAYER_TO_PLAYER to somebody of the party, or a pass."""
    request = player.request
    limit = player.state.options.messages_per_pair
    free = [name for name in player.others if exchanged(player, name) < limit]
    if not free:
        return PASS
    if request.decision is not None:
        if is_pass(request.decision):
            return PASS
        spoken = request.decision.casefold()
        named = [name for name in free if called(name).casefold() in spoken]
        speak(player, (named or free)[0], request.decision.strip())
        return player.reply.text()
    if player.chance(PASSES["interaction"]):
        return PASS
    named = [name for name in free if re.search(rf"\b{re.escape(called(name))}\b", request.text)]
    to = player.random.choice(named or free)
    speak(player, to, speech(player, to, request))
    return player.reply.text()


def answer_in_kind(player: Player) -> str:
    """An answer in kind to whoever spoke last, until enough is said."""
    heard = [event for event in player.sent if event.tag == "PLAYER_TO_PLAYER" and event.to == player.seat]
    if not heard:
        return PASS
    to = heard[-1].seat
    limit = min(TALKS, player.state.options.messages_per_pair)
    if exchanged(player, to) >= limit or player.chance(PASSES["reply"]):
        return PASS
    topic = player.random.choice(("answer.agree", "answer.doubt", "answer.no"))
    saying = player.saying()
    body = player.line(topic, to=called(to))
    speak(player, to, f"{body} {saying}" if saying and player.chance(0.3) else body)
    return player.reply.text()
