"""Hidden deeds for the second session: what others do, more, less or otherwise, that one seat may not notice.

Each function looks at the first session and gives deeds at places in its list of commands. Every deed comes to nothing
that the seat may see by the spec, and nothing that it may see follows from it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sottovoce import AttemptFailed, Command, FallbackApplied, TurnOpened
from sottovoce.domain import commands
from sottovoce.isolation import Played
from sottovoce.rulesets.tabletop.craft.words import (
    Item,
    delta,
    message,
    prose,
    reply,
    resource,
    roll,
    section_body,
    sentence,
    tagged,
    token,
)
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.turns import REQUESTS

GM, LEAD, NARRATOR, HUMAN = "gm", "team-lead", "narrator", "human"
PLAIN = ("QUICK_REACTION", "COMBAT_ACTION")
NEVER_VETOED = ("FULL_CONTEXT", "INTERACTION")
MOST = 6
"""Deeds in one session."""
ANYTHING_GOES = ("scene", "chat", "action", "response")
"""Kinds of turns that take any text."""


@dataclass(frozen=True)
class Deed:
    """Something that is done otherwise at the command with the index `place`.

    `before` is called before that command is sent; `change` gives what is sent instead, None for nothing.
    """

    name: str
    place: int
    before: Callable[[Any, int], None] | None = None
    change: Callable[[Any, Command], Command | None] | None = None


def deeds(rng: random.Random, base: Played, seat: str) -> list[Deed]:
    """Some deeds for that seat's twin, in the order of their places."""
    scene = _Scene(base, seat)
    found: list[Deed] = []
    rare: list[Deed] = []
    for kind in rng.sample(KINDS, len(KINDS)):
        possible = list(kind(rng, scene))
        some = rng.sample(possible, min(len(possible), rng.choice((0, 1, 2) if kind not in RARE else (1, 2))))
        (rare if kind in RARE else found).extend(some)
    rng.shuffle(found)
    found = [*rare, *found]
    changing: set[int] = set()
    chosen = []
    for deed in found:
        # A reply is edited once: what the next edit looks for may have moved.
        if deed.change is None or deed.place not in changing:
            chosen.append(deed)
            changing |= {deed.place} if deed.change else set()
    return sorted(chosen[:MOST], key=lambda deed: deed.place)


class _Scene:
    """The first session as deeds look at it."""

    def __init__(self, base: Played, seat: str) -> None:
        self.base, self.seat = base, seat
        opening = base.sent[0].command
        assert isinstance(opening, commands.Open)
        self.edition = str(opening.options["edition"])
        self.roster = [name for name in base.seats if name not in (GM, LEAD, NARRATOR, HUMAN)]
        start = next(
            (
                item.event.fields
                for item in base.log
                if isinstance(item.event, MessageSent) and item.event.fields.get("command") == "start"
            ),
            None,
        )
        self.character = start["player_character"] if start else None
        self.begun = next((at for at, sent in enumerate(base.sent) if start and self._after_start(sent.length)), None)

    def _after_start(self, length: int) -> bool:
        return any(
            isinstance(item.event, MessageSent) and item.event.tag == "NARRATIVE" for item in self.base.log[:length]
        )

    @property
    def places(self) -> range:
        """The commands before which something may be put in: those after the opening of the story."""
        return range(self.begun or len(self.base.sent), len(self.base.sent))

    def others(self) -> list[str]:
        """Companions other than the seat, whom neither the team lead nor the human hears."""
        return [name for name in self.roster if name not in (self.seat, self.character)]

    def vetoes(self, name: str, place: int) -> bool:
        """Whether the character wants more from there on: of a secret action, that would be a secret too (T-151)."""
        later = (event for at in range(place, len(self.base.sent)) for event in self.new(at))
        wanted = (event for event in later if isinstance(event, MessageSent) and event.tag == "PLAYER_TO_GM")
        return any(event.seat == name and event.fields["type"] == "VETO" for event in wanted)

    def earliest(self, place: int, command: commands.Reply) -> int:
        """The first place from which the GM has nothing to do until then, though the command's turn is open."""
        early = place
        while early > self.places.start and not self._gm_is_about(early - 1):
            if any(self._opens(event, command) for event in self.new(early - 1)):
                break
            early -= 1
        return early

    def _gm_is_about(self, place: int) -> bool:
        asked = any(isinstance(event, TurnOpened) and event.seat == GM for event in self.new(place))
        return asked or getattr(self.base.sent[place].command, "seat", GM) == GM

    @staticmethod
    def _opens(event: Any, command: commands.Reply) -> bool:
        return isinstance(event, TurnOpened) and (event.seat, event.turn) == (command.seat, command.turn)

    def active(self, place: int, other: str) -> bool:
        """Whether the seat does or is asked anything between that command and the other's next answer."""
        for at in range(place, len(self.base.sent)):
            command = self.base.sent[at].command
            if at > place and getattr(command, "seat", None) == other:
                return False
            if getattr(command, "seat", None) == self.seat:
                return True
            if at > place and any(isinstance(e, TurnOpened) and e.seat == self.seat for e in self.new(at)):
                return True
        return False

    def new(self, place: int) -> list[Any]:
        """The events that the command became."""
        sent = self.base.sent
        end = sent[place + 1].length if place + 1 < len(sent) else len(self.base.log)
        return [item.event for item in self.base.log[sent[place].length : end]]


