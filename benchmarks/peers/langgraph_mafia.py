"""LangGraph with its SQLite checkpoints: one step per decision, with as many decisions as a game of the workload.

Run this with an interpreter that has `langgraph` and `langgraph-checkpoint-sqlite`. Prints the processor time of each
decision in microseconds, as JSON. The state is the minimum for a game: a log that grows by one entry per step, whose
turn it is, and a view for each of nine seats. The rules are a random word. Every step is stored before the next.
"""

from __future__ import annotations

import json
import operator
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

DECISIONS = 200
WORDS = ("I have nothing to add.", "So be it.", "I am listening.", "We shall see.")


class State(TypedDict):
    """A game: whose turn it is, everything that was said, and what each seat has seen of it."""

    turn: int
    log: Annotated[list[str], operator.add]
    seat0: Annotated[list[str], operator.add]
    seat1: Annotated[list[str], operator.add]
    seat2: Annotated[list[str], operator.add]
    seat3: Annotated[list[str], operator.add]
    seat4: Annotated[list[str], operator.add]
    seat5: Annotated[list[str], operator.add]
    seat6: Annotated[list[str], operator.add]
    seat7: Annotated[list[str], operator.add]
    seat8: Annotated[list[str], operator.add]


VIEWS = tuple(f"seat{number}" for number in range(9))


def act(state: State) -> dict[str, Any]:
    """Let one seat speak; everyone hears it."""
    said = [f"{VIEWS[state['turn'] % len(VIEWS)]}: {random.choice(WORDS)}"]
    return {"turn": state["turn"] + 1, "log": said, **dict.fromkeys(VIEWS, said)}


def on(state: State) -> str:
    return END if state["turn"] >= DECISIONS else "act"


def main(rounds: int) -> None:
    graph = StateGraph(State)
    graph.add_node("act", act)
    graph.add_edge(START, "act")
    graph.add_conditional_edges("act", on)
    best = float("inf")
    for number in range(rounds):
        with (
            tempfile.TemporaryDirectory() as folder,
            SqliteSaver.from_conn_string(str(Path(folder, "game.db"))) as saver,
        ):
            compiled = graph.compile(checkpointer=saver)
            config: Any = {"configurable": {"thread_id": str(number)}, "recursion_limit": 2 * DECISIONS}
            started = time.process_time()
            compiled.invoke({"turn": 0, "log": [], **{view: [] for view in VIEWS}}, config, durability="sync")
            best = min(best, (time.process_time() - started) / DECISIONS * 1e6)
    print(json.dumps({"cpu": best}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
