"""Games as logs that Inspect reads and `inspect view` opens: one log a game, one sample a seat.

An `.eval` file is a ZIP archive of JSON members. Inspect writes it with zstandard and reads deflate as well, so the
standard library is enough. Each sample has the prompts and answers of its seat; in a game that nobody played here, as
one from another program's log, it has what its seat saw.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from sottovoce.eventlog import EventLog
from sottovoce.experiments.decisions import Decision, decisions, results
from sottovoce.projections.perspective import of_seat
from sottovoce.projections.summary import status_of
from sottovoce.projections.transcript import markdown
from sottovoce.server.live import LiveGame

VERSION = 2
"""The version of the format."""
_FIXED = (2026, 1, 1, 0, 0, 0)
"""The time of every member, so that the same game gives the same bytes."""


def write_eval(path: Path, log: EventLog, live: LiveGame, about: Mapping[str, Any]) -> None:
    """Write a game as an Inspect log. `about` is its metadata, such as the experiment."""
    by_seat: dict[str, list[Decision]] = {seat: [] for seat in live.state.seats}
    for one in decisions(log, live):
        by_seat[one.seat].append(one)
    parts = results(live)
    played = any(by_seat.values())
    samples = [_sample(live, seat, given, parts) for seat, given in by_seat.items() if given or not played]
    summaries = [_summary(sample) for sample in samples]
    start = {
        "version": VERSION,
        "eval": _spec(live, samples, about),
        "plan": {"name": "plan", "steps": [], "config": {}},
    }
    members: list[tuple[str, Any]] = [("_journal/start.json", start)]
    members += [(f"samples/{sample['id']}_epoch_1.json", sample) for sample in samples]
    members += [("_journal/summaries/1.json", summaries), ("summaries.json", summaries)]
    members.append(("header.json", {**start, **_ending(live, samples)}))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members:
            archive.writestr(zipfile.ZipInfo(name, _FIXED), json.dumps(value, ensure_ascii=False), zipfile.ZIP_DEFLATED)


def _spec(live: LiveGame, samples: Sequence[Mapping[str, Any]], about: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "eval_id": live.id,
        "run_id": live.id,
        "created": _time(live.recorded[0].at),
        "task": live.ruleset.name,
        "task_id": live.id,
        "task_version": 0,
        "task_attribs": {},
        "task_args": {},
        "task_args_passed": {},
        "solver_args_passed": {},
        "dataset": {"name": live.ruleset.name, "samples": len(samples), "sample_ids": [one["id"] for one in samples]},
        "model": _models(samples),
        "model_generate_config": {},
        "model_args": {},
        "config": {"epochs": 1},
        "packages": {},
        "metadata": {"game": live.id, **about},
    }


def _models(samples: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(dict.fromkeys(str(one["metadata"]["agent"]) for one in samples)) or "none"


def _ending(live: LiveGame, samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    over = status_of(live.state) == "over"
    usage: dict[str, Counter[str]] = {}
    for sample in samples:
        for model, used in sample["model_usage"].items():
            usage.setdefault(model, Counter()).update(used)
    return {
        "status": "success" if over else "cancelled",
        "results": {
            "total_samples": len(samples),
            "completed_samples": len(samples) if over else 0,
            "scores": _means("won", samples),
        },
        "stats": {
            "started_at": _time(live.recorded[0].at),
            "completed_at": _time(live.recorded[-1].at) if over else "",
            "model_usage": {model: dict(used) for model, used in usage.items()},
        },
    }


def _means(name: str, samples: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The mean of a score over the samples that have it; nothing where none has."""
    values = [sample["scores"][name]["value"] for sample in samples if name in sample["scores"]]
    if not values:
        return []
    metrics = {"mean": {"name": "mean", "value": sum(values) / len(values), "params": {}}}
    return [{"name": name, "scorer": name, "params": {}, "metrics": metrics}]


