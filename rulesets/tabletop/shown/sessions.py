"""What is worth knowing of a tabletop session beyond leaks: threads nobody noted, files left over, work that failed.

Everything is a note: it breaks no promise of the server, but somebody at the table left something undone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sottovoce import Examined, FallbackApplied, GameOpened, Recorded, TurnOpened, plain
from sottovoce.rulesets.tabletop.rules.course import BACKGROUND
from sottovoce.rulesets.tabletop.rules.documents import (
    CONTEXT_LINES,
    GM_CONTEXT,
    GM_DELTA,
    NO_DOCUMENTS,
    PARTY_DELTA,
    SHARED_NARRATIVE,
    Documents,
    Piece,
    notes_file,
    prompt_file,
    rebuild,
    response_file,
    with_piece,
    without_piece,
)
from sottovoce.rulesets.tabletop.rules.events import PieceRemoved, PieceWritten, TaskEnded, TeamDissolved
from sottovoce.rulesets.tabletop.rules.lint import leaking_terms
from sottovoce.rulesets.tabletop.rules.messages import (
    AwaitAiPlayers,
    MessageSent,
    Narrative,
    NarratorNote,
    PlayerToPlayer,
    SessionEnd,
)
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, STANDING

BEFORE_THE_SESSION = -1


def session_notes(recorded: Sequence[Recorded]) -> Iterator[Examined]:
    """Everything of note in a session's log, in order (T-030, T-049, T-104, T-154, T-159, F-002, F-020, F-023, F-051 to
    F-054)."""
    session = _Session()
    for item in recorded:
        yield from session.take(item)
    yield from session.context_checked()
    yield from _open_terms(recorded)


def _open_terms(recorded: Sequence[Recorded]) -> Iterator[Examined]:
    """Where text that a player reads may tell what text of the GM's keeps (the lint of a campaign, at its import)."""
    places: dict[tuple[str, str | None], int] = {}
    pieces: list[Piece] = []
    roster: tuple[str, ...] = ()
    for item in recorded:
        event = item.event
        if isinstance(event, GameOpened):
            roster = tuple(seat for seat in event.seats if seat not in (*STANDING, HUMAN))
        elif isinstance(event, PieceWritten) and event.seat is None:
            places.setdefault((event.document, event.heading), item.position)
            pieces.append(event.piece)
    for found in leaking_terms(pieces, roster):
        if found.kind == "kept back":
            continue
        document, heading = found.open_at[0]
        where = document if heading is None else f"{document}, {heading}"
        what = f"{found.kind}: {found.what!r} appears in {where}"
        readers = sorted(
            {seat for piece in pieces if piece.document == document for seat in piece.readers if seat in roster}
        )
        yield _note("open to a player", what, places.get((document, heading), 1), *readers)


def _note(kind: str, what: str, position: int, *seats: str) -> Examined:
    return Examined(kind, "note", what, position, seats)


