"""Who may see each event of a session by the spec (T-034 to T-167, F-005 to F-017, F-060, F-061).

Stated here apart from the product's table, and stricter where an event is made of others: a change of scene is for the
narrator only if it came openly, and what is shared with all may hold only what all were told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sottovoce import Event
from sottovoce.domain import events as core
from sottovoce.rulesets.tabletop.craft.words import TOKEN
from sottovoce.rulesets.tabletop.rules import events
from sottovoce.rulesets.tabletop.rules.messages import MessageSent

GM, LEAD, NARRATOR, HUMAN = "gm", "team-lead", "narrator", "human"
STANDING = (GM, LEAD, NARRATOR)
GROUP = re.compile(r"\(Group [^:]*:([^)]*)\)")
SHARED = "tmp/narrative-for-journal.md"

TO_HUMAN = ("ASK_PLAYER", "PLAYER_ANSWER", "DICE_RESULT", "SESSION_COMMAND", "SESSION_END", "PLAYER_ACTION")
"""Seen by GM, team lead and human (T-087, T-090, T-092, T-096, T-098, T-104)."""
BETWEEN = ("GM_TO_PLAYER", "CONTEXT_REFRESH", "JOURNAL_CHECKPOINT", "STATE_UPDATED", "AWAIT_PLAYERS")
"""Seen by author and addressee alone (T-050, T-107, T-115, T-119, T-122)."""
WITH_HUMAN = ("HUMAN_DECISION", "MODE_SWITCH", "RELAY_TO_HUMAN")
"""Seen by the human's character, the team lead and the human (T-078, T-081, T-083)."""

Seats = frozenset[str] | None
"""The seats of an audience, None for everyone."""


