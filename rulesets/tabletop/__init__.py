"""Tabletop: all of it in one folder."""
