"""Sessions of a campaign folder from the command line: played, continued, written out, refused."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import time
from pathlib import Path

import pytest
from closed_text import Sentence, closed_sentences, said, seen_in, texts_of
from commands import ROOT, SOTTOVOCE, Cli
from patience import PATIENCE
from session import FILES, PARTY
from worlds import documents_of

from sottovoce.rulesets.tabletop.rules.documents.folder import roster_of
from sottovoce.rulesets.tabletop.rules.lore.facts import world_of
from sottovoce.server.campaign import read_campaign

EVENING = ROOT / "examples" / "campaigns" / "ten-past-four"
EDITIONS = ("phase-1", "phase-2", "current")


@pytest.fixture
def sv(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "games.db")


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    """A small campaign of its own, which tests may change."""
    folder = tmp_path / "the-drowned-bell"
    for path, content in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def contents(folder: Path) -> dict[str, str]:
    """Every file's hash, by path."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("edition", EDITIONS)
def test_an_evening_is_played_to_its_end_by_the_house(sv: Cli, edition: str) -> None:
    before = contents(EVENING)
    played = sv("play", "tabletop", EVENING, "--full-auto", "--edition", edition, "--seed", "5", "--json").json
    assert played["status"] == "over"
    events = sv("export", played["game"]).rows
    tags = {event["data"].get("tag") for event in events}
    assert {"NARRATIVE", "SESSION_COMMAND", "SESSION_END"} <= tags
    failed = [event for event in events if event["name"] in ("core.attempt-failed.v1", "core.message-refused.v1")]
    # The narrator writes in the background: by the time it asks the GM something, the session may be over.
    assert [event["data"]["message"] for event in failed if event["actor"] != "narrator"] == []
    assert sv("audit", "verify", played["game"]).code == 0
    assert contents(EVENING) == before, "the folder is never written to"


@pytest.mark.parametrize(
    "words",
    [
        ("play", "tabletop", "--full-auto"),
        ("play", "tabletop", "--full-auto", "--quiet"),
        ("play", "tabletop", "--full-auto", "--json"),
        ("run", "tabletop", "--games", "1", "--quiet"),
        ("run", "tabletop", "--games", "1", "--json"),
    ],
    ids=" ".join,
)
def test_a_mark_that_leaves_text_open_is_told_of_however_quiet_a_session_begins(
    sv: Cli, campaign: Path, words: tuple[str, ...]
) -> None:
    sheet = campaign / "party" / f"{PARTY[0]}.md"
    sheet.write_text(sheet.read_text() + "\n## El secreto del molino\n\nShe took the bell.\n")
    (campaign / "left.bak").write_text("x")
    played = sv(*words[:2], campaign, "--seed", "5", *words[2:])
    assert played.code == 0, played.err
    (told,) = [line for line in played.err.splitlines() if "El secreto del molino" in line]
    assert told.startswith("note: players can read this, but it looks like GM-only text: 'El secreto del molino' in")
    assert ("left.bak" in played.err) == (words[2:] == ("--full-auto",)), "all else is told where nothing says quiet"


def test_a_person_plays_a_character_through_a_pipe(tmp_path: Path, campaign: Path) -> None:
    pages = "/who\n:sheet\n:rolls\n:read\n:read party-know\n:read story\n"
    said = f"{pages}1\n/chat Corwin Well?\nI hold the rope.\n/away tea\n"
    played = subprocess.run(
        [
            SOTTOVOCE,
            "--db",
            f"sqlite:///{tmp_path}/p.db",
            "play",
            "tabletop",
            str(campaign),
            "--as",
            PARTY[0],
            "--seed",
            "3",
        ],
        input=said,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "SOTTOVOCE_PACE": "0"},
    )
    assert "Traceback" not in played.stderr
    assert "You are tilda-brannock." in played.stdout
    assert "asks you" in played.stdout
    assert "Your character: Tilda Brannock. You decide for this character." in played.stdout + played.stderr
    assert "hit-points 12/12" in played.stdout + played.stderr
    assert "party-knowledge.md" in played.stdout + played.stderr
    assert "story is not among your papers" in played.stdout + played.stderr
    assert "aside, to corwin-voss" in played.stdout
    for secret in ("kin to them by blood", "drowned the bell himself"):
        assert secret not in played.stdout


