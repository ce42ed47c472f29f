"""What `docs/running.md` and `docs/server.md` give to copy fits the commands and their bounds."""

from __future__ import annotations

import re
import shlex
from configparser import ConfigParser
from pathlib import Path

import pytest
from commands import COMMANDS

from sottovoce.server.extras import place_kinds
from sottovoce.server.http.process import SPARE_FILES
from sottovoce.server.http.settings import Bounds, Settings, settings_from

DOCS = Path(__file__).parents[1] / "docs"
RUNNING, SERVER = ((DOCS / page).read_text(encoding="utf-8") for page in ("running.md", "server.md"))


def unit(text: str) -> ConfigParser:
    parsed = ConfigParser(interpolation=None)
    parsed.optionxform = str  # type: ignore[assignment,method-assign]
    parsed.read_string(text)
    return parsed


UNITS = {
    found["Unit"]["Description"]: found for found in map(unit, re.findall(r"```\n(\[Unit\].*?)```", RUNNING, re.S))
}


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_starts_a_command_with_options_that_exist(name: str) -> None:
    program, command, *words = shlex.split(UNITS[name]["Service"]["ExecStart"].replace("%i", "1"))
    assert program.endswith("/sottovoce")
    words = [word for word in words if word != "/etc/sottovoce.toml" and word != "--config"]
    COMMANDS[command].make_context(command, words)


def test_there_is_a_unit_for_workers_and_one_for_servers() -> None:
    assert {*UNITS} == {"Sottovoce worker %i", "Sottovoce server"}


def test_a_server_s_unit_lets_it_open_as_many_files_as_it_takes_connections() -> None:
    limit = int(UNITS["Sottovoce server"]["Service"]["LimitNOFILE"])
    assert limit >= Bounds().connections + SPARE_FILES


def test_every_setting_of_a_server_is_in_the_example(tmp_path: Path) -> None:
    """And the example is one that can be read."""
    (example,) = re.findall(r"```toml\n(host = .*?)```", SERVER, re.S)
    given = {line.partition(" =")[0] for line in example.splitlines() if " = " in line}
    tables = set(re.findall(r"^\[(\w+)\]", example, re.M))
    settings = {*Settings.model_fields} - {"places"} | {kind.table for kind in place_kinds().values()}
    assert settings <= given | tables
    file = tmp_path / "serve.toml"
    for folder in ("campaigns/ten-past-four", "work/paper", "web/dist", "games"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "web" / "dist" / "index.html").touch()
    file.write_text(example.replace('"…"', f'"{"0" * 64}"'), encoding="utf-8")
    assert str(settings_from(file, {}).metrics) == "127.0.0.1:9464"