def _some(rng: random.Random, scene: _Scene, count: int = 3) -> Sequence[int]:
    return rng.sample(scene.places, min(len(scene.places), count))


def vain(rng: random.Random, scene: _Scene) -> Iterator[Deed]:
    """Others send what is refused."""
    others = [name for name in scene.base.seats if name not in (scene.seat, HUMAN)]
    for place in _some(rng, scene):
        who, text = rng.choice(others), f'{{"messages": [{{"oops": "{token(rng)}"}}]}}'
        yield Deed(f"{who} is refused", place, _saying(who, text))


def failing(rng: random.Random, scene: _Scene) -> Iterator[Deed]:
    """Another seat needs one attempt more, where it has one to spare."""
    failed: dict[tuple[str, int], int] = {}
    attempts: dict[tuple[str, int], int] = {}
    for item in scene.base.log:
        match item.event:
            case TurnOpened() as event:
                attempts[event.seat, event.turn] = event.attempts
            case AttemptFailed() | FallbackApplied() as event:
                failed[event.seat, event.turn] = failed.get((event.seat, event.turn), 0) + 1
    done: set[tuple[str, int]] = set()
    for place in scene.places:
        command = scene.base.sent[place].command
        if isinstance(command, commands.Reply) and command.seat not in (scene.seat, HUMAN):
            key = (command.seat, command.turn)
            if key in attempts and key not in done and attempts[key] - failed.get(key, 0) >= 2:
                done.add(key)
                yield Deed(f"{command.seat} fails once more", place, _fail(command))


def _fail(command: commands.Reply) -> Callable[[Any, int], None]:
    def before(game: Any, place: int) -> None:
        number = game.number(command.seat, command.turn)
        turn = game.state.turns.get((command.seat, number))
        if turn is not None and turn.attempts_left > 1 and turn.kind not in ANYTHING_GOES:
            game.aside(commands.Reply(command.at, command.seat, number, '{"messages": ['))

    return before


def whispers(rng: random.Random, scene: _Scene) -> Iterator[Deed]:
    """A companion and the team lead talk, two companions do, or the GM and one of them."""
    phase_1 = scene.edition == "phase-1"
    for place in _some(rng, scene, 4):
        others = scene.others()
        one = rng.choice((NARRATOR, GM)) if phase_1 or not others else rng.choice(others)
        to = rng.choice([LEAD, *([] if phase_1 else others), *(() if one == NARRATOR else (GM,))])
        heard = {one, to} | ({GM, NARRATOR} if {one, to} <= set(scene.roster) else set())
        if one != to and scene.seat not in heard:
            text = reply([message(to, sentence(rng))])
            yield Deed(f"{one} whispers to {to}", place, _saying(one, text))


