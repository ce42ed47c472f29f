"""Reasoning apart from words: what a language model writes down of its thinking, in whatever marks.

    part(text)         the words that may be said, and the thoughts that may not
    marks_in(text)     what in a text looks like reasoning that was said aloud, for an audit

Marks are known by their kind and not one by one: a tag of any brackets whose name means thinking, a tag of an unknown
name that is closed, the channels of a stream of tokens, a heading such as `Thought:`. What stands before a closing mark
is thought, whether it was opened or not, and what stands behind an opening mark that is never closed is thought too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

BEGINNING: Final = 400
"""Characters in which thinking about a request shows that it is that."""
MOST_WITHIN = 6
"""Formats within each other that a speech may have; what is left after them is not said."""
Span = tuple[int, int]

_STEMS: Final = (
    *("think", "thought", "reason", "ponder", "reflect", "deliberat", "rationale", "scratch", "monolog", "cogitat"),
    *("chainofthought", "contemplat", "meditat", "introspect", "brainstorm", "analysi", "analyz", "selftalk", "musing"),
    *("思考", "思维", "推理"),
)
_LOOSE: Final = ("internal", "inner", "private", "hidden", "planning", "workings", "details", "cot", "mull")
"""Names that mean thinking between angle brackets, and may mean anything between others."""
_ANSWERS: Final = frozenset(
    "answer final finalanswer finalresponse response output reply result solution speech say spoken message text words "
    "statement json".split()
)
_FORMATS: Final = frozenset(
    "b i em strong u s p br hr ul ol li h1 h2 h3 h4 h5 h6 code pre blockquote span sub sup a q small mark kbd div "
    "table tr td th tbody thead img".split()
)
_CONTROLS: Final = frozenset(
    "s eos bos end eot eom imstart imend eotid eomid endoftext endofturn startofturn turn startheaderid endheaderid "
    "beginoftext endofsentence beginofsentence return start message assistant user system model".split()
)
"""Marks between messages: no words of anybody, and no thoughts."""
_PREFIXES: Final = ("begin", "start", "end", "stop", "close")
_ENDS: Final = frozenset("s eos end eot eom imend eotid eomid endoftext endofturn endofsentence return".split())

_MARK = re.compile(
    r"(?P<left>&lt;|\\u003[cC]|[<＜\[{◁【⟨〈《])[ ]?(?P<bar>[|｜]?)(?P<slash>/?)[ ]?(?P<name>[^\W\d][\w:.▁-]{0,60})"
    r"(?P<rest>[^<>＜＞\[\]{}◁▷【】⟨⟩〈〉《》\n|｜&]{0,120}?)(?P<barred>[|｜]?)[ ]?"
    r"(?P<right>&gt;|\\u003[eE]|[>＞\]}▷】⟩〉》])"
)
_PAIRS: Final = {
    **dict.fromkeys(("<", "&lt;", "\\u003c"), (">", "&gt;", "\\u003e", "\\u003E")),
    **dict(zip("＜[{◁【⟨〈《", "＞]}▷】⟩〉》", strict=True)),
}
_TAG_WITH_TEXT = re.compile(r"<[ ]?([^\W\d][\w-]{0,40}):[ ]")
_COMMENT = re.compile(r"<!--|-->")
_ANGLES: Final = ("<", "&lt;", "＜")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`~]{0,40})", re.MULTILINE)
_HEADED = re.compile(r"^(?:#{1,6} |```|~~~)", re.MULTILINE)
"""What makes a text a document, which may hold code."""
_INLINE = re.compile(r"`[^`\n]{1,200}`")
_CHANNEL = re.compile(r"<[|｜](channel|message|start|end|return|call|constrain)[|｜]>")
_NAME = re.compile(r"\w{0,40}")
_BARE_START = re.compile(r"\s{0,20}(?:assistant\s{0,3})?(?:analysis|commentary)(?=[^\s.,:;!?)-]|\n)")
_BARE_FINAL = re.compile(r"assistant\s?final(?=[^a-z]|$)")
_ROLE = re.compile(r"(?:assistant|model)\b[ \t]{0,3}\n?")
_DONE = re.compile(r"(?:\.\.\.|…)\s?(?:done|finished) (?:thinking|reasoning)\b\.?", re.IGNORECASE)

_DECOR: Final = r"[ \t>*_#\-~|•💭🤔🧠()\[\]]{0,8}"
_LABEL = re.compile(
    rf"^[ \t>*_]{{0,4}}[💭🤔]|^{_DECOR}(?:here(?:'s|’s| is| are) )?(?:my|the|some)?[ ]?"
    r"(?:own |private |inner |internal |silent |hidden |step[- ]by[- ]step )?"
    r"(?:think(?:ing)?(?: process| out loud| aloud)?|thoughts?(?: process)?|reasoning(?: process)?|rationale|analysis|"
    r"chain[- ]of[- ]thought|cot|(?:inner |internal )?monologue|scratchpad|reflections?|deliberations?|self-talk|"
    r"what i(?:'m| am| actually)? think(?:ing)?|i think to myself|to myself|internal(?:ly)?(?=[ \t*_]{0,4}:)|"
    r"思考|推理|思路)[ \t*_#)\]]{0,6}(?:[:：]|\.\.\.|…|[ \t]{0,3}$)",
    re.IGNORECASE | re.MULTILINE,
)
_ANSWER_LABEL = re.compile(
    rf"^{_DECOR}(?:(?:here(?:'s|’s| is) )?(?:my|the|so)?[ ]?(?:final |public |spoken |actual )?)"
    r"(?:answer|response|reply|speech|statement|output|message|action input|spoken words|words|say|"
    r"say aloud|out loud|aloud|publicly|in public|external|text|what i (?:say|will say))"
    r"[ \t*_#)\]]{0,6}(?:[:：]|[ \t]{0,3}$)[ \t*_]{0,6}",
    re.IGNORECASE | re.MULTILINE,
)
_PLAN = re.compile(
    rf"^{_DECOR}(?:my |the )?(?:plan|strategy|assessment|considerations?|observations?|notes?|private|secret(?:ly)?|"
    r"goal|step 1)[ \t*_#)\]]{0,6}:",
    re.IGNORECASE | re.MULTILINE,
)
"""Headings that are thoughts only where a heading of an answer follows them."""
_FINAL_LABEL = re.compile(
    rf"^{_DECOR}(?:my |the )?final (?:answer|response|reply|speech)[ \t*_#)\]]{{0,6}}:[ \t*_]{{0,6}}",
    re.IGNORECASE | re.MULTILINE,
)
_ASIDE = re.compile(
    r"(?P<open>[(\[*_]{1,3})[ ]?(?:private |inner |internal |silent |hidden )?(?:think(?:ing|s)?|thoughts?|reasoning|"
    r"monologue|scratchpad|analysis)(?: to (?:my|him|her|them)sel(?:f|ves))?:(?![*_ ]{0,2}[*_])",
    re.IGNORECASE,
)
_ASIDE_ENDS: Final = {"(": ")", "[": "]", "*": "*", "_": "_"}

_DELIBERATES = re.compile(
    r"\A\W{0,4}(?:(?:ok|okay|alright|all right|hmm+|so|right|first|now|well)\b[,.… ]{1,4}){0,3}(?:so |now ){0,2}"
    r"(?:(?:i|we) (?:need|have|am supposed|'m supposed) to "
    r"(?:respond|answer|reply|output|write|produce|pick|choose|decide|figure|think|give|generate|fill|return)|"
    r"let me (?:think|analy[sz]e|reason|consider|figure)|the user (?:wants|asks|is|has|said|says)|user (?:wants|asks)|"
    r"i(?:'m| am) (?:asked|supposed|required) to|let's (?:think|craft|produce|answer|respond|output))",
    re.IGNORECASE,
)
_OF_THE_REQUEST = re.compile(
    r"\bthe user (?:wants|asks|asked|is asking|expects)\b|\blegal choices?\b|\boutput format\b|\bword limit\b|"
    r"\b(?:valid |strict |one )?JSON (?:object|format|schema|output)\b|"
    r"\bthe (?:system |given )?prompt (?:says|asks|wants|requires)\b|\bas an ai(?: language)? model\b",
    re.IGNORECASE,
)

_Kind = Literal["open", "close", "answer", "answered", "control", "end", "strange", "unknown"]
"""`strange` is a mark of a machine of no known kind, `unknown` a tag that counts only where it is closed."""


@dataclass(frozen=True, slots=True)
class Parted:
    """A text taken apart: the `words` that may be said, in pieces of which the last one counts, and the thoughts.

    `marked` says that it held marks of reasoning; `strange` names a mark of a machine that is of no known kind.
    """

    pieces: tuple[str, ...]
    thoughts: str = ""
    marked: bool = False
    strange: str = ""

    @property
    def words(self) -> str:
        return self.pieces[-1] if self.pieces else ""


@dataclass(frozen=True, slots=True)
class _Mark:
    start: int
    end: int
    kind: _Kind
    text: str
    name: str = ""


def part(text: str, apart: Sequence[Span] = (), *, document: bool = False) -> Parted:
    """Return the words and the thoughts of a text. Marks within the spans `apart`, such as JSON objects, are left
    alone.

    A `document` can contain tags and code: there, only tags whose names mean thinking count, and none between
    backticks.
    """
    if document:
        apart = sorted([*apart, *_code(text)])
    parted = _channels(text, apart)
    if parted is not None:
        inner = part(parted.words, document=document) if parted.words and not apart else parted
        kept = "\n".join(filter(None, (parted.thoughts, inner.thoughts if inner is not parted else "")))
        return Parted(inner.pieces, kept, True, inner.strange)
    marks = sorted(_marks(text, apart, document), key=lambda mark: mark.start)
    return _by_marks(text, _resolved(marks))


def speech(text: str) -> Parted:
    """The words and the thoughts of what is meant to be said: headings such as `Thought:` and asides are marks too.

    What is left is looked at again, since formats stand within formats.
    """
    parted = part(text)
    kept = [parted.thoughts]
    for _ in range(MOST_WITHIN):
        words, asides = _without_asides(parted.words)
        words, thoughts = _without_headings(words)
        if not (thoughts or asides):
            return Parted(parted.pieces, "\n".join(filter(None, kept)), parted.marked, parted.strange)
        inner = part(words)
        kept += [*map(str.strip, (*thoughts, *asides)), inner.thoughts]
        parted = Parted(inner.pieces, "", True, parted.strange or inner.strange)
    return Parted((), "\n".join(filter(None, [*kept, parted.words])), True, parted.strange)


def begins_with_thoughts(text: str) -> bool:
    """Whether a text begins with a heading such as `Thought:`, or by speaking about the request."""
    label = _LABEL.match(text)
    return (label is not None and label[0].rstrip(" *_")[-1:] in ":：….💭🤔") or _DELIBERATES.match(text) is not None


def begins_with_a_plan(text: str) -> bool:
    """Whether a text begins with a heading such as `Plan:`, and has one of an answer behind it."""
    return (plan := _PLAN.match(text)) is not None and _ANSWER_LABEL.search(text, plan.end()) is not None


def deliberates(text: str) -> bool:
    """Whether a text reads as if it were about the request and not an answer to it. Best effort, in English."""
    return _DELIBERATES.match(text) is not None or about_the_request(text)


def about_the_request(text: str) -> bool:
    """Whether a text begins by naming what only stands in a prompt, such as the form of the answer."""
    return _OF_THE_REQUEST.search(text, 0, BEGINNING) is not None


def outer(text: str) -> Parted:
    """Return the words and the thoughts of a reply that may be a document: the part before its first heading or code
    counts as speech, and the rest can contain any tags.
    """
    begins = _HEADED.search(text)
    end = begins.start() if begins is not None else len(text)
    before = part(text[:end])
    words, asides = _without_asides(before.words)
    if not (before.marked or before.thoughts or before.strange or asides):
        return Parted((text,))
    kept = "\n".join(filter(None, [before.thoughts, *asides]))
    return Parted((f"{words}\n\n{text[end:]}".strip(),), kept, True, before.strange)


def marks_in(text: str) -> tuple[Literal["finding", "note"], str] | None:
    """What in words that were said looks like reasoning: a finding where marks stand in it, a note for a mere look."""
    document = _HEADED.search(text) is not None
    parted = part(text, document=document)
    if parted.thoughts or parted.marked:
        return "finding", parted.thoughts or parted.words
    if parted.strange:
        return "finding", parted.strange
    if not document and ((label := _LABEL.match(text)) is not None or _DELIBERATES.match(text) is not None):
        return "note", text[label.end() :] if label else text
    return None


def _code(text: str) -> list[Span]:
    """Where a document quotes code: marks there are mentioned and not meant."""
    spans, place = list[Span](), 0
    fences = list(_FENCE.finditer(text))
    at = 0
    while at < len(fences):
        fence = fences[at]
        if not text[: fence.start()].strip():  # it stands around the whole
            at += 1
            continue
        closing = next(
            (n for n in range(at + 1, len(fences)) if fences[n][1].startswith(fence[1]) and not fences[n][2]), None
        )
        end = fences[closing].end() if closing is not None else len(text)
        spans += [match.span() for match in _INLINE.finditer(text, place, fence.start())]
        if not _thinks(fence[2], strictly=True):
            spans.append((fence.start(), end))
        place = end
        if closing is None:
            break
        at = closing + 1
    return spans + [match.span() for match in _INLINE.finditer(text, place)]


class _Inside:
    """Whether places, asked for in rising order, lie within some spans."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = sorted(spans)
        self._at = 0

    def __contains__(self, place: object) -> bool:
        assert isinstance(place, int)
        while self._at < len(self._spans) and self._spans[self._at][1] <= place:
            self._at += 1
        return self._at < len(self._spans) and self._spans[self._at][0] < place