class Course:
    """Follows a session as far as audiences depend on it."""

    def __init__(self) -> None:
        self.seats: tuple[str, ...] = ()
        self.edition = "current"
        self.character: str | None = None
        self.chosen: str | None = None
        self.secret: dict[str, bool] = {}
        self.vetoed: set[str] = set()
        self.brought: tuple[str, str] | None = None
        self.told: str = ""
        self.readers: dict[str, frozenset[str]] = {}

    @property
    def roster(self) -> tuple[str, ...]:
        return tuple(seat for seat in self.seats if seat not in (*STANDING, HUMAN))

    def standing(self) -> Seats:
        return frozenset((*STANDING, HUMAN)) if self.edition == "phase-1" else None

    def audience(self, event: Event) -> Seats:
        """Who may see the event, which is then taken in."""
        found = self._audience(event)
        self._take(event)
        return found if found is None else found & frozenset(self.seats)

    def _audience(self, event: Event) -> Seats:
        match event:
            case core.GameOpened():
                self.seats, self.edition = event.seats, event.options["edition"]
                self.chosen = event.options["player_character"]
                return None
            case core.GameVoided() | core.GameCopied() | core.AuditorLinkIssued() | core.SeatLinkIssued():
                return None
            case core.ChairsOpened() | core.SecretsKnown():
                return None
            case core.SeatsFilled() | core.GameForked() | core.GameRequested():
                return frozenset()
            case core.HoldPlaced() | core.HoldLifted() | events.QuestionWithdrawn() | events.PromptClosed():
                return frozenset((GM, LEAD, HUMAN))
            case MessageSent():
                return self._message(event)
            case events.PieceWritten() | events.PieceRemoved():
                return self._piece(event)
            case events.PieceShown():
                allowed = readers_of(event.document, self.roster, self.edition)
                given = not event.secret and self.person in allowed and not event.document.startswith("tmp/")
                return frozenset((HUMAN,)) if given else frozenset()
            case events.ResourceChanged():
                return self._with_person(frozenset((event.character, GM)))
            case events.RequestPassed() | events.RequestWithdrawn():
                return frozenset((event.character, GM))
            case events.BeatBegun():
                return frozenset((*event.characters, GM))
            case events.RelayWithdrawn():
                return frozenset((event.character, LEAD, HUMAN))
            case events.NoteRequestLapsed():
                return frozenset((NARRATOR, GM))
            case events.SceneChanged():
                came_openly = self.brought == (event.number, event.slug)
                return frozenset((GM, LEAD, NARRATOR)) if came_openly else frozenset()
            case events.PlaceNamed():
                if event.group is None:
                    return self.standing()
                return frozenset((GM, LEAD, HUMAN) if self.character in event.group else (GM, LEAD))
            case events.DocumentOpened() | events.FactsShown():
                return frozenset((GM,))
            case events.DiceRolled():
                return frozenset((event.seat, GM))
            case events.ChatSaid():
                return frozenset((event.seat, event.to))
            case events.TaskStarted() | events.TaskEnded() | events.ActionAsked():
                return frozenset(filter(None, (event.character, LEAD)))
            case events.ShutdownRequested():
                return frozenset((event.seat, LEAD))
            case events.TeamDissolved():
                return None
        return frozenset((getattr(event, "seat", ""),))

    def _message(self, event: MessageSent) -> Seats:
        both = frozenset(filter(None, (event.seat, event.to)))
        of_human = self.character in both
        match event.tag:
            case "NARRATIVE":
                if event.to is None:
                    return self.standing()
                note = GROUP.match(event.body)
                group = [name.strip() for name in note[1].split(",")] if note else []
                return frozenset((GM, LEAD, HUMAN) if self.character in group else (GM, LEAD))
            case "PLAYER_TO_GM":
                closed = event.fields["type"] == "VETO" or self.secret.get(event.seat, False)
                return both if closed else both | {NARRATOR}
            case "PLAYER_TO_PLAYER":
                return both | {GM, NARRATOR} | (frozenset((LEAD, HUMAN)) if of_human else frozenset())
            case "NARRATOR_NOTE" | "NARRATOR_REQUEST":
                return frozenset((event.seat, NARRATOR, GM))
            case None:
                players = both <= set(self.roster)
                with_clerk = both == {self.character, LEAD}
                return both | (frozenset((GM, NARRATOR)) if players else frozenset((HUMAN,)) if with_clerk else both)
            case tag if tag in TO_HUMAN:
                return frozenset((GM, LEAD, HUMAN))
            case tag if tag in WITH_HUMAN:
                return both | {HUMAN}
            case tag if tag in BETWEEN or tag in ("PLAYER_RESPONSES", "AWAIT_AI_PLAYERS"):
                return both
        return frozenset()

    def _piece(self, event: events.PieceWritten | events.PieceRemoved) -> frozenset[str]:
        seats = self._readers(event)
        return seats if event.document.startswith("tmp/") else self._with_person(seats)

    def _readers(self, event: events.PieceWritten | events.PieceRemoved) -> frozenset[str]:
        """Who reads the piece, the human aside."""
        if isinstance(event, events.PieceRemoved):
            return self.readers.get(event.key, frozenset())
        words = f"{event.heading or ''}\n{event.text}"
        if event.coding == "base64" or any(found.startswith("zs") for found in TOKEN.findall(words)):
            return frozenset((GM,))
        if event.document == SHARED and event.seat == LEAD and event.text.split() != self.told.split():
            return frozenset()
        readers = readers_of(event.document, self.roster, self.edition)
        # Which side of a secret an empty line goes to is nobody's secret; its heading was looked at above.
        return frozenset((GM,)) if event.secret and not TOKEN.search(words) else readers

    @property
    def person(self) -> str | None:
        """The character that the human decides for."""
        return self.character or self.chosen

    def _with_person(self, seats: frozenset[str]) -> frozenset[str]:
        """And the human, where its character is among them (F-065)."""
        return seats | {HUMAN} if self.person in seats else seats

    def _take(self, event: Event) -> None:
        match event:
            case events.PieceWritten():
                self.readers[event.key] = self._readers(event)
            case events.RequestPassed() | events.RequestWithdrawn():
                self.secret.pop(event.character, None)
                self.vetoed.discard(event.character)
            case MessageSent():
                self._take_message(event)

    def _take_message(self, event: MessageSent) -> None:
        fields, to = event.fields, event.to or ""
        match event.tag:
            case "SESSION_COMMAND" if fields["command"] == "start":
                self.character = fields["player_character"]
            case "NARRATIVE" if event.to is None:
                self.told = event.body
            case "GM_TO_PLAYER":
                stays = to in self.vetoed and self.secret.get(to, False)
                self.secret[to] = fields["request_type"] == "SECRET_ACTION" or stays
                self.vetoed.discard(to)
                closed = fields["request_type"] == "SECRET_ACTION"
                self.brought = None if closed else (fields["scene_number"], fields["scene_slug"])
            case "AWAIT_PLAYERS":
                self.brought = fields["scene_number"], fields["scene_slug"]
            case "PLAYER_TO_GM" if fields["type"] == "VETO":
                self.vetoed.add(event.seat)


def readers_of(path: str, roster: Sequence[str], edition: str) -> frozenset[str]:
    """The seats that read a file, by its path: F-005 to F-014, F-061, and what a session's set-up opens by itself.

    A character of phase-1 sees the files of F-017 and no others (T-010).
    """
    shared = {
        "party-knowledge.md": roster,
        "world-primer.md": () if edition == "phase-1" else roster,
        "preferences.md": (LEAD, NARRATOR),
        "decision-log.md": (LEAD,),
        SHARED: (*STANDING, *roster),
    }
    if path in shared:
        return frozenset((GM, *shared[path]))
    for name in roster:
        own = (f"party/{name}.md", f"party/{name}-journal.md", f"tmp/{name}-prompt.md", f"tmp/{name}-response.md")
        if path in (*own, f"tmp/{name}-notes-for-journal.md"):
            return frozenset((GM, name))
    brief = any(path == f"party/{name}-brief.md" for name in roster)
    return frozenset((GM, NARRATOR)) if brief or path.startswith("scenes/") else frozenset((GM,))


def audiences(log: Sequence[Event]) -> list[Seats]:
    """Who may see each event of a session."""
    course = Course()
    return [course.audience(event) for event in log]
