"""What the GM does in one turn: a list of steps, each with a first key of its own that says what it is.

    {"steps": [{"narrative": "…", "to": []}, {"prompt": "tilda-brannock", "kind": "QUICK_REACTION", …}]}

Every step is read by itself: one that is wrong is refused by its number, and the others stand. They are put in the
order in which the table needs them, whatever order they come in: written and rolled first, told next, asked last.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from sottovoce import Fields, Refused, readable
from sottovoce.rulesets.tabletop.rules.documents import PARTY_KNOWLEDGE, STORY_STATE
from sottovoce.rulesets.tabletop.rules.messages import (
    AttitudeChange,
    CheckRequest,
    FactsRequest,
    Item,
    Malformed,
    Message,
    OpenDocument,
    ResourceDelta,
    RollRequest,
    Send,
    TextDelta,
    edition_of,
    placed,
    serialise,
)
from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR, TEAM_LEAD, as_typed, full_name
from sottovoce.rulesets.tabletop.rules.phrases import GroupNote
from sottovoce.rulesets.tabletop.rules.rolls import expression
from sottovoce.rulesets.tabletop.rules.state import TabletopState
from sottovoce.rulesets.tabletop.rules.texts import blank, in_lines

MOST_CHANGE = 2
"""How much an attitude can change at once."""
MOST_STEPS = 40
"""Steps of one reply that are read."""


def _about(most: int) -> Any:
    """A length that models are asked to keep to; a longer text is taken all the same."""
    return Field(json_schema_extra={"maxLength": most})


Name = Annotated[str, _about(60)]
Line = Annotated[str, _about(200)]
Passage = Annotated[str, _about(600)]
Prose = Annotated[str, _about(3000)]


class NarrativeStep(BaseModel):
    """Tell what happens: to all, or to the characters named in `to`, who are a group of their own from then on.

    `place` and `time` say in plain words where and when it is, if that is worth saying."""

    narrative: Prose
    to: list[Name] = []
    place: Name = ""
    time: Name = ""


class TellStep(BaseModel):
    """Tell facts in the campaign's own words, by their ids: to all, or to the characters named in `to`."""

    tell: list[Line]
    to: list[Name] = []


class PromptStep(BaseModel):
    """Ask one character for something."""

    prompt: Name
    kind: Name
    scene: Passage = ""
    just_happened: Passage = ""
    request: Passage


class RollStep(BaseModel):
    """Have dice rolled for a character, against `dc` if there is one."""

    roll: Name
    who: Name
    check: Line
    dc: int | None = None


class ResourceStep(BaseModel):
    """Change what a character has: a number is added, a text is what there is from now on."""

    resource: Name
    character: Name
    change: int | Line


class DocumentStep(BaseModel):
    """Write into a document, below one heading or as a whole."""

    document: Line
    heading: Line | None = None
    operation: Literal["set", "append", "remove"] = "append"
    text: Annotated[str, _about(4000)] = ""


class NoteStep(BaseModel):
    """Tell the narrator something for the scene file."""

    note_to_narrator: Passage


class OptionFields(BaseModel):
    """One option of a question."""

    label: Name
    description: Line = ""


class QuestionStep(BaseModel):
    """Put a choice to the human."""

    question: Passage
    header: Name = "Question"
    options: list[OptionFields]


class OpenStep(BaseModel):
    """Read a document that is only listed, below one heading or as a whole."""

    open: Line
    heading: Line | None = None


class FactsStep(BaseModel):
    """Ask for facts of a person, place or thing: what the party may be told now, and what is near."""

    facts: Line
    topic: Line | None = None


class CheckStep(BaseModel):
    """Roll a character's skill now, for a fact where one is named."""

    check: Name
    who: Name
    fact: Line | None = None


class AttitudeStep(BaseModel):
    """Somebody of the campaign thinks better or worse of the party from now on."""

    attitude: Name
    change: int


class EndStep(BaseModel):
    """End the session, with a summary."""

    end: Prose
    next_hook: Passage = ""


