"""Isolation on the wire: what a link gets over HTTP depends only on what its holder can see, to the byte.

Two worlds have a log and its twin (`sottovoce.isolation.cases.Case`) behind the same application, and get the same
requests. Status, headers, bodies and the frames of streams must be the same, and so must the time of each.

    clock       an event loop whose time passes only when nothing is left to do, so that timing can be compared
    world       a log and the whole application on it, in this process, and its answers
    operations  the requests for every operation of the OpenAPI document; a missing one is an error
    answers     what is compared of an answer
    pairs       the worlds of a case, asked about everything
"""

from __future__ import annotations

from sottovoce.isolation.wire.pairs import Pair as Pair
from sottovoce.isolation.wire.pairs import compared as compared
