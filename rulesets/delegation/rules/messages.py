"""The control message: one JSON object of ten fields, and the checks that need only the message itself.

The refusal of a malformed message names every wrong field, so that its sender can fix all of them at once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from sottovoce import Refused, readable, the_one
from sottovoce.rulesets.delegation.rules.actions import ACTIONS, Action
from sottovoce.rulesets.delegation.rules.names import FOLDER, SKILL, VERSION, Round

LONGEST_PATH = 300
LONGEST_NAME = 200

_TASK_ID = re.compile(r"(\d{8}-\d{4})-([a-z0-9]+(?:-[a-z0-9]+)*)", re.ASCII)
_VERB = re.compile(r"[a-z]+(?:_[a-z]+)*")
_DIGITS = re.compile(r"[0-9]{1,9}")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\]")


class ControlMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A well-formed control message (D-001), its keys in the order in which they are written (D-017)."""

    schema_version: str
    task_id: str
    planner_session_id: str
    required_skills: tuple[str, ...]
    from_session_id: str
    to_session_id: str
    round: Round
    action: str
    artifact_path: str
    note: str

    def but(self, **changes: Any) -> ControlMessage:
        """This message with some fields replaced."""
        return msgspec.structs.replace(self, **changes)

    @property
    def workflow(self) -> bool:
        """Whether the action is one of the six."""
        return self.action in ACTIONS

    def text(self) -> str:
        """The message as JSON, as it is sent."""
        return json.dumps(msgspec.to_builtins(self), ensure_ascii=False, indent=2)


FIELDS: tuple[str, ...] = ControlMessage.__struct_fields__
REMARKS = "remarks"
"""What may stand beside the fields where a report goes along; it is no part of the message (R-001)."""


def parse(text: str, max_note_chars: int, seat: str) -> ControlMessage:
    """The message that `seat` sends with the text, or Refused naming every field at fault (D-001 to D-016)."""
    try:
        value = json.loads(text, object_pairs_hook=_object)
    except _Twice as twice:
        raise Refused(f"{twice}: the key appears twice; give each of the ten fields once (D-001).") from None
    except RecursionError:
        raise Refused("The message is nested too deeply; send one flat JSON object (D-001).") from None
    except ValueError as error:
        where = getattr(error, "lineno", None)
        at = f" at line {where}, column {getattr(error, 'colno', 0)}" if where else ""
        raise Refused(f"The message is not JSON{at}; send one JSON object of the ten fields (D-001).") from None
    if not isinstance(value, dict):
        raise Refused("The message is not a JSON object; send one object of the ten fields (D-001).")
    for field in ("from_session_id", "to_session_id"):
        if isinstance(named := value.get(field), str) and the_one(named, (seat,)):
            value[field] = seat
    faults = dict(_faults(value, max_note_chars))
    if value.get("from_session_id") != seat:
        faults.setdefault("from_session_id", f"is not the session that sends; write {seat} (D-007)")
    if faults:
        raise Refused(in_one_line(faults.items()))
    value.pop(REMARKS, None)
    return ControlMessage(**{**_clean(value), "round": _round(value["round"])})


def faults_of(message: ControlMessage, max_note_chars: int) -> list[tuple[str, str]]:
    """Return every wrong field of a message made here: those that a seat filled in with its own line."""
    return list(_faults(msgspec.json.decode(msgspec.json.encode(message)), max_note_chars))


def in_one_line(faults: Iterable[tuple[str, str]]) -> str:
    """Faults as one message: each field with what is wrong and what to do."""
    return " ".join(f"{field}: {what}." for field, what in faults)


def task_id_fault(value: str) -> str | None:
    """What is wrong with a task id, or None (D-004)."""
    match = _TASK_ID.fullmatch(value)
    if match is None:
        return "write it as YYYYMMDD-HHMM-slug, the slug in lower case with hyphens (D-004)"
    try:
        datetime.strptime(f"{match[1]} +0000", "%Y%m%d-%H%M %z")
    except ValueError:
        return "its date and time do not exist; write a real YYYYMMDD-HHMM (D-004)"
    return f"shorten it to {LONGEST_NAME} characters (D-004)" if len(value) > LONGEST_NAME else None


