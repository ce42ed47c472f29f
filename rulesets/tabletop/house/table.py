"""The GM's table at one turn: what it knows, and the reply that it is putting together.

Whatever is told goes through here, so that groups, scenes and editions are seen to in one place.
"""

from __future__ import annotations

import random as random_module
import re
from collections.abc import Sequence
from dataclasses import replace

from sottovoce import Refused, Turn, View, plain
from sottovoce.agents.house.phrases import load, say
from sottovoce.rulesets.tabletop.house import forms
from sottovoce.rulesets.tabletop.house.account import manner_of, woven
from sottovoce.rulesets.tabletop.house.beats import Ask, Beat, Evening
from sottovoce.rulesets.tabletop.house.ledger import Ledger, beats_played, ledger, played_line, step_line
from sottovoce.rulesets.tabletop.house.parts import Cast, Track, cast
from sottovoce.rulesets.tabletop.house.reply import Reply
from sottovoce.rulesets.tabletop.rules.documents import (
    GM_CONTEXT,
    PARTY_KNOWLEDGE,
    STORY_STATE,
    marked_title,
    prompt_file,
    write_context,
    write_prompt,
)
from sottovoce.rulesets.tabletop.rules.lore.memory import PROGRESS
from sottovoce.rulesets.tabletop.rules.lore.sheets import Sheet, sheet_of
from sottovoce.rulesets.tabletop.rules.messages import Place, edition_of, place_fault
from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR, TEAM_LEAD
from sottovoce.rulesets.tabletop.rules.phrases import GroupNote, asks_for_action
from sottovoce.rulesets.tabletop.rules.resources import CONDITIONS, KINDS, resource_name
from sottovoce.rulesets.tabletop.rules.state import TabletopState

PHRASES = {
    **load("sottovoce.rulesets.tabletop.house", "gm.txt").topics,
    **load("sottovoce.rulesets.tabletop.house", "open_evening.txt").topics,
    **load("sottovoce.rulesets.tabletop.house", "answers.txt").topics,
    **load("sottovoce.rulesets.tabletop.house", "asides.txt").topics,
    **load("sottovoce.rulesets.tabletop.house", "errands.txt").topics,
}
UNCONSCIOUS = "unconscious"
ACTION_PROMPT = "**What do you do?**"


