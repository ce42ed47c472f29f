"""File mode: prompts and responses as files of the campaign's `tmp/`, between signals (F-018 to F-054)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sottovoce import Refused
from sottovoce.rulesets.tabletop.rules.documents.access import prompt_file
from sottovoce.rulesets.tabletop.rules.documents.pieces import Documents, rebuild
from sottovoce.rulesets.tabletop.rules.phrases import is_error_report, veto_reason
from sottovoce.rulesets.tabletop.rules.request_types import request_types
from sottovoce.rulesets.tabletop.rules.texts import blank, sections

SECTIONS = ("Scene", "Just Happened", "Request")
CONTEXT_HEADINGS = ("Expecting", "Contingencies", "NPC Reactions", "Scene Direction")
"""The headings of the GM's context notes, in order (F-018)."""
CONTEXT_LINES = 10
"""Lines of content that the notes should not exceed (F-020)."""
VETO_FIRST_LINE = "[VETO - need more input]"


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt file as its character reads it. `missing` names what it lacks, `request_type` among it (F-038)."""

    request_type: str
    body: str
    missing: tuple[str, ...] = ()


def write_prompt(request_type: str, scene: str, just_happened: str, request: str) -> str:
    """A prompt file's text (F-027, F-029)."""
    parts = zip(SECTIONS, (scene, just_happened, request), strict=True)
    body = "\n\n".join(f"## {title}\n{text.strip()}" for title, text in parts)
    return f"---\nrequest_type: {request_type}\n---\n\n{body}\n"


def read_prompt(text: str, edition: str) -> PromptFile:
    """A prompt file's parts, however much of it is missing."""
    kind, body = _front_matter(text)
    allowed = request_types(edition)
    found = sections(body)
    missing = [title for title in SECTIONS if not found.get(title, "").strip()]
    if not missing and [title for title in found if title in SECTIONS] != list(SECTIONS):
        missing = [title for title, stands in zip(SECTIONS, found, strict=False) if title != stands]
    lacks = (*(() if kind in allowed else ("request_type",)), *missing)
    return PromptFile(kind if kind in allowed else "", body.strip(), lacks)


def _front_matter(text: str) -> tuple[str, str]:
    lines = text.lstrip("\ufeff").lstrip().splitlines()
    if not lines or lines[0].strip() != "---":
        return "", text
    for number, line in enumerate(lines[1:], 1):
        if line.strip() == "---":
            fields = dict(each.split(":", 1) for each in lines[1:number] if ":" in each)
            kind = {key.strip(): value.strip() for key, value in fields.items()}.get("request_type", "")
            return kind.strip("\"'"), "\n".join(lines[number + 1 :])
    return "", text


def write_context(expecting: str, contingencies: Sequence[tuple[str, str]], reactions: str, direction: str) -> str:
    """The GM's context notes (F-018, F-019): each contingency pairs a condition with what the GM then does."""
    planned = "\n".join(f"- {condition}: {response}" for condition, response in contingencies)
    parts = zip(CONTEXT_HEADINGS, (expecting, planned, reactions, direction), strict=True)
    return "\n\n".join(f"## {heading}\n{text.strip()}" for heading, text in parts) + "\n"


def check_response(documents: Documents, edition: str, character: str, text: str, campaign: str) -> str:
    """A response as it is kept; Refused where its form is wrong, or where it may not be written (F-032 to F-039)."""
    cleaned = text.strip()
    if blank(cleaned):
        raise Refused("Your response is empty; say what your character does.")
    if cleaned.startswith("---"):
        raise Refused("A response has no front matter; write what your character does and nothing above it.")
    if is_error_report(cleaned):
        return cleaned + "\n"
    path = prompt_file(character)
    if path not in documents:
        report = error_report(documents, edition, character, campaign)
        raise Refused(f"There is no prompt file {path}; report it: {report!r}.")
    if veto_reason(cleaned) is not None:
        if read_prompt(rebuild(documents[path]), edition).request_type == "FULL_CONTEXT":
            raise Refused("A FULL_CONTEXT prompt cannot be vetoed: you have the full context; answer it.")
        first, _, rest = cleaned.partition("\n")
        reason = "\n".join(part for part in (first.partition("]")[2].strip(), rest.strip()) if part)
        if blank(reason):
            raise Refused(f"A veto gives its reason: first the line {VETO_FIRST_LINE}, then an empty one, then why.")
        return f"{VETO_FIRST_LINE}\n\n{reason}\n"
    return cleaned + "\n"


def error_report(documents: Documents, edition: str, character: str, campaign: str) -> str | None:
    """What a character reports where its prompt is absent or malformed (F-037 to F-039); None where all is well."""
    path = prompt_file(character)
    if path not in documents:
        return f"[ERROR: Prompt file not found]\n\nExpected: campaigns/{campaign}/{path}"
    missing = read_prompt(rebuild(documents[path]), edition).missing
    if not missing:
        return None
    lines = "\n".join(f"Missing required section: {name}" for name in missing)
    return f"[ERROR: Malformed prompt]\n\n{lines}"
