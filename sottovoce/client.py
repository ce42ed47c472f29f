"""Holding a seat at a far table from a program of one's own (`docs/client.md`)."""

from __future__ import annotations

from client.api import Api as Api
from client.api import LinkEnded as LinkEnded
from client.api import NoServer as NoServer
from client.api import Opened as Opened
from client.api import ServerRefused as ServerRefused
from client.api import Unreachable as Unreachable
from client.api import Verdict as Verdict
from client.api import connected as connected
from client.link import Link as Link
from client.link import LinkUnusable as LinkUnusable
from client.link import find_link as find_link
from client.link import parse_link as parse_link
from client.player import AgentGaveUp as AgentGaveUp
from client.player import Answered as Answered
from client.player import Player as Player
from client.seat import FarSeat as FarSeat
from client.seat import NoSeat as NoSeat
from client.seat import seated as seated
from client.stream import stream as stream
from client.table import FarTable as FarTable
from client.table import Garbled as Garbled
from projections.view import Entry as Entry
from projections.view import View as View
