"""A recorded event made quickly is one like any other."""

import copy
import dataclasses
import pickle
from datetime import UTC, datetime

import pytest

from domain.audience import only
from domain.events import Recorded, ReplyAccepted
from eventlog.recording import recorded

VALUES = (
    "g", 7, "a", "core.reply-accepted.v1", datetime(2026, 7, 1, tzinfo=UTC), "Ada", only("Ada"), 3,
    b"{}", bytes(16), bytes(32), ReplyAccepted.sample(),
)  # fmt: skip


def test_it_is_the_same_as_one_made_the_plain_way() -> None:
    made, plain = recorded(*VALUES), Recorded(*VALUES)
    assert type(made) is Recorded
    assert made == plain
    assert hash(made.audience) == hash(plain.audience)
    assert repr(made) == repr(plain)
    assert dataclasses.astuple(made) == dataclasses.astuple(plain)
    assert dataclasses.replace(made, position=8) == dataclasses.replace(plain, position=8)
    assert copy.copy(made) == pickle.loads(pickle.dumps(made)) == plain


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(Recorded)])
def test_it_cannot_be_changed(name: str) -> None:
    made = recorded(*VALUES)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(made, name, None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        delattr(made, name)
    assert getattr(made, name) == getattr(Recorded(*VALUES), name)
