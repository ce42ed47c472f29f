"""The door in a real browser: the policy holds and says so, the token leaves the address, a shared file opens alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser.sessions import People
from hostile import HOSTILE
from playwright.sync_api import Page, expect
from remote import PLAYERS, Opened, RemoteServer, log_in

FORBIDDEN = """async () => {
    const tried = {};
    const attempt = async (name, does) => { try { await does(); } catch (error) { tried[name] = error.name; } };
    const script = document.createElement('script');
    await attempt('script', () => { script.textContent = 'globalThis.ran = 1'; document.body.append(script); });
    await attempt('markup', () => { document.body.innerHTML = '<img src=x onerror="globalThis.ran = 2">'; });
    await attempt('policy', () => trustedTypes.createPolicy('mine', {}));
    await attempt('fetch', () => fetch('http://127.0.0.2:9/'));
    return { ...tried, ran: globalThis.ran ?? null };
}"""
SPEECH = " ".join(HOSTILE[0].split())


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RemoteServer, Opened]]:
    """A game that is over, in which Ada said something hostile whenever she could."""
    with RemoteServer(log_in(tmp_path_factory.mktemp("far"))) as remote:
        one = remote.open(names=list(PLAYERS), agents={"Ada": "outside"}, agent="random", seed="5")
        path, ada, over = f"/v1/games/{one.game}", one.seats["Ada"], False
        while not over:
            inbox = remote.get(f"{path}/turns", ada, wait=45)
            for turn in inbox["turns"]:
                text = turn["choices"][0] if turn["choices"] else SPEECH
                remote.ask("POST", f"{path}/turns/{turn['turn']}", ada, {"text": text})
            over = inbox["over"]
        yield remote, one


def reports(remote: RemoteServer) -> float:
    lines = remote.ask("GET", "/metrics", remote.host).text.splitlines()
    return float(next(line for line in lines if line.startswith("sottovoce_policy_reports_total")).split()[1])


def opened(people: People, remote: RemoteServer, one: Opened, token: str) -> Page:
    page = people.page(f"{remote.base}/games/{one.game}#{token}")
    expect(page.get_by_text("Ada", exact=True).first).to_be_attached()
    return page


def test_a_page_breaks_its_policy_nowhere_and_keeps_no_token(
    people: People, played: tuple[RemoteServer, Opened]
) -> None:
    remote, one = played
    before = reports(remote)
    for token in (one.seats["Ada"], one.spectator, one.keeper):
        page = opened(people, remote, one, token)
        assert token not in page.url
        kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
        assert kept == '[{},{},""]'
        assert token not in page.content()
    assert reports(remote) == before


def test_what_the_policy_forbids_does_not_run_and_is_reported(
    people: People, played: tuple[RemoteServer, Opened]
) -> None:
    remote, one = played
    people.faults.expect("policy|Trusted|Refused|violates|not allowed|elsewhere|Failed to")
    before = reports(remote)
    page = opened(people, remote, one, one.spectator)
    tried = page.evaluate(FORBIDDEN)
    assert tried == {**dict.fromkeys(("script", "markup", "policy", "fetch"), "TypeError"), "ran": None}
    while reports(remote) < before + 4:
        page.wait_for_timeout(20)


def test_no_other_page_frames_this_one(people: People, played: tuple[RemoteServer, Opened], tmp_path: Path) -> None:
    remote, one = played
    people.faults.expect("frame-ancestors|Refused to|Framing|blocked|chrome-error")
    (tmp_path / "around.html").write_text(f'<!doctype html><iframe src="{remote.base}/games/{one.game}"></iframe>')
    page = people.page((tmp_path / "around.html").as_uri())
    expect(page.locator("iframe")).to_be_attached()
    while len(page.frames) < 2 or page.frames[1].url in ("", "about:blank"):
        page.wait_for_timeout(20)
    assert page.frames[1].url.startswith("chrome-error:")


@pytest.mark.parametrize("whose", ["Ada", "everybody", "all"])
def test_a_shared_file_opens_from_the_disk_and_asks_nobody(
    people: People, played: tuple[RemoteServer, Opened], tmp_path: Path, whose: str
) -> None:
    remote, one = played
    tokens = {
        "Ada": one.seats["Ada"],
        "everybody": one.spectator,
        "all": remote.issue(one.game, one.keeper, "auditor"),
    }
    text = remote.ask("GET", f"/v1/games/{one.game}/transcript", tokens[whose], format="html").text
    (tmp_path / "game.html").write_text(text, encoding="utf-8")
    context = people.context()
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    page.goto((tmp_path / "game.html").as_uri())
    expect(page.get_by_role("heading").first).to_be_attached()
    expect(page.get_by_text("Ada", exact=True).first).to_be_attached()
    assert [url for url in asked if not url.startswith("data:")] == [(tmp_path / "game.html").as_uri()]
    assert page.evaluate("globalThis.ran ?? null") is None
    stored = json.loads(page.locator("#record").text_content() or "")
    assert any(entry["data"].get("text") == SPEECH for entry in stored["told"])
    assert page.locator("img, iframe, object, form").count() == 0
