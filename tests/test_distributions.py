"""The wheel and the sdist: one import name, the same from a tree as from an sdist, and the page in them.

The page is built by the one Node that is pinned.
"""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx2
import pytest
from commands import ROOT
from patience import PATIENCE

from sottovoce.projections.bundle import Bundle

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def packed(built_page: Bundle, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sdist, and the wheel made of it: in a folder of its own, so that nobody's page is built anew beneath them."""
    folder = tmp_path_factory.mktemp("packed")
    sdist = made("sdist", ROOT, folder)
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    unpacked = folder / sdist.name.removesuffix(".tar.gz")
    (unpacked / "web" / "node_modules").symlink_to(ROOT / "web" / "node_modules")
    return sdist, made("wheel", unpacked, folder)


def made(what: str, source: Path, target: Path) -> Path:
    code = f"import sys; from hatchling import build; print('made', build.build_{what}(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", code, target], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return target / done.stdout.split()[-1]


def contents(wheel: Path) -> dict[str, str]:
    """The files of a wheel by name, as hashes of their bytes."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert len(names) == len(set(names)), "a file twice"
        return {name: sha256(archive.read(name)).hexdigest() for name in names}


def test_a_wheel_installs_one_name_only(packed: tuple[Path, Path]) -> None:
    tops = {name.partition("/")[0] for name in contents(packed[1])}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"sottovoce"}


def test_a_wheel_of_the_tree_equals_one_of_the_sdist(
    packed: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for the page, which is built of the same sources."""
    monkeypatch.setenv("HATCH_BUILD_NO_HOOKS", "true")
    of_tree, of_sdist = contents(made("wheel", ROOT, tmp_path)), contents(packed[1])
    beside = {name for name in of_sdist if name.startswith("sottovoce/projections/page/") or name.endswith("/RECORD")}
    assert {name: of_sdist[name] for name in of_sdist.keys() - beside} == {
        name: told for name, told in of_tree.items() if not name.endswith("/RECORD")
    }


