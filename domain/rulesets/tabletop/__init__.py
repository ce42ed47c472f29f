"""Tabletop: a session led by a game master, spoken in tagged messages."""
