"""Command handling and the reactor that opens agents' turns."""
