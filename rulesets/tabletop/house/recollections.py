"""What one of the party remembers of tonight: somebody's words, what a paper said, and whom they suspect."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house import opinions
from sottovoce.rulesets.tabletop.house.answers import Answer, Voice, capital, slots_of
from sottovoce.rulesets.tabletop.house.evidence import evidence_on
from sottovoce.rulesets.tabletop.house.questions import Question
from sottovoce.rulesets.tabletop.rules.lore.language import ended, stems


def recall(voice: Voice, question: Question) -> Answer:
    """Somebody's words of tonight, or what a paper said, as the character has them in mind."""
    player = voice.player
    paper = re.search(
        r"(?i)\b(?:letter|writ|note|paper|message|book|notice|contract|papers)\b", f"{question.subject} {question.text}"
    )
    if paper:
        seen = _of_paper(voice, paper[0])
        said = voice.line("recall.papers", seen=ended(seen)) if seen else ""
        return Answer(said or voice.line("know.none", **slots_of(question)))
    if not voice.person and _went_to_speak(voice) and (said := voice.line("recall.report")):
        return Answer(said)
    if (
        re.match(r"(?i)\W*remind\b", question.text)
        and (seen := _errand(voice))
        and (said := voice.line("recall.papers", seen=ended(seen)))
    ):
        return Answer(said)
    if not voice.person:
        about = question.about
        seen = opinions.seen(player, about, question.subject) if about else ""
        return Answer(
            (voice.line("recall.papers", seen=ended(seen)) if seen else "") or voice.some("know.none.any", "heard")
        )
    if re.search(r"(?i)\bthey\b", question.text) and _went_to_speak(voice) and (said := voice.line("recall.report")):
        return Answer(said)
    known = evidence_on(player, voice.person)
    if not known.quote and (seen := _said_in_papers(voice)) and (said := voice.line("recall.papers", seen=ended(seen))):
        return Answer(said)
    if known.quote and (said := voice.line("recall.said", quote=known.quote.rstrip("."))):
        return Answer(said)
    if known.seen and (said := voice.line("recall.seen", seen=ended(known.seen))):
        return Answer(said)
    return Answer(voice.some("recall.none", "know.none.any", name=voice.person, Name=capital(voice.person)))


def _went_to_speak(voice: Voice) -> bool:
    """Whether the last thing that the character did on request was to speak to somebody."""
    own = [event.body for event in voice.player.sent if event.seat == voice.player.seat and event.tag == "PLAYER_TO_GM"]
    return bool(
        own
        and re.search(
            r"” [\w'’-]+ (?:talks|speaks|asks|tells|says|explains|does the talking|calms|questions)\b", own[-1]
        )
    )


def _errand(voice: Voice) -> str:
    """What the party is here for, by its papers; a sentence that the character has not said yet."""
    lines = [
        line for line in opinions.noted(voice.player.heard[0]) if len(line) < 160 and not re.search(r"[*|:]", line)
    ]
    wanted = [
        line
        for line in lines
        if re.search(
            r"(?i)\b(?:sends? us|asked us|asks us|we are (?:to|paid)|hired us|begged us|told us to|we came"
            r"|brought us)\b",
            line,
        )
    ]
    return next((line for line in wanted if line.casefold().rstrip(".") not in voice.player.worn), "")


def _said_in_papers(voice: Voice) -> str:
    """What the party's papers have of somebody's words; a sentence that the character has not said yet."""
    lines = opinions.noted(voice.player.heard[0])
    names = stems(voice.person)
    for at, line in enumerate(lines):
        near = " ".join(lines[max(0, at - 6) : at + 1])
        if (
            re.search(r"(?i)\b(?:she|he|they)\b.*\b(?:said|mentioned|warned|wrote|told|begged|asked)\b", line)
            and names & stems(near)
            and len(line) < 160
            and not re.search(r"[*|:]", line)
            and line.casefold().rstrip(".") not in voice.player.worn
        ):
            return re.sub(r"[\"“”]([^\"“”]*?)\.?[\"“”]\.?", r"‘\1’", line)
    return ""


def _of_paper(voice: Voice, noun: str) -> str:
    """A sentence of the party's papers that says what one of them said; one that the character has not said yet."""
    lines = [line for line in opinions.noted(voice.player.heard[0]) if "|" not in line and "*" not in line]
    named = [line for line in lines if stems(noun) & stems(line)]
    writers = {name for line in named for name in re.findall(r"(?<!^)\b[A-Z][\w'’-]+", line)}
    wrote = [
        line
        for line in lines
        if re.search(r"\b(?:wrote|writes|says|said|asks|asked)\b", line) and any(w in line for w in writers)
    ]
    fresh = [line for line in (*wrote, *named) if line.casefold() not in voice.player.worn and len(line) < 160]
    return fresh[0] if fresh else ""


def culprit(voice: Voice, question: Question) -> Answer:
    """Whom the character suspects: somebody who has seemed cold tonight, or nobody by name."""
    player = voice.player
    suspected = voice.person if voice.person and evidence_on(player, voice.person).attitude == "bad" else ""
    if suspected and (said := voice.line("culprit.of", name=suspected)):
        return Answer(said)
    return Answer(voice.some("culprit", "guess", "know.none.any"))