def talk(rng: random.Random, scene: _Scene) -> Iterator[Deed]:
    """Two companions talk in character, which the other is asked about and lets pass."""
    others = scene.others()
    if scene.edition == "phase-1" or scene.seat in (GM, NARRATOR) or len(others) < 2:
        return
    for place in _some(rng, scene):
        one, two = rng.sample(others, 2)
        later = (event for at in range(place, len(scene.base.sent)) for event in scene.new(at))
        if any(isinstance(e, MessageSent) and {e.seat, e.to} == {one, two} for e in later):
            continue
        text = reply([message(two, tagged("PLAYER_TO_PLAYER", prose(rng), from_=one, to=two))])
        yield Deed(f"{one} speaks to {two}", place, _speech(one, text))


def _speech(one: str, text: str) -> Callable[[Any, int], None]:
    def before(game: Any, place: int) -> None:
        if one not in game.state.requests:  # an INTERACTION would be closed by it, and the answer not be taken (T-062)
            _say(game, one, text)

    return before


def chats(rng: random.Random, scene: _Scene) -> Iterator[Deed]:
    """The human and a companion talk aside."""
    if HUMAN not in scene.base.seats or scene.seat == HUMAN:
        return
    for place in _some(rng, scene):
        one = next(iter(rng.sample(scene.roster, 1)))
        if one != scene.seat:
            text = f"/chat {one} {sentence(rng)}"
            waits = rng.random() < 0.5
            yield Deed(
                f"the human chats with {one}",
                place,
                _saying(HUMAN, text, passing=not waits),
            )


def orders(rng: random.Random, scene: _Scene) -> Iterator[Deed]:
    """The team lead refreshes a companion, or switches to the current mode."""
    if scene.seat == LEAD or scene.edition == "phase-1":
        return
    for place in _some(rng, scene):
        one = rng.choice(scene.roster)
        if one == scene.seat:
            continue
        if rng.random() < 0.6:
            text = tagged("CONTEXT_REFRESH", campaign="the-bell", last_narrative_summary=sentence(rng))
            yield Deed(f"{one} is refreshed", place, _ordering(one, text))
        elif scene.character == one and scene.seat != HUMAN and HUMAN in scene.base.seats:
            yield Deed("the mode stays", place, _same_mode(one, sentence(rng)))


def _order(game: Any, one: str, text: str) -> None:
    _say(game, LEAD, reply([message(one, text)]))


def _same_mode(one: str, why: str) -> Callable[[Any, int], None]:
    return lambda game, place: _order(game, one, tagged("MODE_SWITCH", mode=game.state.mode, reason=why))


def _answers(scene: _Scene) -> Iterator[tuple[int, commands.Reply]]:
    """Where companions answer the GM otherwise than by a veto, in an edition that has vetoes."""
    if scene.edition == "phase-1" or scene.seat == GM:
        return
    for place in scene.places:
        command = scene.base.sent[place].command
        if not isinstance(command, commands.Reply) or command.seat not in scene.others():
            continue
        answered = [e for e in scene.new(place) if isinstance(e, MessageSent) and e.seat == command.seat]
        if any(e.tag == "PLAYER_TO_GM" and e.fields["type"] != "VETO" for e in answered):
            yield place, command


def vetoes(rng: random.Random, scene: _Scene) -> Iterator[Deed]:
    """A companion wants more before it answers, and the GM gives it (T-070, T-073)."""
    for place, command in _answers(scene):
        yield Deed(f"{command.seat} vetoes first", place, _veto(command, sentence(rng), section_body(rng)))


def waits(rng: random.Random, scene: _Scene) -> Iterator[Deed]:
    """The same, but longer: while the GM writes, the watching seat continues what it does."""
    for place, command in _answers(scene):
        early = scene.earliest(place, command)
        if any(getattr(scene.base.sent[at].command, "seat", None) == scene.seat for at in range(early, place)):
            veto = _veto(command, sentence(rng), section_body(rng), late=place)
            yield Deed(f"{command.seat} waits for more", early, veto)


