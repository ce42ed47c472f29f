"""The human's character: it puts requests to its human, and gives the human's words back to the table."""

from __future__ import annotations

from collections.abc import Sequence

from sottovoce.rulesets.tabletop.house.player import PASS, PASSES, VOICE, Asked, Player, called
from sottovoce.rulesets.tabletop.house.wording import held_as
from sottovoce.rulesets.tabletop.rules.names import GM, TEAM_LEAD
from sottovoce.rulesets.tabletop.rules.phrases import is_pass


def relay(player: Player) -> str:
    """RELAY_TO_HUMAN: the request, and what might be done about it."""
    request = player.request
    scene = " ".join(filter(None, (request.scene, request.happened))) or "It is your turn."
    options = _suggestions(player, request)
    body = "\n".join(
        (
            "## Scene",
            scene,
            "",
            "## Decision Needed",
            request.question.replace("*", ""),
            "",
            "## Suggested Options",
            *(f"- {option}" for option in options),
        )
    )
    player.reply.send(TEAM_LEAD, "RELAY_TO_HUMAN", body, character=player.seat)
    return player.reply.text()


def _suggestions(player: Player, request: Asked) -> Sequence[str]:
    if request.options:
        found = list(request.options)
    elif request.type == "COMBAT_ACTION":
        foe = request.focus if request.focus != "this" else "the nearest of them"
        weapon = held_as(player, player.sheet.weapon()[0])
        found = [phrase.render({"foe": foe, "weapon": weapon}, player.random) for phrase in VOICE["relay.combat"]]
    else:
        topic = {"REFLECTION": "relay.reflection", "INTERACTION": "relay.talk"}.get(request.type, "relay.open")
        other = called(player.random.choice(player.others)) if player.others else "somebody"
        slots = {"focus": request.focus, "other": other}
        found = [phrase.render(slots, player.random) for phrase in VOICE[topic]]
    if request.type in ("OPTIONAL_REACTION", "INTERACTION"):
        found.append("Pass")
    return found


def human_words(player: Player, decision: str) -> str:
    """What the human decided, as it was said."""
    optional = player.turn.kind in PASSES
    if optional and is_pass(decision):
        return PASS
    spoken = player.line("pass.over") if is_pass(decision) else decision.strip()
    kind = "REACTION" if player.turn.kind == "reflection" else "ACTION"
    player.reply.send(GM, "PLAYER_TO_GM", spoken, type=kind, character=player.seat)
    return player.reply.text()
