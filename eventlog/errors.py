"""What can go wrong with a log, as one tree. Each is one line that says what to do.

    LogError
    ├── BadLogAddress        the URL names no log; exit code 2
    ├── BackendMissing       this Python cannot open such a log
    ├── LogMissing           there is no such file, or no such folder
    ├── LogUnreachable       the database server does not answer
    ├── AccessDenied         the file system or the database forbids it
    ├── ReadOnlyLog          reading goes on, writing does not
    ├── DiskFull             nothing was written; works again as soon as there is room
    ├── DiskFailed           the storage reported a failure
    ├── OutOfFiles           this process may open no more files
    ├── LogBusy              another process kept the log locked for too long
    ├── NotALog              the file is something else
    ├── OlderSchema          to be upgraded first
    ├── NewerSchema          written by a later version of this program
    ├── WeakDurability       an acknowledged append might be lost; refused
    ├── DamagedLog           what is stored cannot be read, or contradicts itself
    ├── UnknownName          an event whose stored name is in no ruleset that this program knows
    ├── RegistryDefect       two events of one name, or an upcast to nowhere: found when the registry is built
    ├── WriteRefused         a write that is wrong in itself
    ├── UnknownRole          rights cannot be granted to a role that is not there; exit code 2
    └── BadHead              a head of another form than those that are kept; exit code 2

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
