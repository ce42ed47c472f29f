"""Whether a server is there."""

from __future__ import annotations

from pydantic import BaseModel

from sottovoce.server.http.models.fields import example


class Health(BaseModel):
    """Whether the server is alive, or ready for requests."""

    model_config = example(ok=True)

    ok: bool