def _sample(
    live: LiveGame, seat: str, given: Sequence[Decision], parts: Mapping[str, tuple[str, bool]]
) -> dict[str, Any]:
    """One seat: its prompts and answers as messages, or what it saw, and what it was and did."""
    part, won = parts.get(seat, ("", None))
    model = str(live.state.agents.get(seat, ""))
    messages: list[dict[str, Any]] = []
    system: str | None = None
    for one in given:
        if one.system != system:
            messages.append(_system(one))
            system = one.system
        messages.append({"id": _id(one, "u"), "role": "user", "content": one.user})
        messages.append({"id": _id(one, "a"), "role": "assistant", "content": one.answer, "source": "generate"})
    if not given:
        seen = markdown(live.ruleset, live.recorded, of_seat(seat))
        messages.append({"id": f"{live.id} {seat} seen", "role": "user", "content": seen})
    usage = _usage(given)
    answered = {"answer": given[-1].reply if given else "", "history": []}
    return {
        "id": re.sub(r"[^\w.-]", "_", seat),
        "epoch": 1,
        "input": given[0].user if given else messages[0]["content"],
        "target": "",
        "messages": messages,
        "output": _output(model, given[-1]) if given else {"model": model or "none", "choices": [], "completion": ""},
        "scores": {} if won is None else {"won": {"value": int(won), **answered}},
        "metadata": {
            "seat": seat,
            "agent": model,
            "part": part,
            "decisions": len(given),
            "prompts_sent": sum(one.sent for one in given),
        },
        "store": {},
        "events": [_event(live, model, one) for one in given],
        "model_usage": {model: usage} if usage else {},
        "attachments": {},
    }


def _system(one: Decision) -> dict[str, Any]:
    """The message of the system, which has the same id wherever the seat has the same one."""
    digest = sha256(one.system.encode()).hexdigest()[:8]
    return {"id": f"{one.game} {one.seat} {digest}", "role": "system", "content": one.system}


def _id(one: Decision, kind: str) -> str:
    """The id of a message: Inspect takes messages of several logs with one id for the same."""
    return f"{one.game} {one.seat} {one.turn}{kind}"


def _output(model: str, one: Decision) -> dict[str, Any]:
    message = {"id": _id(one, "a"), "role": "assistant", "content": one.answer, "source": "generate"}
    return {"model": model, "choices": [{"message": message, "stop_reason": "stop"}], "completion": one.answer}


def _event(live: LiveGame, model: str, one: Decision) -> dict[str, Any]:
    """A decision as a call of a model."""
    at = live.recorded[one.position - 1].at
    seconds = one.ending.seconds if one.ending is not None else None
    return {
        "event": "model",
        "uuid": _id(one, ""),
        "timestamp": _time(at),
        "working_start": (at - live.recorded[0].at).total_seconds(),
        "model": model,
        "input": [
            _system(one),
            {"id": _id(one, "u"), "role": "user", "content": one.user},
        ],
        "tools": [],
        "tool_choice": "none",
        "config": {},
        "output": _output(model, one),
        "metadata": {"kind": one.kind, "choice": one.choice, "position": one.position, "sent": one.sent},
        **({} if seconds is None else {"working_time": seconds}),
    }


def _usage(given: Sequence[Decision]) -> dict[str, int]:
    known = [one.ending for one in given if one.ending is not None and one.ending.prompt_tokens is not None]
    if not known:
        return {}
    sent, got = sum(one.prompt_tokens or 0 for one in known), sum(one.reply_tokens or 0 for one in known)
    return {"input_tokens": sent, "output_tokens": got, "total_tokens": sent + got}


def _summary(sample: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("id", "epoch", "input", "target", "metadata", "scores", "model_usage")
    found = {key: sample[key] for key in kept}
    return {**found, "input": found["input"][:1000], "completed": True, "message_count": len(sample["messages"])}


def _time(at: datetime) -> str:
    return at.isoformat()
