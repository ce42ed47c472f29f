"""What is written down in a session: the facts of it, and the changes to documents that become such facts."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Literal

from sottovoce import Chair, Event, Piece, Refused, named_in, plainly, spoken
from sottovoce.rulesets.tabletop.rules import documents
from sottovoce.rulesets.tabletop.rules.audience import at_table, holders, readers
from sottovoce.rulesets.tabletop.rules.documents import Delta, Removed, Written, apply_delta
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, called
from sottovoce.rulesets.tabletop.rules.phrases import is_error_report, veto_reason
from sottovoce.rulesets.tabletop.rules.resources import Resource
from sottovoce.rulesets.tabletop.rules.state import Game
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State

MOST_WRITTEN = 500
"""Pieces that one delta may write: each is an event of its own, and a text may have a heading on every other line."""

Facts = frozenset[tuple[str, ...]]


class PieceWritten(Event[State], name="tabletop.piece-written.v1", seen_by=readers, by=named_in("seat")):
    """A piece of a document stands as it is given here, new or anew. `seat` is who wrote it, None at the import.

    The other fields are those of `documents.Piece`; `after` is the key of the piece that a new one follows, None for
    the end of the document.
    """

    seat: str | None
    key: str
    document: str
    heading: str | None
    text: str
    readers: tuple[str, ...]
    level: int = 0
    opens: bool = False
    secret: bool = False
    coding: Literal["text", "base64"] = "text"
    after: str | None = None

    example = {
        "seat": None,
        "key": "a1b2c3d4e5f60718",
        "document": "party-knowledge.md",
        "heading": "Rumours",
        "text": "## Rumours\nThe lamp on the far bank burns green.\n",
        "readers": ("corwin-voss", GM, "tilda-brannock"),
        "level": 2,
        "opens": True,
    }

    def __post_init__(self) -> None:
        """No text may stand for bytes that it does not hold: whoever read them would fail, long after the import."""
        if self.coding == "base64":
            try:
                self.piece.content()
            except ValueError:
                raise ValueError("the text is not base64, which its coding says it is") from None

    @property
    def piece(self) -> documents.Piece:
        """The piece as it stands from now on."""
        return documents.Piece(
            self.key,
            self.document,
            self.heading,
            self.text,
            self.readers,
            self.level,
            self.opens,
            self.secret,
            self.coding,
        )

    def tell(self, chair: Chair) -> Piece | None:
        """What the narrator puts down of a narrative that was just told needs no second showing."""
        if self.seat is None:
            return None
        where = self.document if self.heading is None else f"{self.document}, {self.heading}"
        lead = f"{called(self.seat, chair, first=True)} wrote in {plainly(where)}:"
        again = chair.state is not None and chair.state.last_narrative.strip() == self.text.strip()
        return Piece(lead, who=self.seat, words=spoken(self.seat, self.text), private="", weight=0 if again else 1)

    def fold(self, state: State) -> State:
        state = state.but(documents=documents.with_piece(state.documents, self.piece, self.after))
        if documents.is_source(self.piece, state.roster):
            state = state.with_words(self.seat, self.text, self.readers)
        if self.seat in state.signalled and self.document == documents.response_file(self.seat):
            if veto_reason(self.text) is not None:
                state = state.but(file_vetoes=(*state.file_vetoes, self.seat))
            elif not is_error_report(self.text) and self.seat not in state.secret_files:
                state = state.but(deeds=state.deeds.and_then((self.seat, self.text)))
            state = state.with_response(self.seat)
        if self.seat == GM and self.document in (documents.STORY_STATE, documents.PARTY_KNOWLEDGE):
            state = state.but(
                gm_turn=replace(state.gm_turn, saved=True),
                save_owed=state.save_owed and state.edition_name != "current",
            )
        return state

    def facts(self) -> Facts:
        return frozenset(("written", self.document, line) for line in self.text.splitlines() if line.strip())


class PieceShown(Event[State], name="tabletop.piece-shown.v1", seen_by=at_table(HUMAN)):
    """The human is given a piece that its character reads, the character having been chosen only now (F-065).

    The fields are those of `documents.Piece`.
    """

    key: str
    document: str
    heading: str | None
    text: str
    readers: tuple[str, ...]
    level: int = 0
    opens: bool = False
    secret: bool = False
    coding: Literal["text", "base64"] = "text"

    example = {
        "key": "a1b2c3d4e5f60718",
        "document": "party/tilda-brannock.md",
        "heading": None,
        "text": "A smuggler who cannot swim.\n",
        "readers": (GM, "tilda-brannock"),
    }

    def tell(self, chair: Chair) -> None:
        return None

    def fold(self, state: State) -> State:
        """It stands already but in the human's own view, which had none of it."""
        piece = documents.Piece(
            self.key,
            self.document,
            self.heading,
            self.text,
            self.readers,
            self.level,
            self.opens,
            self.secret,
            self.coding,
        )
        return state.but(documents=documents.with_piece(state.documents, piece))

    def facts(self) -> Facts:
        return frozenset(("written", self.document, line) for line in self.text.splitlines() if line.strip())