def test_a_second_evening_goes_on_from_the_first(sv: Cli, campaign: Path) -> None:
    first = sv("play", "tabletop", campaign, "--full-auto", "--seed", "4", "--json").json["game"]
    sv("files", first, "--as", "gm", "--into", campaign.parent / "after")
    told = (campaign.parent / "after" / "story-state.md").read_text()
    assert told != FILES["story-state.md"].decode(), "the first evening left its mark"
    sheet = campaign / "party" / f"{PARTY[1]}.md"
    sheet.write_text(sheet.read_text().replace("Stubborn.", "Stubborn, and lately deaf."))
    (campaign / "story-state.md").write_text("# Story\n\nRewritten by hand.\n")
    second = sv("play", "tabletop", campaign, "--full-auto", "--continue", first, "--seed", "5")
    assert second.code == 0
    assert "story-state.md changed in the game and on disk; the game's text is kept" in second.err
    game = sv("games", "--json").rows[-1]["game"]
    sv("files", game, "--as", PARTY[1], "--into", campaign.parent / "corwin", "--at", "8")
    assert "lately deaf" in (campaign.parent / "corwin" / "party" / f"{PARTY[1]}.md").read_text()
    assert "Rewritten by hand" not in sv("export", game).out


def test_a_second_evening_begins_a_scene_of_its_own(sv: Cli, campaign: Path) -> None:
    def scenes(game: str, into: str) -> dict[str, str]:
        folder = campaign.parent / into
        sv("files", game, "--as", "gm", "--into", folder)
        return {path: digest for path, digest in contents(folder).items() if path.startswith("scenes/")}

    first = sv("play", "tabletop", campaign, "--full-auto", "--seed", "4", "--json").json["game"]
    told = scenes(first, "first")
    assert told
    second = sv("play", "tabletop", campaign, "--full-auto", "--continue", first, "--seed", "5", "--json").json["game"]
    after = scenes(second, "second")
    assert {path: after[path] for path in told} == told, "what the first evening wrote stands as it was"
    assert min(after.keys() - told.keys()) > max(told)
    changed = [row["data"] for row in sv("export", second).rows if row["name"] == "tabletop.scene-changed.v1"]
    last = max(int(path[len("scenes/") :].split("-")[0]) for path in told)
    assert [int(change["number"]) for change in changed] == sorted(int(change["number"]) for change in changed)
    assert int(changed[0]["number"]) == last + 1
    assert "scene 001" not in sv("show", second).out


def test_a_gm_that_never_answers_puts_the_session_on_hold_until_another_takes_over(sv: Cli, campaign: Path) -> None:
    script = campaign.parent / "mute.yaml"
    script.write_text("[null, null, null, null]")
    held = sv("play", "tabletop", campaign, "--full-auto", "--seat", f"gm=scripted:{script}", "--seed", "2")
    assert held.code == 1
    assert "on hold, waiting for gm" in held.err
    shown = sv("show", "latest", "--as", "team-lead", "--json").json
    assert shown["status"] == "held"
    assert [sv("games", *how, "--json").json["status"] for how in ((), ("--auditor",))] == ["open", "held"]
    assert shown["waiting_for"] == ["gm"]
    assert sv("resume", "latest", "--seat", "gm=house", "--json").json["status"] == "over"


