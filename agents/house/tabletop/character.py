"""A character at the table: it speaks and acts out of its own sheet, and out of what was asked, said and done.

The human's character puts requests to its human and gives the human's words back to the table; alone it plays like any
other.
"""

from __future__ import annotations

import random as random_module
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.house.phrases import load, say
from agents.house.tabletop.forms import FORM
from agents.house.tabletop.reply import Reply
from agents.house.tabletop.sheets import Sheet, sheet_of
from agents.house.tabletop.weaving import inner, trimmed
from domain.rulesets.tabletop import events
from domain.rulesets.tabletop.access import PARTY_KNOWLEDGE, journal, prompt_file
from domain.rulesets.tabletop.events import GM, NARRATOR, TEAM_LEAD, MessageSent
from domain.rulesets.tabletop.filemode import VETO_FIRST_LINE, error_report, read_prompt
from domain.rulesets.tabletop.journals import entry
from domain.rulesets.tabletop.messages import sections
from domain.rulesets.tabletop.phrases import is_out_of_character, is_pass
from domain.rulesets.tabletop.pieces import rebuild
from domain.rulesets.tabletop.state import TabletopState
from domain.turns import Turn
from projections.view import View

VOICE = load("agents.house.tabletop", "voice.txt").topics
PASS = "pass"
PASSES = {"optional-reaction": 0.35, "interaction": 0.1, "reply": 0.35, "chat": 0.0}
"""How often a character lets pass what may be passed."""
VETOES = 0.03
"""How often a character asks for more where nothing on its sheet demands it."""
TALKS = 3
"""Messages with one other character, in a beat, after which it has said its say."""

_FOCUS = re.compile(r"(?<!\*)\*([^*\n]{2,60})\*(?!\*)")
_BULLET = re.compile(r"[ \t]*[-*+•] +(\S.*)")
_TOGETHER = re.compile(r"\b(?:friends?|companions?|others|together|all of you|all four)\b", re.IGNORECASE)
"""Words by which a request says that there are others about."""
_FORMS = frozenset(FORM.values())


@dataclass(frozen=True, slots=True)
class Asked:
    """What a character is asked: the type, the parts of the request, what it is about, and what it might do."""

    type: str
    scene: str
    happened: str
    question: str
    focus: str
    options: tuple[str, ...]
    text: str
    decision: str | None = None


def asked(kind: str, body: str, decision: str | None = None) -> Asked:
    """The request, read from its body."""
    parts = sections(body)
    request = parts.get("Request", body)
    lines = [line for line in request.splitlines() if line.strip() not in _FORMS]
    bullets = tuple(match[1].strip() for line in lines if (match := _BULLET.fullmatch(line)))
    question = " ".join(line.strip() for line in lines if line.strip() and not _BULLET.fullmatch(line))
    focus = _FOCUS.search(request)
    return Asked(
        kind,
        " ".join(parts.get("Scene", "").split()),
        " ".join(parts.get("Just Happened", "").split()),
        question or "What do you do?",
        focus[1].strip() if focus else "this",
        tuple(option.rstrip(".") for option in bullets),
        body,
        decision,
    )


class Player:
    """One character at one turn."""

    def __init__(self, view: View[TabletopState], turn: Turn, random: random_module.Random) -> None:
        self.view = view
        self.state = view.state
        self.seat = turn.seat
        self.turn = turn
        self.random = random
        self.sheet: Sheet = sheet_of(view.state.documents, turn.seat)
        self.reply = Reply(view.state.edition)
        self.sent = [e.event for e in view.entries if isinstance(e.event, MessageSent)]
        own = [event.body for event in self.sent if event.seat == turn.seat]
        own += [e.event.text for e in view.entries if isinstance(e.event, events.PieceWritten) and e.event.seat]
        self.worn = "\n".join(own).casefold()

    @property
    def others(self) -> tuple[str, ...]:
        return tuple(name for name in self.state.played if name != self.seat)

    @property
    def by_human(self) -> bool:
        """Whether the human decides for this character as things stand."""
        return self.seat == self.state.character and not self.state.alone

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def line(self, topic: str, **slots: str) -> str:
        """A phrase on the topic, a fresh one if there is any left."""
        first, (_, them, their) = self.sheet.first, self.sheet.pronouns
        other = called(self.random.choice(self.others)) if self.others else "nobody"
        return say(
            VOICE[topic],
            {"first": first, "them": them, "their": their, "other": other, "keepsake": self.keepsake, **slots},
            self.random,
            self.worn,
        )

    @property
    def keepsake(self) -> str:
        return self.sheet.fields.get("keepsake", "").rstrip(".") or "a button that is not theirs"

    def of_sheet(self, field: str) -> str:
        """A field of the sheet as a sentence, if it has one."""
        text = self.sheet.fields.get(field, "").strip(' *"“”')
        return "" if not text or len(text) > 240 else text if text[-1] in ".!?" else f"{text}."

    def saying(self) -> str | None:
        """One of the character's own sayings that it has not worn out."""
        fresh = [each for each in self.sheet.sayings if each.casefold() not in self.worn]
        return self.random.choice(fresh) if fresh else None


