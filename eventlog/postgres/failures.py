"""Translate PostgreSQL's errors for users of the log."""

from __future__ import annotations

import psycopg

from sottovoce.eventlog.errors import (
    AccessDenied,
    DamagedLog,
    DiskFailed,
    DiskFull,
    LogBusy,
    LogError,
    NotALog,
    ReadOnlyLog,
)

_GONE = ("08", "57P01", "57P02", "57P03", "57P05", "25P03", "53300")
"""Connection failures, a server that stops, starts or is full, and a session that was idle for too long."""

_PASSING = ("40001", "40P01")
"""Serialisation failures and deadlocks: nothing was done, and a retry can succeed."""


def is_lost(error: psycopg.Error) -> bool:
    """Return whether the error says that the connection is lost, or that none is available at the moment."""
    if error.sqlstate is None:
        return isinstance(error, psycopg.OperationalError)
    return error.sqlstate.startswith(_GONE)


def is_passing(error: psycopg.Error) -> bool:
    """Return whether a retry can succeed at once."""
    return error.sqlstate in _PASSING


def is_refusal(error: Exception) -> bool:
    """Return whether the database refused a row: a constraint, a trigger, or a value that no column can hold."""
    return isinstance(error, psycopg.IntegrityError | psycopg.DataError | UnicodeError)


def log_error(error: psycopg.Error, place: str) -> LogError:
    """Return the error as one line that says what to do."""
    code = error.sqlstate or ""
    message = error.diag.message_primary or " ".join(str(error).split())
    if code == "53100":
        return DiskFull(f"The disk of {place} is full and nothing was written. Free some space and try again")
    if code.startswith("58"):
        return DiskFailed(f"The storage of {place} failed ({message}) and nothing was saved. Check the disk")
    if code == "25006":
        return ReadOnlyLog(f"{place} is read-only. Use the address of the primary server")
    if code in ("55P03", "57014"):
        return LogBusy(f"Another session keeps {place} locked ({message}). Wait and try again")
    if code in ("42501", "28000", "28P01"):
        return AccessDenied(
            f"{place} does not allow this ({message}); its owner runs: sottovoce db upgrade --app-role ROLE"
        )
    if code in ("42P01", "42703", "3F000"):
        return NotALog(f"{place} is not a Sottovoce database of this version ({message}); run: sottovoce db check")
    if code.startswith("XX") or code == "22021":
        return DamagedLog(f"{place} is damaged ({message}); run: sottovoce db check")
    return LogError(f"{place} cannot be used: {message}")
