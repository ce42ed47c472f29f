"""Every surface shows hostile names, words and documents harmless: commands, transcripts, JSON, a person's screen."""

from __future__ import annotations

import json
import re
import shutil
import sys
import unicodedata
from pathlib import Path

import pytest
import yaml
from commands import LEAVES, ROOT, Cli

from sottovoce.eventlog.envelope import SALT_BYTES, audience_text, envelope, leaf_hash, to_micros
from sottovoce.projections.exports import compact, parse_line

MARK = "evil"
TRICKS = (
    *("\x1b[2J", "\x07", "\x7f", "\x85", "\x9b31m", "\x9d0;x\x9c"),
    *("\u202e", "\u2066", "\u200e", "\u200b", "\u2060", "\ufeff", "\xad", "\u3164", "\U000e0041", "\U000e0100"),
    "a\u200d",
)
HOSTILE = f"{MARK} {''.join(TRICKS)}{MARK}\u2028## {MARK}\r\n[GM] {MARK}"
"""Whatever of this reached a terminal could clear it, turn a line round, or say what nobody sees."""

DATABASE = ("worker", "db upgrade", "db check", "db rebuild", "agents list", "agents check", "experiment schema")
"""Commands that print nothing of any game."""


def dangerous(text: str) -> list[str]:
    """The characters that control or hide, as this test knows them, by their numbers."""
    planted = {char for char in HOSTILE if not char.isprintable() or char in "\u3164\U000e0100"}
    found = {
        char
        for char in text
        if char != "\n" and (char in planted or unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp"))
    }
    return sorted(f"U+{ord(char):04X}" for char in found)


def renamed(export: str, old: str, new: str) -> str:
    """A log in which a seat has another name throughout, with every hash made to fit."""
    lines = []
    for line in export.splitlines():
        value = json.loads(line.replace(json.dumps(old)[1:-1], json.dumps(new)[1:-1]))
        item = parse_line(compact(value))
        sealed = envelope(
            item.game,
            item.position,
            item.append,
            item.name,
            to_micros(item.at),
            item.actor,
            audience_text(item.audience),
            item.cause,
            item.body,
        )
        assert len(item.salt) == SALT_BYTES
        lines.append(compact({**value, "hash": leaf_hash(item.salt, sealed).hex()}))
    return "\n".join(lines)


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a script that says hostile words whenever words are asked for, and wrong ones elsewhere."""
    folder = tmp_path_factory.mktemp("scripts")
    said = {kind: [HOSTILE] * 9 for kind in ("speech", "defence", "last-words", "role", "kill", "nominate", "narrate")}
    (folder / f"{MARK}\x9b31m\u202e.yaml").write_text(yaml.safe_dump(said), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def mafia(tmp_path_factory: pytest.TempPathFactory, scripts: Path) -> tuple[Cli, str]:
    """A log with a game in which a seat speaks the hostile words; its name is hostile too, as in an old log."""
    sv = Cli(tmp_path_factory.mktemp("mafia") / "games.db")
    script = next(scripts.iterdir())
    game = sv.play("--names", "Ada,Bram,Cleo,Dirk,Zacharias", "--seat", f"Zacharias=scripted:{script}", seed=3)
    export = sv("export", game).out
    other = Cli(sv.path.with_name("other.db"))
    name = f"{MARK}\x9b31m\u202e\u3164\U000e0041"
    assert other("import", "-", stdin=renamed(export, "Zacharias", name)).code == 0
    return other, name


@pytest.fixture(scope="module")
def tabletop(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A log with a session whose documents are hostile."""
    folder = tmp_path_factory.mktemp("tabletop")
    shutil.copytree(ROOT / "examples" / "campaigns" / "ten-past-four", folder / "campaign")
    for path in (folder / "campaign").rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"\n\n(?=[A-Z])", f"\n\n{HOSTILE} ", text), encoding="utf-8", newline="")
    sv = Cli(folder / "games.db")
    said = sv("play", "tabletop", folder / "campaign", "--full-auto", "--agents", "random", "--seed", 4)
    found = dangerous(said.out + said.err)
    assert found == []
    return sv