def called(name: str) -> str:
    """A character as the others call it."""
    return name.split("-")[0].capitalize()


def reply(view: View[TabletopState], turn: Turn, random: random_module.Random) -> str:
    """The character's reply to any of its turns."""
    player = Player(view, turn, random)
    return KINDS.get(turn.kind, _answer)(player)


def _held(player: Player) -> Asked:
    """The GM's open request."""
    held = player.state.requests.get(player.seat)
    return asked(held.type, held.body, held.decision) if held else asked("QUICK_REACTION", "")


def _answer(player: Player) -> str:
    """PLAYER_TO_GM, or a pass."""
    request = _held(player)
    if request.decision is not None:
        return _human_words(player, request.decision)
    if player.chance(PASSES.get(player.turn.kind, 0.0)):
        return PASS
    reason = _veto(player, request)
    if reason:
        player.reply.send(GM, "PLAYER_TO_GM", reason, type="VETO", character=player.seat)
        return player.reply.text()
    kind = "REACTION" if request.type == "REFLECTION" else "ACTION"
    player.reply.send(GM, "PLAYER_TO_GM", words(player, request), type=kind, character=player.seat)
    _asides(player, request)
    return player.reply.text()


def _human_words(player: Player, decision: str) -> str:
    """What the human decided, as it was said: a clause around it at most."""
    optional = player.turn.kind in PASSES
    if optional and is_pass(decision):
        return PASS
    first = player.sheet.first
    spoken = decision.strip()
    if is_pass(spoken):
        spoken = player.line("pass.over")
    elif not spoken.startswith((first, "I ", "I’", "I'", '"', "“")):
        spoken = player.line("human", words=spoken)
    kind = "REACTION" if player.turn.kind == "reflection" else "ACTION"
    player.reply.send(GM, "PLAYER_TO_GM", spoken, type=kind, character=player.seat)
    return player.reply.text()


def _asides(player: Player, request: Asked) -> None:
    """What may come along with an answer: a word to a friend, a note to the narrator, an entry in the journal."""
    if player.by_human or request.type == "SECRET_ACTION" or player.state.ending:
        return
    talks = request.type not in ("REFLECTION", "COMBAT_ACTION") and _TOGETHER.search(request.text)
    if player.others and talks and player.chance(0.2):
        to = player.random.choice(player.others)
        if _exchanged(player, to) < min(TALKS, player.state.options.messages_per_pair):
            _speak(player, to, _speech(player, to, request))
    if player.chance(0.08):
        player.reply.send(NARRATOR, "NARRATOR_NOTE", from_=player.seat, note=player.line("note"))
    if player.state.edition_name == "current" and player.chance(0.9 if request.type == "REFLECTION" else 0.05):
        player.reply.write(journal(player.seat), _entry(player))


def _veto(player: Player, request: Asked) -> str | None:
    """Why the character cannot answer on the spot, if it cannot: something on its sheet asks for more."""
    if request.type != "QUICK_REACTION":
        return None
    text = request.text.casefold()
    concern = next(
        (
            each
            for each in player.sheet.concerns
            if re.search(rf"\b{re.escape(each)}\b", text) and not _raised(player, each)
        ),
        None,
    )
    bond = player.of_sheet("bond")
    if concern and bond:
        return player.line("veto", concern=concern, bond=bond)
    trait = next((each for each in player.sheet.traits if len(each) <= 200), "") or player.of_sheet("flaw")
    if trait and player.chance(VETOES):
        return player.line("veto.plain", trait=inner(trait))
    return None


def _raised(player: Player, concern: str) -> bool:
    """Whether it has asked for more about that before."""
    vetoes = (event.body for event in player.sent if event.tag == "PLAYER_TO_GM" and event.fields["type"] == "VETO")
    return any(concern in body.casefold() for body in vetoes if body)


# words


def words(player: Player, request: Asked) -> str:
    """What the character does and says about it."""
    return WORDS.get(request.type, _deed)(player, request)


def _deed(player: Player, request: Asked) -> str:
    option = _chosen(player, request)
    parts = [
        player.line("deed", option=_small(option), focus=request.focus)
        if option
        else player.line("deed.open", focus=request.focus)
    ]
    if player.others and _TOGETHER.search(request.text) and player.chance(0.3):
        parts.insert(0, player.line("glance" if player.chance(0.6) else "not.alike"))
    saying = player.saying()
    if saying and "“" not in parts[-1] and player.chance(0.7):
        parts.append(player.line("saying", saying=saying))
    return " ".join(parts)


