"""Delegation: all of it in one folder."""
