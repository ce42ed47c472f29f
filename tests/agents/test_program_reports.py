"""The reports of coding agents' command lines: recorded ones, damaged ones, and what is none."""

from __future__ import annotations

import json
from random import Random

import pytest

from sottovoce.agents.models.streams import final_message
from sottovoce.agents.programs.reports import report_in, step_in

CODEX = """\
{"type":"thread.started","thread_id":"0199a213-81c0"}
{"type":"turn.started"}
{"type":"item.started","item":{"id":"item_0","type":"command_execution","command":"bash -lc 'make test'"}}
{"type":"item.completed","item":{"id":"item_1","type":"reasoning","text":"**Looking**"}}
{"type":"item.completed","item":{"id":"item_2","type":"file_change","changes":[{"path":"src/a.py","kind":"update"}]}}
{"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":"Done."}}
{"type":"turn.completed","usage":{"input_tokens":24763,"cached_input_tokens":24448,"output_tokens":122}}
"""
CLAUDE = json.dumps(
    {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": "Done.",
        "session_id": "a4e5c2b0",
        "total_cost_usd": 0.0028,
        "usage": {
            "input_tokens": 100,
            "cache_creation_input_tokens": 50,
            "cache_read_input_tokens": 1000,
            "output_tokens": 10,
        },
        "modelUsage": {"claude-sonnet": {"inputTokens": 100, "outputTokens": 10, "cacheReadInputTokens": 1000}},
    }
)
CLAUDE_STREAM = f"""\
{{"type":"system","subtype":"init","session_id":"a4e5c2b0"}}
{{"type":"assistant","message":{{"content":[{{"type":"thinking","thinking":"Hm."}}]}}}}
{{"type":"assistant","message":{{"content":[{{"type":"tool_use","name":"Bash","input":{{"command":"ls"}}}}]}}}}
{{"type":"assistant","message":{{"content":[{{"type":"text","text":"Done."}}]}}}}
{CLAUDE}
"""
GEMINI = json.dumps(
    {
        "response": "Done.",
        "stats": {
            "models": {
                "gemini-pro": {
                    "tokens": {"prompt": 900, "candidates": 20, "total": 950, "cached": 300, "thoughts": 30}
                },
                "gemini-flash": {"tokens": {"prompt": 100, "candidates": 5, "total": 105, "cached": 0, "thoughts": 0}},
            }
        },
    }
)
GEMINI_STREAM = """\
{"type":"init","session_id":"s1","model":"gemini-pro"}
{"type":"message","role":"assistant","content":"Let me look.","delta":true}
{"type":"tool_use","tool_name":"read_file","parameters":{"file_path":"a.py"}}
{"type":"message","role":"assistant","content":"Done.","delta":true}
{"type":"result","status":"success","stats":{"total_tokens":1055,"input_tokens":1000,"output_tokens":55,"cached":300}}
"""
OPENCODE = """\
{"type":"step_start","sessionID":"ses_1","part":{"type":"step-start"}}
{"type":"tool_use","sessionID":"ses_1","part":{"tool":"bash","state":{"status":"completed","input":{"command":"ls"}}}}
{"type":"step_finish","sessionID":"ses_1","part":{"tokens":{"input":50,"output":8,"reasoning":2,"cache":{"read":900,\
"write":50}},"cost":0.001}}
{"type":"text","sessionID":"ses_1","part":{"type":"text","text":"Done."}}
{"type":"step_finish","sessionID":"ses_1","part":{"tokens":{"input":10,"output":5,"reasoning":0,"cache":{"read":990,\
"write":0}},"cost":0.0005}}
"""
QWEN = json.dumps(
    [
        {"type": "system", "session_id": "q1"},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "Done."}]}},
        {"type": "result", "result": "Done.", "session_id": "q1", "usage": {"input_tokens": 70, "output_tokens": 7}},
    ]
)


@pytest.mark.parametrize(
    ("output", "session", "prompt", "cached", "reply", "cost"),
    [
        (CODEX, "0199a213-81c0", 24763, 24448, 122, None),
        (CLAUDE, "a4e5c2b0", 1150, 1000, 10, 0.0028),
        (CLAUDE_STREAM, "a4e5c2b0", 1150, 1000, 10, 0.0028),
        (GEMINI, None, 1000, 300, 55, None),
        (GEMINI_STREAM, "s1", 1000, 300, 55, None),
        (OPENCODE, "ses_1", 2000, 1890, 15, 0.0015),
        (QWEN, "q1", 70, None, 7, None),
    ],
    ids=["codex", "claude", "claude-stream", "gemini", "gemini-stream", "opencode", "qwen"],
)
def test_the_numbers_of_each_program(
    output: str, session: str | None, prompt: int, cached: int | None, reply: int, cost: float | None
) -> None:
    found = report_in(f"{output}\n")
    assert found is not None
    assert found.session == session
    assert found.cost == pytest.approx(cost)
    assert (found.counted.prompt, found.counted.cached, found.counted.reply) == (prompt, cached, reply)
    final = final_message(output)
    assert final is not None
    assert final.text is not None
    assert final.text.endswith("Done.")


@pytest.mark.parametrize(
    "output",
    ["", "Done.", '{"choice": "Ada", "words": "x"}', '{"action": "review_requested", "file": "# A"}', "[1, 2]", "{"],
)
def test_a_plain_answer_is_no_report(output: str) -> None:
    assert report_in(output) is None


def test_damage_never_raises_and_numbers_that_are_none_stay_unknown() -> None:
    random = Random(1)
    for output in (CODEX, CLAUDE, CLAUDE_STREAM, GEMINI, GEMINI_STREAM, OPENCODE, QWEN):
        for _ in range(100):
            at = random.randrange(len(output))
            damaged = output[:at] + random.choice(["", "}", '"', "null", "[", "-1", "true"]) + output[at + 3 :]
            report_in(damaged)
            for line in damaged.splitlines():
                assert "\n" not in step_in(line)
    found = report_in('{"type":"turn.completed","usage":{"input_tokens":-5,"output_tokens":true}}')
    assert found is not None
    assert (found.counted.prompt, found.counted.reply, found.cost) == (None, None, None)


def test_the_steps_of_each_stream() -> None:
    def steps(output: str) -> list[str]:
        return [step for step in map(step_in, output.splitlines()) if step]

    assert steps(CODEX) == ["bash -lc 'make test'", "thinking", "changes src/a.py", "answering"]
    assert steps(CLAUDE_STREAM) == ["thinking", "Bash: ls", "answering"]
    assert steps(GEMINI_STREAM) == ["answering", "read_file: a.py", "answering"]
    assert steps(OPENCODE) == ["bash: ls", "answering"]
    assert steps("Thinking …\n{}\n[]") == []
