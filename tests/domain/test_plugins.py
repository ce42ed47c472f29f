"""What packages give for each ruleset is found by entry point, and a package that fails stops nothing else."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from commands import ROOT
from patience import PATIENCE

from sottovoce.domain.plugins import NotInstalled, PluginBroken, Plugins, UnknownRuleset

GROUP = "sottovoce.thing"

Install = Callable[[str, dict[str, str]], None]


@dataclass(frozen=True)
class Thing:
    """What the group of these tests is for."""

    name: str = ""


OURS, THEIRS, NO_THING = Thing("ours"), Thing("theirs"), "a text"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Lays out packages as pip does: the module in which these things are, and entry points to them."""
    (tmp_path / "things.py").write_text("from test_things import OURS, THEIRS, NO_THING\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(sys.modules, "test_things", sys.modules[__name__])
    monkeypatch.delitem(sys.modules, "things", raising=False)

    def installed(distribution: str, entries: dict[str, str]) -> None:
        info = tmp_path / f"{distribution}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1\n")
        lines = "\n".join(f"{name} = {place}" for name, place in entries.items())
        (info / "entry_points.txt").write_text(f"[{GROUP}]\n{lines}\n")

    return installed


@pytest.fixture
def things() -> Plugins[Thing]:
    return Plugins(GROUP, Thing)


def test_what_ships_comes_first_and_keeps_its_name(install: Install, things: Plugins[Thing]) -> None:
    install("a-stranger", {"alpha": "things:THEIRS", "shipped": "things:THEIRS"})
    install("sottovoce", {"shipped": "things:OURS"})
    assert list(things) == ["shipped", "alpha"]
    assert things["shipped"] == OURS
    assert things["alpha"] == THEIRS


def test_nothing_is_loaded_before_it_is_asked_for(install: Install, things: Plugins[Thing]) -> None:
    install("sottovoce", {"shipped": "things:OURS"})
    assert "shipped" in things
    assert len(things) == 1
    assert "things" not in sys.modules
    assert things.of("shipped") == OURS
    assert "things" in sys.modules


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("nowhere:NOTHING", "ModuleNotFoundError"),
        ("things:MISSING", "AttributeError"),
        ("things:NO_THING", "is no Thing"),
    ],
)
def test_one_that_cannot_be_used_says_why_and_stops_no_other(
    install: Install, things: Plugins[Thing], place: str, why: str
) -> None:
    install("sottovoce", {"shipped": "things:OURS"})
    install("a-stranger", {"broken": place})
    with pytest.raises(PluginBroken, match=why):
        things["broken"]
    with pytest.raises(PluginBroken, match=why):
        things.of("broken")
    assert list(things.usable()) == [OURS]


def test_a_ruleset_for_which_there_is_nothing_has_an_empty_value(install: Install, things: Plugins[Thing]) -> None:
    install("sottovoce", {"shipped": "things:OURS"})
    assert things.of("unheard") == Thing()
    assert things.get("unheard") is None
    with pytest.raises(UnknownRuleset) as refused:
        things["unheard"]
    assert str(refused.value) == "No installed package provides the ruleset 'unheard'."
    assert refused.value.exit_code == 2


def test_a_group_without_what_ships_was_not_installed(install: Install, things: Plugins[Thing]) -> None:
    install("a-stranger", {"alpha": "things:THEIRS"})
    with pytest.raises(NotInstalled, match="not installed"):
        list(things)


def test_a_clone_that_is_not_installed_says_so_in_a_line(tmp_path: Path) -> None:
    """The packages that it needs are there, and its own sources: only what an installation writes is not."""
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if "sottovoce" not in entry.name:
            (tmp_path / entry.name).symlink_to(entry)
    path = f"sys.path[:0] = [{str(ROOT)!r}, {str(tmp_path)!r}]"
    code = f"import sys; {path}; from sottovoce.cli.main import main; main(['play', 'mafia'])"
    command = [sys.executable, "-S", "-c", code]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert run.returncode == 1
    assert run.stderr.count("\n") == 1
    assert "make play" in run.stderr
