"""The container files, as far as that goes without an engine: they parse, fit the repository and fit each other."""

import re
import tomllib
from pathlib import Path

import yaml
from commands import COMMANDS

from sottovoce.server.http.settings import Settings

ROOT = Path(__file__).parents[1]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
LINES = [line.split() for line in (ROOT / "Containerfile").read_text().splitlines() if line]
COPIED = {word for line in LINES if line[0] == "COPY" and not line[1].startswith("--from") for word in line[1:-1]}
"""What comes from the repository: all but what one stage takes from another."""


def test_the_image_holds_every_package_and_nothing_that_is_not_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    beside = {"requirements.txt", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE"}
    assert {*packages, *beside, "web", "docs/openapi.json"} == COPIED
    assert all((ROOT / name).exists() for name in COPIED)
    assert ["ENTRYPOINT", '["sottovoce"]'] in LINES


def test_what_is_not_copied_stays_out_of_the_build() -> None:
    ignored = (ROOT / ".containerignore").read_text()
    assert (ROOT / ".dockerignore").read_text() == ignored
    assert {line[1:] for line in ignored.splitlines() if line.startswith("!")} == COPIED
    assert {"web/node_modules", "web/dist"} <= set(ignored.splitlines())


def test_every_stage_that_is_copied_from_is_there() -> None:
    stages = {line[3] for line in LINES if line[0] == "FROM" and len(line) > 2}
    assert {line[1] for line in LINES if line[0] == "COPY"} & {f"--from={name}" for name in stages}
    assert {line[1].partition("=")[2] for line in LINES if line[1].startswith("--from")} <= stages


def test_images_are_plain_names() -> None:
    images = [service["image"] for service in SERVICES.values()] + [line[1] for line in LINES if line[0] == "FROM"]
    assert all(re.fullmatch(r"[a-z]+(:[a-z0-9.-]+)?", image) for image in images), images


def test_services_run_commands_that_exist_once_what_they_need_is_there() -> None:
    for name in ("upgrade", "worker", "serve"):
        words = SERVICES[name].get("command", ["worker"])
        leaf = next(path for path in (" ".join(words[:2]), words[0]) if path in COMMANDS)
        COMMANDS[leaf].make_context(leaf, words[len(leaf.split()) :])
        assert SERVICES[name]["image"] == SERVICES["upgrade"]["image"]
        assert all(needed in SERVICES for needed in SERVICES[name]["depends_on"])
    assert {config["source"] for config in SERVICES["postgres"]["configs"]} == set(COMPOSE["configs"])


def test_nothing_starts_without_passwords_of_its_own() -> None:
    given = SERVICES["postgres"]["environment"]
    assert all(given[name].startswith("${") and ":?" in given[name] for name in ("POSTGRES_PASSWORD", "APP_PASSWORD"))
    for name, role in (("upgrade", "owner"), ("worker", "app"), ("serve", "app")):
        address = SERVICES[name]["environment"]["SOTTOVOCE_DB"]
        assert re.fullmatch(rf"postgresql://{role}:\$\{{[A-Z_]+\}}@postgres/games", address)


def test_the_server_is_reached_from_this_machine_alone_and_asked_whether_it_is_ready() -> None:
    service = SERVICES["serve"]
    given = COMMANDS["serve"].make_context("serve", service["command"][1:]).params
    port = Settings().port
    assert given["host"] == "0.0.0.0"
    assert given["port"] is None
    assert service["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert f"http://127.0.0.1:{port}/health/ready" in service["healthcheck"]["test"][-1]