# marks


def _marks(text: str, apart: Sequence[Span], document: bool) -> Iterator[_Mark]:
    inside = _Inside(apart)
    for found in _MARK.finditer(text):
        if found.start() in inside:
            continue
        kind = _kind(found, document)
        if kind is not None:
            yield _Mark(found.start(), found.end(), kind, found[0], found["name"].casefold())
    inside = _Inside(apart)
    for found in _COMMENT.finditer(text):
        if not document and found.start() not in inside:
            yield _Mark(found.start(), found.end(), "open" if found[0] == "<!--" else "close", found[0])
    inside = _Inside(apart)
    for found in _DONE.finditer(text):
        if not document and found.start() not in inside:
            yield _Mark(found.start(), found.end(), "close", found[0])
    inside = _Inside(apart)
    for found in _TAG_WITH_TEXT.finditer(text):
        if found.start() not in inside and _thinks(found[1], strictly=document):
            yield _Mark(found.start(), found.end(), "open", found[0])
            if (closing := text.find(">", found.end())) >= 0:
                yield _Mark(closing, closing + 1, "close", ">")
    yield from _thinking_fences(text, apart)


def _thinking_fences(text: str, apart: Sequence[Span]) -> Iterator[_Mark]:
    inside, opened = _Inside(apart), ""
    for fence in _FENCE.finditer(text):
        if fence.start() in inside:
            continue
        if opened and fence[1].startswith(opened) and not fence[2]:
            yield _Mark(fence.start(), fence.end(), "close", fence[0])
            opened = ""
        elif not opened and _thinks(fence[2], strictly=True):
            yield _Mark(fence.start(), fence.end(), "open", fence[0])
            opened = fence[1]