def test_a_gm_that_refuses_to_stop_is_stopped(sv: Cli, campaign: Path) -> None:
    script = campaign.parent / "stubborn.yaml"
    tale = json.dumps({"messages": [{"type": "broadcast", "content": "[NARRATIVE]\nAnd then, and then."}]})
    script.write_text(json.dumps([tale] * 40))
    waiting = (
        "--as",
        PARTY[0],
        "--seat",
        "human=outside",
        "--seat",
        f"gm=scripted:{script}",
        "--rule",
        "idle_gm_turns=1",
    )
    sv("play", "tabletop", campaign, *waiting, "--seed", "2")
    assert sv("send", "latest", "--as", "human", stdin="/end").code == 0
    ended = sv("resume", "latest", "--json").json
    assert ended["status"] == "over"
    rows = sv("replay", "latest", "--as", "team-lead", "--json").rows
    sent = [row["data"] for row in rows if row["name"] == "tabletop.message-sent.v1"]
    after = [each["tag"] for each in sent[[each["fields"].get("command") for each in sent].index("end") + 1 :]]
    assert after.count("NARRATIVE") <= 1
    assert after[-1] == "SESSION_END"
    assert sent[-1]["fallback"] is True
    assert sent[-1]["fields"]["state_saved"] is False


def test_resources_are_carried_over(sv: Cli, campaign: Path) -> None:
    script = campaign.parent / "gm.yaml"
    change = {"delta": {"character": "corwin-voss", "resource": "hit points", "change": -5}}
    told = {"type": "broadcast", "content": "[NARRATIVE]\nRain."}
    ending = "[SESSION_END]\nsummary: Wet.\nstate_saved: false\nnext_hook: More rain."
    over = {"type": "message", "recipient": "team-lead", "content": ending}
    replies = [json.dumps({"messages": [change, told]}), json.dumps({"messages": [over]})]
    script.write_text(json.dumps(replies))
    first = sv("play", "tabletop", campaign, "--full-auto", "--seat", f"gm=scripted:{script}", "--json").json
    assert first["status"] == "over"
    sv("play", "tabletop", campaign, "--full-auto", "--continue", first["game"], "--json")
    held = [e["data"] for e in sv("export", "latest").rows if e["name"] == "tabletop.resource-changed.v1"]
    assert next(each for each in reversed(held[:6]) if each["character"] == "corwin-voss")["amount"] == 7


@pytest.mark.spec("F-060", "F-061", "F-007")
def test_the_documents_written_out_are_the_ones_that_a_seat_may_read(sv: Cli, campaign: Path, tmp_path: Path) -> None:
    game = sv("play", "tabletop", campaign, "--full-auto", "--seed", "4", "--json").json["game"]
    assert sv("files", game, "--as", PARTY[0], "--into", tmp_path / "own", "--at", "6").code == 0
    written = contents(tmp_path / "own")
    assert set(written) - {".sottovoce-files.json"} == {"party-knowledge.md", f"party/{PARTY[0]}.md"}
    assert "kin to them" not in (tmp_path / "own" / "party" / f"{PARTY[0]}.md").read_text()
    again = sv("files", game, "--as", PARTY[0], "--into", campaign)
    assert (again.code, "Traceback" in again.err) == (2, False)


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("nowhere-at-all",), 2, "cannot be read"),
        (("{campaign}", "--as", "nobody"), 2, "no character 'nobody'"),
        (("{campaign}", "--as", PARTY[0], "--full-auto"), 2, "not both"),
        (("{campaign}", "--continue", "zzz"), 2, "no games yet"),
        (("{campaign}", "--full-auto", "--rule", "edition=phase-9"), 2, "edition"),
        (("{campaign}", "--full-auto", "--seat", "tilda=house"), 2, "no seat 'tilda'"),
        (("{empty}", "--full-auto"), 2, "is empty. Put a campaign's texts into it"),
        (("{file}", "--full-auto"), 2, "it is a file"),
        (("{many}", "--full-auto"), 2, "more than 5,000 files"),
        (
            ("{campaign}", "--with", "nobody-at-all"),
            2,
            "neither a sheet that can be read as text nor one of: bram-oduya",
        ),
        (("{planned}", "--full-auto"), 2, "sottovoce.toml: 'x.md' is \"folk\". Write one of: party, people"),
        (("{started}", "--full-auto"), 2, "start is 'Nowhere', which is not a place of the folder. Places: none"),
    ],
)
def test_what_cannot_be_played_is_one_line(
    sv: Cli, campaign: Path, tmp_path: Path, words: tuple[str, ...], code: int, told: str
) -> None:
    names = ("empty", "many", "planned", "started")
    places = {"campaign": campaign, "file": campaign / "story-state.md", **{name: tmp_path / name for name in names}}
    for name in names:
        places[name].mkdir()
    for number in range(10_000 if "{many}" in words else 0):
        (places["many"] / f"{number}.md").touch()
    (places["planned"] / "sottovoce.toml").write_text('[files]\n"x.md" = "folk"\n')
    (places["started"] / "sottovoce.toml").write_text('start = "Nowhere"\n')
    said = sv("play", "tabletop", *(word.format(**places) for word in words))
    assert (said.code, said.err.count("\n")) == (code, 1), said.err
    assert told in said.err


