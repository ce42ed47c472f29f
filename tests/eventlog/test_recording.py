"""A recorded event cannot be changed."""

import copy
import pickle
from datetime import UTC, datetime

import pytest

from sottovoce.domain.audience import only
from sottovoce.domain.events import Recorded, ReplyAccepted

VALUES = (
    "g", 7, "a", "core.reply-accepted.v1", datetime(2026, 7, 1, tzinfo=UTC), "Ada", only("Ada"), 3,
    b"{}", bytes(16), bytes(32), ReplyAccepted.sample(),
)  # fmt: skip


def test_a_copy_is_the_same() -> None:
    made = Recorded(*VALUES)
    assert copy.copy(made) == pickle.loads(pickle.dumps(made)) == made
    assert hash(made.audience) == hash(only("Ada"))


@pytest.mark.parametrize("name", Recorded.__struct_fields__)
def test_it_cannot_be_changed(name: str) -> None:
    made = Recorded(*VALUES)
    with pytest.raises(AttributeError):
        setattr(made, name, None)
    with pytest.raises(AttributeError):
        delattr(made, name)
    assert getattr(made, name) == getattr(Recorded(*VALUES), name)
