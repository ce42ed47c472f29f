"""The errors of a log, as one tree. Each message is one line that says what to do.

    LogError
    ├── BadLogAddress        the URL is not that of a log; exit code 2
    ├── BackendMissing       this Python cannot open such a log
    ├── LogMissing           the file or its folder does not exist
    ├── LogUnreachable       the database server does not answer
    ├── AccessDenied         the file system or the database forbids it
    ├── ReadOnlyLog          you can read, but not write
    ├── DiskFull             nothing was written; works again when there is space
    ├── DiskFailed           the storage reported a failure
    ├── OutOfFiles           this process can't open more files
    ├── LogBusy              another process kept the log locked for too long
    ├── NotALog              the file is something else
    ├── OlderSchema          must be upgraded first
    ├── NewerSchema          written by a later version of this program
    ├── WeakDurability       an acknowledged append might be lost; refused
    ├── DamagedLog           the stored data is unreadable or contradictory
    ├── UnknownName          no ruleset of this program has this stored name
    ├── RegistryDefect       two events with one name, or an upcast that leads nowhere; found when the registry is built
    ├── WriteRefused         an invalid write
    ├── UnknownRole          the role that should get rights does not exist; exit code 2
    └── BadHead              not a saved head; exit code 2

A docstring is the default message.
"""

from __future__ import annotations

from sottovoce.domain.errors import SottovoceError


class LogError(SottovoceError):
    """The database can't be used."""


class BadLogAddress(LogError):
    """Give a database as sqlite:///PATH, postgresql://… or memory:."""

    exit_code = 2


class BackendMissing(LogError):
    """This Python can't open such a database. Install psycopg[binary], or use --db sqlite:///PATH."""


class LogMissing(LogError):
    """There is no database here. Use --db sqlite:///PATH in an existing folder."""


class LogUnreachable(LogError):
    """Can't reach the database server. Check the address and the server."""


class AccessDenied(LogError):
    """The database can't be opened. You need the right to read and write it."""


class ReadOnlyLog(LogError):
    """The database is read-only. Make it writable, or choose another with --db."""


class DiskFull(LogError):
    """The disk is full and nothing was written. Free some space and try again."""


class DiskFailed(LogError):
    """The storage failed and nothing was saved. Check the disk and its quota, then try again."""


class OutOfFiles(LogError):
    """This process can't open more files. Raise the limit (ulimit -n), or let it do less at once."""


class LogBusy(LogError):
    """Another process keeps the database locked. Wait for it to finish and try again."""


class NotALog(LogError):
    """This is not a Sottovoce database. Choose another with --db."""


class OlderSchema(LogError):
    """The database was written by an earlier version; run: sottovoce db upgrade"""


class NewerSchema(LogError):
    """The database was written by a later version. Install that version."""


class WeakDurability(LogError):
    """The database's storage can lose saved games. Move it to a local disk."""


class DamagedLog(LogError):
    """The log contradicts itself; run: sottovoce audit verify"""


class UnknownName(LogError):
    """The log has an event that this version does not know. Install the version that wrote it."""


class RegistryDefect(LogError):
    """The registry of stored names is wrong in itself."""


class WriteRefused(LogError):
    """The write is wrong in itself."""


class UnknownRole(LogError):
    """The server has no such role. Create it with CREATE ROLE."""

    exit_code = 2


class BadHead(LogError):
    """Give a head as EVENTS+RECEIPTS:HEX, EVENTS:HEX or HEX, with 64 hexadecimal digits."""

    exit_code = 2
