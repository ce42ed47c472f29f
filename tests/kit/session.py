"""A tabletop session for tests: open one, let seats send messages in short form, and see who got what."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sottovoce.domain import commands
from sottovoce.domain.audience import Audience
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import AttemptFailed, Event, MessageRefused, Recorded
from sottovoce.domain.testing import NOON, Playtest
from sottovoce.rulesets.tabletop.rules import TABLETOP
from sottovoce.rulesets.tabletop.rules.course import seats_for
from sottovoce.rulesets.tabletop.rules.messages import Message, MessageSent, edition_of, serialise
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, TEAM_LEAD
from sottovoce.rulesets.tabletop.rules.state import TabletopState

TILDA, CORWIN, BRYN = "tilda-brannock", "corwin-voss", "bryn-oake"
PARTY = (TILDA, CORWIN, BRYN)
SHEET = (
    "# {name}\n\nHP: 12/12\n\n## Traits\nStubborn.\n\n"
    "## GM Notes\n{name} does not know that the ferryman is kin to them by blood and by oath.\n"
)
STORY = "# Story\n\nThe lamp keeper drowned the bell himself on the night of the great storm, and nobody saw it.\n"
FILES: Mapping[str, bytes] = {
    "story-state.md": STORY.encode(),
    "party-knowledge.md": b"# Known\n\nThe bell is gone.\n",
    **{f"party/{name}.md": SHEET.format(name=name).encode() for name in PARTY},
}
BODY = "## Scene\nThe quay at dusk.\n\n## Just Happened\nA rope snaps.\n\n## Request\nWhat do you do about it?"


class Session:
    """A session so far. Every step returns a new one; `last` is the result of the last step."""

    def __init__(self, play: Playtest[TabletopState]) -> None:
        self.play = play

    # steps

    def when(self, command: commands.Command) -> Session:
        return Session(self.play.when(command))

    def reply(self, seat: str, text: str, kind: str | None = None) -> Session:
        """Answer the seat's open turn, of that kind if given."""
        turn = self.turn(seat, kind)
        return self.when(commands.Reply(NOON, seat, turn.number, text))

    def say(self, seat: str, text: str) -> Session:
        return self.when(commands.Say(NOON, seat, text))

    def expire(self, seat: str, kind: str | None = None) -> Session:
        turn = self.turn(seat, kind)
        return self.when(commands.Expire(NOON, seat, turn.number, turn.attempt))

    def exhaust(self, seat: str, text: str = "[narrative]", kind: str | None = None) -> Session:
        """Answer with refused replies until the turn is closed."""
        game, turn = self, self.turn(seat, kind)
        while (seat, turn.number) in game.state.turns:
            game = game.when(commands.Reply(NOON, seat, turn.number, text))
        return game

    def send(self, seat: str, to: str | None, tag: str, body: str = "", **fields: Any) -> Session:
        """Send one message from the seat, as an answer to its open turn if it has one."""
        text = envelope(self.state, to, tag, body, **fields)
        turns = [turn for turn in self.state.turns.values() if turn.seat == seat]
        return self.reply(seat, text, turns[-1].kind) if turns else self.say(seat, text)

    # what is seen

    @property
    def state(self) -> TabletopState:
        return self.play.state

    @property
    def last(self) -> tuple[Event, ...]:
        return tuple(draft.event for draft in self.play.new)

    def turn(self, seat: str, kind: str | None = None) -> Any:
        turns = [turn for turn in self.state.turns.values() if turn.seat == seat and kind in (None, turn.kind)]
        assert len(turns) == 1, f"{seat} has the turns {[turn.kind for turn in turns]}"
        return turns[0]

    def open(self) -> dict[str, list[str]]:
        """Return the kinds of the open turns by seat."""
        found: dict[str, list[str]] = {}
        for turn in self.state.turns.values():
            found.setdefault(turn.seat, []).append(turn.kind)
        return found

    def refusal(self) -> str:
        """Return the one refusal of the last step."""
        said = [event.message for event in self.last if isinstance(event, AttemptFailed | MessageRefused)]
        assert len(said) == 1, f"refusals: {said}; events: {[type(event).__name__ for event in self.last]}"
        return said[0]

    def sent(self, tag: str | None = None) -> list[MessageSent]:
        """Return the messages of the last step, with that tag if given."""
        return [event for event in self.last if isinstance(event, MessageSent) and tag in (None, event.tag)]

    def audience(self, kind: type[Event], tag: str | None = None) -> set[str]:
        """Return who sees the one event of that class (and tag) in the last step."""
        found = [
            draft.audience
            for draft in self.play.new
            if isinstance(draft.event, kind) and (tag is None or getattr(draft.event, "tag", None) == tag)
        ]
        assert len(found) == 1, f"{len(found)} events of {kind.__name__} {tag or ''}"
        return seats_in(found[0], self.state)

    def seen_by(self, seat: str) -> list[Event]:
        """Return everything the seat has seen so far."""
        return [draft.event for draft in self.play.drafts if seat in seats_in(draft.audience, self.state)]