class _Session:
    """What has to be remembered from one event to the next."""

    def __init__(self) -> None:
        self.edition = "current"
        self.roster: tuple[str, ...] = ()
        self.groups: dict[str, str] = {}
        self.unnoted: dict[str, int] = {}
        self.kinds: dict[tuple[str, int], str] = {}
        self.documents: Documents = NO_DOCUMENTS
        self.signals = 0
        self.written_in: dict[str, int] = {}
        self.strays: set[str] = set()
        self.context_used = False
        self.context_changed: int | None = None
        self.awaited: set[str] = set()

    def take(self, item: Recorded) -> Iterator[Examined]:
        event, at = item.event, item.position
        if not (isinstance(event, PieceWritten | PieceRemoved) and event.document == GM_CONTEXT):
            yield from self.context_checked()
        match event:
            case GameOpened():
                self.edition = event.options.get("edition", self.edition)
                self.roster = tuple(seat for seat in event.seats if seat not in (*STANDING, HUMAN))
            case TurnOpened():
                self.kinds[event.seat, event.turn] = event.kind
            case FallbackApplied():
                kind = self.kinds.get((event.seat, event.turn))
                if kind in BACKGROUND:
                    yield _note("work failed", f"{event.seat} did not do its part ({kind}).", at, event.seat)
            case TaskEnded(task=task, done=False) if task != "ai-player-journal":
                yield _note("work failed", f"The task {task} failed.", at)
            case MessageSent():
                yield from self._message(event, at)
            case PieceWritten():
                yield from self._written(event, at)
            case PieceRemoved():
                yield from self._removed(event, at)
            case TeamDissolved():
                for path in sorted(self.documents):
                    if path.startswith("tmp/") and path != SHARED_NARRATIVE:
                        yield _note("left over", f"{path} was left over at the session's end.", at, GM)
            case _:
                pass

    # messages

    def _message(self, event: MessageSent, at: int) -> Iterator[Examined]:
        if event.undefined:
            names = ", ".join(event.undefined)
            yield _note("undefined field", f"{event.tag} of {event.seat} has unknown fields: {names}.", at, event.seat)
        match event.typed():
            case Narrative():
                yield from self._narrative(event, at)
            case NarratorNote() as kept if event.seat == GM:
                note = plain(kept.note)
                self.unnoted = {label: since for label, since in self.unnoted.items() if plain(label) not in note}
            case PlayerToPlayer():
                here, there = self.groups.get(event.seat, ""), self.groups.get(event.to or "", "")
                if here != there:
                    what = f"{event.seat} spoke to {event.to}, who is in another group."
                    yield _note("talk across groups", what, at, event.seat, event.to or "")
            case SessionEnd() as end:
                yield from self._unnoted(self.unnoted)
                self.unnoted = {}
                if not end.state_saved:
                    yield _note("not saved", "The session ended without saving its state.", at, event.seat)
            case AwaitAiPlayers() as signal:
                yield from self._signal(signal, at)
            case _:
                pass

    def _narrative(self, event: MessageSent, at: int) -> Iterator[Examined]:
        if event.group is None:
            yield from self._unnoted(self.unnoted)
            self.unnoted, self.groups = {}, {}
            return
        label = event.label or ""
        yield from self._unnoted([label])
        self.unnoted[label] = at
        self.groups |= dict.fromkeys(event.group, label)

    def _unnoted(self, labels: Sequence[str] | dict[str, int]) -> Iterator[Examined]:
        for label in labels:
            if label in self.unnoted:
                what = f"The NARRATIVE for {label} came with no NARRATOR_NOTE that names the group."
                yield _note("group unnoted", what, self.unnoted[label], GM)

    # files

    def _signal(self, signal: AwaitAiPlayers, at: int) -> Iterator[Examined]:
        if self.context_used:
            what = f"{GM_CONTEXT} of an earlier signal was not deleted or rewritten before this one."
            yield _note("out of order", what, at, GM)
        self.signals += 1
        self.context_used = True
        self.awaited = set(signal.names)

    def _written(self, event: PieceWritten, at: int) -> Iterator[Examined]:
        path = event.document
        if path.startswith("tmp/") and path not in self.strays and path not in self._known():
            self.strays.add(path)
            yield _note("stray file", f"{path} does not belong in tmp/.", at, *filter(None, (event.seat,)))
        if event.seat is not None:
            yield from self._in_order(path, event.seat, at)
        if path == GM_CONTEXT:
            self.context_changed, self.context_used = at, False
        self.written_in[path] = BEFORE_THE_SESSION if event.seat is None else self.signals
        if event.seat is not None and path == response_file(event.seat):
            self.awaited.discard(event.seat)
        self.documents = with_piece(self.documents, event.piece, event.after)

    def _in_order(self, path: str, seat: str, at: int) -> Iterator[Examined]:
        prompts, responses = map(prompt_file, self.roster), map(response_file, self.roster)
        if path in (*prompts, *responses):
            stale = path in self.documents and self.written_in.get(path, 0) < self.signals
            if stale or (path in self.documents and self.written_in.get(path) == BEFORE_THE_SESSION):
                yield _note("stale file", f"{path} was overwritten without being deleted first.", at, seat)
            elif seat == GM and GM_CONTEXT not in self.documents and path not in self.documents:
                yield _note("out of order", f"{path} was written before {GM_CONTEXT}.", at, GM)

    def _removed(self, event: PieceRemoved, at: int) -> Iterator[Examined]:
        owner = next((name for name in self.roster if event.document == prompt_file(name)), None)
        if owner in self.awaited:
            self.awaited.discard(owner)
            yield _note("out of order", f"{event.document} was deleted before {owner} had answered it.", at, GM)
        if event.document == GM_CONTEXT:
            self.context_changed, self.context_used = at, False
        self.documents = without_piece(self.documents, event.document, event.key)

    def _known(self) -> set[str]:
        files = {GM_CONTEXT, SHARED_NARRATIVE}
        for name in self.roster:
            files |= {prompt_file(name), response_file(name), notes_file(name)}
        return files if self.edition == "current" else files | {GM_DELTA, PARTY_DELTA}

    def context_checked(self) -> Iterator[Examined]:
        """The GM's notes, once they have been written as they stand (F-020)."""
        at, self.context_changed = self.context_changed, None
        lines = rebuild(self.documents.get(GM_CONTEXT, ())).splitlines()
        count = sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in lines)
        if at is not None and count > CONTEXT_LINES:
            what = f"{GM_CONTEXT} has {count} lines. The limit is {CONTEXT_LINES}."
            yield _note("notes too long", what, at, GM)
