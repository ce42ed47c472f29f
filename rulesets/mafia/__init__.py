"""Mafia: all of it in one folder."""
