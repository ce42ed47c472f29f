"""Asking with the right values, at the right moment and in the right order finds no leak."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from urllib.parse import quote

import pytest
from sizes import sized

from sottovoce.domain.rulesets import RULESETS
from sottovoce.isolation.probes import KINDS, Coverage, probes
from sottovoce.isolation.probes.canaries import Forbidden

PAIRS: Mapping[str, int] = {
    "wire": sized(40, 20_000),
    "order": sized(12, 4_000),
    "agents": sized(30, 20_000),
    "commands": sized(6, 2_000),
}
"""Comparisons by the probes of each kind. In an ordinary run, test_probe_coverage.py makes most of them."""
PARTS = sized(1, 8)


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_no_probe_finds_anything(ruleset: str, part: int, tmp_path: Path) -> None:
    coverage = Coverage()
    for kind in KINDS:
        for pair in islice(probes(kind, ruleset, 10 + part, tmp_path, coverage), PAIRS[kind]):
            assert pair.finding is None, f"{kind}: {pair.finding}"
    assert coverage.comparisons.total() >= sum(PAIRS.values())


MARK = "zq0123456789"
TOKEN = "svs_" + "Aa0_-" * 8 + "xyz"
WRAPPINGS: Mapping[str, Callable[[bytes], bytes]] = {
    "as it is": lambda told: told,
    "in capitals": bytes.upper,
    "gzip": gzip.compress,
    "base64": base64.b64encode,
    "base64 for addresses": base64.urlsafe_b64encode,
    "base32": base64.b32encode,
    "base32 in small letters": lambda told: base64.b32encode(told).lower().rstrip(b"="),
    "hex": lambda told: told.hex().encode(),
    "hex in capitals": lambda told: told.hex().upper().encode(),
    "escapes of JSON": lambda told: "".join(f"\\u{char:04x}" for char in told).encode(),
    "escapes of HTML": lambda told: "".join(f"&#{char};" for char in told).encode(),
    "escapes of addresses": lambda told: "".join(f"%{char:02X}" for char in told).encode(),
    "one in another": lambda told: gzip.compress(json.dumps({"x": base64.b64encode(told).decode()}).encode()),
}


@pytest.mark.parametrize("how", WRAPPINGS)
@pytest.mark.parametrize("canary", [MARK, TOKEN, "a document called The Cellar"])
def test_a_canary_is_found_in_every_wrapping(canary: str, how: str) -> None:
    wrap = WRAPPINGS[how]
    plain = f"What is told: {canary}!".encode()
    told = wrap(plain) if how == "gzip" else b'{"text": "' + wrap(plain) + b'"}'
    if how == "one in another":
        told = wrap(plain)
    assert Forbidden((), [TOKEN, "a document called The Cellar"]).found(told) is not None
    assert Forbidden((), ["something else"]).found(wrap(b"What is told: nothing!")) is None


def test_a_number_is_found_as_the_bytes_that_it_is() -> None:
    number = "0123456789abcdef" * 4
    for told in (bytes.fromhex(number), base64.b32encode(bytes.fromhex(number))):
        assert Forbidden((), [number]).found(b"tag: " + told) is not None
        assert Forbidden((), ["f" * 64]).found(b"tag: " + told) is None


def test_what_a_viewer_knows_or_said_is_no_canary() -> None:
    told = f'{{"text": "{MARK}"}}'.encode()
    assert Forbidden([MARK], ()).found(told) is None
    assert Forbidden((), ()).found(told, [f"I say {MARK}"]) is None
    assert Forbidden((), ()).found(told) is not None
    assert Forbidden((), [TOKEN]).found(TOKEN.encode(), [f"Bearer {TOKEN}"]) is None


def test_escapes_of_addresses_are_those_of_the_standard_library() -> None:
    assert WRAPPINGS["escapes of addresses"](b"/") == quote("/", safe="").encode()
