"""How a tabletop session looks: the GM's prose in frames, talk beside names, private matters on marked lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rich.console import RenderableType

from cli.screens.look import GAP, Look
from domain import events as core
from domain.events import Event, GameOpened
from domain.rulesets.tabletop import events
from domain.rulesets.tabletop.messages import MessageSent
from domain.rulesets.tabletop.names import HUMAN, STANDING, TEAM_LEAD
from domain.rulesets.tabletop.phrases import group_note, numbered, options, options_shown
from domain.rulesets.tabletop.texts import sections

Blocks = list[RenderableType]

STORY = "#af5faf"
CLOSING = "bold #00875f"
RESULTS = {
    "success": "success",
    "failure": "failure",
    "critical_success": "a triumph",
    "critical_failure": "a disaster",
}
STEPS = {"start": "The session starts", "save": "The session is saved", "end": "The session is to end"}


class TabletopRenderer:
    """Draws a session's events as one seat reads them."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._told = ""
        self._draw: Mapping[type[Event], Callable[[Any], Blocks | None]] = {
            GameOpened: self._opened,
            core.ReplyAccepted: self._accepted,
            MessageSent: self._message,
            events.PieceWritten: self._written,
            events.PieceRemoved: lambda event: [],
            events.ResourceChanged: self._resource,
            events.DiceRolled: self._rolled,
            events.ChatSaid: self._chat,
            events.SceneChanged: self._scene,
            events.RequestPassed: self._passed,
            events.TaskStarted: lambda event: [],
            events.TaskEnded: lambda event: None if not event.done else [],
            events.ShutdownRequested: lambda event: [],
            events.TeamDissolved: self._over,
        }
        self._by_tag: Mapping[str | None, Callable[[MessageSent], Blocks]] = {
            "NARRATIVE": self._narrative,
            "GM_TO_PLAYER": self._prompt,
            "RELAY_TO_HUMAN": self._relay,
            "HUMAN_DECISION": self._words,
            "PLAYER_ACTION": self._words,
            "PLAYER_TO_GM": self._answer,
            "PLAYER_TO_PLAYER": self._speech,
            "ASK_PLAYER": self._question,
            "PLAYER_ANSWER": self._chosen,
            "DICE_RESULT": self._dice,
            "SESSION_COMMAND": self._command,
            "SESSION_END": self._ended,
            "MODE_SWITCH": self._mode,
            "NARRATOR_NOTE": self._note,
            "NARRATOR_REQUEST": self._note,
            "CONTEXT_REFRESH": lambda event: self._look.line(f"The team lead refreshes {event.to}.", style="dim"),
            None: self._informal,
        }

    def draw(self, event: Event) -> Blocks | None:
        """The blocks of one event; None where the plain telling will do."""
        draw = self._draw.get(type(event))
        return None if draw is None else draw(event)

    def _opened(self, event: GameOpened) -> Blocks:
        look = self._look
        title = str(event.options.get("campaign") or "tabletop").replace("-", " ").title()
        party = [seat for seat in event.seats if seat not in (*STANDING, HUMAN)]
        drawn = [*look.heading(title, weight="━"), *look.line("The party: ", look.name_list(party), ".")]
        own = event.options.get("player_character")
        if look.seat == HUMAN and own:
            drawn += look.line("You are ", look.name(own), ".")
        return [*drawn, *look.line(f"Edition: {event.options.get('edition')}.", style="dim"), GAP]

    def _accepted(self, event: core.ReplyAccepted) -> Blocks:
        """What a reply became stands in the events that follow, but for a task's, which nobody else sees."""
        return self._look.aside(f"{event.seat} answers", words=event.text) if event.text and not self._mine else []

    @property
    def _mine(self) -> bool:
        return self._look.seat == HUMAN

    def _message(self, event: MessageSent) -> Blocks | None:
        draw = self._by_tag.get(event.tag)
        return None if draw is None else draw(event)

    def _narrative(self, event: MessageSent) -> Blocks:
        look = self._look
        body = self._told = event.body.strip()
        note = group_note(body) if event.group is not None else None
        if note is not None:
            body = body.partition("\n")[2].strip()
        title = "gm" if event.group is None else f"gm, to {', '.join(event.group)}"
        return [GAP, *look.frame(look.text(body, "italic"), title=title, style=STORY), GAP]

    def _prompt(self, event: MessageSent) -> Blocks:
        look = self._look
        title = f"The GM asks {'you' if event.to == look.seat else event.to} ({event.fields['request_type']})"
        return look.aside(title, own=self._own(event), words=_flat(event.body))

    def _own(self, event: MessageSent) -> str:
        return "only you and the GM" if self._look.seat in (event.to, event.seat) else ""

    def _relay(self, event: MessageSent) -> Blocks:
        look = self._look
        parts = sections(event.body)
        asked = "\n".join(filter(None, (parts.get("Scene"), parts.get("Decision Needed"))))
        shown = options_shown(options(parts["Suggested Options"]) if parts.get("Suggested Options") else ())
        body = look.text("\n".join((asked, "", *numbered(shown))))
        return [GAP, *look.frame(body, title=f"{event.seat} asks you", style="dim"), GAP]

    def _words(self, event: MessageSent) -> Blocks:
        look = self._look
        words = event.body or str(event.fields.get("action", ""))
        who = "you" if look.seat in (HUMAN, TEAM_LEAD) else "the human"
        return look.speech(look.text(who, "bold"), words)

    def _answer(self, event: MessageSent) -> Blocks:
        note = None if event.fields["type"] == "ACTION" else str(event.fields["type"]).lower()
        return self._look.speech(self._look.name(event.seat), event.body, note=note)

    def _speech(self, event: MessageSent) -> Blocks:
        to = "to you" if event.to == self._look.seat else f"to {event.to}"
        return self._look.speech(self._look.name(event.seat), event.body, note=to)

    def _note(self, event: MessageSent) -> Blocks:
        """A note for the scene files, or what the narrator asks the GM for."""
        words = str(event.fields.get("note") or event.fields.get("request"))
        to = "you" if event.to == self._look.seat else event.to
        return self._look.speech(self._look.name(event.seat), words, style="dim", note=f"note to {to}")

    def _question(self, event: MessageSent) -> Blocks:
        look = self._look
        told = [f"{option['label']}: {option['description']}" for option in event.fields["options"]]
        rows = [look.text(line) for line in numbered(told)]
        return look.bracket(look.text(str(event.fields["header"]), "bold"), rows, look.text(event.fields["question"]))

    def _chosen(self, event: MessageSent) -> Blocks:
        mark = " (nobody answered)" if event.fallback else ""
        return self._look.line(f"Answer: {event.fields['answer']}{mark}")

    def _dice(self, event: MessageSent) -> Blocks:
        return self._roll(event.fields["character"], event.fields)

    def _rolled(self, event: events.DiceRolled) -> Blocks:
        return self._roll(event.character, event.data())

    def _roll(self, character: str, fields: Mapping[str, Any]) -> Blocks:
        look = self._look
        result = RESULTS.get(str(fields.get("result")), "")
        against = f" against {fields['dc']}" if fields.get("dc") is not None else ""
        told = f" rolls for {fields['check']}: {fields['roll']}{against}{f', {result}' if result else ''}."
        return look.line(look.text("⚄ " if not look.ascii else "* "), look.name(character), told)

    def _command(self, event: MessageSent) -> Blocks:
        return self._look.line(f"{STEPS[event.fields['command']]}.", style="dim")

    def _ended(self, event: MessageSent) -> Blocks:
        look = self._look
        saved = "" if event.fields["state_saved"] else "\nThe state was not saved."
        body = look.sentence(
            str(event.fields["summary"]), "\n\n", look.text(str(event.fields["next_hook"]), "italic"), saved
        )
        return [GAP, *look.frame(body, title="the session ends", style=CLOSING), GAP]

    def _mode(self, event: MessageSent) -> Blocks:
        away = event.fields["mode"] == "AUTONOMOUS"
        character = event.to or ""
        told = " decides alone while you are away." if away else " asks you again."
        return self._look.line(self._look.name(character), told, style="dim")

    def _informal(self, event: MessageSent) -> Blocks:
        look = self._look
        return look.speech(look.name(event.seat), event.body, style="dim", note=f"to {event.to}")

    def _written(self, event: events.PieceWritten) -> Blocks:
        look = self._look
        if event.seat is None or event.text.strip() == self._told:
            return []
        where = event.document if event.heading is None else f"{event.document}, {event.heading}"
        return look.aside(f"{event.seat} wrote in {where}", own="", words=event.text)

    def _resource(self, event: events.ResourceChanged) -> Blocks:
        if event.seat is None:
            return []
        now = ", ".join(event.words) or "none" if event.amount is None else str(event.amount)
        most = "" if event.most is None else f" of {event.most}"
        return self._look.aside(
            self._look.name(event.character), f": {event.resource.replace('-', ' ')} {now}{most}", own=""
        )

    def _chat(self, event: events.ChatSaid) -> Blocks:
        return self._look.speech(self._look.name(event.seat), event.text, style="dim", note=f"aside, to {event.to}")

    def _scene(self, event: events.SceneChanged) -> Blocks:
        return self._look.heading(f"Scene {event.number}: {event.slug.replace('-', ' ')}")

    def _passed(self, event: events.RequestPassed) -> Blocks:
        return self._look.line(self._look.name(event.character), " lets it pass.", style="dim")

    def _over(self, event: events.TeamDissolved) -> Blocks:
        return self._look.line("The session is over.", style="dim")


def _flat(body: str) -> str:
    """The sections of a prompt, without the marks of their headings."""
    return "\n".join(line.removeprefix("## ") if line.startswith("## ") else line for line in body.splitlines())
