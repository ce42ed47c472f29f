"""Seats that say anything at any moment: sensible, odd and wrong replies, drawn from a seed.

`step(game, random)` returns the next command for a tabletop session. `problems(game)` says what is wrong with the
session's current state.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from random import Random
from typing import Any

from session import BODY, Session, content, reply

from sottovoce.domain import commands
from sottovoce.domain.errors import Refused
from sottovoce.domain.testing import NOON
from sottovoce.domain.turns import Turn
from sottovoce.rulesets.tabletop.rules import turns
from sottovoce.rulesets.tabletop.rules.documents.journals import journal_entry
from sottovoce.rulesets.tabletop.rules.documents.prompt_files import write_context, write_prompt
from sottovoce.rulesets.tabletop.rules.messages import Message, edition_of, serialise
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, TEAM_LEAD
from sottovoce.rulesets.tabletop.rules.state import TabletopState

KINDS = {
    "current": (
        "QUICK_REACTION FULL_CONTEXT COMBAT_ACTION SECRET_ACTION OPTIONAL_REACTION REFLECTION INTERACTION".split()
    ),
    "phase-2": "QUICK_REACTION FULL_CONTEXT COMBAT_ACTION SECRET_ACTION".split(),
    "phase-1": "QUICK_REACTION FULL_CONTEXT COMBAT_ACTION SECRET_ACTION".split(),
}
RELAY = "## Scene\nThe quay.\n\n## Decision Needed\nThe rope?\n\n## Suggested Options\n- Grab it"
ODD = (
    "",
    " ",
    "pass",
    "PASS.",
    "\u200b",
    "Hello there.",
    "[narrative]",
    "[NARRATIVE] It rains",
    "{",
    '{"messages": []}',
    '{"messages": 3}',
    '{"roll": {"who": "tilda-brannock", "check": "luck", "expression": "1d20+2", "dc": 12}}',
    '{"roll": {"who": "corwin-voss", "check": "luck", "expression": "2d6"}}',
    '{"delta": {"document": "story-state.md", "operation": "append", "text": "The tide turns."}}',
    '{"delta": {"document": "party-knowledge.md", "operation": "append", "text": "The tide turns."}}',
    '{"delta": {"document": "../x", "operation": "remove"}}',
    '{"delta": {"character": "tilda-brannock", "resource": "hit-points", "change": -3}}',
    '{"delta": {"document": "tmp/gm-state-delta.md", "operation": "remove"}}',
    "[VETO - need more input]",
    "[VETO - need more input]\n\nMy sheet says nothing of ropes.",
    "[ERROR: Prompt file not found]\n\nExpected: somewhere",
    "OOC: shall we?",
    "(OOC) what now",
    "/away",
    "/back",
    "/chat corwin-voss Hello",
    "/nonsense",
    "---\n### T\n- nothing",
    "[SESSION_END]\nsummary: s\nstate_saved: true\nnext_hook: h",
    "[STATE_UPDATED]\ndeltas_written: []\ncharacters_involved: []",
    "[AWAIT_AI_PLAYERS: tilda-brannock, corwin-voss]",
    "[JOURNAL_CHECKPOINT]\ncampaign: the-drowned-bell\nscene_number: 001\nscene_slug: a\ntrigger: manual",
)


def one(state: TabletopState, to: str | None, tag: str | None, body: str = "", **fields: Any) -> str:
    return reply((to, content(state, tag, body, **fields)))


def gm_message(state: TabletopState, random: Random) -> tuple[str | None, str]:
    """Return a message that a GM might send, as (recipient, content)."""
    edition = state.edition_name
    name = random.choice(state.roster)
    kinds = ["narrate", "narrate", "ask", "ask", "ask", "note", "question", "split", "reunite", "informal"]
    kinds += ["end"] if state.ending or random.random() < 0.05 else []
    kinds += ["await", "await", "await"] if edition == "phase-1" and state.ai_characters else []
    kinds += ["updated"] if edition != "current" else []
    kinds += ["signal"]
    match random.choice(kinds):
        case "narrate":
            asks = "\n\n**What do you do?**" if edition != "current" and random.random() < 0.5 else ""
            return None, content(state, "NARRATIVE", f"Rain falls, {random.random()}.{asks}")
        case "split":
            names = random.sample(state.roster, random.randint(1, len(state.roster)))
            prose = f"(Group {random.choice(('docks', 'tower'))}: {', '.join(names)})\n\nIt is dark."
            return TEAM_LEAD, content(state, "NARRATIVE", prose)
        case "reunite":
            return None, content(state, "NARRATIVE", f"(Group all: {', '.join(state.roster)})\n\nTogether again.")
        case "ask" if edition != "phase-1":
            kind = random.choice(KINDS[edition])
            vetoed = state.requests.get(name)
            if vetoed is not None and vetoed.vetoed and random.random() < 0.8:
                kind = "FULL_CONTEXT"
            number = random.choice(("001", "002"))
            return name, content(
                state, "GM_TO_PLAYER", BODY, request_type=kind, scene_number=number, scene_slug="opening"
            )
        case "note":
            return NARRATOR, content(state, "NARRATOR_NOTE", from_=GM, note="The lamp is green.")
        case "question":
            options = [{"label": each, "description": "one"} for each in (name, "Somebody else")]
            return TEAM_LEAD, content(state, "ASK_PLAYER", question="Who?", header="Choose", options=options)
        case "end":
            return TEAM_LEAD, content(
                state,
                "SESSION_END",
                summary="It ended.",
                state_saved=random.choice(("true", "false")),
                next_hook="Soon.",
            )
        case "await":
            names = list(state.task_vetoes) or random.sample(
                state.ai_characters, random.randint(1, len(state.ai_characters))
            )
            kind = "FULL_CONTEXT" if state.task_vetoes else random.choice(KINDS[edition])
            entries = [
                {"name": each, "request_type": kind, "scene_context": "a", "just_happened": "b", "request": "c"}
                for each in names
            ]
            return TEAM_LEAD, content(
                state, "AWAIT_PLAYERS", characters=entries, scene_number="001", scene_slug="opening"
            )
        case "updated":
            written = ["tmp/gm-state-delta.md", "tmp/party-knowledge-delta.md", "tmp/none.md"]
            return TEAM_LEAD, content(
                state, "STATE_UPDATED", deltas_written=random.sample(written, 1), characters_involved=[]
            )
        case "signal":
            names = random.sample(state.roster, random.randint(1, len(state.roster)))
            return TEAM_LEAD, serialise(Message("AWAIT_AI_PLAYERS", {"names": tuple(names)}), edition_of(state))
        case _:
            return random.choice((TEAM_LEAD, NARRATOR, name)), "A word in passing."


def gm_reply(state: TabletopState, random: Random) -> str:
    items: list[Any] = [gm_message(state, random) for _ in range(random.choice((1, 1, 1, 2, 3)))]
    if random.random() < 0.4:
        items.insert(0, delta("story-state.md", "append", "The tide turns."))
    if random.random() < 0.3:
        for path in ("tmp/gm-state-delta.md", "tmp/party-knowledge-delta.md"):
            items.insert(0, delta(path, random.choice(("set", "append")), "- The rope is gone."))
    if random.random() < 0.3:
        notes = write_context("They pull", [("veto", "tell more")], "none", "forward")
        items.insert(0, delta("tmp/gm-context.md", "set", notes))
        for name in state.roster:
            kind = "FULL_CONTEXT" if name in state.file_vetoes else random.choice(KINDS[state.edition_name])
            items.insert(0, delta(f"tmp/{name}-prompt.md", "set", write_prompt(kind, "a", "b", "c")))
    if random.random() < 0.1:
        items.append(delta(random.choice(("tmp/gm-context.md", "tmp/gm-state-delta.md")), "remove", ""))
    return reply(*items)


def delta(document: str, operation: str, text: str) -> dict[str, Any]:
    return {"delta": {"document": document, "operation": operation, "text": text}}


def player_message(state: TabletopState, seat: str, random: Random) -> tuple[str, str]:
    others = [name for name in state.roster if name != seat] or [seat]
    to = random.choice(others)
    match random.choice(("gm", "gm", "gm", "speak", "speak", "relay", "note", "informal", "pass")):
        case "gm":
            kind = random.choice(("ACTION", "ACTION", "REACTION", "VETO"))
            return GM, content(state, "PLAYER_TO_GM", "I grab the rope.", type=kind, character=seat)
        case "pass":
            return GM, content(state, "PLAYER_TO_GM", "pass", type="ACTION", character=seat)
        case "speak":
            return to, content(state, "PLAYER_TO_PLAYER", "Hold on!", from_=seat, to=to)
        case "relay":
            return TEAM_LEAD, content(state, "RELAY_TO_HUMAN", RELAY, character=seat)
        case "note":
            return NARRATOR, content(state, "NARRATOR_NOTE", from_=seat, note="I shiver.")
        case _:
            return random.choice((GM, TEAM_LEAD, NARRATOR, to)), "Between us."


def clerk_message(state: TabletopState, random: Random) -> tuple[str, str]:
    character = state.character or state.roster[0]
    campaign = random.choice((state.campaign, state.campaign, "another"))
    match random.choice(("mode", "mode", "refresh", "command", "decision", "answer", "action", "dice", "checkpoint")):
        case "mode":
            mode = random.choice(("AUTONOMOUS", "HUMAN_RELAY"))
            return random.choice((character, random.choice(state.roster))), content(state, "MODE_SWITCH", mode=mode)
        case "refresh":
            to = random.choice((GM, GM, NARRATOR, random.choice(state.roster)))
            return to, content(state, "CONTEXT_REFRESH", campaign=campaign)
        case "command":
            word = random.choice(("save", "save", "save", "save", "save", "end", "start"))
            fields: dict[str, Any] = {}
            if word == "start":
                fields = {
                    "campaign": campaign,
                    "player_character": state.roster[0],
                    "narrative_style": "hybrid",
                    "ai_characters": state.roster[1:],
                }
            return GM, content(state, "SESSION_COMMAND", command=word, **fields)
        case "decision":
            return character, content(state, "HUMAN_DECISION", "Grab it!", character=character)
        case "answer":
            return GM, content(state, "PLAYER_ANSWER", question="Who?", answer=random.choice(state.roster))
        case "action" if state.edition_name != "current":
            return GM, content(state, "PLAYER_ACTION", character=character, action="I wait.")
        case "checkpoint" if state.edition_name == "phase-2":
            fields = {"scene_number": "001", "scene_slug": "opening", "trigger": "manual"}
            return random.choice(state.roster), content(state, "JOURNAL_CHECKPOINT", campaign=campaign, **fields)
        case _:
            roll = "1d20+5 = [8]+5 = 13"
            return GM, content(state, "DICE_RESULT", character=character, check="luck", roll=roll)


def sensible(state: TabletopState, turn: Turn, random: Random) -> str:
    """Return what a cooperative player answers, more or less."""
    seat, kind = turn.seat, turn.kind
    if seat == HUMAN:
        return random.choice(
            ("Grab the rope!", "corwin-voss", "pass", "(OOC) hm", "Tilda", "1", "00012", "tell Corwin to run")
        )
    if seat == GM:
        if state.ending and random.random() < 0.5:
            return one(state, TEAM_LEAD, "SESSION_END", summary="s", state_saved="false", next_hook="h")
        return gm_reply(state, random)
    if kind in turns.JOURNALS:
        return journal_entry("A night", "Rain.", "I pulled.", "Ropes snap.", "Cold.", "None.")
    if seat == NARRATOR:
        if random.random() < 0.5:
            return one(state, GM, "NARRATOR_REQUEST", to_=GM, request="What colour is the lamp?")
        return random.choice(("The rain went on.", "pass"))
    if kind in ("action", "response", "chat"):
        return random.choice(("I pull the rope.", "[VETO - need more input]\n\nMy sheet is silent.", "pass"))
    if kind == turns.RELAY:
        return one(state, TEAM_LEAD, "RELAY_TO_HUMAN", RELAY, character=seat)
    request = state.requests.get(seat)
    if kind in turns.REQUESTS and request is not None and request.type != "INTERACTION" and random.random() < 0.7:
        answer = "REACTION" if request.type == "REFLECTION" else random.choice(("ACTION", "ACTION", "VETO"))
        return one(state, GM, "PLAYER_TO_GM", "I pull.", type=answer, character=seat)
    return reply(player_message(state, seat, random))


def anything(state: TabletopState, seat: str, random: Random) -> str:
    """Return something that the seat might send, allowed or not."""
    if random.random() < 0.3 or seat == HUMAN:
        return random.choice(ODD)
    makers = {GM: gm_message, TEAM_LEAD: clerk_message}
    if random.random() < 0.1:
        makers = {seat: random.choice((gm_message, clerk_message))}
    try:
        if seat in makers:
            return reply(makers[seat](state, random))
        if seat == NARRATOR:
            return one(state, GM, "NARRATOR_REQUEST", to_=GM, request="More?")
        return reply(player_message(state, seat, random))
    except Refused:  # a tag that the edition does not have
        return random.choice(ODD)


def step(game: Session, random: Random, wild: float) -> commands.Command:
    """Return the next command: with probability `wild` something odd, otherwise a sensible answer."""
    state = game.state
    turns = list(state.turns.values())
    if state.hold is not None and random.random() < 0.3:
        return commands.Fill(NOON)
    if not turns or random.random() < wild:
        seat = random.choice(state.seats)
        match random.choice(("say", "say", "answer", "answer", "expire", "old", "command", "wake")):
            case "say":
                return commands.Say(NOON, seat, anything(state, seat, random))
            case "command" if HUMAN in state.seats:
                words = random.choice(
                    ("/away", "/back", "/save", "/chat corwin-voss Hm", "/end" if wild > 0.5 else "/away")
                )
                return commands.Say(NOON, HUMAN, words)
            case "answer" if turns:
                turn = random.choice(turns)
                return commands.Reply(NOON, turn.seat, turn.number, anything(state, turn.seat, random))
            case "expire" if turns:
                turn = random.choice(turns)
                return commands.Expire(NOON, turn.seat, turn.number, turn.attempt)
            case "old":
                return commands.Reply(NOON, seat, random.randint(0, 5), "So late.")
            case _:
                return commands.Wake(NOON)
    turn = random.choice(turns)
    return commands.Reply(NOON, turn.seat, turn.number, sensible(state, turn, random))


def problems(state: TabletopState) -> Iterable[str]:
    """Return what is wrong with the session's state after a command."""
    if state.over or state.hold is not None:
        return
    kinds: dict[str, list[str]] = {}
    for turn in state.turns.values():
        kinds.setdefault(turn.seat, []).append(turn.kind)
    if not kinds:
        yield "nobody is asked, nothing is held, and the session is not over"
    for seat, open_kinds in kinds.items():
        if len(set(open_kinds)) < len(open_kinds) or (seat == GM and len(open_kinds) > 1):
            yield f"{seat} is asked twice: {open_kinds}"
    if state.ended:
        return
    human = kinds.get(HUMAN, [])
    wanted = {
        "decide": any(request.with_the_human for request in state.requests.values()),
        "choose": bool(state.questions) and not state.alone,
        "act": state.action_prompt and not state.alone,
    }
    for kind, due in wanted.items():
        if due != (kind in human):
            yield f"the human's turn {kind} is {'missing' if due else 'open for nothing'}"
    for name in state.roster:
        open_kinds = [kind for kind in kinds.get(name, []) if kind in (*turns.REQUESTS, turns.RELAY)]
        request = state.requests.get(name)
        due_kinds = []
        if request is not None and not request.vetoed and not request.with_the_human:
            due_kinds = [turns.kind_wanted(state, name)]
        if open_kinds != due_kinds:
            yield f"{name} is asked {open_kinds} where {due_kinds} is due"
        if request is not None and request.vetoed and GM not in kinds:
            yield f"{name} has vetoed and the GM is not asked"
        if (name in state.signalled) != ("response" in kinds.get(name, [])):
            yield f"{name}'s response and its turn disagree"
    if state.tasks and not any("action" in kinds.get(name, []) for name in state.tasks):
        yield "tasks are awaited, all have ended, and they were not gathered"
    if not state.anybody_awaited and GM not in kinds:
        yield "nobody is awaited and the GM is not asked"


def shown(command: commands.Command) -> str:
    return f"{type(command).__name__} {json.dumps(getattr(command, 'seat', ''))} {getattr(command, 'text', '')!r:.300}"