def _kind(found: re.Match[str], document: bool) -> _Kind | None:
    """Return what a mark in brackets means; None if it is something else."""
    left, name, rest = found["left"], found["name"], found["rest"].strip()
    if found["right"] not in _PAIRS[left.casefold()]:
        return None
    bars = bool(found["bar"] or found["barred"])
    angled = left in _ANGLES or left.startswith("\\u")
    # `<channel|>` closes what `<|channel>thought` opened.
    half = bars and not (found["bar"] and found["barred"])
    closes = bool(found["slash"]) or (half and bool(found["barred"]))
    plain = name.rpartition(":")[2] if ":" in name else name
    letters = "".join(filter(str.isalnum, plain.casefold()))
    for prefix in _PREFIXES:
        if letters.startswith(prefix):
            named = letters.removeprefix(prefix).removeprefix("of")
            if _thinks(named, strictly=not angled or document):
                return "close" if prefix in ("end", "stop", "close") else "open"
            if (angled or bars) and named in _ANSWERS and not document:
                return "answered" if prefix in ("end", "stop", "close") else "answer"
    if not angled and not bars and left not in "◁⟨〈《【" and rest:
        return None  # a stage direction such as [in thought], or braces of somebody's own
    loosely = (angled or bars) and not document
    if _thinks(letters, strictly=not loosely):
        return "close" if closes else None if rest.endswith("/") else "open"
    if half and letters == "channel":
        return "close" if closes else "open"
    if angled and letters.startswith("unused"):  # tokens that some models were taught to think between
        return "open" if _LABEL.match(found.string, found.end()) else "close"
    if bars and letters in _CONTROLS:
        return "end" if letters in _ENDS else "control"
    if document:
        return None
    if angled or bars:
        if letters in _ANSWERS:
            return "answered" if closes else "answer"
        if letters in _FORMATS and not bars:
            return None
        if letters in ("s", "endofturn", "startofturn"):
            return "end" if letters in _ENDS else "control"
        if bars:
            return "strange"
        return None if rest.endswith("/") else "unknown"
    return "strange" if left in "◁⟨〈" and (closes or left == "◁") else None


