"""Addresses at which a process shows something to the person who runs it."""

from __future__ import annotations

from typing import NamedTuple


class ListenAddress(NamedTuple):
    """An address to listen on; port 0 is any that is free."""

    host: str
    port: int

    @classmethod
    def of(cls, text: str) -> ListenAddress:
        """From `[HOST:]PORT`, this machine only where no host is given. ValueError for anything else."""
        host, _, port = text.rpartition(":")
        if not (port.isascii() and port.isdigit() and int(port) <= 65_535):
            raise ValueError(f"{text!r} is not an address. Give PORT or HOST:PORT, such as 9464")
        return cls(host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port))

    def __str__(self) -> str:
        return f"{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"
