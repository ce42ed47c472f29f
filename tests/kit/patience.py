"""How long a test waits for what must come: long enough for a machine that is busy with other things.

It bounds a test that would fail anyway; a test that passes never waits so long.
"""

PATIENCE = 240.0
"""Seconds."""