def _chosen(player: Player, request: Asked) -> str | None:
    """One of the things it might do: rather what its sheet is good at."""
    if not request.options:
        return None
    sheet = set(re.findall(r"[a-z]{4,}", player.sheet.text.casefold()))
    weights = [1 + len(sheet & set(re.findall(r"[a-z]{4,}", option.casefold()))) for option in request.options]
    return player.random.choices(request.options, weights)[0]


def _small(text: str) -> str:
    return text if text[:2] in ("I ", "I’", "I'") else text[:1].lower() + text[1:]


def _in_full(player: Player, request: Asked) -> str:
    """A considered answer, with its reason."""
    parts = [_deed(player, request)]
    reasons = [(topic, text) for topic in ("bond", "ideal", "flaw") if (text := player.of_sheet(topic))]
    if reasons:
        topic, text = player.random.choice(reasons)
        parts.append(player.line(f"because.{topic}", **{topic: text}))
    if player.chance(0.3):
        parts.append(player.line("keepsake"))
    return " ".join(parts)


def _combat(player: Player, request: Asked) -> str:
    name, bonus, damage = player.sheet.weapon(player.random.randrange(2))
    foe = request.focus if request.focus != "this" else "the nearest of them"
    blow = player.line("combat", foe=foe, weapon=_held_as(player, name))
    saying = player.saying()
    said = f" {player.line('saying', saying=saying)}" if saying and player.chance(0.4) else ""
    return f"{blow}{said} (Attack, {name.lower()}: {bonus:+d} against {foe}, {damage}.)"


def _held_as(player: Player, weapon: str) -> str:
    return weapon.lower() if weapon.lower().endswith("hands") else f"the {weapon.lower()}"


def _secret(player: Player, request: Asked) -> str:
    option = _chosen(player, request)
    if option is None:
        return player.line("secret.open", focus=request.focus)
    return player.line("secret", option=_small(option))


def _reflection(player: Player, request: Asked) -> str:
    parts = [player.line("reflect", focus=request.focus)]
    inward = [text for field in ("bond", "flaw") if (text := player.of_sheet(field))]
    if inward:
        parts.append(player.random.choice(inward))
    if player.chance(0.4):
        parts.append(player.line("keepsake"))
    parts.append(player.line("reflect.end"))
    return " ".join(parts)


WORDS: Mapping[str, Callable[[Player, Asked], str]] = {
    "FULL_CONTEXT": _in_full,
    "COMBAT_ACTION": _combat,
    "SECRET_ACTION": _secret,
    "REFLECTION": _reflection,
}
"""How a character finds its words, by request type."""


# talk


def _exchanged(player: Player, other: str) -> int:
    low, high = sorted((player.seat, other))
    return player.state.pairs.get((low, high), 0)


def _speak(player: Player, to: str, body: str) -> None:
    if is_out_of_character(body):
        body = f"Well. {body}"
    player.reply.send(to, "PLAYER_TO_PLAYER", body, from_=player.seat, to=to)


def _speech(player: Player, to: str, request: Asked) -> str:
    focus = request.focus if request.focus != "this" else "what we are doing here"
    slots = {"to": called(to), "focus": focus, "Focus": focus[:1].upper() + focus[1:]}
    parts = [player.line("talk", **slots)]
    saying = player.saying()
    parts.append(saying if saying and player.chance(0.5) else player.line("talk.more", **slots))
    return " ".join(parts)


def _interaction(player: Player) -> str:
    """PLAYER_TO_PLAYER to somebody of the party, or a pass."""
    request = _held(player)
    limit = player.state.options.messages_per_pair
    free = [name for name in player.others if _exchanged(player, name) < limit]
    if not free:
        return PASS
    if request.decision is not None:
        if is_pass(request.decision):
            return PASS
        spoken = request.decision.casefold()
        named = [name for name in free if called(name).casefold() in spoken]
        _speak(player, (named or free)[0], request.decision.strip())
        return player.reply.text()
    if player.chance(PASSES["interaction"]):
        return PASS
    named = [name for name in free if re.search(rf"\b{re.escape(called(name))}\b", request.text)]
    to = player.random.choice(named or free)
    _speak(player, to, _speech(player, to, request))
    return player.reply.text()


def _reply(player: Player) -> str:
    """An answer in kind to whoever spoke last, until enough is said."""
    heard = [event for event in player.sent if event.tag == "PLAYER_TO_PLAYER" and event.to == player.seat]
    if not heard:
        return PASS
    to = heard[-1].seat
    limit = min(TALKS, player.state.options.messages_per_pair)
    if _exchanged(player, to) >= limit or player.chance(PASSES["reply"]):
        return PASS
    topic = player.random.choice(("answer.agree", "answer.doubt", "answer.no"))
    saying = player.saying()
    body = player.line(topic, to=called(to))
    _speak(player, to, f"{body} {saying}" if saying and player.chance(0.3) else body)
    return player.reply.text()