class Neighbours:
    """The wheel, and a ruleset from outside, installed beside openai-agents, in a project that has folders of ours."""

    def __init__(self, wheel: Path, folder: Path) -> None:
        self.project = folder / "project"
        for name in ("domain", "server", "agents", "cli", "projections", "eventlog"):
            (self.project / name).mkdir(parents=True)
            (self.project / name / "__init__.py").write_text("raise ImportError('this is the project’s own')\n")
        venv.create(folder / "venv", symlinks=True)
        self.python = folder / "venv" / "bin" / "python"
        (site,) = (folder / "venv" / "lib").glob("*/site-packages")
        # What the wheel depends on, openai-agents too, lies where the tests are run; that clone's own link does not.
        (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
        for what in (wheel, ROOT / "examples" / "rulesets" / "guessing"):
            self.run("-m", "uv", "pip", "install", "--no-deps", "--no-build-isolation", "--python", self.python, what)

    def run(self, *words: str | Path, cwd: Path | None = None, fails: bool = False) -> str:
        done = subprocess.run(
            [self.python if words[:2] != ("-m", "uv") else sys.executable, *words],
            cwd=cwd or self.project,
            env=self.variables,
            capture_output=True,
            text=True,
        )
        assert (done.returncode != 0) == fails, (words, done.stdout, done.stderr)
        return done.stdout + done.stderr

    @property
    def variables(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SOTTOVOCE"))}
        return {**kept, "SOTTOVOCE_DB": f"sqlite:///{self.project}/games.db"}


@pytest.fixture(scope="module")
def neighbours(packed: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Neighbours:
    return Neighbours(packed[1], tmp_path_factory.mktemp("neighbours"))


def test_openai_agents_keeps_its_name(neighbours: Neighbours, tmp_path: Path) -> None:
    code = "import agents, sottovoce; print(agents.Agent, agents.__file__, sottovoce.__file__)"
    said = neighbours.run("-c", code, cwd=tmp_path)
    assert "agents.agent.Agent" in said
    assert str(neighbours.python.parents[1]) in said.split()[-1], "the installed one, not this clone"


def test_folders_of_a_project_shadow_nothing(neighbours: Neighbours) -> None:
    assert "the project’s own" in neighbours.run("-c", "import domain", fails=True)
    for words in (["-m", "sottovoce"], [neighbours.python.with_name("sottovoce")]):
        assert "decisions" in neighbours.run(*words, "run", "mafia", "--games", "1", "--seed", "7")
        neighbours.run(*words, "run", "guessing", "--games", "1", "--seed", "7")
        assert "guessing" in neighbours.run(*words, "games")
    neighbours.run("-m", "sottovoce", "audit", "verify")


def test_the_wheel_serves_from_within_such_a_project(neighbours: Neighbours) -> None:
    command = [str(neighbours.python), "-m", "sottovoce", "serve", "--port", "0"]
    with subprocess.Popen(
        command,
        cwd=neighbours.project,
        env=neighbours.variables,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as running:
        assert running.stdout is not None
        try:
            address = next(found[0] for line in running.stdout if (found := re.search(r"http://[\w.:]+/?", line)))
            page = httpx2.get(f"{address.rstrip('/')}/", timeout=PATIENCE)
            assert page.status_code == 200
            assert "<html" in page.text
        finally:
            running.terminate()
            running.wait(PATIENCE)
    assert running.returncode in (0, 143, -15)


def test_the_wheel_holds_the_page_under_the_same_names(packed: tuple[Path, Path], built_page: Bundle) -> None:
    with zipfile.ZipFile(packed[1]) as wheel:
        names = wheel.namelist()
    held = {
        name.removeprefix("sottovoce/projections/page/")
        for name in names
        if name.startswith("sottovoce/projections/page/")
    }
    built = {path.relative_to(built_page.folder).as_posix() for path in built_page.folder.rglob("*") if path.is_file()}
    assert held == built
    assert {"index.html", "file/replay.js", "file/replay.css"} < held
    assert not [name for name in names if name.startswith("web/") or "node_modules" in name]


def test_what_is_installed_from_the_wheel_finds_its_page(packed: tuple[Path, Path], tmp_path: Path) -> None:
    with zipfile.ZipFile(packed[1]) as wheel:
        wheel.extractall(tmp_path)
    code = "from sottovoce.projections.bundle import bundle, folder; print(folder()); print(len(bundle().script))"
    said = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert said[0] == str(tmp_path / "sottovoce" / "projections" / "page")
    assert int(said[1]) > 1000


def test_the_sdist_holds_what_the_page_is_built_of_and_nothing_built(packed: tuple[Path, Path]) -> None:
    with tarfile.open(packed[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"web/package-lock.json", "web/npm.py", "web/.npmrc", "web/src/main.ts", "hatch_build.py"} < names
    assert "docs/openapi.json" in names
    assert not [name for name in names if "node_modules" in name or name.startswith("web/dist")]
    assert "web/src/api/schema.d.ts" not in names


@pytest.mark.parametrize(("target", "version"), [("wheel", "editable"), ("sdist", "standard")])
def test_nothing_else_builds_the_page(target: str, version: str, tmp_path: Path) -> None:
    hook = runpy.run_path(str(ROOT / "hatch_build.py"))["PageHook"]
    data: dict[str, Any] = {"force_include": {}}
    # There is no web/ in that folder: whatever was built would fail.
    hook(str(tmp_path), {}, None, None, "", target).initialize(version, data)
    assert data == {"force_include": {}}


def test_setting_up_a_clone_to_play_asks_for_no_node() -> None:
    code = "from hatchling import build; print(*build.get_requires_for_build_editable())"
    asked = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "HATCH_BUILD_NO_HOOKS": text},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for text in ("true", "")
    ]
    assert ["nodejs" in text for text in asked] == [False, True]
    assert "HATCH_BUILD_NO_HOOKS=true" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_one_node_is_pinned_everywhere() -> None:
    (hook,) = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]["dependencies"]
    assert hook in PROJECT["project"]["optional-dependencies"]["dev"]
    assert hook in (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
    assert "nodejs" not in (ROOT / "requirements.txt").read_text(encoding="utf-8")


def test_packages_are_pinned_exactly_and_the_lock_names_no_registry() -> None:
    package = json.loads((ROOT / "web" / "package.json").read_text(encoding="utf-8"))
    wanted = {**package["dependencies"], **package["devDependencies"]}
    assert not [name for name, version in wanted.items() if not re.fullmatch(r"\d+(\.\d+)+", version)]
    locked = json.loads((ROOT / "web" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert not [name for name, entry in locked.items() if "resolved" in entry]
    assert all("integrity" in entry for name, entry in locked.items() if name)
