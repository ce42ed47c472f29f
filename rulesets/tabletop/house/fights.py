"""Fights in rounds: initiative, one combat turn each, the foe's answer, wounds, and saves against death.

All dice are the server's. What was rolled for is found again in the log by the name of the check, so that a round takes
two turns of the GM: one that asks for the dice, one that tells what they say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sottovoce.rulesets.tabletop.house import struggle
from sottovoce.rulesets.tabletop.house.beats import Ask, Beat, Fight
from sottovoce.rulesets.tabletop.house.parts import Track
from sottovoce.rulesets.tabletop.house.table import UNCONSCIOUS, GmTable
from sottovoce.rulesets.tabletop.rules.events import DiceRolled
from sottovoce.rulesets.tabletop.rules.resources import (
    CONDITIONS,
    DEATH_FAILURES,
    DEATH_SUCCESSES,
    HIT_POINTS,
    INITIATIVE,
    SPELL_SLOTS,
)

DEATH = "death save"
HARD = 8
"""Damage from which a blow is called a hard one."""
SAVES = 2
"""Failed saves against death after which a friend gets there in time."""


@dataclass(frozen=True, slots=True)
class Over:
    """How a fight ended."""

    prose: str
    won: bool


@dataclass(frozen=True, slots=True)
class Instead:
    """What somebody does in a round in place of a blow: as it is told, and whether the foe's blow is for them."""

    who: str
    told: str
    shields: bool = False
    hides: bool = False


def begin(table: GmTable, track: Track, beat: Beat) -> None:
    """Roll for initiative, and ask for the first combat turn."""
    for name in track.members:
        table.reply.roll(name, "initiative", f"1d20{table.sheet(name).bonus('initiative'):+d}")
    _ask(table, track, beat, 1)


def go_on(table: GmTable, track: Track, beat: Beat, instead: Instead | None = None) -> Over | None:
    """The next step of the fight; its end, once that has come. `instead` is what one does who strikes no blow."""
    assert beat.fight is not None
    word, _, number = (table.ledger.step(beat.number) or "").partition(" ")
    turn = int(number) if number.isdigit() else 1
    match word:
        case "round":
            _strike(table, track, beat, turn, instead)
            return None
        case "struck":
            return _tell(table, track, beat, turn, instead)
        case "dying":
            return _end(table, track, beat, "")
        case _:
            return None


def _ask(table: GmTable, track: Track, beat: Beat, number: int) -> None:
    """A combat turn for everybody who stands."""
    assert beat.fight is not None
    ask = next((ask for ask in beat.asks if ask.type == "COMBAT_ACTION"), None) or Ask(
        (), "COMBAT_ACTION", f"You face {beat.fight.foe}.", "It has come to blows.", "What do you do, and with what?"
    )
    standing = [name for name in track.members if not table.fallen(name)]
    table.ask(ask, standing)
    table.mark(beat, f"round {number}")


def _strike(table: GmTable, track: Track, beat: Beat, number: int, instead: Instead | None) -> None:
    """The dice of one round: everybody's blow, and the foe's against one of them, or against all where it fells."""
    fight = beat.fight
    assert fight is not None
    standing = [name for name in track.members if not table.fallen(name)]
    for name in standing:
        if instead is not None and name == instead.who:
            continue
        _, bonus, damage = _weapon(table, name, table.ledger.since(beat.number, f"round {number}"))
        table.reply.roll(name, check_of("attack", number, fight), f"1d20{bonus:+d}", fight.armor)
        table.reply.roll(name, check_of("damage", number, fight), damage)
    within = [
        name for name in standing if not (instead is not None and instead.hides and name == instead.who)
    ] or standing
    within = [instead.who] if instead is not None and instead.shields and instead.who in standing else within
    targets = standing if number == fight.fells else [table.random.choice(within)] if within else []
    for name in targets:
        bonus = table.sheet(name).bonus(fight.dodge)
        table.reply.roll(name, check_of(fight.dodge, number, fight), f"1d20{bonus:+d}", fight.dodge_dc)
        table.reply.roll(name, check_of("harm", number, fight), fight.harm)
    table.mark(beat, f"struck {number}")


def _weapon(table: GmTable, name: str, asked: int) -> tuple[str, int, str]:
    """The attack that the character's own words name; the first on its sheet where they name none."""
    sheet = table.sheet(name)
    said = " ".join(deed.text for deed in table.ledger.deeds_of((name,), asked))
    return struggle.weapon_in(sheet, said)