def _chat(player: Player) -> str:
    return player.line("chat")


# the human's character


def _relay(player: Player) -> str:
    """RELAY_TO_HUMAN: the request, and what might be done about it."""
    request = _held(player)
    scene = " ".join(filter(None, (request.scene, request.happened))) or "It is your turn."
    options = _suggestions(player, request)
    body = "\n".join(
        (
            "## Scene",
            scene,
            "",
            "## Decision Needed",
            request.question.replace("*", ""),
            "",
            "## Suggested Options",
            *(f"- {option}" for option in options),
        )
    )
    player.reply.send(TEAM_LEAD, "RELAY_TO_HUMAN", body, character=player.seat)
    return player.reply.text()


def _suggestions(player: Player, request: Asked) -> Sequence[str]:
    if request.options:
        found = list(request.options)
    elif request.type == "COMBAT_ACTION":
        foe = request.focus if request.focus != "this" else "the nearest of them"
        weapon = _held_as(player, player.sheet.weapon()[0])
        found = [phrase.render({"foe": foe, "weapon": weapon}, player.random) for phrase in VOICE["relay.combat"]]
    else:
        topic = {"REFLECTION": "relay.reflection", "INTERACTION": "relay.talk"}.get(request.type, "relay.open")
        other = called(player.random.choice(player.others)) if player.others else "somebody"
        slots = {"focus": request.focus, "other": other}
        found = [phrase.render(slots, player.random) for phrase in VOICE[topic]]
    if request.type in ("OPTIONAL_REACTION", "INTERACTION"):
        found.append("Pass")
    return found


# tasks, files and journals


def _task(player: Player) -> str:
    """A phase-1 task's result."""
    held = player.state.actions.get(player.seat)
    request = asked(held.type, held.body) if held else asked("QUICK_REACTION", "")
    reason = _veto(player, request)
    return f"{VETO_FIRST_LINE}\n\n{reason}" if reason else words(player, request)


def _response(player: Player) -> str:
    """The text of a response file."""
    state = player.state
    report = error_report(state.documents, state.edition_name, player.seat, state.campaign)
    if report is not None:
        return report
    prompt = read_prompt(rebuild(state.documents[prompt_file(player.seat)]), state.edition_name)
    request = asked(prompt.request_type, prompt.body)
    reason = _veto(player, request)
    return f"{VETO_FIRST_LINE}\n\n{reason}" if reason else words(player, request)


def _journal(player: Player) -> str:
    return _entry(player)


def _entry(player: Player) -> str:
    """An entry about what the character has seen and done lately (F-045)."""
    told = next((e.body for e in reversed(player.sent) if e.tag == "NARRATIVE"), "") or _shared(player)
    if player.turn.kind == "own-notes":
        told = ""
    mine = [e.body for e in player.sent if e.seat == player.seat and e.tag in ("PLAYER_TO_GM", "PLAYER_TO_PLAYER")]
    known = [
        line[2:] for line in rebuild(player.state.documents.get(PARTY_KNOWLEDGE, ())).splitlines() if line[:2] == "- "
    ]
    first = player.sheet.first
    did = trimmed(mine[-1]).replace(f"{first} ", "I ", 1) if mine and not mine[-1].startswith(first) else ""
    return entry(
        _title(player),
        _one(trimmed(told)) or player.line("journal.happened"),
        _one(did) or player.line("journal.did"),
        _one(known[-1]) if known else player.line("journal.learned"),
        player.line("journal.feel"),
        player.line("journal.notes"),
    )


def _shared(player: Player) -> str:
    return rebuild(player.state.documents.get("tmp/narrative-for-journal.md", ()))


def _one(text: str) -> str:
    """The first sentences, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= 200 else f"{line[:200].rsplit(' ', 1)[0]} …"


def _title(player: Player) -> str:
    """The scene's name, as far as the character was told one."""
    slug = ""
    for entry_ in player.view.entries:
        event: Any = entry_.event
        match event:
            case MessageSent(fields={"scene_slug": str(told)}):
                slug = told
            case events.ActionAsked():
                slug = event.scene_slug
    return slug.replace("-", " ").capitalize() or "On the way"


KINDS: Mapping[str, Callable[[Player], str]] = {
    "relay": _relay,
    "interaction": _interaction,
    "reply": _reply,
    "chat": _chat,
    "action": _task,
    "response": _response,
    "journal": _journal,
    "own-notes": _journal,
}
"""How each kind of turn is answered; every other is an answer to the GM."""
