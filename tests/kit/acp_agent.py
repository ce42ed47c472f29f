"""A fake coding agent that speaks the Agent Client Protocol over standard input and output, as real ones do.

    python acp_agent.py [MANNER]…

It does what a turn requests. A manner is something that a real agent was seen to do; `NAME=once:FILE` happens only
while FILE is not there. Sessions lie below HOME, as those of real agents do, so that one agent could find those of
another. Needs nothing but Python.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

MANNERS = dict(manner.partition("=")[::2] for manner in sys.argv[1:])
STORE = Path(os.environ["HOME"]) / ".fake-agent"
PERMISSIONS = [
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]
USAGE = {"totalTokens": 110, "inputTokens": 30, "outputTokens": 10, "cachedReadTokens": 70}
cancelled: set[str] = set()
folders: dict[str, str] = {}
numbers = iter(range(1000, 10**9))


def has(manner: str) -> bool:
    """Whether it has that manner now."""
    if manner not in MANNERS:
        return False
    once = MANNERS[manner].removeprefix("once:")
    if once == MANNERS[manner]:
        return True
    try:
        Path(once).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def update(session: str, kind: str, /, **content: Any) -> None:
    send(method="session/update", params={"sessionId": session, "update": {"sessionUpdate": kind, **content}})


def say(session: str, text: str, message: str | None = "m", kind: str = "agent_message_chunk", **more: Any) -> None:
    named = {} if message is None or has("without-ids") else {"messageId": message}
    update(session, kind, content={"type": "text", "text": text}, **named, **more)


def listen() -> dict[str, Any] | None:
    """The next message; cancellations are noted on the way."""
    while line := sys.stdin.readline():
        message: dict[str, Any] = json.loads(line)
        if message.get("method") == "session/cancel":
            cancelled.add(message["params"]["sessionId"])
            return message
        return message
    return None


def ask(method: str, **params: Any) -> Any:
    """Ask the client something; its result, or its error as text."""
    number = next(numbers)
    send(id=number, method=method, params=params)
    while (message := listen()) is not None:
        if message.get("id") == number and "method" not in message:
            return message.get("result") or f"error {message['error']['code']}"
    sys.exit(0)


def permitted(session: str, title: str, **call: Any) -> bool:
    offered = [one for one in PERMISSIONS if not (has("only-always") and one["kind"] != "allow_always")]
    given = ask("session/request_permission", sessionId=session, toolCall={"title": title, **call}, options=offered)
    outcome = given["outcome"]
    assert outcome.get("optionId") != "always", "what outlasts the turn was chosen"
    return bool(outcome["outcome"] == "selected" and outcome["optionId"] == "yes")


def initialize(number: Any, params: dict[str, Any]) -> None:
    if has("no-start"):
        sys.exit("Error: no config found")
    if has("slow-start"):
        time.sleep(60)
    able: dict[str, Any] = {"loadSession": "no-load" not in MANNERS}
    if "resumes" in MANNERS:
        able["sessionCapabilities"] = {"resume": {}}
    send(id=number, result={"protocolVersion": 1, **({} if has("bare") else {"agentCapabilities": able})})


def opened(session: str, folder: str) -> dict[str, Any]:
    folders[session] = folder
    modes = [{"id": "plan", "name": "Plan"}, {"id": "build", "name": "Build"}]
    return {"modes": {"currentModeId": "plan", "availableModes": modes}} if "modes" in MANNERS else {}


def new(number: Any, params: dict[str, Any]) -> None:
    if has("login"):
        send(id=number, error={"code": -32000, "message": "Authentication required"})
        return
    assert params["mcpServers"] == []
    session = uuid.uuid4().hex[:8]
    STORE.mkdir(parents=True, exist_ok=True)
    (STORE / session).write_text("")
    send(id=number, result={"sessionId": session, **opened(session, params["cwd"])})


def load(number: Any, params: dict[str, Any]) -> None:
    session = params["sessionId"]
    if has("forgets") or not (STORE / session).is_file():
        send(id=number, error={"code": -32602, "message": f"no session {session}"})
        return
    if has("replays-late"):
        send(id=number, result=opened(session, params["cwd"]))
        time.sleep(0.1)
    for line in (STORE / session).read_text().splitlines():
        say(session, line, "old", "user_message_chunk")
        say(session, "an old answer", "old")
    if "replays-late" not in MANNERS:
        send(id=number, result=opened(session, params["cwd"]))


def prompt(number: Any, params: dict[str, Any]) -> None:
    session, text = params["sessionId"], "\n".join(part["text"] for part in params["prompt"])
    cancelled.discard(session)
    with (STORE / session).open("a") as store:
        store.write("a prompt\n")
    asked = len((STORE / session).read_text().splitlines())
    if log := MANNERS.get("log"):
        with Path(log).open("a") as heard:
            kept = {"session": session, "prompt": text, "asked": asked, "cwd": folders[session]}
            heard.write(json.dumps({**kept, "env": dict(os.environ)}) + "\n")
    if (early := troubled(number, session)) is not None:
        if early:
            spent = {"usage": USAGE} if early == "cancelled" and "counts-when-stopped" in MANNERS else {}
            send(id=number, result={"stopReason": early, **spent})
        return
    say(session, "Let me look first.", "before")
    update(session, "tool_call", toolCallId="t1", title="ls", kind="execute", status="completed")
    say(session, "I weigh what I know.", None, "agent_thought_chunk")
    update(session, "plan", entries=[{"content": "answer", "status": "in_progress"}])
    beside(session, asked)
    words = answer(text, asked)
    for piece in (words[:5], words[5:]):
        say(session, piece, "answer")
    cost = 0.01 * (1 if "cost-anew" in MANNERS else asked)
    update(session, "usage_update", used=9, size=9000, cost={"amount": cost, "currency": "USD"})
    ended: dict[str, Any] = {"stopReason": MANNERS.get("stops", "end_turn")}
    if "quota" in MANNERS:
        ended["_meta"] = {"quota": {"token_count": {"input_tokens": 100, "output_tokens": 10}}}
    elif "usage-in-chunks" in MANNERS:
        for count in (60, 40):
            say(session, "", "answer", _meta={"usage": {"inputTokens": count, "outputTokens": count // 10}})
    elif "no-usage" not in MANNERS:
        ended["usage"] = USAGE
    send(id=number, result=ended)


def troubled(number: Any, session: str) -> str | None:
    """What goes wrong before an answer: the reason why it stopped, if it did; empty where it has answered already."""
    if has("dies"):
        sys.stderr.write("thinking …\npanic: out of memory\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    if has("limit"):
        say(session, "You've hit your usage limit. Try again at 5 pm.")
        return "end_turn"
    if has("error"):
        send(id=number, error={"code": -32603, "message": "Internal error", "data": {"details": "model overloaded"}})
        return ""
    if has("junk"):
        sys.stdout.write("this is no JSON\n[1]\n\x00\n")
        update(session, "hologram", x=1)
        send(method="session/update", params={"sessionId": "another", "update": {"sessionUpdate": "plan"}})
    if has("floods"):
        for _ in range(70):
            say(session, "x" * 10_000, "flood")
    if has("long-line"):
        sys.stdout.write("x" * (9 << 20) + "\n")
        sys.stdout.flush()
    if has("warns"):
        say(session, "Model metadata not found. ", None)
    if has("deaf"):
        time.sleep(600)
    if has("slow") or has("floods-slowly"):
        say(session, "half an answer", "m1")
        while session not in cancelled:
            if listen() is None:
                sys.exit(0)
        if "counts-when-stopped" in MANNERS:
            update(session, "usage_update", used=9, size=9000, cost={"amount": 0.01, "currency": "USD"})
        return "cancelled"
    return None


def beside(session: str, asked: int) -> None:
    """What it does with the machine before it answers."""
    folder = Path(folders[session])
    if "pauses" in MANNERS:
        time.sleep(float(MANNERS["pauses"]))
    if has("writes"):
        file = folder / "work.txt"
        if permitted(session, "write", kind="edit", locations=[{"path": str(file)}]):
            file.write_text(f"prompt {asked}\n")
    if "strays" in MANNERS and permitted(session, "stray", kind="edit", locations=[{"path": MANNERS["strays"]}]):
        Path(MANNERS["strays"]).write_text("outside")
    if "shell" in MANNERS and permitted(session, MANNERS["shell"], kind="execute"):
        os.system(f"cd {folder} && {MANNERS['shell']}")
    if "reads" in MANNERS:
        try:
            found = Path(MANNERS["reads"]).read_text()[:200]
        except OSError as error:
            found = type(error).__name__
        update(session, "tool_call", toolCallId="r", title=f"read: {found}", kind="read")
    if has("asks-for-files"):
        update(session, "tool_call", toolCallId="f", title=str(ask("fs/read_text_file", sessionId=session, path="/x")))


def answer(prompt: str, asked: int) -> str:
    if has("empty"):
        return ""
    tail = prompt.rpartition("YOUR TURN ")[2]
    legal = re.search(r"^Legal choices: (.*)\.$", tail, re.MULTILINE)
    choices = legal[1].split(", ") if legal else []
    if '"choice"' in tail or (choices and "The file: " not in tail and '"action"' not in tail):
        return json.dumps({"choice": choices[0] if choices else "none", "words": f"Nothing to hide in prompt {asked}."})
    if choices:
        action = "stop_recommended" if "stop_recommended" in choices else choices[0]
        return json.dumps({"action": action, "file": "# A file\n\nNothing must be fixed.\n", "note": "", "to": ""})
    return json.dumps({"text": f"Nothing to hide in prompt {asked}."})


def main() -> None:
    calls = {"initialize": initialize, "session/new": new, "session/load": load, "session/resume": load}
    calls |= {"session/prompt": prompt}
    if "lingers" in MANNERS:
        for name in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(name, signal.SIG_IGN)
        child = subprocess.Popen(["sleep", "600"])
        with Path(MANNERS["lingers"]).open("a") as pids:
            pids.write(f"{os.getpid()}\n{child.pid}\n")
    while (message := listen()) is not None:
        method = message.get("method")
        if method in calls:
            calls[method](message["id"], message["params"])
        elif method == "session/set_mode":
            assert message["params"]["modeId"] in ("plan", "build")
            send(id=message["id"], result={})
        elif "id" in message and method:
            send(id=message["id"], error={"code": -32601, "message": f"no method {method}"})
    if "lingers" in MANNERS:
        time.sleep(600)


if __name__ == "__main__":
    main()
