"""These tests need what extras and other people's tools bring; `make test-extras` runs them."""

from __future__ import annotations

import os

import pytest

VARIABLE = "SOTTOVOCE_TEST_EXTRAS"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip them unless they are asked for; then whatever is missing fails."""
    for item in items:
        if "tests/extras/" in item.path.as_posix():
            if VARIABLE not in os.environ:
                item.add_marker(pytest.mark.skip(reason="make test-extras"))
            item.add_marker(pytest.mark.filterwarnings("default"))