def answer_words(table: GmTable, track: Track, beat: Beat, number: int, told: str) -> None:
    """The foe does not listen, and strikes at whoever spoke; then the next round."""
    fight = beat.fight
    assert fight is not None
    asked = table.ledger.since(beat.number, f"round {number}")
    parts = [told, *_answered(table, track, asked, number, fight)]
    asks = [ask for ask in beat.asks if ask.type == "COMBAT_ACTION"]
    prose = "\n\n".join(part for part in parts if part)
    table.narrate(table.with_prompt(prose, asks, track) if _stands(table) else prose, track)
    _ask(table, track, beat, number + 1)


def check_of(what: str, number: int, fight: Fight) -> str:
    return f"{what}, round {number} against {fight.foe}"


def _tell(table: GmTable, track: Track, beat: Beat, number: int, instead: Instead | None) -> Over | None:
    """What the dice of a round say; then the next round, or the end."""
    fight = beat.fight
    assert fight is not None
    began = table.ledger.since(beat.number, "opened")
    asked = table.ledger.since(beat.number, f"round {number}")
    parts = [instead.told] if instead is not None and instead.told else []
    order = _order(table, track, began)
    if number == 1:
        for name, roll in order:
            table.change(name, INITIATIVE, str(max(0, roll.total)))
        if len(order) > 1:
            first, *rest = [name for name, _ in order]
            parts.append(table.line("fight.order", first=table.names[first], rest=table.listing(rest)))
    parts += _blows(table, [name for name, _ in order] or track.members, asked, number, fight)
    parts += _death_saves(table, track, began)
    parts += _answered(table, track, asked, number, fight)
    left = fight.hit_points - sum(_dealt(table, track, began, round_, fight) for round_ in range(1, number + 1))
    dying = [name for name in track.members if table.fallen(name) and _at_risk(table, name, began)]
    standing = [name for name in track.members if not table.fallen(name)]
    prose = "\n\n".join(part for part in parts if part)
    if left > 0 and number < fight.rounds and standing:
        prose = f"{prose}\n\n{table.line('fight.on')}"
        _roll_saves(table, dying)
        asks = [ask for ask in beat.asks if ask.type == "COMBAT_ACTION"]
        table.narrate(table.with_prompt(prose, asks, track) if _stands(table) else prose, track)
        _ask(table, track, beat, number + 1)
        return None
    if dying:
        _roll_saves(table, dying)
        table.narrate(prose, track)
        table.mark(beat, f"dying {number}")
        return None
    return _end(table, track, beat, prose)


def _stands(table: GmTable) -> bool:
    return not table.fallen(table.state.character or "")


def _order(table: GmTable, track: Track, began: int) -> list[tuple[str, DiceRolled]]:
    rolls = [(name, table.ledger.rolled(began, "initiative", name)) for name in track.members]
    return sorted(((name, roll) for name, roll in rolls if roll), key=lambda each: -each[1].total)


def _blows(table: GmTable, order: Sequence[str], asked: int, number: int, fight: Fight) -> list[str]:
    """Each one's deed, and what came of it, in the order of initiative."""
    told = []
    for name in order:
        deed = table.woven((name,), asked)
        damage = _damage(table, name, asked, number, fight)
        if damage is None:
            continue
        deed = struggle.with_weapon(deed, _weapon(table, name, asked)[0], fight.foe)
        topic = "strike.miss" if damage == 0 else "strike.hard" if damage >= HARD else "strike.hit"
        told.append(f"{deed} {table.line(topic, who=table.names[name], foe=fight.foe)}".strip())
    return told


def _damage(table: GmTable, name: str, after: int, number: int, fight: Fight) -> int | None:
    """What the character's blow of that round took from the foe; None where it struck none."""
    attack = table.ledger.rolled(after, check_of("attack", number, fight), name)
    damage = table.ledger.rolled(after, check_of("damage", number, fight), name)
    if attack is None or damage is None:
        return None
    return max(1, damage.total) if (attack.result or "").endswith("success") else 0


def _dealt(table: GmTable, track: Track, began: int, number: int, fight: Fight) -> int:
    return sum(_damage(table, name, began, number, fight) or 0 for name in track.members)