Step = (
    NarrativeStep
    | TellStep
    | PromptStep
    | RollStep
    | ResourceStep
    | DocumentStep
    | NoteStep
    | QuestionStep
    | OpenStep
    | FactsStep
    | CheckStep
    | AttitudeStep
    | EndStep
)
KINDS: Mapping[str, type[BaseModel]] = {
    next(iter(kind.model_fields)): kind
    for kind in (
        NarrativeStep,
        TellStep,
        PromptStep,
        RollStep,
        ResourceStep,
        DocumentStep,
        NoteStep,
        QuestionStep,
        OpenStep,
        FactsStep,
        CheckStep,
        AttitudeStep,
        EndStep,
    )
}
"""Each kind of step by its first key."""
TOLD = (
    '"steps": what you do, as a list in the order in which it happens. Each step is one object of those below, which '
    "its first key tells apart; use the kinds that you need, as often as you need them, and [] for nothing. A step "
    "that is wrong is refused by its number, and the others count.",
    'Tell what happens. "to" is [] for everybody; name characters only if they are apart from the rest of the party, '
    'with one step for each group. "place" and "time" stand above what is told: a few plain words, never the scene\'s '
    'number or name, or "":',
    '{"narrative": "Rain drums on the roof. Below, wood knocks on wood.", "to": [], "place": "The ferry", "time": '
    '"after midnight"}',
    "Tell facts in the campaign's own words, by their ids: those that are open now, and what a check of this turn has "
    "opened:",
    '{"tell": ["locations/the-ferry.md:7"], "to": []}',
    "Ask one character; only a prompt brings an answer:",
    '{"prompt": "tilda-brannock", "kind": "QUICK_REACTION", "scene": "You stand nearest the hatch.", "just_happened": '
    '"Something knocked from below.", "request": "What do you do at once?"}',
    'Roll dice; "dc" is null where there is none. The result comes at your next turn:',
    '{"roll": "1d20+3", "who": "tilda-brannock", "check": "perception", "dc": 13}',
    "Change what a character has: a number is added, a text is what there is from now on:",
    '{"resource": "hit-points", "character": "tilda-brannock", "change": -4}',
    'Write into a document, below a heading or, with null, as a whole; "operation" is set, append or remove:',
    '{"document": "story-state.md", "heading": "Open threads", "operation": "append", "text": "- Who knocked?"}',
    "Tell the narrator something for the scene file:",
    '{"note_to_narrator": "The rope was cut, not torn."}',
    "Put a choice to the human:",
    '{"question": "Which way do you go?", "header": "The fork", "options": [{"label": "The stair", "description": '
    '"Wet and dark"}, {"label": "The roof", "description": "In plain sight"}]}',
    "Read a document that is only listed, below one heading or, with null, as a whole; at most two in a turn. You are "
    "then asked again, with its text:",
    '{"open": "npcs/the-ferryman.md", "heading": null}',
    "Ask what there is to tell of a person, place or thing, on a topic or, with null, on all: what is open to the "
    "party now, and what is near, with what it takes. At most four of these and of checks in a turn. You are then "
    "asked again:",
    '{"facts": "the ferryman", "topic": "the lamp"}',
    "Roll a character's skill now, for a fact by its id or, with null, for whatever it is; you are then asked again:",
    '{"check": "perception", "who": "tilda-brannock", "fact": "npcs/the-ferryman.md:12"}',
    "Note that somebody thinks better or worse of the party from now on, from -2 to 2:",
    '{"attitude": "the ferryman", "change": 1}',
    "End the session:",
    '{"end": "The party reached the island and found the lamp.", "next_hook": "Somebody lit it tonight."}',
)
"""How the form is told in prompts: each kind of step with what it is for and an example."""


