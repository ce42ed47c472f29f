"""What can go wrong, as one tree.

    SottovoceError               anything a user may be told in one line
    ├── Refused                  a move that the rules do not allow; becomes an event, never reaches a user as an error
    ├── SetupRefused             a game that cannot be opened with these seats or options
    ├── UnknownName              something asked for by a name that nothing has
    ├── Unreadable               a file that cannot be read
    └── RulesetDefect            a ruleset that is wrong in itself: found at import, never at play

A docstring is the default message.
"""

from __future__ import annotations


class SottovoceError(Exception):
    """Something went wrong."""

    exit_code = 1

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (self.__doc__ or "").strip())


class Refused(SottovoceError):
    """The rules do not allow this."""


class SetupRefused(SottovoceError):
    """The game can't be created like this."""

    exit_code = 2


class UnknownName(SottovoceError):
    """There is nothing with that name."""

    exit_code = 2


class Unreadable(SottovoceError):
    """A file that cannot be read."""

    exit_code = 2

    def __init__(self, file: str, error: Exception) -> None:
        super().__init__(f"Cannot read {file}: {getattr(error, 'strerror', None) or error}. Check the path.")


class RulesetDefect(SottovoceError):
    """A ruleset is wrong in itself."""