def _thinks(name: str, *, strictly: bool) -> bool:
    letters = "".join(filter(str.isalnum, name.casefold()))
    return any(stem in letters for stem in _STEMS) or (not strictly and letters.startswith(_LOOSE))


def _resolved(marks: Sequence[_Mark]) -> list[_Mark]:
    """The marks, with tags of unknown names that are closed somewhere taken for thoughts, and the others left out."""
    closed = {mark.name for mark in marks if mark.kind == "unknown" and "/" in mark.text[:8]}
    found = list[_Mark]()
    for mark in marks:
        if mark.kind != "unknown":
            found.append(mark)
        elif mark.name in closed:
            found.append(_Mark(mark.start, mark.end, "close" if "/" in mark.text[:8] else "open", mark.text))
    return found


def _by_marks(text: str, marks: Sequence[_Mark]) -> Parted:
    """Walk through the marks: what is opened, or closed without having been opened, is thought."""
    pieces, thoughts = list[Span](), list[Span]()
    last_close = max((number for number, mark in enumerate(marks) if mark.kind == "close"), default=-1)
    place, thinking, marked, strange, over = 0, False, False, "", False
    for number, mark in enumerate(marks):
        held = thoughts if thinking or over else pieces
        match mark.kind:
            case "open":
                held.append((place, mark.start))
                thinking = marked = True
            case "close":
                if not thinking:  # it closes what was never opened: all before it is thought
                    thoughts += pieces
                    pieces, held = [], thoughts
                held.append((place, mark.start))
                thinking, marked = False, True
            case "answer" if not thinking or number > last_close:
                thoughts += [*pieces, (place, mark.start)]
                pieces, thinking, over, marked = [], False, False, True
            case "answered" if not thinking:
                held.append((place, mark.start))
                over = True
            case "end":
                held.append((place, mark.start))
                over = over or any(text[start:end].strip() for start, end in pieces)
            case "control":
                held.append((place, mark.start))
                role = _ROLE.match(text, mark.end)
                place = role.end() if role else mark.end
                continue
            case "strange":
                held.append((place, mark.start))
                strange = strange or mark.text
            case _:
                continue
        place = mark.end
    (thoughts if thinking or over else pieces).append((place, len(text)))
    said = tuple(filter(None, (text[start:end].strip() for start, end in pieces)))
    kept = "\n".join(filter(None, (text[start:end].strip() for start, end in sorted(thoughts))))
    return Parted(said, kept, marked, strange)