def _answered(table: GmTable, track: Track, asked: int, number: int, fight: Fight) -> list[str]:
    """The foe's turn: who got out of the way, who is hurt, and who goes down."""
    dodges = [(name, table.ledger.rolled(asked, check_of(fight.dodge, number, fight), name)) for name in track.members]
    met = [(name, roll) for name, roll in dodges if roll is not None and not table.fallen(name)]
    if not met:
        return []
    worst = min(met, key=lambda each: each[1].total)[0] if number == fight.fells else None
    told = [fight.moves[(number - 1) % len(fight.moves)]] if fight.moves else []
    lines = []
    for name, roll in met:
        harm = table.ledger.rolled(asked, check_of("harm", number, fight), name)
        if name == worst:
            _fell(table, name)
            lines.append(table.line("fells", who=table.names[name]))
        elif (roll.result or "").endswith("success") or harm is None:
            lines.append(table.line("dodged", who=table.names[name]))
        else:
            amount = max(1, harm.total)
            table.change(name, HIT_POINTS, f"-{amount}")
            lines.append(table.line("struck", who=table.names[name], harm=_points(amount)))
            if table.amount(name, HIT_POINTS) == 0:
                _fell(table, name)
                lines.append(table.line("fells", who=table.names[name]))
    return [" ".join((*told, *lines))]


def _points(amount: int) -> str:
    return "one point" if amount == 1 else f"{amount} points"


def _fell(table: GmTable, name: str) -> None:
    if table.amount(name, HIT_POINTS):
        table.change(name, HIT_POINTS, "0")
    table.change(name, CONDITIONS, f"+{UNCONSCIOUS}")


# death


def _saves(table: GmTable, name: str, began: int) -> tuple[int, int]:
    """Successes and failures so far; a natural one counts as two failures."""
    rolls = [roll for seq, roll in table.ledger.rolls if seq > began and roll.check == DEATH and roll.character == name]
    won = sum((roll.result or "").endswith("success") for roll in rolls)
    lost = sum(
        2 if roll.result == "critical_failure" else 1 for roll in rolls if (roll.result or "").endswith("failure")
    )
    return won, lost


def _at_risk(table: GmTable, name: str, began: int) -> bool:
    won, lost = _saves(table, name, began)
    return won == 0 and lost < SAVES


def _roll_saves(table: GmTable, names: Sequence[str]) -> None:
    for name in names:
        table.reply.roll(name, DEATH, "1d20", 10)


def _death_saves(table: GmTable, track: Track, began: int) -> list[str]:
    """Where those stand who fell in an earlier round; their saves go on record."""
    told = []
    for name in track.members:
        won, lost = _saves(table, name, began)
        if not table.fallen(name) or won + lost == 0:
            continue
        table.change(name, DEATH_SUCCESSES, str(min(3, won)))
        table.change(name, DEATH_FAILURES, str(min(3, lost)))
        topic = "death.success" if won else "death.held" if lost >= SAVES else "death.failure"
        told.append(table.line(topic, who=table.names[name]))
    return told


def _end(table: GmTable, track: Track, beat: Beat, prose: str) -> Over:
    """The fight is over: whoever lies there is seen to, and it is won if the foe has had enough."""
    fight = beat.fight
    assert fight is not None
    began = table.ledger.since(beat.number, "opened")
    parts = [prose]
    if not prose:
        parts += _death_saves(table, track, began)
    left = fight.hit_points - sum(_dealt(table, track, began, number, fight) for number in range(1, fight.rounds + 1))
    for name in track.members:
        if table.fallen(name):
            parts.append(_raised(table, track, name))
    return Over("\n\n".join(part for part in parts if part), left <= 0)


def _raised(table: GmTable, track: Track, name: str) -> str:
    """Somebody helps, with a spell if it has one left."""
    slot = SPELL_SLOTS[0]
    standing = [each for each in track.members if each != name and not table.fallen(each)]
    healers = [
        each for each in standing if table.amount(each, slot) and "cure wounds" in table.sheet(each).text.lower()
    ]
    helper = next(iter(healers or standing), None)
    if healers:
        table.change(healers[0], slot, "-1")
    if table.amount(name, HIT_POINTS) is not None:
        table.change(name, HIT_POINTS, "4" if healers else "1")
    table.change(name, CONDITIONS, f"-{UNCONSCIOUS}")
    for resource in (DEATH_SUCCESSES, DEATH_FAILURES):
        if table.amount(name, resource):
            table.change(name, resource, "0")
    if helper is None:
        return table.line("raised.alone", who=table.names[name])
    return table.line("raised", who=table.names[name], healer=table.names[helper])