def test_a_hostile_folder_is_read_faithfully_or_left_out_with_a_line(sv: Cli, campaign: Path) -> None:
    secret = campaign.parent / "outside.txt"
    secret.write_text("TOP SECRET")
    (campaign / "link.md").symlink_to(secret)
    (campaign / "bad.md").write_bytes(b"\xff\xfe\x00bad")
    (campaign / "bomb.md").write_text("---\na: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n---\nText.\n")
    os.mkfifo(campaign / "pipe.md")
    (campaign / "big.md").write_bytes(b"x" * 6_000_000)
    started = time.monotonic()
    said = sv("play", "tabletop", campaign, "--full-auto", "--seed", "1")
    assert said.code == 0, said.err
    assert time.monotonic() - started < PATIENCE
    for name in ("link.md", "pipe.md", "big.md"):
        assert f"'{name}' is ignored" in said.err
    sv("files", "latest", "--as", "gm", "--into", campaign.parent / "gm", "--at", "30")
    there = contents(campaign.parent / "gm")
    assert there["bad.md"] == hashlib.sha256((campaign / "bad.md").read_bytes()).hexdigest()
    assert there["bomb.md"] == hashlib.sha256((campaign / "bomb.md").read_bytes()).hexdigest()
    assert "TOP SECRET" not in sv("export", "latest").out


REAL = Path(os.environ.get("SOTTOVOCE_CAMPAIGNS", ROOT.parent / "shared" / "campaigns")) / "the-dimming"