def _veto(command: commands.Reply, why: str, body: str, late: int | None = None) -> Callable[[Any, int], None]:
    """What is done before the command: the GM gives more at once, or only at the place `late`."""

    def before(game: Any, place: int) -> None:
        state, seat = game.state, command.seat
        number = game.number(seat, command.turn)
        turn = state.turns.get((seat, number))
        held = state.requests.get(seat)
        asked = any(turn.seat == GM for turn in state.turns.values())
        by_files = state.signalled or state.file_vetoes
        busy = asked or by_files or state.calls or state.ending or state.hold or state.settled or state.note_open
        if turn is None or turn.kind not in REQUESTS or held is None or held.type in NEVER_VETOED or busy:
            return
        content = tagged("PLAYER_TO_GM", why, type="VETO", character=seat)
        game.aside(commands.Reply(command.at, seat, number, reply([message(GM, content)])))
        if late is None:
            given(game, place)
        else:
            game.deeds[late].insert(0, Deed("more is given", late, given))

    def given(game: Any, place: int) -> None:
        seat = command.seat
        number = game.number(seat, command.turn)
        number_, slug = game.state.scene
        full = tagged("GM_TO_PLAYER", body, request_type="FULL_CONTEXT", scene_number=number_, scene_slug=slug)
        _answer(game, GM, "veto", reply([message(seat, full)]))
        again = [turn.number for turn in game.state.turns.values() if turn.seat == seat and turn.kind == "full-context"]
        game.numbers[seat, command.turn] = again[0] if again else number

    return before


def other_requests(rng: random.Random, scene: _Scene) -> Iterator[Deed]:
    """The GM asks another character in another way, or for a secret action in another scene (T-151)."""
    if scene.seat == GM or scene.edition == "phase-1":
        return
    for place in scene.places:
        command = scene.base.sent[place].command
        for index, item in enumerate(_items(command)):
            kind = _request_type(item)
            to = item.get("recipient")
            if to in (None, scene.seat) or kind is None:
                continue
            if kind in PLAIN:
                other = PLAIN[1 - PLAIN.index(kind)]
                yield Deed(f"{to} is asked otherwise", place, change=_edit(index, f": {kind}", f": {other}"))
                if to != scene.character and scene.seat not in (NARRATOR, LEAD) and not scene.vetoes(to, place):
                    yield Deed(f"{to} is asked for a secret action", place, change=_in_secret(index, kind))
            elif kind == "SECRET_ACTION":
                yield Deed(f"a secret action of {to} elsewhere", place, change=_elsewhere(index, rng))


def secrets(rng: random.Random, scene: _Scene) -> Iterator[Deed]:
    """Another character is asked for a secret action while the seat does something (T-151)."""
    if scene.seat in (GM, LEAD) or scene.edition == "phase-1":
        return
    for place in scene.places:
        for index, item in enumerate(_items(scene.base.sent[place].command)):
            kind, to = _request_type(item), str(item.get("recipient"))
            free = to not in (scene.seat, scene.character) and not scene.vetoes(to, place)
            if kind in PLAIN and free and scene.active(place, to) and scene.seat != NARRATOR:
                yield Deed(f"{to} acts in secret meanwhile", place, change=_in_secret(index, kind))


def _request_type(item: Item) -> str | None:
    content = str(item.get("content", ""))
    if not content.startswith("[GM_TO_PLAYER]") or "request_type: " not in content:
        return None
    return content.split("request_type: ")[1].split("\n")[0]


def _items(command: Command) -> list[dict[str, Any]]:
    """The items of a GM's reply in the JSON form."""
    if not isinstance(command, commands.Reply) or command.seat != GM:
        return []
    try:
        return list(json.loads(command.text)["messages"])
    except (ValueError, KeyError, TypeError):
        return []


def _edited(command: Command, change: Callable[[list[Any]], None]) -> Command:
    assert isinstance(command, commands.Reply)
    items = _items(command)
    change(items)
    return command.but(text=reply(items))


def _edit(index: int, old: str, new: str) -> Callable[[Any, Command], Command]:
    def change(items: list[Any]) -> None:
        items[index]["content"] = items[index]["content"].replace(old, new, 1)

    return lambda game, command: _edited(command, change)