class GmTable:
    """One turn of the GM. `awaiting` are those whom this reply asks something; `plain` after a refusal."""

    def __init__(self, view: View[TabletopState], turn: Turn, random: random_module.Random) -> None:
        self.state = view.state
        self.random = random
        self.plain = bool(turn.failures)
        self.ledger: Ledger = ledger(view.entries)
        self.reply = Reply(edition_of(view.state))
        self.names = {name: self.sheet(name).first for name in view.state.played}
        self.awaiting: set[str] = set()
        self.opened = 0
        self.closed: list[Beat] = []
        self.changed = False
        self.split = view.state.split
        self.scene = view.state.scene
        self.evening: Evening | None = None
        self.cast: Cast = Cast(view.state.played, {})
        self.worn = "\n".join(event.body for _, event in self.ledger.told).casefold()
        self.amounts: dict[tuple[str, str], int] = {}
        self.words: dict[tuple[str, str], list[str]] = {}
        self.progress: list[str] = []
        self.opened_facts: list[str] = []
        self.lasting: list[str] = []
        self.ending: tuple[str, str] | None = None
        self.phrases = PHRASES
        self.manner = manner_of(view.state)
        self._entries: list[dict[str, str]] = []
        self._signalled: list[str] = []
        self._learnt: list[str] = []
        self._story: list[str] = []
        self._involved: list[str] = []

    # what is known

    @property
    def edition(self) -> str:
        return self.state.edition_name

    def sheet(self, character: str) -> Sheet:
        return sheet_of(self.state.documents, character)

    def play(self, evening: Evening) -> None:
        """Take up that evening."""
        self.evening, self.cast = evening, cast(evening, self.state.played)

    def awaits(self, names: Sequence[str]) -> bool:
        """Whether anybody among these still owes an answer, those asked by this very reply included."""
        vetoed = any(name in self.state.requests for name in names)
        return vetoed or self.state.awaited(names) or bool(self.awaiting & set(names))

    def line(self, topic: str, **slots: str) -> str:
        """A phrase on the topic, a fresh one if there is any left."""
        return say(PHRASES[topic], slots, self.random, self.worn)

    def fresh(self, topic: str, **slots: str) -> str:
        """A phrase on the topic that was not said tonight; empty where all were."""
        text = self.line(topic, **slots)
        bare = " ".join(text.split()).casefold()
        if bare in self.worn or any(
            phrase.mark in self.worn
            for phrase in PHRASES[topic]
            if phrase.mark and len(phrase.mark) > 11 and phrase.mark in bare
        ):
            return ""
        return text

    # what is noted

    def mark(self, beat: Beat, step: str) -> None:
        """Note a step of the beat."""
        self.reply.write(PROGRESS, step_line(beat.number, step))

    # what is told

    def narrate(
        self, prose: str, track: Track | None = None, note: str = "", place: tuple[str, str] = ("", "")
    ) -> None:
        """Tell it to all, or to the group of that track; each group's thread is noted for the narrator (T-049).

        `place` is where and when, told with it where it is new and fit to be told (T-168).
        """
        if place == self.state.place or place_fault(self.state, Place(*place)):
            place = ("", "")
        at = {"place": place[0], "time": place[1]} if any(place) else {}
        if track is not None and track.label is not None:
            line = GroupNote(track.label, track.members).line
            self.reply.send(TEAM_LEAD, "NARRATIVE", f"{line}\n\n{prose}", at=at)
            self.split = True
            mood = note or self.line("note.mood")
            text = self.line("note.group", label=track.label, mood=mood[:1].lower() + mood[1:].rstrip("."))
            self.reply.send(NARRATOR, "NARRATOR_NOTE", from_=GM, note=text)
            return
        if self.split:
            prose = f"{GroupNote('everyone', self.state.played).line}\n\n{prose}"
            self.split = False
        self.reply.broadcast(prose, *place)
        if note:
            self.reply.send(NARRATOR, "NARRATOR_NOTE", from_=GM, note=note)

    def woven(self, names: Sequence[str], after: int) -> str:
        """What these have done and said since that place in the view, as paragraphs."""
        deeds = self.ledger.deeds_of(names, after)
        return "\n\n".join(woven(deeds, self.names, PHRASES, self.random, self.worn, manner_of(self.state)))

    # what is asked

    def ask(self, ask: Ask, names: Sequence[str], *, files: bool = False) -> None:
        """Put the request to each of these, in the way of the edition; nothing where nobody of them can be asked."""
        kind = forms.type_in(self.edition, ask.type)
        if kind == "INTERACTION" and len(self.state.played) < 2:
            return
        if kind == "SECRET_ACTION":
            names = names[:1]
        for name in names:
            if self.plain:
                ask, kind = self._plain(), "QUICK_REACTION" if kind != "FULL_CONTEXT" else kind
            self._ask_one(ask, kind, name, files)

    def _plain(self, topic: str = "plain") -> Ask:
        """A request in words that give nothing away, whatever they were refused for."""
        scene, happened, request = (self.line(f"{topic}.{part}") for part in ("scene", "happened", "request"))
        return Ask((), "QUICK_REACTION", scene, happened, request)

    def in_full(self) -> Ask:
        """What a veto is answered with where no sheet has anything for it."""
        return replace(self._plain(), type="FULL_CONTEXT")

    def linger(self) -> None:
        """Ask somebody something, where the table would have to stop for want of anybody to wait for (T-162)."""
        waiting = bool(self.awaiting) or self.state.anybody_awaited
        if waiting or self.state.idle + 1 < self.state.options.idle_gm_turns:
            return
        among = self.state.companions if self.edition == "phase-1" else self.state.played
        able = [name for name in among if not self.fallen(name)]
        if able:
            self.ask(replace(self._plain("linger"), type="OPTIONAL_REACTION"), [self.random.choice(able)])
        else:
            options = ({"label": "Go on", "description": "See what the dice say."},)
            question = self.line("linger.request")
            self.reply.send(TEAM_LEAD, "ASK_PLAYER", question=question, header="A moment", options=options)

    def _ask_one(self, ask: Ask, kind: str, name: str, files: bool) -> None:
        if files and name in self.state.companions:
            self._prompt_file(ask, kind, name)
        elif self.edition != "phase-1":
            number, slug = self.scene
            self.reply.send(
                name,
                "GM_TO_PLAYER",
                forms.body(ask, kind),
                request_type=kind,
                scene_number=number,
                scene_slug=slug,
            )
            self.awaiting.add(name)
        elif name in self.state.companions:
            self._entries.append(
                {
                    "name": name,
                    "request_type": kind,
                    "scene_context": ask.scene,
                    "just_happened": ask.just_happened,
                    "request": forms.request_text(ask, kind),
                }
            )
            self.awaiting.add(name)

    def _prompt_file(self, ask: Ask, kind: str, name: str) -> None:
        text = write_prompt(kind, ask.scene, ask.just_happened, forms.request_text(ask, kind))
        path = prompt_file(name)
        if path in self.state.documents:
            self.reply.remove(path)
        self.reply.write(path, text, "set")
        self._signalled.append(name)
        self.awaiting.add(name)

    def prompts_the_human(self, track: Track | None) -> bool:
        """Whether the human's character is asked by the end of a NARRATIVE, as phase-1 has it (T-042)."""
        state = self.state
        members = track.members if track else state.played
        return self.edition == "phase-1" and state.has_human and not state.alone and state.character in members

    def with_prompt(self, prose: str, asks: Sequence[Ask], track: Track | None) -> str:
        """The prose with the human's part of the requests at its end, where the edition asks the human so."""
        character = self.state.character or ""
        among = track.members if track else self.state.played
        mine = [ask for ask in asks if character in self.cast.of(ask.names, among)]
        if not mine or not self.prompts_the_human(track):
            return prose
        self.awaiting.add(character)
        open_asks = [ask for ask in mine if ask.type != "SECRET_ACTION"]
        words = f"{self.names[character]}: {open_asks[0].request.replace('*', '')}\n\n" if open_asks else ""
        return f"{prose}\n\n{words}{ACTION_PROMPT}"

    # what changes

    def learn(self, lines: Sequence[str]) -> None:
        """The party knows this from now on. What would read as marked for the GM is left out (F-060)."""
        self._learnt += [line for line in lines if not marked_title(f"- {line}")]

    def record(self, lines: Sequence[str], names: Sequence[str] = ()) -> None:
        """This is so from now on, whoever knows it."""
        self._story += lines
        self._involved += [name for name in names if name not in self._involved]

    def change(self, name: str, resource: str, change: str) -> None:
        """A change to what a character has, where it can be made: what is unknown cannot be counted up or down.

        A text with a sign is added or taken away, as for state deltas; another is what there is from now on.
        """
        try:
            kind = resource_name(resource)
        except Refused:
            return
        held = self.state.resources.get((name, kind))
        amount = re.fullmatch(r"[+-][0-9]{1,4}", change)
        if KINDS[kind].words:
            known = self.words.setdefault((name, kind), list(held.words if held else ()))
            word = plain(change.lstrip("+-").strip())
            if change.startswith("-") == (word in known):
                known.remove(word) if change.startswith("-") else known.append(word)
                self.reply.change(name, kind, change)
        elif amount is None:
            if re.fullmatch(r"[0-9]{1,4}", change):
                self.amounts[name, kind] = int(change)
                self.reply.change(name, kind, change)
        elif (now := self.amount(name, kind)) is not None:
            left = now + int(change)
            if KINDS[kind].clamps or left >= 0:
                self.amounts[name, kind] = max(0, left)
                self.reply.change(name, kind, int(change))

    def amount(self, name: str, kind: str) -> int | None:
        """How much a character has of something, this reply's changes included."""
        if (name, kind) in self.amounts:
            return self.amounts[name, kind]
        held = self.state.resources.get((name, kind))
        return held.amount if held else None

    def fallen(self, name: str) -> bool:
        """Whether the character lies unconscious."""
        held = self.state.resources.get((name, CONDITIONS))
        return UNCONSCIOUS in self.words.get((name, CONDITIONS), held.words if held else ())

    def listing(self, names: Sequence[str]) -> str:
        """First names as they are told: `Ada, Bram and Cleo`."""
        firsts = [self.names[name] for name in names]
        return firsts[0] if len(firsts) == 1 else f"{', '.join(firsts[:-1])} and {firsts[-1]}"

    def keep(self, *, always: bool = False) -> None:
        """Write down what was recorded: by delta files and a signal before `current`, at once in it (T-115, T-145).

        Beats that brought nothing new are written down with the next that did, or where it is to be done `always`.
        """
        news = bool(self._learnt or self._story or self.changed)
        story = [*self._story, *self._played()]
        if not (news or always or (self.edition == "current" and story)):
            return
        if self.edition == "current":
            if always and not (story or self._learnt):
                story = [self.line("save.none")]
            if story:
                self.reply.write(STORY_STATE, _listed(story))
            if self._learnt:
                self.reply.write(PARTY_KNOWLEDGE, _listed(self._learnt))
        else:
            written = ["gm-state-delta.md"]
            self.reply.write("tmp/gm-state-delta.md", _listed(story or [self.line("save.none")]), "set")
            if self._learnt:
                self.reply.write("tmp/party-knowledge-delta.md", _listed(self._learnt), "set")
                written.append("party-knowledge-delta.md")
            involved = tuple(self._involved)
            self.reply.send(TEAM_LEAD, "STATE_UPDATED", deltas_written=tuple(written), characters_involved=involved)
        self._learnt, self._story, self._involved = [], [], []

    def _played(self) -> list[str]:
        """A line for each beat that is over and not in the story state yet."""
        if self.evening is None:
            return []
        known = beats_played(self.state.documents).get(self.evening.path, set())
        over = {number for number, steps in self.ledger.steps.items() if steps[-1][0].startswith("closed")}
        over |= {beat.number for beat in self.closed}
        beats = [beat for beat in self.evening.beats if beat.number in over - known]
        return [played_line(beat.number, self.evening.path, beat.title) for beat in beats]

    # the end of the reply

    def finish(self) -> str:
        """The reply, with what must come last: the call for the tasks of phase-1, and the signal of file mode."""
        number, slug = self.scene
        if self._signalled:
            notes = write_context(
                f"Answers from {', '.join(self._signalled)}.",
                [("Somebody vetoes", "write that one a fuller prompt, and signal again")],
                "They react to what is done, not to what is meant.",
                "Weave every answer into the outcome.",
            )
            self.reply.write(GM_CONTEXT, notes, "set")
            self.reply.say(TEAM_LEAD, f"[AWAIT_AI_PLAYERS: {', '.join(self._signalled)}]")
        if self._entries:
            self.reply.send(
                TEAM_LEAD, "AWAIT_PLAYERS", characters=tuple(self._entries), scene_number=number, scene_slug=slug
            )
        if not self.reply:
            names = [self.names[name] for name in self.state.played if self.awaits((name,))]
            self.reply.say(TEAM_LEAD, self.line("waiting", names=" and ".join(names) or "a word"))
        return self.reply.text()


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(line if line.startswith("- ") else f"- {line}" for line in lines)


def safe(prose: str) -> str:
    """Prose that asks nobody for anything: in `current` a NARRATIVE may not (T-043)."""
    kept = [part for part in prose.split("\n\n") if not asks_for_action(part)]
    return "\n\n".join(kept)
