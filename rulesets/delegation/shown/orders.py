"""What the user of delegated work can order at any time, as buttons."""

from __future__ import annotations

from sottovoce import Order
from sottovoce.rulesets.delegation.rules.names import USER

ORDERS = {
    USER: (
        Order(
            name="New task",
            about="Add a task and say what to do.",
            text="add {to}: {words}",
            words="required",
            to="name",
            label="Short name, e.g. spring-fair",
        ),
        Order(
            name="Message",
            about="Send a message to an agent, or answer its question.",
            text="{to}: {words}",
            task_text="{to}, {task}: {words}",
            words="required",
            to="others",
            label="To",
        ),
        Order(
            name="Edit task",
            about="Change the brief, or tell the agents working on it.",
            text="change {to}: {words}",
            words="required",
            to="tasks",
            label="Task",
        ),
        Order(
            name="Abandon task",
            about="Stops work on the task. This can’t be undone.",
            text="abandon {to}",
            to="tasks",
            label="Task",
        ),
    )
}
