"""Whatever a house seat says, it reads nothing out of what is closed to those who hear it (T-063)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from evenings import EDITIONS, PARTY, evening, folder, mishaps, sent
from session import BRYN, CORWIN, FILES, TILDA, answered, asked, content, opened, reply
from session import PARTY as TRIO
from sizes import sized

from sottovoce.domain.events import Recorded
from sottovoce.domain.testing import NOON
from sottovoce.projections.view import view
from sottovoce.rulesets.tabletop.house.discretion import NOTHING_SAID, discreet
from sottovoce.rulesets.tabletop.house.player import matter
from sottovoce.rulesets.tabletop.rules import TABLETOP, events
from sottovoce.rulesets.tabletop.rules.documents.access import STORY_STATE
from sottovoce.rulesets.tabletop.rules.documents.folder import import_folder
from sottovoce.rulesets.tabletop.rules.documents.pieces import Pieces
from sottovoce.rulesets.tabletop.rules.documents.secret_phrases import runs_in
from sottovoce.rulesets.tabletop.rules.lore.facts import world_of
from sottovoce.rulesets.tabletop.rules.lore.memory import remembered
from sottovoce.rulesets.tabletop.rules.lore.sheets import read
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN

SEEDS = {"phase-1": (0,), "phase-2": (1,), "current": tuple(range(sized(1, 4)))}
BOND = "There is a child in the next valley whom nobody else would feed or clothe or teach to read."
SHEET = f"""# Name: {{name}}

## Personality

**Ideal**: What has been promised at the fireside must be kept even where nobody is left to ask for it.
**Bond**: {BOND}
**Flaw**: When somebody shouts the hands begin to shake and the tongue says yes to anything at all.
**Keepsake**: a wooden horse with three legs that was carved on the last evening before the flood
**Asks for more about**: the rope, the quay, this, the bell

### Personality Traits
- Counts the steps of every stair that has more than nine of them and never says why.

## Voice
"I would rather walk the long way round in the rain than owe that man one word."
"So be it."