def _in_secret(index: int, kind: str) -> Callable[[Any, Command], Command]:
    """A secret action instead, if the scene stays: it brings none (T-151)."""

    def change(game: Any, command: Command) -> Command:
        number, slug = game.state.scene
        asked = [item for item in _items(command)[: index + 1] if _request_type(item) is not None]
        stays = all(f"\nscene_number: {number}\nscene_slug: {slug}\n" in item["content"] for item in asked)
        return _edit(index, f": {kind}", ": SECRET_ACTION")(game, command) if stays else command

    return change


def _elsewhere(index: int, rng: random.Random) -> Callable[[Any, Command], Command]:
    number, slug = f"{rng.randint(50, 99):03d}", f"the-{token(rng)}"

    def change(items: list[Any]) -> None:
        lines = items[index]["content"].split("\n")
        for at, line in enumerate(lines[:6]):
            if line.startswith("scene_number: "):
                lines[at] = f"scene_number: {number}"
            elif line.startswith("scene_slug: "):
                lines[at] = f"scene_slug: {slug}"
        items[index]["content"] = "\n".join(lines)

    return lambda game, command: _edited(command, change)


def other_tasks(rng: random.Random, scene: _Scene) -> Iterator[Deed]:
    """Another character's entry of an AWAIT_PLAYERS asks otherwise (T-124)."""
    if scene.edition != "phase-1" or scene.seat in (GM, LEAD):
        return
    for place in scene.places:
        for index, item in enumerate(_items(scene.base.sent[place].command)):
            content = str(item.get("content", ""))
            for name in scene.others():
                for at, kind in enumerate(PLAIN):
                    entry = f"name: {name}\n    request_type: {kind}\n"
                    if content.startswith("[AWAIT_PLAYERS]") and entry in content:
                        yield Deed(
                            f"the task of {name} asks otherwise",
                            place,
                            change=_edit(index, entry, entry.replace(kind, PLAIN[1 - at])),
                        )


def gm_papers(rng: random.Random, scene: _Scene) -> Iterator[Deed]:
    """The GM writes, changes what others have, and rolls: more of it than before, or less."""
    if scene.seat == GM:
        return
    for place in scene.places:
        items = _items(scene.base.sent[place].command)
        if not items or any(isinstance(e, AttemptFailed) for e in scene.new(place)):
            continue
        yield Deed("the GM does more", place, change=_more(rng, scene))
        for index, item in enumerate(items):
            change = item.get("delta", {})
            name = change.get("character")
            if change.get("resource") == "hit-points" and name not in (scene.seat, None):
                yield Deed(f"{name} has other hit points", place, change=_other_amount(index, rng.randint(-9, 9)))
            if "roll" in item and _hidden_roll(scene, item["roll"]["who"]):
                yield Deed("the GM rolls other dice", place, change=_other_dice(index, rng.choice(("3d6", "1d4"))))
                if len(items) > 1:
                    yield Deed("the GM does not roll", place, change=_without(index))


def _hidden_roll(scene: _Scene, who: str) -> bool:
    """One that becomes no DICE_RESULT, which team lead and human see."""
    return who != scene.character or scene.seat not in (LEAD, HUMAN)


def _more(rng: random.Random, scene: _Scene) -> Callable[[Any, Command], Command]:
    others = [name for name in scene.roster if name != scene.seat and name != scene.character]
    extra: list[Item] = [delta("overview.md", "append", sentence(rng, "s"))]
    for name in rng.sample(others, min(1, len(others))):
        extra += [roll(name, sentence(rng), "1d20"), delta(f"party/{name}.md", "append", sentence(rng))]
        extra += [resource(name, "conditions", f"+{token(rng)}")]
    return lambda game, command: _edited(command, lambda items: items.__setitem__(slice(0, 0), extra))


def _other_amount(index: int, amount: int) -> Callable[[Any, Command], Command]:
    return lambda game, command: _edited(command, lambda items: items[index]["delta"].update(change=amount))


def _other_dice(index: int, dice: str) -> Callable[[Any, Command], Command]:
    return lambda game, command: _edited(command, lambda items: items[index]["roll"].update(expression=dice))