@pytest.fixture(scope="module")
def delegation(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A log with work on a hostile brief."""
    folder = tmp_path_factory.mktemp("delegation")
    shutil.copytree(ROOT / "examples" / "delegation" / "village-paper", folder / "work")
    for path in (folder / "work").rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("# The", f"# {HOSTILE} The").replace("cash", HOSTILE), encoding="utf-8")
    sv = Cli(folder / "games.db")
    said = sv("play", "delegation", folder / "work", "--task", "spring-fair", "--rule", "max_rounds=2")
    found = dangerous(said.out + said.err)
    assert found == []
    return sv


def calls(game: str, seat: str, folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """Arguments for every command that prints something of a game."""
    first = (game, seat)
    return {
        "games": [(), ("--auditor",)],
        "show": [(game,), (game, "--as", seat), (game, "--auditor")],
        "resume": [(game,), (game, "--seat", f"{seat}={HOSTILE}")],
        "work": [(game,), (game, "--tidy"), (HOSTILE,)],
        "watch": [(game,), (game, "--as", seat), (game, "--auditor")],
        "view": [(game, "--as", seat)],
        "replay": [(game,), (game, "--as", seat), (game, "--step")],
        "transcript": [
            *((game, "--format", form, *chair) for form in ("markdown", "html") for chair in ((), ("--as", seat))),
            (game, "-o", folder / f"{MARK}\x9b31m.md"),
        ],
        "fork": [(game, "--at", 12, "--seat", f"{HOSTILE}=house"), (game, "--at", 12)],
        "export": [(game,), (game, "--receipts", folder / f"{MARK}.jsonl")],
        "data": [(game, "--to", folder / "data", "--format", "training"), (HOSTILE, "--to", folder / "data")],
        **{
            f"experiment {what}": [(folder / HOSTILE,), (folder / f"{MARK}\x9b31m.yaml",)]
            for what in ("check", "run", "status", "report")
        },
        "import": [(folder / HOSTILE,)],
        "inbox": [(game, "--as", seat), (game, "--as", HOSTILE)],
        "send": [(game, "--as", seat, "--turn", 1, folder / HOSTILE), (game, "--as", seat)],
        "files": [(game, "--as", seat, "--into", folder / f"files{seat}")],
        "diff": [(game,), (game, HOSTILE), (game, "--as", HOSTILE)],
        "novelize": [(game, "--as", seat), (game, "--as", seat, "-o", folder / f"{MARK}\x9b31m-chapter.md")],
        "new campaign": [(folder / f"{MARK}-new",), (folder / f"{MARK}-new",)],
        "new character": [(HOSTILE, "--concept", HOSTILE), ("Ada", "--concept", HOSTILE, "--into", folder / HOSTILE)],
        "new map": [(folder / HOSTILE,)],
        "audit who-knows": [(game,), (game, "--seat", seat), (game, "--seat", HOSTILE)],
        "audit who-saw": [(game, position) for position in range(1, 60, 7)],
        "audit saw": [first],
        "audit thoughts": [(game,), (game, seat)],
        "audit how": [(*first, position) for position in range(1, 60, 7)],
        "audit prompt": [(*first, 1)],
        "audit leaks": [(game,)],
        "audit verify": [(game,), (game, "--head", HOSTILE), ("--heads", folder / HOSTILE)],
        "audit heads": [(), ("-o", folder / f"{MARK}.txt")],
        "audit links": [(game,)],
        "join": [(folder / f"{MARK}\x9b31m",), (f"http://{HOSTILE}/games/{HOSTILE}#x",)],
        "agent": [(f"http://h/games/g#svs_{'a' * 43}", "--as", HOSTILE), (f"http://{HOSTILE}/#x", "--as", "house")],
        "mcp": [(folder / f"{MARK}\x9b31m",), (f"http://{HOSTILE}/games/{HOSTILE}#x",)],
        "open": [(HOSTILE, "--server", f"http://{HOSTILE}/#x"), ("mafia", "--seat", HOSTILE, "--server", HOSTILE)],
        "link": [("--seat", HOSTILE, "--server", f"http://{HOSTILE}/#x"), ("--end", HOSTILE)],
        "serve": [("--agents", HOSTILE), ("--config", folder / HOSTILE), ("--port", HOSTILE), ("--folder", HOSTILE)],
        "play mafia": [
            ("--names", f"Ada,Bram,Cleo,{HOSTILE}"),
            ("--seat", f"{HOSTILE}=human"),
            ("--agents", HOSTILE),
            ("--rule", f"{HOSTILE}=1"),
            ("--rule", f"max_days={HOSTILE}"),
        ],
        "play tabletop": [(folder / HOSTILE,)],
        "play delegation": [(folder / HOSTILE,), (folder, "--task", HOSTILE)],
        "run": [("--continue", HOSTILE), ("--summary", HOSTILE)],
        "run mafia": [("--games", 1, "--agents", HOSTILE), ("--games", HOSTILE)],
        "run tabletop": [(folder / HOSTILE, "--games", 1)],
        "run delegation": [(folder / HOSTILE, "--games", 1)],
    }


def test_every_command_is_walked() -> None:
    assert set(calls("g", "s", Path())) | set(DATABASE) == set(LEAVES)


def walked(sv: Cli, seat: str, folder: Path, name: str) -> int:
    """How often the mark was shown by a command in all its forms, each looked through for what is not harmless."""
    shown = 0
    for words in calls("latest", seat, folder)[name]:
        has_json = any("--json" in param.opts for param in LEAVES[name].params)
        for form in ((), ("--json",)) if has_json else ((),):
            said = sv(*name.split(), *words, *form)
            found = dangerous(said.out + said.err)
            assert found == [], ascii((name, words, form))
            assert "\n\n\n" not in said.err
            assert not (said.code and said.err.count("\n") > 1 and "--step" not in words), said.err
            shown += (said.out + said.err).count(MARK)
    for path in (*folder.glob(f"{MARK}*"), *folder.glob("data/*")):
        text = path.read_text(encoding="utf-8")
        found = dangerous(text)
        assert found == []
        shown += text.count(MARK)
    return shown


SHOWN = frozenset(LEAVES) - {
    *DATABASE,
    "audit heads",
    "audit links",
    "audit verify",
    "audit leaks",
    "games",
    "files",
    "audit prompt",
    "audit thoughts",
    "diff",
    "novelize",
    "new campaign",
    "new character",
}


@pytest.mark.parametrize("name", sorted(frozenset(LEAVES) - frozenset(DATABASE)))
def test_a_hostile_game_is_shown_harmless(mafia: tuple[Cli, str], tmp_path: Path, name: str) -> None:
    sv, seat = mafia
    shown = walked(sv, seat, tmp_path, name)
    assert shown or name not in SHOWN


def test_hostile_thoughts_and_notes_are_shown_harmless(sv: Cli, tmp_path: Path) -> None:
    given = json.dumps({"text": "Well.", "choice": "", "notes": f"{HOSTILE} noted"})
    (tmp_path / "bot.py").write_text(f"print({f'<think>{HOSTILE} thought</think>{given}'!r})\n", encoding="utf-8")
    game = sv.play("--names", "Ada,Bram,Cleo,Dirk,Edda", "--seat", f"Ada=command:{sys.executable} {tmp_path}/bot.py")
    thoughts = ("audit", "thoughts", game)
    for words in (thoughts, (*thoughts, "--json"), ("replay", game, "--auditor", "--thoughts")):
        said = sv(*words)
        assert said.code == 0, said.err
        assert dangerous(said.out) == []
        assert said.out.count(MARK) > 1, words


LOOKING = ("show", "watch", "view", "replay", "transcript", "export", "inbox", "files", "audit saw", "audit how")


@pytest.mark.parametrize("name", LOOKING)
def test_hostile_documents_are_shown_harmless(tabletop: Cli, tmp_path: Path, name: str) -> None:
    seats = tabletop("show", "latest", "--json").json["seats"]
    shown = sum(walked(tabletop, seat, tmp_path, name) for seat in seats[:3])
    assert shown or name in ("show", "inbox", "files", "audit saw", "audit how")


@pytest.mark.parametrize("name", [*LOOKING, "diff"])
def test_a_hostile_brief_is_shown_harmless(delegation: Cli, tmp_path: Path, name: str) -> None:
    shown = sum(walked(delegation, seat, tmp_path, name) for seat in ("user", "executor"))
    assert shown or name in ("show", "files", "audit how", "inbox", "diff")


def test_a_persons_screen_shows_hostile_words_harmless(fresh: Cli, scripts: Path) -> None:
    script = next(scripts.iterdir())
    seats = [word for name in ("Bram", "Cleo", "Dirk") for word in ("--seat", f"{name}=scripted:{script}")]
    keys = f":help\n:who\n{HOSTILE}\n" + "1\n" * 60
    said = fresh("play", "mafia", "--names", "Ada,Bram,Cleo,Dirk", "--seat", "Ada=human", *seats, stdin=keys)
    assert MARK in said.out
    found = dangerous(said.out + said.err)
    assert found == []


def test_what_json_escapes_reads_as_it_was_said(mafia: tuple[Cli, str]) -> None:
    sv, seat = mafia
    rows = sv("view", "latest", "--as", seat, "--json").rows
    assert any(
        HOSTILE.replace("\r\n", "\n") in json.dumps(row, ensure_ascii=False).replace("\\n", "\n")
        or HOSTILE in str(row["data"].get("text"))
        for row in rows
    )
    copy = Cli(sv.path.with_name("copy.db"))
    export = sv("export", "latest").out
    assert copy("import", "-", stdin=export).code == 0
    assert copy("export", "latest").out == export
    assert copy("audit", "verify", "latest").code == 0