@pytest.mark.skipif(not REAL.is_dir(), reason=f"no campaign at {REAL}; set SOTTOVOCE_CAMPAIGNS")
def test_a_real_campaign_is_played_and_no_player_gets_a_gm_only_section(sv: Cli, tmp_path: Path) -> None:
    """What players hear of the GM's files stands open there, and the GM has noted it as told by then."""
    game = sv("play", "tabletop", REAL, "--full-auto", "--seed", "2", "--json").json["game"]
    files = read_campaign(REAL).files
    roster, closed = roster_of(files), closed_sentences(files)
    world = world_of(documents_of(files), roster)
    rows = sv("export", game).rows
    append = {name: number for number, name in enumerate(dict.fromkeys(row["append"] for row in rows))}
    noted: dict[str, int] = {}
    for row in (row for row in rows if row["data"].get("document") == "gm-progress.md"):
        for line in row["data"]["text"].splitlines():
            noted.setdefault(line.removeprefix("- "), append[row["append"]])
    sv("files", game, "--as", "gm", "--into", tmp_path / "gm")
    assert {f"- {line}" for line in noted} == {*(tmp_path / "gm" / "gm-progress.md").read_text().splitlines()}
    told = [
        (fact.id, fact.text, noted[f"told {fact.id}"])
        for fact in world.facts.values()
        if fact.gate in ("known", "sight", "open") and f"told {fact.id}" in noted
    ]
    happened = [
        (beat.id, text, noted[line])
        for beat in world.beats
        for done, texts in (("done", beat.happens), ("done asked", beat.questions))
        for number, text in enumerate(texts)
        if (line := f"{done} {beat.id} {number}") in noted
    ]

    def since(sentence: Sentence) -> int | None:
        """The number of the append in which the GM noted it; None where nothing lets it be told."""
        of_line = [(text, number) for key, text, number in told if re.match(rf"{re.escape(sentence.place)}(?!\d)", key)]
        of_beat = [(text, number) for key, text, number in happened if key.startswith(f"{sentence.file}#")]
        numbers = [number for text, number in (*of_line, *of_beat) if sentence.spoken in said(text)]
        return min(numbers) if numbers and not sentence.is_secret else None

    opened = {sentence.spoken: number for sentence in closed if (number := since(sentence)) is not None}
    assert opened
    assert len({sentence.spoken for sentence in closed} - opened.keys()) > 200
    for seat in roster:
        sv("files", game, "--as", seat, "--into", tmp_path / seat)
        folder = [path.read_text() for path in (tmp_path / seat).rglob("*.md")]
        view = texts_of(sv("view", game, "--as", seat, "--json").rows)
        seen = said("\n".join([*folder, *view, sv("transcript", game, "--as", seat).out]))
        assert [each for each in seen_in(closed, seen) if each.spoken not in opened] == []
        for row in rows:
            if row["audience"] == "everyone" or seat in row["audience"]:
                early = [
                    each
                    for each in seen_in(closed, said("\n".join(texts_of(row["data"]))))
                    if opened[each.spoken] > append[row["append"]]
                ]
                assert early == []


def test_a_secret_in_what_all_read_is_noted_when_a_session_begins_and_by_the_audit(sv: Cli, campaign: Path) -> None:
    """Words of the GM's own, pasted into a file of the party's, and marks that are closed or that close nothing."""
    told = "The ferryman is kin to them by blood and by oath."
    (campaign / "party-knowledge.md").write_text(f"# Known\n\nThe bell is gone. {told}\n\nShe waves (GM: she lies).\n")
    (campaign / "world-primer.md").write_text(f"# World\n\nThe sea is cold. <!-- GM: {told} -->\n")
    played = sv("play", "tabletop", campaign, "--full-auto", "--seed", "3")
    assert "'The ferryman is kin to them by blood and by oath' in party-knowledge.md" in played.err
    assert "'She waves (GM: she lies)" in played.err
    assert "world-primer.md" not in played.err
    noted = sv("audit", "leaks", "latest").out
    assert "passage: 'The ferryman is kin to them by blood and by oath' appears in party-knowledge.md" in noted
    assert "mark: 'She waves (GM: she lies).' appears in party-knowledge.md" in noted


@pytest.mark.parametrize(
    "form",
    [
        "**narrative_style**: Script\n**dialogue_format**: reported\n",
        "---\nnarrative_style: script\ndialogue_format: reported\n---\n",
    ],
)
def test_the_preferences_of_a_campaign_are_options_of_its_sessions(sv: Cli, campaign: Path, form: str) -> None:
    (campaign / "preferences.md").write_text(form)
    game = sv("play", "tabletop", campaign, "--full-auto", "--seed", "2", "--json").json["game"]
    options = sv("show", game, "--json").json["options"]
    assert (options["narrative_style"], options["dialogue_format"]) == ("script", "reported")
    told = "\n".join(row["data"]["body"] for row in sv("export", game).rows if row["data"].get("tag") == "NARRATIVE")
    assert re.search(r"(?m)^(?:TILDA|BRYN|CORWIN)[A-Z-]*: ", told)