def _without(index: int) -> Callable[[Any, Command], Command]:
    return lambda game, command: _edited(command, lambda items: items.__delitem__(index))


def elsewhere(rng: random.Random, scene: _Scene) -> Iterator[Deed]:
    """While the party is split, more is told to a group that the seat does not hear of (T-047, T-048)."""
    if scene.seat in (GM, LEAD):
        return
    for place in _some(rng, scene, 6):
        yield Deed("more is told to another group", place, _told_elsewhere(scene.seat, scene.character, prose(rng)))


def _told_elsewhere(seat: str, character: str | None, words: str) -> Callable[[Any, int], None]:
    def before(game: Any, place: int) -> None:
        state = game.state
        asked = any(turn.seat == GM for turn in state.turns.values())
        if not state.split or asked or state.unjournaled or state.ending or state.ended or state.hold:
            return
        hears = character if seat == HUMAN else seat
        labels = [label for label in state.group_labels if label and hears not in state.members(label)]
        if labels and len(state.members(labels[0])) < len(state.played):
            note = f"(Group {labels[0]}: {', '.join(state.members(labels[0]))})"
            _say(game, GM, reply([message(LEAD, f"[NARRATIVE]\n\n{note}\n{words}")]))

    return before


def swapped(rng: random.Random, scene: _Scene) -> Iterator[Deed]:
    """Two phase-1 tasks end in the other order (T-128)."""
    sent = scene.base.sent
    for place in scene.places:
        if place + 1 >= len(sent):
            continue
        one, two = sent[place].command, sent[place + 1].command
        if not isinstance(one, commands.Reply) or not isinstance(two, commands.Reply):
            continue
        kinds = [scene.base.resolved.get((command.seat, command.turn)) for command in (one, two)]
        both = all(kind is not None and kind.kind == "action" and kind.text is not None for kind in kinds)
        if both and one.seat != two.seat and scene.seat not in (one.seat, two.seat) and _done_by(scene, place):
            yield Deed(f"{two.seat} is done before {one.seat}", place, _first(two))


def _done_by(scene: _Scene, place: int) -> bool:
    """Whether neither of the two commands from `place` failed, and nothing but the first task ended with the first."""
    failed = any(isinstance(event, AttemptFailed) for at in (place, place + 1) for event in scene.new(at))
    return not failed and len(scene.new(place)) == 1


def _first(later: commands.Reply) -> Callable[[Any, int], None]:
    def before(game: Any, place: int) -> None:
        game.match([], game.aside(game.mapped(later)))

    return before


def _saying(seat: str, text: str, *, passing: bool = True) -> Callable[[Any, int], None]:
    return lambda game, place: _say(game, seat, text, passing=passing)


def _ordering(seat: str, text: str) -> Callable[[Any, int], None]:
    return lambda game, place: _order(game, seat, text)


def _say(game: Any, seat: str, text: str, *, passing: bool = True) -> None:
    """The seat sends it, and a seat that is asked because of it passes, or leaves it open."""
    held = set(game.state.turns)
    at = game.tape.log[-1].at
    game.aside(commands.Say(at, seat, text))
    for key, turn in list(game.state.turns.items()):
        if passing and key not in held and turn.kind in ("reply", "chat"):
            game.aside(commands.Reply(at, turn.seat, turn.number, "pass"))


def _answer(game: Any, seat: str, kind: str, text: str) -> None:
    turn = next((turn for turn in game.state.turns.values() if turn.seat == seat and turn.kind == kind), None)
    if turn is not None:
        game.aside(commands.Reply(game.tape.log[-1].at, seat, turn.number, text))


KINDS: tuple[Callable[[random.Random, _Scene], Iterator[Deed]], ...] = (
    vain,
    failing,
    whispers,
    talk,
    chats,
    orders,
    vetoes,
    waits,
    other_requests,
    secrets,
    other_tasks,
    gm_papers,
    elsewhere,
    swapped,
)
RARE = (waits, secrets)
"""Those that meet what the seat does itself: wherever there is one, it is done."""