## GM Notes
The child in the next valley is the ferryman's own, and the ferryman knows it as well as the miller.
"""


def sheet(name: str) -> bytes:
    """A sheet whose sentences no other has."""
    text = SHEET.format(name=name)
    for word in () if name == CORWIN else ("child", "nobody", "feed", "hands", "promised", "steps", "rain", "evening"):
        text = text.replace(f" {word} ", f" {name.split('-')[0]} {word} ")
    return text.encode()


PLAIN: Mapping[str, bytes] = {**FILES, **{f"party/{name}.md": sheet(name) for name in TRIO}}
CAMPAIGNS: Mapping[str, tuple[Mapping[str, bytes], tuple[str, ...]]] = {
    "ten-past-four": (folder(), PARTY),
    "without-beats": ({path: text for path, text in folder().items() if not path.startswith("beats/")}, PARTY),
    "the-drowned-bell": (PLAIN, TRIO),
}


def heard(table: Any, roster: tuple[str, ...]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """All that house seats say to players or about the party: by whom, the words, and the players who hear them."""
    for recorded in table.recorded:
        event = recorded.event
        match event:
            case MessageSent(tag="NARRATIVE" | "PLAYER_TO_GM" | "NARRATOR_NOTE" | "PLAYER_TO_PLAYER"):
                told = tuple(event.group or roster)
                hearers = told if event.seat == GM else tuple(name for name in roster if name != event.seat)
                yield event.seat, f"{event.body}\n{event.fields}", hearers
            case MessageSent():
                hearers = tuple(name for name in roster if recorded.audience.includes(name) and name != event.seat)
                if recorded.audience.includes(HUMAN):
                    hearers = (*hearers, HUMAN)
                yield event.seat, f"{event.body}\n{event.fields}", hearers
            case events.PieceWritten(seat=str(seat)) | events.ChatSaid(seat=seat):
                text = event.text
                hearers = tuple(name for name in (*roster, HUMAN) if recorded.audience.includes(name) and name != seat)
                yield seat, text, hearers


def quoted(table: Any, files: Mapping[str, bytes], roster: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """What was said out of a file of the campaign that a hearer may not read: by whom, to whom, and the words."""
    pieces = [
        piece
        for piece in import_folder(files, roster)
        if piece.secret or piece.document == STORY_STATE or not piece.document.startswith("beats/")
    ]
    where: dict[int, list[Any]] = {}
    opened = opened_in(table, files, roster)
    for piece in pieces:
        for run in runs_in(piece.text):
            if run not in opened:
                where.setdefault(run, []).append(piece)
    assert where
    found = []
    for seat, text, hearers in heard(table, roster):
        for run in runs_in(text):
            having = where.get(run, [])
            for hearer in hearers:
                reader = roster[0] if hearer == HUMAN else hearer
                if having and not any(reader in piece.readers for piece in having):
                    found.append((seat, hearer, text))
    return found


def opened_in(table: Any, files: Mapping[str, bytes], roster: tuple[str, ...]) -> set[int]:
    """The runs of the facts that the GM's note says it has told, and of lines that are a character's own to say."""
    documents: dict[str, list[Any]] = {}
    for piece in import_folder(files, roster):
        documents.setdefault(piece.document, []).append(piece)
    world = world_of({path: Pieces(pieces) for path, pieces in documents.items()}, roster)
    note = "".join(piece.text for piece in table.view("gm").state.documents.get("gm-progress.md", ()))
    told = [world.facts[key] for key in remembered(note).told if key in world.facts]
    runs = {run for fact in told for run in runs_in(f"{world.entities[fact.owner].name} {fact.lead} {fact.text}")}
    for name in roster:
        text = files[f"party/{name}.md"].decode()
        runs |= {run for saying in read(name, text).sayings for run in runs_in(saying)}
    return runs


@pytest.mark.spec("T-063")
@pytest.mark.parametrize("campaign", CAMPAIGNS)
@pytest.mark.parametrize("edition", EDITIONS)
def test_nothing_that_is_said_in_an_evening_quotes_what_a_hearer_may_not_read(edition: str, campaign: str) -> None:
    files, roster = CAMPAIGNS[campaign]
    for seed in SEEDS[edition]:
        table = evening(edition, seed, files=files, party=roster, human=bool(seed % 2), player_character=roster[0])
        assert not mishaps(table)
        assert sent(table, "NARRATIVE")
        assert quoted(table, files, roster) == []


STORY = "The lamp keeper drowned the bell himself on the night of the great storm."
KIN = "The child in the next valley is the ferryman's own, and the ferryman knows it."


@pytest.mark.parametrize("said", [BOND, f"So it is. {BOND} There."])
@pytest.mark.parametrize("tag", ["PLAYER_TO_GM", "PLAYER_TO_PLAYER", "NARRATOR_NOTE", "chat", "action"])
def test_a_character_reads_nothing_out_of_its_sheet_by_whatever_way_it_speaks(tag: str, said: str) -> None:
    kept = said.replace(BOND, "").replace("  ", " ").strip() or NOTHING_SAID
    game = asked(opened(files=PLAIN), CORWIN)
    match tag:
        case "PLAYER_TO_GM":
            text = content(game.state, tag, said, type="ACTION", character=CORWIN)
            expected = content(game.state, tag, kept, type="ACTION", character=CORWIN)
        case "PLAYER_TO_PLAYER":
            text = content(game.state, tag, said, from_=CORWIN, to_=BRYN)
            expected = content(game.state, tag, kept, from_=CORWIN, to_=BRYN)
        case "NARRATOR_NOTE":
            text, expected = (content(game.state, tag, from_=CORWIN, note=words) for words in (said, kept))
        case _:
            assert spoken(game, CORWIN, said) == kept
            return
    assert spoken(game, CORWIN, reply((GM, text))) == reply((GM, expected))


@pytest.mark.parametrize("secret", [STORY, KIN])
def test_the_gm_tells_the_party_nothing_that_is_closed_to_anybody_who_hears_it(secret: str) -> None:
    game = asked(opened(files=PLAIN), TILDA)
    told = content(game.state, "NARRATIVE", f"Rain falls. {secret} A gull cries.")
    assert spoken(game, GM, reply((None, told))) == reply(
        (None, content(game.state, "NARRATIVE", "Rain falls. A gull cries."))
    )
    bare = content(game.state, "NARRATIVE", secret)
    assert secret not in spoken(game, GM, reply((None, bare)))
    end = content(game.state, "SESSION_END", summary=f"They came. {secret}", state_saved="true", next_hook="Rain.")
    assert secret not in spoken(game, GM, reply(("team-lead", end)))
    for document, closed in (
        ("party-knowledge.md", True),
        ("tmp/party-knowledge-delta.md", True),
        (STORY_STATE, False),
    ):
        written = reply({"delta": {"document": document, "operation": "append", "text": f"- It rains. {secret}"}})
        assert (secret in spoken(game, GM, written)) != closed
    asks = content(
        game.state, "GM_TO_PLAYER", f"## Scene\nRain.\n\n## Just Happened\n{secret}\n\n## Request\nWell?",
        request_type="QUICK_REACTION", scene_number="001", scene_slug="opening",
    )  # fmt: skip
    assert secret not in spoken(game, GM, reply((CORWIN, asks)))


def test_what_a_hearer_has_read_or_been_told_is_said_again() -> None:
    game = asked(opened(files={**PLAIN, "party-knowledge.md": f"# Known\n{STORY}\n".encode()}), TILDA)
    told = reply((None, content(game.state, "NARRATIVE", STORY)))
    assert spoken(game, GM, told) == told
    own = reply((CORWIN, content(game.state, None, BOND)))
    assert spoken(game, GM, own) == own, "Corwin's own sheet says so"
    assert BOND not in spoken(game, GM, reply((None, content(game.state, "NARRATIVE", BOND))))
    said = answered(asked(opened(files=PLAIN), CORWIN), CORWIN, body=BOND)
    again = reply((CORWIN, content(said.state, None, BOND)))
    assert spoken(said, GM, again) == again


def test_a_journal_is_one_s_own() -> None:
    game = asked(opened(files=PLAIN), CORWIN)
    entry = {"delta": {"document": f"party/{CORWIN}-journal.md", "operation": "append", "text": BOND}}
    assert spoken(game, CORWIN, reply(entry)) == reply(entry)


@pytest.mark.parametrize(
    ("stated", "about"),
    [
        ("They still dream of the first master who let them hold the fine tools.", "the first master"),
        ("A debt should be paid once, and then let be.", "a debt"),
        ("Everybody is owed a decent end, and somebody who stays for it.", "a decent end"),
        ("The old man taught her to look to the wilderness.", "the wilderness"),
        ("When he is ashamed he grows loud.", "something old"),
        ("", "something old"),
    ],
)
def test_a_sentence_of_a_sheet_is_spoken_of_by_its_matter(stated: str, about: str) -> None:
    assert matter(stated) == about


def spoken(game: Any, seat: str, text: str) -> str:
    """The text as the house lets that seat send it."""
    recorded = [
        Recorded(
            game="t", position=position, append="a", name=draft.event.stored_name, at=NOON, actor=draft.event.actor,
            audience=draft.audience, cause=None, body=b"{}", salt=b"", hash=b"", event=draft.event,
        )
        for position, draft in enumerate(game.play.drafts, 1)
    ]  # fmt: skip
    turn = next(iter(game.state.turns.values())).but(seat=seat, kind="beat")
    return discreet(text, view(TABLETOP, recorded, seat), turn)