# channels


def _channels(text: str, apart: Sequence[Span]) -> Parted | None:
    """The final message of channels of tokens, with its marks or stripped of them; None where there are no channels."""
    inside = _Inside(apart)
    tokens = [token for token in _CHANNEL.finditer(text) if token.start() not in inside]
    if any(token[1] in ("channel", "message") for token in tokens):
        return _by_tokens(text, tokens)
    finals = [final for final in _BARE_FINAL.finditer(text) if final.start() not in _Inside(apart)]
    if finals or _BARE_START.match(text):
        end = finals[-1] if finals else None
        thoughts = text[: end.start()] if end else text
        return Parted(tuple(filter(None, [text[end.end() :].strip()])) if end else (), thoughts.strip(), marked=True)
    return None


def _by_tokens(text: str, tokens: Sequence[re.Match[str]]) -> Parted:
    finals, thoughts = list[str](), list[str]()
    header, body = text[: tokens[0].start()], False
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        end = following.start() if following is not None else len(text)
        between = text[token.end() : end]
        match token[1]:
            case "start":
                header, body = between, False
            case "channel" | "constrain":
                header, body = f"{header} {between}" if token[1] == "constrain" else between, False
                if following is None or following[1] not in ("message", "constrain"):
                    name = re.match(r"\s{0,9}\w{0,40}", between)
                    header, between, body = (
                        (between[: name.end()], between[name.end() :], True) if name else ("", between, True)
                    )
            case "message":
                body = True
            case _:
                body = False
                thoughts.append(between)
                continue
        if body:
            (finals if re.search(r"\bfinal\b", header) else thoughts).append(between)
    return Parted(tuple(filter(None, map(str.strip, finals[-1:]))), "\n".join(map(str.strip, thoughts)).strip(), True)


# headings


def _without_headings(text: str) -> tuple[str, list[str]]:
    """The words, and what stands under a heading of thoughts, up to the last heading of an answer if there is one."""
    heading = _LABEL.search(text)
    first = heading or _PLAN.search(text)
    answers = list(_ANSWER_LABEL.finditer(text, first.end())) if first else list(_FINAL_LABEL.finditer(text))
    if heading is None and not answers:
        return text, []
    if answers or heading is None:
        return text[answers[-1].end() :].strip(), [text[: answers[-1].start()]]
    return text[: heading.start()].strip(), [text[heading.start() :]]


def _without_asides(text: str) -> tuple[str, list[str]]:
    words, asides, place = list[str](), list[str](), 0
    for aside in _ASIDE.finditer(text):
        if aside.start() < place:
            continue
        closing = text.find(_ASIDE_ENDS[aside["open"][-1]], aside.end())
        words.append(text[place : aside.start()])
        place = len(text) if closing < 0 else closing + 1
        asides.append(text[aside.end() : place].strip("()[]*_ "))
    return "".join([*words, text[place:]]).strip(" *_") if asides else text, asides
