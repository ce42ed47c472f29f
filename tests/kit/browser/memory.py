"""The memory of the processes that draw pages.

A heap snapshot misses joined strings and text that only the DOM has; the memory itself misses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

PART = 16 << 20


def renderers(browser: Browser) -> list[int]:
    """Return the processes that draw this browser's pages."""
    session = browser.new_browser_cdp_session()
    try:
        told = session.send("SystemInfo.getProcessInfo")
    finally:
        session.detach()
    return [int(one["id"]) for one in told["processInfo"] if one["type"] == "renderer"]


def found_in_memory(browser: Browser, texts: Iterable[str]) -> set[str]:
    """Return the texts that are in the memory of a renderer, as UTF-8 or UTF-16."""
    wanted = {form: text for text in texts for form in (text.encode(), text.encode("utf-16-le"))}
    assert wanted, "there is something to look for"
    longest = max(map(len, wanted))
    pattern = re.compile(b"|".join(re.escape(form) for form in sorted(wanted, key=len, reverse=True)))
    pids = renderers(browser)
    assert pids, "a page is open"
    found: set[str] = set()
    for pid in pids:
        for part in _parts(pid, longest - 1):
            found |= {wanted[match] for match in pattern.findall(part)}
    return found


def _parts(pid: int, overlap: int) -> Iterator[bytes]:
    """Yield the process's readable, writable memory part by part, each with the end of the previous one."""
    try:
        maps = Path(f"/proc/{pid}/maps").read_text().splitlines()
        memory = Path(f"/proc/{pid}/mem").open("rb", buffering=0)  # noqa: SIM115 - closed below
    except (PermissionError, FileNotFoundError) as refused:
        pytest.skip(f"the memory of another process may not be read here: {refused}")
    with memory:
        for line in maps:
            place, rights, *_ = line.split()
            if not rights.startswith("rw"):
                continue
            start, end = (int(number, 16) for number in place.split("-"))
            before = b""
            while start < end:
                try:
                    memory.seek(start)
                    part = memory.read(min(PART, end - start))
                except OSError:
                    break  # freed meanwhile, or a device's
                if not part:
                    break
                yield before + part
                before = part[-overlap:] if overlap else b""
                start += len(part)
