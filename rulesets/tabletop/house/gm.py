"""The house's GM: it runs an evening of the campaign's beat sheets, or one of its own making where there is none.

It keeps no memory but its view. At each turn it looks at what it is called for, deals with what cannot wait, and goes
on with the evening from where its own progress note says that it stands.
"""

from __future__ import annotations

import random as random_module

from sottovoce import Turn, View
from sottovoce.rulesets.tabletop.house import course, decisions, open_evening
from sottovoce.rulesets.tabletop.house.account import trimmed
from sottovoce.rulesets.tabletop.house.beats import Ask, Beat, Evening, evenings
from sottovoce.rulesets.tabletop.house.ledger import beats_played, evening_line, step_line
from sottovoce.rulesets.tabletop.house.parts import Track, blocks
from sottovoce.rulesets.tabletop.house.reply import Spoken
from sottovoce.rulesets.tabletop.house.table import ACTION_PROMPT, GmTable
from sottovoce.rulesets.tabletop.rules.documents import GM_CONTEXT, prompt_file
from sottovoce.rulesets.tabletop.rules.lore.memory import PROGRESS
from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR, TEAM_LEAD
from sottovoce.rulesets.tabletop.rules.phrases import group_note
from sottovoce.rulesets.tabletop.rules.state import REST, TabletopState


def reply(view: View[TabletopState], turn: Turn, random: random_module.Random) -> Spoken:
    """The GM's reply to any of its turns, with the facts that it opens."""
    table = GmTable(view, turn, random)
    return Spoken.of(_reply(table), table.opened_facts)


def _reply(table: GmTable) -> str:
    state = table.state
    calls = state.gm_turn.calls
    if not state.started:
        return _cast(table)
    evening = _evening(table)
    if evening is not None:
        table.play(evening)
    if state.ending:
        return _end(table)
    if evening is None and table.ledger.evening is None:
        _begin(table)
    if "recap" in calls and not state.gm_turn.narrated:
        _recap(table)
    if state.note_open:
        table.reply.send(NARRATOR, "NARRATOR_NOTE", from_=GM, note=_details(table))
    vetoed = _answer_vetoes(table)
    go_on = open_evening.advance if table.evening is None else course.advance
    over = not (vetoed and (state.task_vetoes or state.file_vetoes)) and go_on(table)
    if over:
        return _close(table)
    saving = "save" in calls and not state.gm_turn.saved
    if saving:
        table.record([table.line("save", where=_where(table))])
    table.keep(always=saving)
    table.linger()
    return table.finish()


# the evening


def _evening(table: GmTable) -> Evening | None:
    """The beat sheet that is being played; None before the evening has begun, and at one in the open."""
    path = table.ledger.evening
    return next((evening for evening in evenings(table.state.documents) if evening.path == path), None)


def _begin(table: GmTable) -> None:
    """Choose what is played tonight: what the story state says comes next. Note it, and which beats are over."""
    documents = table.state.documents
    played = beats_played(documents)
    for evening in evenings(documents):
        over = played.get(evening.path, set())
        if evening.beats[-1].number not in over:
            break
    else:
        open_evening.begin(table)
        return
    lines = [evening_line(evening.path), *(step_line(number, course.CLOSED) for number in sorted(over))]
    table.reply.write(PROGRESS, "\n".join(lines), "set")
    for number in over:
        table.ledger.steps[number] = [(course.CLOSED, 0)]
    if over:
        table.narrate(table.line("resumed"))
    table.play(evening)


def _where(table: GmTable) -> str:
    """The beat that is being played, by its title."""
    if table.evening is None:
        spot = open_evening.play_of(table).known.spot
        return spot.name if spot is not None else "the beginning"
    beat = next(iter(_open_beats(table)), None)
    if beat is not None:
        return beat.title
    closed = [beat for beat in table.evening.beats if table.ledger.step(beat.number)]
    return closed[-1].title if closed else "the beginning"


def _open_beats(table: GmTable) -> list[Beat]:
    beats = table.evening.beats if table.evening else ()
    steps = [(beat, table.ledger.step(beat.number)) for beat in beats]
    return [beat for beat, step in steps if step is not None and not step.startswith(course.CLOSED)]


# what the GM is called for


def _cast(table: GmTable) -> str:
    """Before the start: who plays whom (T-100)."""
    options = []
    for name in table.state.roster:
        sheet = table.sheet(name)
        about = sheet.fields.get("class") or sheet.fields.get("background") or "one of the party"
        options.append({"label": name, "description": f"{sheet.first}, {about}"})
    if table.state.questions:
        table.reply.say(TEAM_LEAD, table.line("waiting", names="an answer"))
    else:
        question = "Which of them do you play tonight?"
        table.reply.send(TEAM_LEAD, "ASK_PLAYER", question=question, header="Your character", options=tuple(options))
    return table.reply.text()