class DocumentOpened(Event[State], name="tabletop.document-opened.v1", seen_by=at_table("seat"), by=named_in("seat")):
    """A seat read a document that its prompts only list. `text` is what it held then, as far as it was shown."""

    seat: str
    document: str
    text: str

    example = {"seat": GM, "document": "npcs/the-ferryman.md", "text": "# The ferryman\nHe has no name."}

    def tell(self, chair: Chair) -> Piece:
        """Told as the game's own voice, every line of the text marked, so that no prompt shortens it as a speech."""
        marked = "\n".join(f"> {line}" for line in self.text.strip().splitlines())
        lead = f"{called(self.seat, chair, first=True)} opened {plainly(self.document)}:\n{marked}"
        return Piece(lead, private="", weight=0)

    def fold(self, state: State) -> State:
        turn = state.gm_turn
        return state.but(gm_turn=replace(turn, opened=(*turn.opened, (self.document, self.text))))


class FactsShown(Event[State], name="tabletop.facts-shown.v1", seen_by=at_table("seat"), by=named_in("seat")):
    """A seat asked for facts of the campaign within its turn, or for what a check opens. `about` is whom or what it
    asked about, with the topic, and `text` the answer."""

    seat: str
    about: str
    text: str

    example = {"seat": GM, "about": "Agnes Tarrow", "text": "Open now:\n- [npcs/agnes.md:12] She winds the clock."}

    def tell(self, chair: Chair) -> Piece:
        """Told as the game's own voice, as an opened document is."""
        marked = "\n".join(f"> {line}" for line in self.text.strip().splitlines())
        lead = f"{called(self.seat, chair, first=True)} asked about {plainly(self.about)}:\n{marked}"
        return Piece(lead, private="", weight=0)

    def fold(self, state: State) -> State:
        turn = state.gm_turn
        return state.but(gm_turn=replace(turn, opened=(*turn.opened, (self.about, self.text)), asked=turn.asked + 1))


class PieceRemoved(Event[State], name="tabletop.piece-removed.v1", seen_by=readers, by=named_in("seat")):
    """A piece of a document is gone."""

    seat: str
    key: str
    document: str
    readers: tuple[str, ...]

    example = {"seat": GM, "key": "a1b2c3d4e5f60718", "document": "tmp/gm-context.md", "readers": (GM,)}

    def tell(self, chair: Chair) -> None:
        return None

    def fold(self, state: State) -> State:
        return state.but(documents=documents.without_piece(state.documents, self.document, self.key))


class ResourceChanged(Event[State], name="tabletop.resource-changed.v1", seen_by=holders):
    """What a character has of something that is counted or named, after a change or as its sheet states it."""

    seat: str | None
    character: str
    resource: str
    amount: int | None = None
    most: int | None = None
    words: tuple[str, ...] = ()

    example = {"seat": GM, "character": "tilda-brannock", "resource": "hit-points", "amount": 9, "most": 12}

    def tell(self, chair: Chair) -> Piece | None:
        if self.seat is None:
            return None
        now = ", ".join(self.words) or "none" if self.amount is None else str(self.amount)
        most = "" if self.most is None else f" of {self.most}"
        has = f"{chair.you(self.character, 'You')} now {'have' if chair.owns(self.character) else 'has'}"
        return Piece(f"{has} {self.resource.replace('-', ' ')}: {plainly(now)}{most}.", private="")

    def fold(self, state: State) -> State:
        now = Resource(self.amount, self.most, self.words)
        return state.but(resources={**state.resources, (self.character, self.resource): now})


def write_delta(game: Game, author: str, delta: Delta) -> None:
    """Change a document as a seat or a task does (T-144). Refused where it may not, or the delta does not fit."""
    state = game.state
    changes = list(apply_delta(state.documents, delta, author, state.roster, state.options.edition))
    if sum(isinstance(change, Written) for change in changes) > MOST_WRITTEN:
        raise Refused(f"Your text has more than {MOST_WRITTEN} sections; write fewer headings, and repeat (T-144).")
    for change in changes:
        match change:
            case Written(piece, after):
                game.emit(PieceWritten(seat=author, after=after, **asdict(piece)))
            case Removed(piece):
                game.emit(PieceRemoved(seat=author, key=piece.key, document=piece.document, readers=piece.readers))


def write_quietly(game: Game, author: str, delta: Delta) -> bool:
    """Write what nobody is asked for; False where the document cannot take it, which holds up nothing (T-159)."""
    try:
        write_delta(game, author, delta)
    except Refused:
        return False
    return True


def show_to_the_person(game: Game) -> None:
    """Give the human what its character reads and has, where the import could not know the character (F-065)."""
    state = game.state
    character = state.persons_character
    if character is None or state.options.player_character is not None:
        return
    closed = state.edition_name == "phase-1"
    for path, pieces in state.documents.items():
        if documents.with_the_person(path) and not (closed and not documents.for_tasks(path, state.roster)):
            for piece in pieces:
                if character in piece.readers:
                    game.emit(PieceShown(**asdict(piece)))
    for (owner, name), now in state.resources.items():
        if owner == character:
            game.emit(
                ResourceChanged(
                    seat=None, character=owner, resource=name, amount=now.amount, most=now.most, words=now.words
                )
            )


def drop(game: Game, author: str, path: str) -> None:
    """Take a whole document away, as a seat that sees it is done with it."""
    for piece in game.state.documents.get(path, ()):
        game.emit(PieceRemoved(seat=author, key=piece.key, document=path, readers=piece.readers))
