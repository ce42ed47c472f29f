"""What the human of a session can say at any time: the `/commands` as buttons."""

from __future__ import annotations

from sottovoce import Order
from sottovoce.rulesets.tabletop.rules.names import HUMAN

ORDERS = {
    HUMAN: (
        Order(
            name="Whisper",
            about="Say something only this companion hears.",
            text="/chat {to} {words}",
            words="required",
            to="players",
            label="To",
        ),
        Order(name="Step away", about="Your character acts on its own until you return.", text="/away {words}"),
        Order(
            name="I’m back",
            about="Take over again and get a summary of what you missed.",
            text="/back",
            words="none",
        ),
        Order(name="Save", about="Ask the GM to save the session.", text="/save", words="none"),
        Order(name="End session", about="Ask the GM to end the session.", text="/end {words}"),
    )
}
