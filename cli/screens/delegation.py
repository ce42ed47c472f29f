"""How delegated work looks: who sent what to whom, what a report opened and closed, and what the user is to decide."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.text import Text

from cli.screens.look import GAP, Look
from domain.events import Event, GameOpened, ReplyAccepted
from domain.rulesets.delegation import events
from domain.rulesets.delegation.messages import USER
from domain.rulesets.delegation.prompts import DEEDS
from domain.rulesets.delegation.state import DelegationOptions

Blocks = list[RenderableType]

DONE = "bold #00875f"
TODO = "#9e7b00"
WRONG = "bold #d70000"
EXCERPT = 14
"""Lines of a file that the screen shows."""


class DelegationRenderer:
    """Draws the events of delegated work."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._draw: Mapping[type[Event], Callable[[Any], Blocks]] = {
            GameOpened: self._opened,
            ReplyAccepted: lambda event: [],
            events.TurnAssigned: lambda event: [],
            events.BriefGiven: self._briefed,
            events.MessageSent: self._sent,
            events.ArtifactFiled: self._filed,
            events.ArtifactDisclosed: self._disclosed,
            events.StopDecided: self._decided,
            events.HandoffGuarded: self._guarded,
            events.ClosingInstructed: self._instructed,
            events.WorkRecorded: self._recorded,
            events.TaskHeld: self._held,
            events.TaskResumed: self._resumed,
            events.TaskAbandoned: self._abandoned,
            events.WorkEnded: self._ended,
        }

    def draw(self, event: Event) -> Blocks | None:
        """The blocks of one event; None where the plain telling will do."""
        draw = self._draw.get(type(event))
        return None if draw is None else draw(event)

    def _line(self, *parts: str | Text, words: str | None = None) -> Blocks:
        """A sentence, marked with its audience where an auditor looks, and somebody's words below it."""
        look = self._look
        if look.label(""):
            return look.aside(*parts, words=words)
        drawn = look.line(*parts)
        if words is not None and words.strip():
            drawn.append(look.hang(Text(), look.text(words.strip(), "dim"), 4))
        return drawn

    def _seat(self, name: str) -> Text:
        return self._look.sentence(self._look.name(name), " (you)" if name == self._look.seat else "")

    def _opened(self, event: GameOpened) -> Blocks:
        look = self._look
        listed = Text(", ").join(self._seat(name) for name in event.seats)
        drawn = [*look.heading("Delegation", weight="━"), *look.line("At the table: ", listed, ".")]
        changed = {key: value for key, value in event.options.items() if _changed(key, value)}
        if changed:
            rules = ", ".join(f"{key}={json.dumps(value)}" for key, value in changed.items())
            drawn += look.line(f"Rules other than the usual: {rules}.", style="dim")
        return [*drawn, GAP]

    def _briefed(self, event: events.BriefGiven) -> Blocks:
        look = self._look
        lead = look.sentence(
            "The brief for ", look.text(event.task_id, "bold"), ", for ", look.name(event.planner), ":"
        )
        return [GAP, *self._line(lead, words=_excerpt(event.text))]

    def _sent(self, event: events.MessageSent) -> Blocks:
        look, message = self._look, event.message
        deed = DEEDS.get(message.action, f"sends {message.action}")
        drawn: Blocks = []
        if message.action in ("execute_delegate_task", "review_requested"):
            round_ = "" if message.action == "execute_delegate_task" else f": round {message.round}"
            drawn = look.heading(f"{message.task_id}{round_}")
        elif message.action in ("stop_recommended", "closeout_delivered"):
            drawn = [GAP]
        style = {"rework_required": TODO, "stop_recommended": DONE, "closeout_delivered": DONE}.get(message.action, "")
        ends = (self._seat(message.from_session_id), " → ", self._seat(message.to_session_id), "  ")
        about = f" ({message.task_id})" if not drawn or drawn == [GAP] else ""
        return [*drawn, *self._line(*ends, look.text(deed, style), f"{about}.", words=message.note)]

    def _filed(self, event: events.ArtifactFiled) -> Blocks:
        look = self._look
        if event.kind == "report":
            return self._report(event)
        lead = look.text(f"{event.path} ({event.size} bytes)", "dim")
        return self._line(lead, words=_excerpt(event.text or ""))

    def _report(self, event: events.ArtifactFiled) -> Blocks:
        look = self._look
        label = look.label("")
        title = look.sentence(
            look.text(f"Report of round {event.round}", "bold"),
            look.text(f"  {event.task_id}  {label}".rstrip(), "dim"),
        )
        rows = [look.hang(look.text("closed ", DONE), look.text(item), 8, look.width - 2) for item in event.closed]
        for item in event.must_fix:
            mark = look.text("again" if item in event.again else "open", WRONG if item in event.again else TODO)
            rows.append(look.hang(mark, look.text(item), 8, look.width - 2))
        left = len(event.must_fix)
        result = look.text(f"{left} to be fixed." if left else "Nothing must be fixed.", TODO if left else DONE)
        return look.bracket(title, rows, result)

    def _disclosed(self, event: events.ArtifactDisclosed) -> Blocks:
        lead = self._look.text(f"The task file of {event.task_id} is opened to {event.to}.", "dim")
        return self._line(lead, words=_excerpt(event.text or ""))

    def _decided(self, event: events.StopDecided) -> Blocks:
        accepted = event.decision == "accept"
        what = self._look.text(
            "accepts the work" if accepted else "wants another iteration", DONE if accepted else TODO
        )
        return self._line(self._seat(USER), " ", what, f" ({event.task_id}).", words=event.words)

    def _guarded(self, event: events.HandoffGuarded) -> Blocks:
        told = f" planned {event.task_id} and reviewed it too: nobody can hand it over, and the user is waited for."
        return self._line(self._seat(event.session), told)

    def _instructed(self, event: events.ClosingInstructed) -> Blocks:
        return self._line(self._seat(USER), f" has {event.task_id} closed without a handoff.", words=event.words)

    def _recorded(self, event: events.WorkRecorded) -> Blocks:
        what = "has merged the work" if event.work == "merged" else "has updated the progress records"
        return self._line(self._seat(event.session), f" {what} ({event.task_id}).", words=event.words)

    def _held(self, event: events.TaskHeld) -> Blocks:
        look = self._look
        body = look.text(f"Waiting for {event.waiting_for}: {event.why}")
        return [GAP, *look.frame(body, title=f"{event.task_id} is on hold", style=TODO), GAP]

    def _resumed(self, event: events.TaskResumed) -> Blocks:
        return self._line(f"{event.task_id} goes on; ", self._seat(event.waiting_for), " is awaited.")

    def _abandoned(self, event: events.TaskAbandoned) -> Blocks:
        return self._line(self._look.text(f"{event.task_id} is abandoned.", WRONG))

    def _ended(self, event: events.WorkEnded) -> Blocks:
        body = self._look.text("All work has ended.", DONE)
        return [GAP, *self._look.frame(body, style=DONE, shape=box.DOUBLE, weighty=True), GAP]


def _excerpt(text: str) -> str:
    """The first lines of a file that say something; the whole is in the folder, in the view and in the transcript."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) <= EXCERPT:
        return "\n".join(lines)
    return "\n".join([*lines[:EXCERPT], f"[… {len(lines) - EXCERPT} more lines]"])


def _changed(key: str, value: object) -> bool:
    field = DelegationOptions.model_fields.get(key)
    return field is None or value != field.get_default(call_default_factory=True)
