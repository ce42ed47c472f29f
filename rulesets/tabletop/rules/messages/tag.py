"""What every tag of the protocol is: a class, of which each message with that tag is an object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from sottovoce import NOBODY, Audience, Chair, Piece, Refused, spoken
from sottovoce.rulesets.tabletop.rules.audience import for_the_human, present
from sottovoce.rulesets.tabletop.rules.messages.fields import Checker, Field, fields_of
from sottovoce.rulesets.tabletop.rules.names import HUMAN, called
from sottovoce.rulesets.tabletop.rules.phrases import GroupNote
from sottovoce.rulesets.tabletop.rules.state import Game
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State

Role = Literal["gm", "team-lead", "narrator", "player"]
Transport = Literal["broadcast", "message", "task"]
BodyForm = Literal["none", "free", "speech", "sections", "prose"]
"""`none`: fields run to the end. `free`: any text but an empty one. `speech`: free, and in character. `sections`: `## `
headings. `prose`: no fields, all of it text."""


@dataclass(frozen=True, slots=True)
class Route:
    """Which roles send a tag, to which roles in a direct message, and by which transports."""

    senders: tuple[Role, ...]
    recipients: tuple[Role, ...]
    transports: tuple[Transport, ...] = ("message",)

    @property
    def broadcast(self) -> bool:
        """Whether it may go to all seats at once (T-034)."""
        return "broadcast" in self.transports


GM_TO_LEAD = Route(("gm",), ("team-lead",))
LEAD_TO_GM = Route(("team-lead",), ("gm",))
LEAD_TO_PLAYER = Route(("team-lead",), ("player",))


class Tag:
    """One tag in one edition, and an object of it one message.

    A class states its fields as annotations, and overrides what differs: `amiss` (what is wrong with a message whose
    fields are each in order), `check` (what it demands as things stand), `audience`, `fold` (what it changes), `effect`
    (what follows in the same append), `open_to` (who has access to its words). `sections` are the headings that such a
    body must have, in order.
    """

    tag: ClassVar[str] = ""
    route: ClassVar[Route] = Route((), ())
    form: ClassVar[BodyForm] = "none"
    sections: ClassVar[tuple[str, ...]] = ()
    before_start: ClassVar[bool] = False
    while_ending: ClassVar[bool] = True
    while_awaiting: ClassVar[bool] = True
    """Whether it may be sent before the session's start, once its end was ordered, while phase-1 tasks are awaited."""
    asks_a_player: ClassVar[bool] = False
    """Whether its words are put to a player, who may repeat them."""
    fields: ClassVar[tuple[Field, ...]] = ()
    checker: ClassVar[Checker]
    nothing: ClassVar[Mapping[str, Any]] = {}
    """What stands in each required field where nothing does."""
    _attributes: ClassVar[tuple[tuple[str, str], ...]] = ()

    def __init_subclass__(
        cls,
        *,
        tag: str = "",
        route: Route | None = None,
        form: BodyForm | None = None,
        sections: tuple[str, ...] = (),
    ) -> None:
        super().__init_subclass__()
        cls.tag = tag or cls.tag
        cls.route = route or cls.route
        cls.form = form or ("sections" if sections else cls.form)
        cls.sections = sections or cls.sections
        cls.fields = fields_of(cls)  # type: ignore[arg-type]  # its objects have hashes, whatever mypy says
        cls.checker = Checker(cls)
        cls.nothing = {each.name: () if each.item else "" for each in cls.fields if each.required}
        cls._attributes = tuple((each.name, each.attribute) for each in cls.fields)
        if tag and cls.audience is Tag.audience:
            raise TypeError(f"{cls.__name__} states no audience; say who sees a {tag}")

    def __init__(
        self,
        fields: Mapping[str, Any],
        body: str = "",
        seat: str = "",
        to: str | None = None,
        group: tuple[str, ...] | None = None,
        label: str | None = None,
        fallback: bool = False,
    ) -> None:
        self.body = body
        self.seat = seat
        self.to = to
        self.group = group
        self.label = label
        self.fallback = fallback
        values = self.__dict__
        for name, attribute in self._attributes:
            if name in fields:
                values[attribute] = fields[name]

    @property
    def recipient(self) -> str:
        """The seat that a direct message is for; empty for a broadcast."""
        return self.to or ""

    def amiss(self) -> Iterable[str]:
        """What is wrong with it beyond its fields, whoever sends it and whenever."""
        return ()

    def starts(self) -> bool:
        """Whether it may be what the session begins with."""
        return self.before_start

    def closes(self) -> bool:
        """Whether it may be sent though the session has ended."""
        return False

    def check(self, game: Game) -> None:
        """Refuse it where it does not fit the moment."""

    def group_note(self) -> GroupNote | None:
        """The group that it speaks to while the party is split, if any."""
        return None

    def audience(self, state: State) -> Audience:
        """Who sees it. What no edition knows is seen by nobody."""
        return NOBODY

    def fold(self, state: State) -> State:
        """The state after it."""
        return state

    def effect(self, game: Game, before: State) -> None:
        """What follows from it at once, given the state before it; the rest is seen to by the course."""

    def open_to(self, state: State, audience: frozenset[str]) -> Iterable[str] | None:
        """Who has access to its words, where the closed-words check is to know it (T-063); None where it is not.

        Closed to others are secret requests and their answers, vetoes, and talk between two. The GM's other prompts
        and the answers to them are no secret: many may be told of one scene, and what was answered is about to be
        narrated.
        """
        return None

    def tell(self, chair: Chair) -> Piece:
        """It in words, as that chair is told it."""
        return self.piece(chair, f"{{}} to {called(self.to, chair)}, {self.tag}:")

    def piece(self, chair: Chair, lead: str, words: str | None = None, **given: Any) -> Piece:
        """A piece of it, by its sender: `{}` in the lead is who that is, `{s}` the ending of a verb about it, and the
        words are those of its body."""
        ending = "" if chair.owns(self.seat) else "s"
        lead = lead.replace("{s}", ending, 1).replace("{}", called(self.seat, chair, first=True), 1)
        private = "" if "private" not in given else given.pop("private")
        said = spoken(self.seat, self.body if words is None else words)
        return Piece(lead, who=self.seat, words=said, private=private, **given)

    def speaks_for(self, field: str, name: str) -> None:
        """Refuse a message whose speaker is not its sender (T-013)."""
        if name != self.seat:
            raise Refused(f"{field} says {name!r}, but {self.seat} sends this; write {field}: {self.seat}.")

    def goes_to(self, name: str) -> None:
        """Refuse a message whose `to` is not its recipient (T-146)."""
        if name != self.to:
            raise Refused(f"to says {name!r}, but the message is addressed to {self.to}; make them equal.")


class BetweenTwo(Tag):
    """Seen by its sender and its recipient."""

    def audience(self, state: State) -> Audience:
        return present(state, self.seat, self.to)


class WithTheHuman(Tag):
    """Seen by its sender, its recipient, and the human whose character it is about."""

    def audience(self, state: State) -> Audience:
        return present(state, self.seat, self.to, HUMAN)


class ForTheHuman(Tag):
    """Seen by the GM, the team lead and the human, whom the team lead speaks for."""

    def audience(self, state: State) -> Audience:
        return for_the_human(state)


class OfTheHuman(Tag):
    """Names the human's character, and no other (T-014)."""

    character: str

    def check(self, game: Game) -> None:
        super().check(game)
        state = game.state
        if self.character != state.character:
            raise Refused(f"character must be the human's character, {state.character}; got {self.character!r}.")


class ToTheHumansCharacter(Tag):
    """Addressed to the human's character."""

    def check(self, game: Game) -> None:
        super().check(game)
        if self.to != game.state.character:
            raise Refused(
                f"{self.tag} is addressed to the human's character, {game.state.character}, not to {self.to}."
            )
