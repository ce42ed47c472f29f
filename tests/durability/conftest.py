from collections.abc import Iterator

import pytest
from durability.processes import Zygote
from durability.rounds import Rounds
from postgres import Databases


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    with Zygote() as started:
        yield started


@pytest.fixture(scope="session")
def rounds(tmp_path_factory: pytest.TempPathFactory, zygote: Zygote) -> Rounds:
    return Rounds(tmp_path_factory.mktemp("rounds"), zygote)


@pytest.fixture(scope="session")
def postgres_rounds(tmp_path_factory: pytest.TempPathFactory, zygote: Zygote, databases: Databases) -> Iterator[Rounds]:
    """The same on PostgreSQL."""
    rounds = Rounds(tmp_path_factory.mktemp("postgres-rounds"), zygote, databases)
    yield rounds
    rounds.close()


@pytest.fixture(scope="session")
def workers(zygote: Zygote) -> Iterator[tuple[Zygote, Zygote]]:
    with Zygote() as second:
        yield zygote, second
