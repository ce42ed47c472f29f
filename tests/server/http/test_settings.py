"""Settings: a file, flags above it, and one line for every fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sottovoce.server.http.settings import Bounds, Settings, SettingsUnusable, settings_from

FILE = """
host = "0.0.0.0"
port = 9000
address = "https://games.example/"
hosts = ["Games.Example"]
origins = ["https://elsewhere.example"]
proxies = ["10.0.0.0/8", "::1"]
agents = ["house", "openai:small=2000000"]
host_digest = "%s"
plays = false

[campaigns]
alarm = "campaigns/alarm"

[bounds]
body = 1048576
replies_per_minute = 6
""" % ("0f" * 32)


def test_nothing_given_is_loopback_with_the_agents_that_cost_nothing() -> None:
    settings = settings_from(None, {})
    assert settings == Settings()
    assert (settings.host, settings.port, settings.url) == ("127.0.0.1", 8642, "http://127.0.0.1:8642")
    assert settings.agents == {"house": None, "random": None, "outside": None}
    assert settings.bounds == Bounds()
    assert (settings.bounds.body, settings.bounds.header_bytes, settings.bounds.headers) == (262_144, 16_384, 100)
    assert (settings.bounds.streams_per_token, settings.bounds.replies_per_minute) == (4, 60)


def test_a_file_is_read_with_paths_from_its_own_folder_and_flags_above_it(tmp_path: Path) -> None:
    (tmp_path / "campaigns" / "alarm").mkdir(parents=True)
    file = tmp_path / "server.toml"
    file.write_text(FILE)
    settings = settings_from(file, {"port": 0, "host": None, "agents": ("random",), "origins": ()})
    assert (settings.host, settings.port, settings.url) == ("0.0.0.0", 0, "https://games.example")
    assert settings.hosts == ("games.example",)
    assert settings.origins == ("https://elsewhere.example",)
    assert [str(network) for network in settings.trusted] == ["10.0.0.0/8", "::1/128"]
    assert settings.agents == {"random": None}
    assert settings.places == {"campaign": {"alarm": tmp_path / "campaigns" / "alarm"}}
    assert (settings.bounds.body, settings.bounds.replies_per_minute) == (1048576, 6)
    assert settings.plays is False
    assert settings_from(file, {}).agents == {"house": None, "openai:small": 2_000_000}


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::", "http://[::1]:80"),
        ("10.1.2.3", "http://10.1.2.3:80"),
        ("box", "http://box:80"),
    ],
)
def test_links_name_an_address_that_can_be_reached(host: str, url: str) -> None:
    assert Settings(host=host, port=80).url == url


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("prot = 1", "prot: unknown setting; docs/server.md lists all settings"),
        ("port = 70000", "port: input should be less than or equal to 65535"),
        ("bounds.body = 'much'", "bounds.body: input should be a valid integer"),
        ("bounds.idle = 3", "bounds.idle: unknown setting"),
        ("agents = ['files:/etc']", "agents: 'files:/etc' can't be offered on a server. Use one of: house"),
        ("agents = ['scripted:x.yaml']", "agents: 'scripted:x.yaml' can't be offered on a server"),
        ("agents = ['openai:small']", "agents: openai:small needs a budget of tokens, such as openai:small=1000000"),
        ("agents = ['openai:small=lots']", "agents.openai:small: input should be a valid integer"),
        ("agents = ['openai:=5']", "agents: 'openai:' can't be offered on a server"),
        ("agents = {house = 5}", "agents: house is free and needs no budget"),
        ("hosts = ['http://x']", "hosts.0: 'http://x' is not a host name, such as games.example"),
        ("origins = ['*']", "origins.0: '*' is not an origin, such as https://games.example"),
        ("address = 'games.example'", "address: 'games.example' is not an origin, such as https://games.example"),
        ("proxies = ['my proxy']", "proxies.0: 'my proxy' does not appear to be an IPv4 or IPv6 network"),
        ("host_digest = 'abc'", "host_digest: give the SHA-256 of the token as 64 lower-case hexadecimal digits"),
        ("campaigns.alarm = 'nowhere'", "campaigns.alarm: "),
        ("campaigns.alarm = 3", "campaigns.alarm: input is not a valid path"),
        ("port =", "server.toml is not valid TOML: "),
        ("port = 1\nport = 2", "server.toml is not valid TOML: "),
    ],
)
def test_a_fault_is_one_line_that_names_the_setting(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "server.toml"
    file.write_text(text)
    with pytest.raises(SettingsUnusable) as refused:
        settings_from(file, {})
    line = str(refused.value)
    assert told in line
    assert "\n" not in line
    assert refused.value.exit_code == 2


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text("port = -1\nhosts = ['']")
    with pytest.raises(SettingsUnusable, match=r"^port: .*; hosts\.0: "):
        settings_from(file, {})


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "server.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(
        SettingsUnusable, match=r"^(Cannot read .*server\.toml: No such file|.*server\.toml is not valid TOML)"
    ):
        settings_from(file, {})


def test_flags_are_checked_as_the_file_is() -> None:
    with pytest.raises(SettingsUnusable, match="files:"):
        settings_from(None, {"agents": ("files:/tmp",)})
    given: dict[str, Any] = {"agents": ("house", "openai:a=b=7")}
    assert settings_from(None, given).agents == {"house": None, "openai:a=b": 7}
