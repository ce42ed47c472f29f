"""The harness sees what it is there to see: faults of every kind in a page, and texts anywhere in its memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from browser.chromium import unpacked
from browser.hands import ill_reached
from browser.memory import found_in_memory
from browser.node import node
from browser.sessions import People, launched
from commands import ROOT
from playwright.sync_api import Playwright, expect

POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self'; connect-src *; img-src data:"


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, _Pages)
        body = server.script.encode()
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-security-policy", POLICY)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is said."""


class _Pages(ThreadingHTTPServer):
    """Serves one page that runs a script."""

    script = ""

    def saying(self, script: str, body: str = "") -> str:
        self.script = f"<!doctype html><link rel=icon href=data:,><title>Test</title>{body}<script>{script}</script>"
        return f"http://127.0.0.1:{self.server_port}/"


@pytest.fixture
def pages() -> Iterator[_Pages]:
    with _Pages(("127.0.0.1", 0), _Page) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


FAULTS = {
    "console": ("console.error('it broke')", "it broke"),
    "uncaught": ("setTimeout(() => { throw new Error('thrown') })", "thrown"),
    "rejected": ("Promise.reject(new Error('dropped'))", "dropped"),
    "inline style": ("document.body.setAttribute('style', 'color:red')", "the policy forbids: style-src-attr"),
    "eval": ("setTimeout(() => { try { eval('1') } catch {} })", "the policy forbids: script-src"),
    "elsewhere": ("fetch('http://sottovoce.invalid/').catch(() => {})", "asked elsewhere"),
    "lost call": ("fetch('http://127.0.0.1:9/').catch(() => {})", "Failed to load"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_a_page_fails_the_test(people: People, pages: _Pages, name: str) -> None:
    script, told = FAULTS[name]
    page = people.page(pages.saying(f"{script}; setTimeout(() => document.title = 'Done', 1)", "<body>"))
    while not any(told in fault for fault in people.faults.found):
        page.wait_for_timeout(20)
    people.faults.expect("")
    with pytest.raises(AssertionError), People(people.browser) as others:
        others.faults.found += people.faults.found


def test_a_page_without_faults_has_none(people: People, pages: _Pages) -> None:
    page = people.page(pages.saying("document.title = 'Done'"))
    expect(page).to_have_title("Done")
    assert people.faults.found == []


HIDDEN = {
    "a string": "globalThis.kept = SECRET",
    "a string joined of parts": "globalThis.kept = SECRET.slice(0, 12) + SECRET.slice(12)",
    "text of the page alone": "document.body.append(SECRET)",
    "an attribute": "document.body.setAttribute('data-of', SECRET)",
    "bytes": "globalThis.kept = new TextEncoder().encode(SECRET)",
    "a closure": "globalThis.kept = ((held) => () => held)(SECRET)",
    "beyond Latin": "globalThis.kept = 'ж' + SECRET",
}


@pytest.mark.parametrize("how", HIDDEN)
def test_a_text_is_found_in_memory_however_it_is_held(playwright: Playwright, pages: _Pages, how: str) -> None:
    """It is put together in the page, so that no part of what was loaded holds it."""
    secret = "canary-Zm9v-" + "-".join(str(number * 7919) for number in range(3, 9))
    codes = [ord(letter) + 1 for letter in secret]
    script = f"const SECRET = String.fromCharCode(...{codes}.map((code) => code - 1)); {HIDDEN[how]}"
    with launched(playwright) as browser, People(browser) as people:
        people.page(pages.saying(script, "<body>"))
        assert found_in_memory(browser, [secret, "canary-that-is-not-there"]) == {secret}


def test_a_text_that_a_page_never_had_is_not_found(playwright: Playwright, pages: _Pages) -> None:
    with launched(playwright) as browser, People(browser) as people:
        people.page(pages.saying("document.title = 'Nothing'"))
        assert found_in_memory(browser, ["canary-that-is-not-there"]) == set()


PACKING = """
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
for (const name of process.argv.slice(1)) writeFileSync(`${name}.br`, brotliCompressSync(readFileSync(name)));
"""


def test_any_number_of_processes_may_unpack_at_once(tmp_path: Path) -> None:
    package, into = tmp_path / "package", tmp_path / "into"
    for folder in (package / "bin", into):
        folder.mkdir(parents=True)
    (package / "package.json").write_text('{"version": "1.0"}')
    (package / "bin" / "chromium").write_bytes(b"#!/bin/true\n" + bytes(5_000_000))
    with tarfile.open(package / "bin" / "al2023.tar", "w") as archive:
        archive.add(package / "package.json", "lib/libnss3.so")
    node(PACKING, str(package / "bin" / "chromium"), str(package / "bin" / "al2023.tar"))
    code = (
        "import sys, pathlib; from browser.chromium import unpacked; print(unpacked(*map(pathlib.Path, sys.argv[1:])))"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT / "tests" / "kit")}
    asked = [
        subprocess.Popen([sys.executable, "-c", code, package, into], env=env, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    (told,) = {process.communicate()[0].strip() for process in asked}
    ready = unpacked(package, into)
    assert told == str(ready)
    assert ready.executable.stat().st_size == 5_000_012
    assert ready.executable.stat().st_mode & 0o777 == 0o755
    assert (ready.libraries / "libnss3.so").exists()
    assert sorted(path.name for path in into.iterdir()) == [".chromium-1.0", ".chromium.lock"]


def test_a_walk_through_a_page_goes_on_past_its_end_and_past_a_stop_that_goes_away(
    playwright: Playwright, pages: _Pages
) -> None:
    buttons = "".join(f"<button id={name}>{name}</button>" for name in "abcd")
    script = """
        const framed = { outline: '2px solid', margin: '9px' };
        for (const it of document.querySelectorAll('button')) Object.assign(it.style, framed);
        b.onfocus = () => b.remove();
        c.focus();
    """
    with launched(playwright) as browser, People(browser) as people:
        page = people.page()
        page.goto(pages.saying(script, buttons))
        assert ill_reached(page) == []
        page.goto(pages.saying(script + "d.tabIndex = 0; d.onfocus = () => d.blur();", buttons))
        (left,) = ill_reached(page)
        assert left.startswith('never reached: <button id="d"')
        page.goto(pages.saying("", "<p>Nowhere to go.</p>"))
        assert ill_reached(page) == []
