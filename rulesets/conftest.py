"""No time limit for one hypothesis example: a busy machine is no defect of the rules."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("unhurried")
settings.load_profile("unhurried")
