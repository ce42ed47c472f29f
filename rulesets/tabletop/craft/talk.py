"""What the seats of a generated session send: for every kind of turn, unasked, and now and then against the rules."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sottovoce import Turn
from sottovoce.rulesets.tabletop.craft.words import (
    TOKEN,
    Item,
    delta,
    journal_entry,
    message,
    plainly,
    prompt_text,
    prose,
    relay_body,
    reply,
    resource,
    roll,
    section_body,
    sentence,
    tagged,
    token,
)
from sottovoce.rulesets.tabletop.rules.lore.facts import world_of
from sottovoce.rulesets.tabletop.rules.state import TabletopState

GM, LEAD, NARRATOR, HUMAN = "gm", "team-lead", "narrator", "human"
COMMON = ("QUICK_REACTION", "FULL_CONTEXT", "COMBAT_ACTION", "SECRET_ACTION", "SECRET_ACTION")
CURRENT = (*COMMON, "OPTIONAL_REACTION", "REFLECTION", "INTERACTION")
ASKING = "**What do you do?**"
DICE = ("1d20+5", "2d6", "1d20", "2d20kh1+2")


def answer(rng: random.Random, state: TabletopState, turn: Turn) -> str:
    """A text that the turn most likely takes."""
    match turn.kind:
        case "decide" | "act" | "choose":
            return _human_answer(rng, state, turn)
        case "scene":
            return _scene(rng)
        case "journal":
            return journal_entry(rng)
        case "action" | "response":
            return _task(rng, turn)
        case "chat":
            return rng.choice(("pass", sentence(rng), sentence(rng)))
        case "reply":
            return _in_kind(rng, state, turn.seat)
    if turn.seat == GM:
        items = gm_items(rng, state)
        return plainly(items) if rng.random() < 0.15 else reply(items)
    return _character(rng, state, turn)


# the GM


def gm_items(rng: random.Random, state: TabletopState) -> list[Item]:
    calls, items = state.gm_turn.calls, list[Item]()
    if not state.started:
        return [_question(rng, state)]
    if state.ending:
        return _closing(rng, state)
    if state.note_open and rng.random() < 0.7:
        items.append(message(NARRATOR, tagged("NARRATOR_NOTE", from_=GM, note=sentence(rng))))
    if calls & {"opening", "recap"} or (calls != {"note"} and "veto" not in calls and rng.random() < 0.8):
        items += _narratives(rng, state, everybody="recap" in calls)
    items += _asides(rng, state)
    if "save" in calls or (state.edition_name != "current" and rng.random() < 0.2):
        items += _saving(rng, state)
    if state.edition_name == "phase-1":
        items += _tasks(rng, state, calls)
    else:
        items += _requests(rng, state)
    if state.file_vetoes or (rng.random() < 0.12 and not state.signalled and not state.tasks):
        items += _signal(rng, state)
    if state.beat > 3 and rng.random() < 0.04:
        items += _closing(rng, state)
    return items or [message(LEAD, sentence(rng))]


def asked(rng: random.Random, state: TabletopState) -> Item:
    """What the GM asks of the campaign within its turn: a document, facts, or a check."""
    known = sorted(entity.name for entity in world_of(state.documents, state.roster).entities.values())
    if known and rng.random() < 0.4:
        return {"facts": rng.choice(known)}
    if state.played and rng.random() < 0.3:
        return {"check": rng.choice(("perception", "insight")), "who": rng.choice(state.played)}
    return {"open": rng.choice(sorted(state.documents))}


def _question(rng: random.Random, state: TabletopState) -> Item:
    labels = list(state.roster) if not state.started else [sentence(rng) for _ in range(rng.randint(1, 3))]
    options = [{"label": label, "description": sentence(rng)} for label in labels]
    return message(LEAD, tagged("ASK_PLAYER", question=prose(rng), header=sentence(rng), options=options))


def _narratives(rng: random.Random, state: TabletopState, everybody: bool = False) -> list[Item]:
    """One for all, one for each group or some of them, or what splits the party and brings it together again."""
    played = state.played
    asks = f"\n\n{ASKING}" if state.edition_name != "current" and rng.random() < 0.3 else ""
    if state.split and rng.random() < 0.35:
        return [message(None, f"[NARRATIVE]\n\n(Group all: {', '.join(played)})\n{prose(rng)}")]
    if state.split:
        labels = [label for label in state.group_labels if label]
        rest = [name for name in played if state.group_of(name) == ""]
        groups = [(label, state.members(label)) for label in labels] + ([(token(rng), tuple(rest))] if rest else [])
        groups = [group for group in groups if group[1] and len(group[1]) < len(played)]
        chosen = groups if everybody else rng.sample(groups, rng.randint(1, len(groups)))
        return [item for label, names in chosen for item in _for_group(rng, label, names)]
    if len(played) > 1 and rng.random() < 0.25:
        names = list(played)
        rng.shuffle(names)
        cut = rng.randint(1, len(names) - 1)
        groups = [(token(rng), tuple(names[:cut])), (token(rng), tuple(names[cut:]))]
        return [item for label, some in groups for item in _for_group(rng, label, some)]
    return [message(None, f"[NARRATIVE]\n\n{prose(rng)}{asks}", **_place(rng))]


def _place(rng: random.Random) -> dict[str, str]:
    """Where and when a narrative plays, now and then."""
    return {"place": f"at {token(rng)}", "time": f"past {token(rng)}"} if rng.random() < 0.4 else {}


def _for_group(rng: random.Random, label: str, names: Sequence[str]) -> list[Item]:
    told = [message(LEAD, f"[NARRATIVE]\n\n(Group {label}: {', '.join(names)})\n{prose(rng)}", **_place(rng))]
    if rng.random() < 0.8:
        told.append(message(NARRATOR, tagged("NARRATOR_NOTE", from_=GM, note=f"For {label}: {sentence(rng)}")))
    return told


def _scene_of(rng: random.Random, state: TabletopState) -> dict[str, str]:
    number, slug = state.scene
    if rng.random() < 0.25:
        number, slug = f"{rng.randint(1, 40):03d}", f"the-{token(rng)}"
    return {"scene_number": number, "scene_slug": slug}


def request(rng: random.Random, state: TabletopState, name: str, kind: str) -> Item:
    return message(name, tagged("GM_TO_PLAYER", section_body(rng), request_type=kind, **_scene_of(rng, state)))


def _requests(rng: random.Random, state: TabletopState) -> list[Item]:
    vetoed = [name for name, held in state.requests.items() if held.vetoed]
    asked = [request(rng, state, name, "FULL_CONTEXT") for name in vetoed]
    kinds = CURRENT if state.edition_name == "current" and len(state.played) > 1 else COMMON
    for name in rng.sample(state.played, rng.randint(0, len(state.played))):
        if name not in vetoed and (name not in state.requests or rng.random() < 0.1):
            asked.append(request(rng, state, name, rng.choice(kinds)))
    return asked


def _tasks(rng: random.Random, state: TabletopState, calls: frozenset[str]) -> list[Item]:
    names = state.task_vetoes or tuple(rng.sample(state.companions, rng.randint(0, len(state.companions))))
    if not names or state.tasks:
        return []
    entries = [
        {
            "name": name,
            "request_type": "FULL_CONTEXT" if state.task_vetoes else rng.choice(COMMON),
            "scene_context": sentence(rng),
            "just_happened": sentence(rng),
            "request": sentence(rng),
        }
        for name in names
    ]
    return [message(LEAD, tagged("AWAIT_PLAYERS", characters=entries, **_scene_of(rng, state)))]


def _saving(rng: random.Random, state: TabletopState) -> list[Item]:
    if state.edition_name == "current":
        return [
            delta("story-state.md", "append", sentence(rng, "s")),
            *([delta("party-knowledge.md", "append", sentence(rng))] if rng.random() < 0.7 else []),
        ]
    story, party = "tmp/gm-state-delta.md", "tmp/party-knowledge-delta.md"
    written = [story, *([party] if rng.random() < 0.6 else [])]
    items = [delta(path, "set", sentence(rng, "s") if path == story else sentence(rng)) for path in written]
    updated = tagged("STATE_UPDATED", deltas_written=written, characters_involved=list(state.played[:1]))
    return [*items, message(LEAD, updated)]


def _closing(rng: random.Random, state: TabletopState) -> list[Item]:
    items: list[Item] = []
    if state.ending and not state.words_after_end and rng.random() < 0.4 and not state.split:
        items.append(message(None, f"[NARRATIVE]\n\n{prose(rng)}"))
    saves = rng.random() < 0.6
    if saves:
        items += _saving(rng, state)
    if rng.random() < 0.8:
        saved = "true" if saves else "false"
        end = tagged("SESSION_END", summary=sentence(rng), state_saved=saved, next_hook=sentence(rng))
        items.append(message(LEAD, end))
    return items or [message(LEAD, sentence(rng))]


def _signal(rng: random.Random, state: TabletopState) -> list[Item]:
    """File mode: notes for itself, a prompt file for each, the signal."""
    some = state.file_vetoes or tuple(state.companions)
    if not some:
        return []
    names = some if state.file_vetoes else tuple(rng.sample(some, rng.randint(1, len(some))))
    kinds = COMMON if state.edition_name != "current" else CURRENT[:-1]
    items = [delta("tmp/gm-context.md", "set", f"## Expecting\n{sentence(rng, 's')}")]
    for name in names:
        kind = "FULL_CONTEXT" if state.file_vetoes else rng.choice(kinds)
        text = prompt_text(rng, kind) if rng.random() < 0.9 else sentence(rng)
        items.append(delta(f"tmp/{name}-prompt.md", "set", text))
    return [*items, message(LEAD, f"[AWAIT_AI_PLAYERS: {', '.join(names)}]")]


def _asides(rng: random.Random, state: TabletopState) -> list[Item]:
    """What else the GM does: documents, resources, dice, notes, questions, whispers."""
    one = rng.choice(state.played)
    makers: list[Callable[[], Mapping[str, Any]]] = [
        lambda: message(NARRATOR, tagged("NARRATOR_NOTE", from_=GM, note=sentence(rng))),
        lambda: message(rng.choice((LEAD, NARRATOR)), sentence(rng)),
        lambda: delta("overview.md", "append", sentence(rng, "s")),
        lambda: delta(f"party/{one}.md", "append", sentence(rng), _heading(rng, state, one, secret=False)),
        lambda: delta(f"party/{one}.md", "append", sentence(rng, "s"), _heading(rng, state, one, secret=True)),
        lambda: delta(f"party/{one}.md", "set", sentence(rng, "s"), _heading(rng, state, one, secret=True)),
        lambda: delta(f"party/{one}.md", "remove", "", _heading(rng, state, one, secret=rng.random() < 0.5)),
        lambda: resource(one, "hit-points", rng.randint(-6, 6)),
        lambda: resource(one, "conditions", f"+{token(rng)}"),
        lambda: roll(one, sentence(rng), rng.choice(DICE), rng.choice((None, 12, 17))),
        lambda: roll(one, sentence(rng), rng.choice(DICE), rng.choice((None, 12, 17))),
        lambda: message(one, sentence(rng)),
        lambda: _question(rng, state),
    ]
    return [make() for make in rng.sample(makers, rng.choice((0, 0, 1, 2, 3)))]


def _heading(rng: random.Random, state: TabletopState, name: str, *, secret: bool) -> str:
    pieces = state.documents.get(f"party/{name}.md", ())
    titles = [piece.heading for piece in pieces if piece.opens and piece.secret == secret and piece.heading]
    return rng.choice(titles or ["GM Notes" if secret else "Traits"])


# the characters


def _character(rng: random.Random, state: TabletopState, turn: Turn) -> str:
    seat, held = turn.seat, state.requests.get(turn.seat)
    if turn.kind == "relay":
        items = [message(LEAD, tagged("RELAY_TO_HUMAN", relay_body(rng), character=seat))]
    elif turn.kind in ("interaction", "optional-reaction") and rng.random() < 0.3:
        return rng.choice(("pass", "", "Pass."))
    elif turn.kind == "interaction":
        items = [_speech(rng, seat, rng.choice([name for name in state.played if name != seat]))]
    else:
        veto = held is not None and held.type != "FULL_CONTEXT" and rng.random() < 0.15
        kind = "VETO" if veto else "REACTION" if turn.kind == "reflection" else rng.choice(("ACTION", "REACTION"))
        content = tagged("PLAYER_TO_GM", prose(rng), type=kind, character=seat)
        if rng.random() < 0.3:
            return content
        items = [message(GM, content)]
    if rng.random() < 0.3:
        items.insert(rng.randint(0, len(items)), own_item(rng, state, seat))
    return reply(items)


def _speech(rng: random.Random, seat: str, to: str) -> Item:
    return message(to, tagged("PLAYER_TO_PLAYER", prose(rng), from_=seat, to=to))


def _in_kind(rng: random.Random, state: TabletopState, seat: str) -> str:
    others = [name for name in state.played if name != seat]
    if rng.random() < 0.5 or not others:
        return "pass"
    return reply([_speech(rng, seat, rng.choice(others))])


def own_item(rng: random.Random, state: TabletopState, seat: str) -> Item:
    """Something else that a character can do: a note, a word, an entry, a roll."""
    others = [name for name in state.played if name != seat]
    makers: list[Callable[[], Mapping[str, Any]]] = [
        *[lambda: message(NARRATOR, tagged("NARRATOR_NOTE", from_=seat, note=sentence(rng)))] * 2,
        lambda: delta(f"party/{seat}-journal.md", "append", journal_entry(rng)),
        lambda: delta(f"tmp/{seat}-notes-for-journal.md", "set", sentence(rng)),
        lambda: roll(seat, sentence(rng), rng.choice(DICE), rng.choice((None, 11))),
        lambda: roll(seat, sentence(rng), rng.choice(DICE)),
        lambda: message(rng.choice((GM, LEAD, NARRATOR, *others)), sentence(rng)),
    ]
    if others:
        makers += [lambda: _speech(rng, seat, rng.choice(others))] * 3
    return rng.choice(makers)()


def _task(rng: random.Random, turn: Turn) -> str:
    if rng.random() < 0.15:
        return f"[VETO - need more input]\n\n{sentence(rng)}"
    if turn.kind == "response" and rng.random() < 0.1:
        return f"[ERROR: Malformed prompt]\n\nMissing required section: Scene {token(rng)}"
    return prose(rng)


# the others


def _human_answer(rng: random.Random, state: TabletopState, turn: Turn) -> str:
    if rng.random() < 0.15:
        return _typed(rng, state)
    if turn.kind == "choose" and state.questions and rng.random() < 0.7:
        return str(rng.choice(state.questions[0].options)["label"])
    return prose(rng)


def _typed(rng: random.Random, state: TabletopState) -> str:
    if state.mode == "AUTONOMOUS" and rng.random() < 0.4:
        return "/back"
    if state.beat > 4 and rng.random() < 0.15:
        return rng.choice(("/end", f"/end {sentence(rng)}"))
    chat = f"/chat {rng.choice(state.played)} {sentence(rng)}"
    return rng.choice((chat, chat, "/away", "/away", "/back", f"/away {sentence(rng)}", "/save"))


def _scene(rng: random.Random) -> str:
    if rng.random() < 0.35:
        return reply([message(GM, tagged("NARRATOR_REQUEST", to=GM, request=sentence(rng)))])
    return rng.choice(("pass", prose(rng), prose(rng)))


def unasked(rng: random.Random, state: TabletopState, seat: str) -> str:
    """What a seat sends though nobody asks it."""
    if rng.random() < 0.15:
        return wrong(rng, state, seat)
    if seat == HUMAN:
        return _typed(rng, state)
    if seat == NARRATOR:
        scene = "-".join(state.scene)
        return reply(
            [
                rng.choice(
                    (
                        message(GM, tagged("NARRATOR_REQUEST", to=GM, request=sentence(rng))),
                        message(rng.choice((GM, LEAD, *state.played)), sentence(rng)),
                        delta(f"scenes/{scene}.md", "append", sentence(rng)),
                    )
                )
            ]
        )
    if seat == GM:
        return reply(_asides(rng, state) or [message(NARRATOR, sentence(rng))])
    if seat == LEAD:
        return reply([_clerk_item(rng, state)])
    return reply([own_item(rng, state, seat)])


def ending(rng: random.Random, seat: str) -> str:
    """What ends the session."""
    if seat == HUMAN:
        return rng.choice(("/end", f"/end {sentence(rng)}"))
    return reply([message(GM, tagged("SESSION_COMMAND", command="end", reason=sentence(rng)))])


def _clerk_item(rng: random.Random, state: TabletopState) -> Item:
    one, campaign = rng.choice(state.played), state.campaign or "the-bell"
    mode = rng.choice(("AUTONOMOUS", "HUMAN_RELAY"))
    scene = dict(zip(("scene_number", "scene_slug"), state.scene, strict=True))
    items = [
        message(rng.choice((GM, NARRATOR, one)), tagged("CONTEXT_REFRESH", campaign=campaign)),
        message(one, tagged("JOURNAL_CHECKPOINT", campaign=campaign, trigger="manual", **scene)),
        message(state.character or one, tagged("MODE_SWITCH", mode=mode, reason=sentence(rng))),
        message(GM, tagged("DICE_RESULT", character=state.character or one, check=sentence(rng), roll="1d6 = [4] = 4")),
        message(one, sentence(rng)),
        message(rng.choice((GM, NARRATOR)), sentence(rng)),
        message(GM, tagged("SESSION_COMMAND", command="save", reason=sentence(rng))),
    ]
    return rng.choice(items)


# what the rules refuse


def wrong(rng: random.Random, state: TabletopState, seat: str) -> str:
    """A reply that is refused, or that most turns do not take for an answer."""
    one = rng.choice(state.roster)
    other = rng.choice([name for name in state.seats if name != seat])
    choices = [
        "",
        "[narrative]",
        sentence(rng),
        reply([message(one if one != seat else GM, f"[NARRATIVE]\n\n{prose(rng)}")]),
        reply([message(None, sentence(rng))]),
        reply([message("nobody-here", sentence(rng))]),
        reply([message(other, tagged("PLAYER_TO_GM", prose(rng), type="ACTION", character=one))]),
        reply([message(other, tagged("GM_TO_PLAYER", request_type="WHISPER"))]),
        reply([delta("story-state.md", "append", sentence(rng)), delta(f"party/{one}.md", "set", sentence(rng))]),
        reply([delta(f"party/{one}-journal.md", "append", sentence(rng), "No such heading")]),
        reply([delta(f"party/{one}.md", "append", sentence(rng), f"No such heading {token(rng)}")]),
        reply([delta("../outside.md", "append", sentence(rng)), roll(one, sentence(rng), "1d20")]),
        reply([resource(one, "hit-points", -2), roll("nobody-here", "stealth", "d")]),
        reply([message(one, tagged("PLAYER_TO_PLAYER", f"(OOC) {sentence(rng)}", from_=seat, to=one))]),
        '{"messages": [',
    ]
    if seat == GM:
        choices += [reply([_betrayal(rng, state, one)])] * 4
    return rng.choice(choices)


def _betrayal(rng: random.Random, state: TabletopState, one: str) -> Item:
    """The GM tells a player, or the narrator, what stands in its own papers (T-063)."""
    secrets = [
        piece.text
        for pieces in state.documents.values()
        for piece in pieces
        if piece.readers == (GM,) and piece.coding == "text" and TOKEN.search(piece.text)
    ]
    told = " ".join((rng.choice(secrets) if secrets else sentence(rng)).split())
    if rng.random() < 0.3:
        return message(NARRATOR, tagged("NARRATOR_NOTE", from_=GM, note=told))
    body = f"## Scene\n{told}\n\n## Just Happened\n{sentence(rng)}\n\n## Request\n{sentence(rng)}"
    number, slug = state.scene
    return message(
        one, tagged("GM_TO_PLAYER", body, request_type="QUICK_REACTION", scene_number=number, scene_slug=slug)
    )