def _details(table: GmTable) -> str:
    """Something that can be seen or heard, for the narrator."""
    mood = table.line("note.mood")
    return table.line("note", place=table.line("note.place").rstrip("."), mood=mood[:1].lower() + mood[1:])


def _recap(table: GmTable) -> None:
    """Where things stand, for all, or for each group by itself (T-110)."""
    state = table.state
    for label in state.group_labels if state.split else (REST,):
        members = state.members(label)
        mine = [event.body for _, event in table.ledger.told if event.group is None or set(event.group) & set(members)]
        told = trimmed(_without_note(mine[-1])) if mine else ""
        prose = table.line("recap", told=told) if told else table.line("recap.none")
        if state.action_prompt and state.character in members:
            prose = f"{prose}\n\n{ACTION_PROMPT}"
        track = Track(label or "rest", members, ()) if state.split else None
        table.narrate(prose, track)


def _without_note(prose: str) -> str:
    return prose.partition("\n")[2].strip() if group_note(prose) else prose


def _answer_vetoes(table: GmTable) -> bool:
    """Give those who asked for more all that the sheet has for them; whether anybody had (T-070, T-129, F-036)."""
    state = table.state
    open_vetoes = [name for name, request in state.requests.items() if request.vetoed]
    for name in (*open_vetoes, *state.task_vetoes):
        table.ask(_in_full(table, name), (name,))
    for name in state.file_vetoes:
        table.ask(_in_full(table, name), (name,), files=True)
    return bool(open_vetoes or state.task_vetoes or state.file_vetoes)


def _in_full(table: GmTable, name: str) -> Ask:
    evening = table.evening
    beats = {beat.number for beat in _open_beats(table)}
    tracks = [track for block in (blocks(evening, table.cast) if evening else ()) for track in block]
    asks = [
        ask
        for track in tracks
        for beat in track.beats
        for ask in beat.asks
        if beat.number in beats and name in table.cast.of(ask.names, track.members)
    ]
    if not asks:
        return table.in_full()
    last = asks[-1]
    request = last.full if last.full.endswith("?") else f"{last.full or table.line('plain.full')} {last.request}"
    return Ask((), "FULL_CONTEXT", last.scene, last.just_happened, request, options=last.options)


# the end


def _close(table: GmTable) -> str:
    """The evening is over: a last save, and SESSION_END (T-104)."""
    beats = table.evening.beats if table.evening else ()
    summary, hook = table.ending or next((beat.end for beat in reversed(beats) if beat.end), None) or ("", "")
    if "opening" in table.state.gm_turn.calls and not table.state.gm_turn.narrated and not table.opened:
        table.narrate(table.line("over"))
    return _session_end(table, summary, hook)


def _end(table: GmTable) -> str:
    """The human wants to stop: one last word, a save, and SESSION_END at once (T-103, T-157)."""
    if not table.state.words_after_end:
        table.narrate(table.line("end.soft"))
    if table.evening is not None or table.ledger.evening is not None:
        table.record([table.line("save", where=_where(table))])
    if table.evening is None and table.ledger.turned:
        return _session_end(table, *decisions.summary(open_evening.play_of(table)))
    return _session_end(table, "", "")


def _session_end(table: GmTable, summary: str, hook: str) -> str:
    if not summary:
        summary = table.line("end.summary", names=table.listing(table.state.played), title=_where(table))
    if not hook:
        hook = table.line("end.hook", title=_upcoming(table)) if _upcoming(table) else table.line("end.hook.none")
    table.keep(always=True)
    clear(table)
    table.reply.send(TEAM_LEAD, "SESSION_END", summary=summary, state_saved=True, next_hook=hook)
    return table.reply.text()


def _upcoming(table: GmTable) -> str:
    """The title of the first beat that is not over."""
    if table.evening is None:
        return ""
    closed = {beat.number for beat in table.closed}
    for block in blocks(table.evening, table.cast):
        for beat in (beat for track in block for beat in track.beats):
            step = table.ledger.step(beat.number) or ""
            if beat.number not in closed and not step.startswith(course.CLOSED):
                return beat.title
    return ""


def clear(table: GmTable) -> None:
    """The GM's own files of a cycle are done with (F-052)."""
    for path in (GM_CONTEXT, *map(prompt_file, table.state.roster)):
        if path in table.state.documents:
            table.reply.remove(path)
