"""Isolation on the wire: what a link obtains over HTTP is a function of what its holder may see, to the byte.

Two worlds hold a log and its twin (`sottovoce.isolation.cases.Case`) behind the same application, and are asked the
same. Status, headers, bodies and the frames of streams must be the same, and so must the moment of each.

    clock       an event loop whose time passes only while nothing is left to do, so that pace can be compared
    world       a log and the whole application over it, in this process, and what it answers
    operations  what is asked of every operation of the OpenAPI document; one that is not here is an error
    answers     what is compared of an answer
    pairs       the worlds of a case, asked about everything there is
"""

from __future__ import annotations

from sottovoce.isolation.wire.pairs import Pair as Pair
from sottovoce.isolation.wire.pairs import compared as compared