def as_given(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    """What a step holds is looked at when the rules read the reply, so that a wrong one costs none of the others."""
    return value


class GmFields(Fields):
    """What the GM does in one turn, step by step."""

    told: ClassVar[tuple[str, ...]] = TOLD
    steps: list[Annotated[Step, WrapValidator(as_given)]]


def gm_text(fields: GmFields) -> str:
    """The steps as a reply."""
    return json.dumps({"steps": fields.steps}, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Stepped:
    """What comes of one or several steps of a reply, by their numbers."""

    numbers: tuple[int, ...]
    item: Item

    @property
    def called(self) -> str:
        """Which steps they are, for a refusal."""
        return f"Step{'s'[: len(self.numbers) > 1]} {', '.join(map(str, self.numbers))}"


def steps_in(text: str) -> list[Any] | None:
    """The steps of a reply, as they are given; None if it holds none."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        reply = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return reply["steps"] if isinstance(reply, dict) and isinstance(reply.get("steps"), list) else None


def items_of(state: TabletopState, given: Sequence[Any]) -> list[Stepped]:
    """What the steps do, in the order in which the table needs it."""
    if len(given) > MOST_STEPS:
        raise Refused(f"Your reply has {len(given)} steps; send at most {MOST_STEPS}.")
    wrong: list[Stepped] = []
    read: list[tuple[int, BaseModel]] = []
    for number, step in enumerate(given, 1):
        try:
            read.append((number, _read(step)))
        except Refused as refusal:
            wrong.append(Stepped((number,), Malformed(str(refusal))))
    return [*wrong, *_in_order(state, read)]


def _read(step: Any) -> BaseModel:
    if not isinstance(step, dict):
        raise Refused('a step is an object such as {"narrative": "…"}.')
    given = {name: value for name, value in step.items() if value is not None and value != [] and value != ""}
    kind = next((name for name in step if name in KINDS and name in given), None)
    if kind is None:
        raise Refused(f"it has none of the keys that say what it is: {', '.join(KINDS)}.")
    for name in ("to", "tell"):
        if isinstance(given.get(name), str):
            given[name] = [given[name]]
    try:
        return KINDS[kind].model_validate(given)
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, each['loc']))} {_fault(each['type'], each['msg'])}" for each in error.errors()]
        raise Refused(f"{'; '.join(dict.fromkeys(faults[:5]))}.") from None


def _fault(kind: str, message: str) -> str:
    return "is missing" if kind == "missing" else f"is wrong: {message[:1].lower()}{message[1:]}"


def _in_order(state: TabletopState, read: Sequence[tuple[int, BaseModel]]) -> Iterator[Stepped]:
    for kinds, made in _ORDER:
        for number, step in read:
            if isinstance(step, kinds):
                try:
                    yield Stepped((number,), made(state, step))
                except Refused as refusal:
                    yield Stepped((number,), Malformed(str(refusal)))
    yield from _prompts(state, [(number, step) for number, step in read if isinstance(step, PromptStep)])
    yield from _last(state, read)


def _resource(state: TabletopState, step: ResourceStep) -> Item:
    return ResourceDelta(full_name(step.character, state.played), readable(step.resource), step.change)


def _document(state: TabletopState, step: DocumentStep) -> Item:
    if step.operation != "remove" and blank(step.text):
        raise Refused(f"text is empty; to {step.operation} needs a text.")
    heading = None if step.heading is None else readable(step.heading)
    return TextDelta(readable(step.document), heading, step.operation, in_lines(step.text))


def _roll(state: TabletopState, step: RollStep) -> Item:
    return RollRequest(full_name(step.who, state.played), readable(step.check), expression(step.roll).text, step.dc)


def _narrative(state: TabletopState, step: NarrativeStep) -> Item:
    prose = in_lines(step.narrative).strip()
    if blank(prose):
        raise Refused("narrative is empty; tell something.")
    group = tuple(dict.fromkeys(full_name(name, state.played) for name in step.to))
    place = placed(step.place, step.time)
    if not group or set(group) >= set(state.played):
        whole = f"{GroupNote('everyone', state.played).line}\n{prose}" if state.split else prose
        return Send("broadcast", None, _content(state, "NARRATIVE", whole), place)
    note = GroupNote(state.group_of(group[0]) or group[0], group)
    return Send("message", TEAM_LEAD, _content(state, "NARRATIVE", f"{note.line}\n{prose}"), place)


def _tell(state: TabletopState, step: TellStep) -> Item:
    return _narrative(state, NarrativeStep(narrative=_facts(state, step.tell), to=step.to))


def _facts(state: TabletopState, ids: Sequence[str]) -> str:
    from sottovoce.rulesets.tabletop.rules.lore.lookup import words_of

    return words_of(state, [readable(fact) for fact in ids])


def _note(state: TabletopState, step: NoteStep) -> Item:
    note = _content(state, "NARRATOR_NOTE", from_=GM, note=readable(step.note_to_narrator).strip())
    return Send("message", NARRATOR, note)


def _attitude(state: TabletopState, step: AttitudeStep) -> Item:
    if not -MOST_CHANGE <= step.change <= MOST_CHANGE or step.change == 0:
        raise Refused(f"change is a number from -{MOST_CHANGE} to {MOST_CHANGE}, and not 0.")
    return AttitudeChange(readable(step.attitude).strip(), step.change)


def _asked(step: FactsStep | CheckStep) -> Item:
    if isinstance(step, FactsStep):
        return FactsRequest(readable(step.facts).strip(), step.topic and readable(step.topic))
    return CheckRequest(readable(step.check).strip(), as_typed(step.who), step.fact and readable(step.fact))


def told_in(given: Sequence[Any]) -> str:
    """Return what the steps of a reply tell the party in the GM's words, as far as they can be read."""
    told = [step.get("narrative") for step in given if isinstance(step, dict)]
    return "\n\n".join(readable(text).strip() for text in told if isinstance(text, str) and text.strip())


def facts_in(state: TabletopState, given: Sequence[Any]) -> str:
    """Return what they tell in the campaign's words."""
    return "\n\n".join(filter(None, (_told_fact(state, step) for step in given)))


def _told_fact(state: TabletopState, step: Any) -> str:
    try:
        read = _read(step) if isinstance(step, dict) and "tell" in step else None
        return _facts(state, read.tell) if isinstance(read, TellStep) else ""
    except Refused:
        return ""


def _telling(state: TabletopState, step: NarrativeStep | TellStep) -> Item:
    return _tell(state, step) if isinstance(step, TellStep) else _narrative(state, step)


def _opened(state: TabletopState, step: OpenStep) -> Item:
    return OpenDocument(readable(step.open).strip(), step.heading and readable(step.heading))


_ORDER: tuple[tuple[type[BaseModel] | tuple[type[BaseModel], ...], Callable[[TabletopState, Any], Item]], ...] = (
    (ResourceStep, _resource),
    (DocumentStep, _document),
    (RollStep, _roll),
    ((NarrativeStep, TellStep), _telling),
    (NoteStep, _note),
    (AttitudeStep, _attitude),
)


def _prompts(state: TabletopState, prompts: Sequence[tuple[int, PromptStep]]) -> Iterator[Stepped]:
    """A message to each character; in phase-1 one that names them all."""
    number, slug = state.scene
    if state.edition_name == "phase-1":
        if prompts:
            entries = [
                {
                    "name": as_typed(step.prompt),
                    "request_type": step.kind,
                    "scene_context": step.scene,
                    "just_happened": step.just_happened,
                    "request": step.request,
                }
                for _, step in prompts
            ]
            given: dict[str, Any] = {"characters": entries, "scene_number": number, "scene_slug": slug}
            sent = Send("message", TEAM_LEAD, _content(state, "AWAIT_PLAYERS", **given))
            yield Stepped(tuple(place for place, _ in prompts), sent)
        return
    for place, step in prompts:
        parts = (("Scene", step.scene), ("Just Happened", step.just_happened), ("Request", step.request))
        body = "\n\n".join(f"## {title}\n{readable(text).strip() or 'As told.'}" for title, text in parts)
        given = {"request_type": readable(step.kind), "scene_number": number, "scene_slug": slug}
        yield Stepped((place,), Send("message", as_typed(step.prompt), _content(state, "GM_TO_PLAYER", body, **given)))


def _last(state: TabletopState, read: Sequence[tuple[int, BaseModel]]) -> Iterator[Stepped]:
    """The question, the report of what was written, and the end; and what is to be opened."""
    for number, step in read:
        if isinstance(step, QuestionStep):
            asked = {**step.model_dump(), "header": step.header.strip() or "Question"}
            yield Stepped((number,), Send("message", TEAM_LEAD, _content(state, "ASK_PLAYER", **asked)))
    written = [(number, step) for number, step in read if isinstance(step, DocumentStep)]
    reported = [(number, step.document) for number, step in written if step.document.startswith("tmp/")]
    if reported and state.edition_name != "current":
        given: dict[str, Any] = {
            "deltas_written": list(dict.fromkeys(path for _, path in reported)),
            "characters_involved": [],
        }
        told = Send("message", TEAM_LEAD, _content(state, "STATE_UPDATED", **given))
        yield Stepped(tuple(number for number, _ in reported), told)
    in_place = {step.document for _, step in written} & {STORY_STATE, PARTY_KNOWLEDGE}
    saved = bool(in_place if state.edition_name == "current" else reported)
    told_now = any(isinstance(step, NarrativeStep) for _, step in read)
    for number, step in read:
        if isinstance(step, EndStep):
            ended: dict[str, Any] = {
                "summary": readable(step.end),
                "state_saved": saved or state.gm_turn.saved or not (state.save_owed or told_now),
                "next_hook": readable(step.next_hook).strip() or "To be continued.",
            }
            yield Stepped((number,), Send("message", TEAM_LEAD, _content(state, "SESSION_END", **ended)))
        elif isinstance(step, OpenStep):
            yield Stepped((number,), _opened(state, step))
        elif isinstance(step, FactsStep | CheckStep):
            yield Stepped((number,), _asked(step))


def _content(state: TabletopState, tag: str, body: str = "", **fields: Any) -> str:
    named = {name.rstrip("_"): tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    return serialise(Message(tag, named, body), edition_of(state))