def path_fault(path: str, task_id: str) -> str | None:
    """What is wrong with a path that is not empty, or None (D-014)."""
    home = f"{FOLDER}/{task_id}/"
    parts = path.split("/")
    if path.startswith("/") or _UNSAFE.search(path):
        return "give a relative path without control characters or backslashes (D-014)"
    if ".." in parts:
        return "leave out every '..' (D-014)"
    if not path.startswith(home) or "" in parts or "." in parts:
        return f"put the file below {home} and name it there (D-014)"
    return f"shorten it to {LONGEST_PATH} characters (D-014)" if len(path) > LONGEST_PATH else None


class _Twice(Exception):
    """A key occurs twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Twice(readable(key)[:40])
        found[key] = value
    return found


def _clean(value: Mapping[str, Any]) -> dict[str, Any]:
    """The fields without what no encoding can store: an escaped lone surrogate becomes U+FFFD."""
    cleaned: dict[str, Any] = {key: readable(text) if isinstance(text, str) else text for key, text in value.items()}
    cleaned["required_skills"] = tuple(readable(skill) for skill in value["required_skills"])
    return cleaned


def _round(value: object) -> Round | None:
    """The round that the value stands for; a string of digits is the number it writes (D-009)."""
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value < 10**9:
        return value
    return "final" if value == "final" else None


def _faults(value: Mapping[str, Any], max_note_chars: int) -> Iterable[tuple[str, str]]:
    name = value.get("action")
    action = ACTIONS.get(name) if isinstance(name, str) else None
    for field in FIELDS:
        if field not in value:
            yield field, "is missing; all ten fields are needed (D-001)"
        elif what := _fault(field, value[field], value, action, max_note_chars):
            yield field, what
    report = action is not None and action.concludes
    for key in value:
        if key not in FIELDS and not (report and key == REMARKS):
            yield readable(key)[:40], "is not a field of a control message; leave it out (D-001)"


def _fault(field: str, given: Any, value: Mapping[str, Any], action: Action | None, max_note_chars: int) -> str | None:
    """What is wrong with a field, or None; `action` is that of the message, if it is one of the six."""
    match field:
        case "schema_version" if given != VERSION:
            return f'is an unsupported version; write "{VERSION}" (D-003)'
        case "task_id":
            return task_id_fault(given if isinstance(given, str) else "")
        case "planner_session_id":
            return _name_fault(given, "D-005")
        case "required_skills":
            if not isinstance(given, list) or not all(isinstance(skill, str) and skill.strip() for skill in given):
                return "give a list of skills, none of them empty (D-006)"
            return f'name "{SKILL}" among them (D-006)' if action and SKILL not in given else None
        case "from_session_id":
            return _name_fault(given, "D-007")
        case "to_session_id":
            itself = (action or Action).to_itself if given == value.get("from_session_id") else None
            return _name_fault(given, "D-007") or itself
        case "round":
            if (meant := _round(given)) is None:
                return 'give a whole number from 1, or "final" (D-008)'
            if meant == "final" and action is not None and not action.final:
                return 'only closeout_delivered has the round "final"; give the number (D-010)'
        case "action":
            if not isinstance(given, str) or not _VERB.fullmatch(given):
                return "write a verb phrase in lower-case words joined by underscores (D-011)"
            return f"shorten it to {LONGEST_NAME} characters (D-011)" if len(given) > LONGEST_NAME else None
        case "artifact_path":
            return _path_fault(given, value.get("task_id"), action)
        case "note":
            if not isinstance(given, str) or not given.strip():
                return "give a short note that is not empty (D-016)"
            if len(given) > max_note_chars:
                most = f"write at most {max_note_chars} and put the rest into the artifact"
                return f"has {len(given)} characters; {most} (D-016)"
    return None


def _name_fault(given: object, rule: str) -> str | None:
    if not isinstance(given, str) or not given.strip():
        return f"give a session id, a text that is not empty ({rule})"
    return f"shorten it to {LONGEST_NAME} characters ({rule})" if len(given) > LONGEST_NAME else None


def _path_fault(given: object, task_id: object, action: Action | None) -> str | None:
    if not isinstance(given, str):
        return "give a text, empty where no file is meant (D-013)"
    if not given:
        return "name the file; a workflow message always points to one (D-013)" if action else None
    return path_fault(readable(given), task_id) if isinstance(task_id, str) else None
