"""The public face of Sottovoce for other people's packages: what a ruleset is made of.

What stands here and in the modules below stays, under its name, until a version says otherwise in the changelog; what
is imported from elsewhere may move.

    sottovoce               rulesets: events and who sees them, turns, draws, options, commands
    sottovoce.pieces        what events are told by
    sottovoce.projections   what a ruleset adds to how its games are shown, counted and audited
    sottovoce.agents        what fills its seats
    sottovoce.server        what a game needs that lies on the server's disk
    sottovoce.cli           what it adds at the terminal
    sottovoce.terminal      what commands of its own are made of
    sottovoce.testing       given, when, then; what it adds to how it is tested
    sottovoce.golden        games that are recorded once
    sottovoce.client        a seat at a far table, held by a program
    sottovoce.isolation     the kit that tests whether a seat gets only what it may

Each group of entry points has the name of the module that its values come from; rulesets themselves stand in
`sottovoce.rulesets`.
"""

from __future__ import annotations

from pydantic import Field as Field

from domain.audience import EVERYONE as EVERYONE
from domain.audience import NOBODY as NOBODY
from domain.audience import Audience as Audience
from domain.audience import SeenBy as SeenBy
from domain.audience import everyone as everyone
from domain.audience import named_in as named_in
from domain.audience import nobody as nobody
from domain.audience import only as only
from domain.audience import seat as seat
from domain.audience import those as those
from domain.claims import Claim as Claim
from domain.commands import Announce as Announce
from domain.commands import Command as Command
from domain.commands import Expire as Expire
from domain.commands import Fill as Fill
from domain.commands import Found as Found
from domain.commands import Halt as Halt
from domain.commands import Hold as Hold
from domain.commands import NotAFile as NotAFile
from domain.commands import Open as Open
from domain.commands import Reply as Reply
from domain.commands import Say as Say
from domain.commands import Wake as Wake
from domain.draws import Hands as Hands
from domain.draws import Seed as Seed
from domain.draws import generator as generator
from domain.draws import pick as pick
from domain.errors import Refused as Refused
from domain.errors import RulesetDefect as RulesetDefect
from domain.errors import SetupRefused as SetupRefused
from domain.errors import SottovoceError as SottovoceError
from domain.errors import UnknownName as UnknownName
from domain.errors import Unreadable as Unreadable
from domain.events import AttemptFailed as AttemptFailed
from domain.events import AuditorLinkIssued as AuditorLinkIssued
from domain.events import Closing as Closing
from domain.events import Event as Event
from domain.events import Failure as Failure
from domain.events import FallbackApplied as FallbackApplied
from domain.events import GameCopied as GameCopied
from domain.events import GameForked as GameForked
from domain.events import GameOpened as GameOpened
from domain.events import GameVoided as GameVoided
from domain.events import HoldLifted as HoldLifted
from domain.events import HoldPlaced as HoldPlaced
from domain.events import MessageRefused as MessageRefused
from domain.events import Recorded as Recorded
from domain.events import ReplyAccepted as ReplyAccepted
from domain.events import SeatLinkIssued as SeatLinkIssued
from domain.events import SeatsFilled as SeatsFilled
from domain.events import TurnOpened as TurnOpened
from domain.events import TurnWithdrawn as TurnWithdrawn
from domain.folds import Fold as Fold
from domain.folds import adds as adds
from domain.folds import changes_nothing as changes_nothing
from domain.folds import counts as counts
from domain.folds import fact as fact
from domain.folds import sets as sets
from domain.game import Game as Game
from domain.game import withdraw_and_hold as withdraw_and_hold
from domain.piece import Chair as Chair
from domain.piece import Grid as Grid
from domain.piece import Heading as Heading
from domain.piece import Piece as Piece
from domain.piece import Voice as Voice
from domain.piece import line as line
from domain.piece import says as says
from domain.piece import tallied as tallied
from domain.reading import named as named
from domain.reading import one_choice as one_choice
from domain.reading import plain as plain
from domain.reading import readable as readable
from domain.ruleset import Caution as Caution
from domain.ruleset import Fact as Fact
from domain.ruleset import Options as Options
from domain.ruleset import Players as Players
from domain.ruleset import Ruleset as Ruleset
from domain.ruleset import TurnOptions as TurnOptions
from domain.seats import checked_names as checked_names
from domain.sequence import Growing as Growing
from domain.turns import DRAWN as DRAWN
from domain.turns import HELD as HELD
from domain.turns import Answer as Answer
from domain.turns import Ballot as Ballot
from domain.turns import Count as Count
from domain.turns import Form as Form
from domain.turns import Request as Request
from domain.turns import Silence as Silence
from domain.turns import Table as Table
from domain.turns import Turn as Turn