def seats_in(audience: Audience, state: TabletopState) -> set[str]:
    return set(state.seats) if audience.seats is None else set(audience.seats)


def content(state: TabletopState, tag: str | None, body: str = "", **fields: Any) -> str:
    """Return a message as text. A field name ending in an underscore is a Python keyword."""
    named = {key.rstrip("_"): tuple(value) if isinstance(value, list) else value for key, value in fields.items()}
    return serialise(Message(tag, named, body), edition_of(state))


def envelope(state: TabletopState, to: str | None, tag: str | None, body: str = "", **fields: Any) -> str:
    """Return a reply of one message in the JSON form."""
    return reply((to, content(state, tag, body, **fields)))


def reply(*messages: tuple[str | None, str] | Mapping[str, Any]) -> str:
    """Return a reply of several items in the JSON form: messages as (recipient or None, content), other items
    unchanged."""
    items = [
        dict(item)
        if isinstance(item, Mapping)
        else {"type": "broadcast", "content": item[1]}
        if item[0] is None
        else {"type": "message", "recipient": item[0], "content": item[1]}
        for item in messages
    ]
    return json.dumps({"messages": items})


def session(
    edition: str = "current",
    *,
    human: bool = True,
    characters: Sequence[str] = PARTY,
    files: Mapping[str, bytes] = FILES,
    start: bool = True,
    **options: Any,
) -> Session:
    """An open session; with `start`, one that has had its opening NARRATIVE (and no open request)."""
    seats = seats_for((*characters, *((HUMAN,) if human else ())))
    if start:
        options.setdefault("player_character", characters[0])
    given = {"edition": edition, "campaign": "the-drowned-bell", **options}
    agents = dict.fromkeys(seats, "house")
    begun = commands.Open(NOON, seats, agents, Seed.of(7), given, files)
    return Session(Playtest(TABLETOP, TABLETOP.initial).when(begun))


def opened(edition: str = "current", prose: str = "Fog lies over the quay.", **options: Any) -> Session:
    """A session whose GM has told the opening. Nobody else has a turn, so the GM's next turn is open."""
    game = session(edition, **options)
    return game.send(GM, None, "NARRATIVE", prose)


def asked(game: Session, *characters: str, kind: str = "QUICK_REACTION", body: str = BODY) -> Session:
    """Let the GM ask these characters, in one reply."""
    items = [
        (name, content(game.state, "GM_TO_PLAYER", body, request_type=kind, scene_number="001", scene_slug="opening"))
        for name in characters
    ]
    return game.reply(GM, reply(*items))


def answered(game: Session, character: str, kind: str = "ACTION", body: str = "I grab the rope.") -> Session:
    """Let the character answer the GM."""
    turn = next(
        turn for turn in game.state.turns.values() if turn.seat == character and turn.kind not in ("reply", "journal")
    )
    return game.reply(
        character, envelope(game.state, GM, "PLAYER_TO_GM", body, type=kind, character=character), turn.kind
    )


def decided(game: Session, words: str = "Grab the rope!") -> Session:
    """The human's character relays, and the human decides."""
    body = "## Scene\nThe quay.\n\n## Decision Needed\nThe rope?\n\n## Suggested Options\n- Grab it"
    character = game.state.character or ""
    relayed = game.reply(
        character, envelope(game.state, TEAM_LEAD, "RELAY_TO_HUMAN", body, character=character), "relay"
    )
    return relayed.reply(HUMAN, words, "decide")


def fresh(game: Session) -> Session:
    """Return the same game with nothing new, for tests that count what one step adds."""
    return Session(replace(game.play, new=()))


def recorded(game: Session) -> list[Recorded]:
    """Return the session's events as a log has them."""
    return [
        Recorded(
            game="t-1",
            position=position,
            append=f"a{position}",
            name=draft.event.stored_name,
            at=NOON + timedelta(seconds=position),
            actor=draft.event.actor,
            audience=draft.audience,
            cause=None,
            body=b"{}",
            salt=b"",
            hash=b"",
            event=draft.event,
        )
        for position, draft in enumerate(game.play.drafts, 1)
    ]
