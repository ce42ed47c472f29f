"""How far a client has seen its game: what it may bring with a request, and is told with every answer.

A client that asks one server after the other must not get back to an older state, such as a turn that it has answered.
The number is the chair's own seq, an auditor's the position, and nothing else: whatever closes a seat's turn is an
entry of that seat's.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Header

SEEN = "Sottovoce-Seen"

Seen = Annotated[
    str,
    Header(
        alias=SEEN,
        pattern="^[0-9]{0,9}$",
        description="The highest number you received in this header. Answers are then never older.",
    ),
]
