"""What a character does and says about what it is asked, in words out of its own sheet."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sottovoce.rulesets.tabletop.house import opinions
from sottovoce.rulesets.tabletop.house.player import Asked, Player, called


def words(player: Player, request: Asked) -> str:
    """What the character does and says about it."""
    return WORDS.get(request.type, _deed)(player, request)


def _deed(player: Player, request: Asked) -> str:
    option = _chosen(player, request)
    if option and option.startswith(f"{called(player.seat)} "):
        saying = player.saying() if request.type != "OPTIONAL_REACTION" else None
        said = f" {player.line('saying', saying=saying)}" if saying and player.chance(0.3) else ""
        return f"{option}.{said}"
    parts = [
        player.line("deed", option=_small(option), focus=request.focus)
        if option
        else player.line("deed.open", focus=request.focus)
    ]
    if player.others and request.together and player.chance(0.3):
        parts.insert(0, player.line("glance" if player.chance(0.6) else "not.alike"))
    saying = player.saying()
    if saying and "“" not in parts[-1] and player.chance(0.7):
        parts.append(player.line("saying", saying=saying))
    return " ".join(parts)


def _chosen(player: Player, request: Asked) -> str | None:
    """One of the things it might do: rather what its sheet is good at."""
    if not request.options:
        return None
    return opinions.preferred(player, request.options)


def _small(text: str) -> str:
    return text if text[:2] in ("I ", "I’", "I'") else text[:1].lower() + text[1:]


def _in_full(player: Player, request: Asked) -> str:
    """A considered answer, with its reason."""
    parts = [_deed(player, request)]
    reasons = [topic for topic in ("bond", "ideal", "flaw") if player.sheet.fields.get(topic)]
    if reasons:
        topic = player.random.choice(reasons)
        parts.append(player.line(f"because.{topic}", matter=player.on_mind(topic)))
    if player.chance(0.3):
        parts.append(player.line("keepsake"))
    return " ".join(parts)


def _combat(player: Player, request: Asked) -> str:
    name, bonus, damage = player.sheet.weapon(player.random.randrange(2))
    foe = request.focus if request.focus != "this" else "the nearest of them"
    blow = player.line("combat", foe=foe, weapon=held_as(player, name))
    saying = player.saying()
    said = f" {player.line('saying', saying=saying)}" if saying and player.chance(0.4) else ""
    return f"{blow}{said} (Attack, {name.lower()}: {bonus:+d} against {foe}, {damage}.)"


def held_as(player: Player, weapon: str) -> str:
    return weapon.lower() if weapon.lower().endswith("hands") else f"the {weapon.lower()}"


def _secret(player: Player, request: Asked) -> str:
    option = _chosen(player, request)
    if option is None:
        return player.line("secret.open", focus=request.focus)
    return player.line("secret", option=_small(option))


def _reflection(player: Player, request: Asked) -> str:
    parts = [player.line("reflect", focus=request.focus)]
    inward = player.on_mind("bond", "flaw")
    if inward:
        parts.append(player.line("reflect.matter", matter=inward))
    if player.chance(0.4):
        parts.append(player.line("keepsake"))
    parts.append(player.line("reflect.end"))
    return " ".join(parts)


WORDS: Mapping[str, Callable[[Player, Asked], str]] = {
    "FULL_CONTEXT": _in_full,
    "COMBAT_ACTION": _combat,
    "SECRET_ACTION": _secret,
    "REFLECTION": _reflection,
}
"""How a character finds its words, by request type."""
