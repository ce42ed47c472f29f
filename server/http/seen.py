"""How far a client has seen its game: clients can send it with a request, and get it with every answer.

A client that uses several servers must not get an older state, such as a turn that it has answered. The number is the
viewer's seq (an auditor's position): every event that closes a seat's turn is an entry of that seat.
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
