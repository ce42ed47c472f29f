"""How long a test waits for something that must happen: long enough for a busy machine.

It limits a test that would fail anyway; a passing test never waits that long.
"""

PATIENCE = 240.0
"""Seconds."""
