import gc
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import postgres
import pytest
from built import build_page
from commands import Cli
from hypothesis import settings
from server_process import Serving
from sizes import NIGHTLY

from sottovoce.projections.bundle import Bundle

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what it runs in the background with interrupts ignored, and the processes that tests interrupt
    # would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The suite says the same of the same code every time, however slow the machine; the nightly size draws examples that
# nobody has seen.
settings.register_profile("sottovoce", derandomize=not NIGHTLY, deadline=None)
settings.load_profile("sottovoce")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays until the end: the garbage collector need not look through it again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def built_page() -> Bundle:
    """The page in the browser, built from what is in `web/` now."""
    return build_page()


@pytest.fixture
def sv(tmp_path: Path) -> Cli:
    """The command line on a log of its own."""
    return Cli(tmp_path / "games.db")


@pytest.fixture
def server(sv: Cli) -> Iterator[Serving]:
    """The installed server on that log."""
    with Serving(sv.url) as running:
        yield running


@pytest.fixture(scope="session")
def databases() -> Iterator[postgres.Databases]:
    """Databases on a real server; what needs it is skipped where there is none."""
    try:
        with postgres.databases() as found:
            yield found
    except postgres.NoPostgres as missing:
        pytest.skip(str(missing))
