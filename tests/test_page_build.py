"""The page in what is handed out: built into the wheel, its sources in the sdist, by the one Node that is pinned."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from commands import ROOT

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
