"""Groups whose commands are loaded as they are needed, so that every command starts quickly."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click


class Commands(click.Group):
    """`places` says where each command lives: `module:name`, in the order of the help."""

    def __init__(self, *args: Any, places: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._places:
            return None
        module, _, name = self._places[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command
