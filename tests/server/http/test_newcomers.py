"""Characters that a host brings to a session: shipped ones, made ones, and sheets; never into the folder on disk."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from remote import EXAMPLES, RemoteServer, bounded, log_in

from sottovoce.rulesets.tabletop.rules.documents import Piece
from sottovoce.rulesets.tabletop.rules.events import PieceWritten
from sottovoce.server.http.settings import Settings

CAMPAIGN = "ten-past-four"
EMPTY = "sunken-mill"
"""A campaign without characters."""
ADA = {"name": "Ada Brook", "concept": "a smuggler of forbidden clocks", "skills": ["stealth"], "numbers": {"str": 17}}


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    """A server with a campaign, and one without characters. It calls no agents."""
    folder = tmp_path_factory.mktemp("far")
    bare = folder / EMPTY
    for path, text in {
        "locations/mill.md": "# The Mill\n\n## Description\n\nA mill that stands in the water.\n",
        "npcs/jory.md": "# Jory\n\n## Public Knowledge\n\nJory keeps the mill.\n",
    }.items():
        (bare / path).parent.mkdir(parents=True, exist_ok=True)
        (bare / path).write_text(text, encoding="utf-8")
    places = {"campaign": {CAMPAIGN: EXAMPLES / "campaigns" / CAMPAIGN, EMPTY: bare}}
    with RemoteServer(
        log_in(folder), Settings(bounds=bounded(), log_requests=False, places=places), plays=False
    ) as server:
        yield server


def on_disk(remote: RemoteServer) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for folder in remote.settings.places["campaign"].values():
        found |= {str(path): path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.is_file()}
    return found


def pieces(remote: RemoteServer, game: str) -> list[Piece]:
    """What the game's files consist of."""
    recorded = remote.live_games.games.load(game).recorded
    return [item.event.piece for item in recorded if isinstance(item.event, PieceWritten)]


def opened(remote: RemoteServer, campaign: str, characters: Any, **wanted: Any) -> Any:
    setup = {"campaign": campaign, "characters": characters, **wanted}
    return remote.open(ruleset="tabletop", setup=setup, agent="outside", seed="3")


def test_a_folder_without_characters_is_played_with_one_that_is_made(remote: RemoteServer) -> None:
    before = on_disk(remote)
    look = {"characters": json.dumps([{"name": "Ada Brook"}]), "character": "Ada Brook"}
    offered = remote.get(f"/v1/rulesets/tabletop/places/{EMPTY}", remote.host, **look)
    one = opened(remote, EMPTY, [ADA], character="Ada Brook")
    seats = remote.get(f"/v1/games/{one.game}", one.keeper)["seats"]
    assert seats == offered["seats"]
    # Two who come along, so that nobody plays alone.
    assert ({"ada-brook", "human"} < {*seats}, offered["people"]) == (True, ["human"])
    state = remote.live_games.games.load(one.game).state
    assert (state.character, len(state.roster)) == ("ada-brook", 3)
    assert on_disk(remote) == before
    # The request is kept, so that the same line-up plays again.
    assert state.setup["characters"][0]["name"] == "Ada Brook"
    again = remote.open(ruleset="tabletop", setup=dict(state.setup), agent="outside")
    assert remote.get(f"/v1/games/{again.game}", again.keeper)["seats"] == seats


def test_characters_join_the_party_of_a_folder(remote: RemoteServer) -> None:
    offered = remote.get(f"/v1/rulesets/tabletop/places/{CAMPAIGN}", remote.host)
    party, shipped = offered["choices"]["character"], offered["choices"]["characters"]
    sheet = "# Tom Reed\n\n**Background**: a diver\n"
    long = {"sheet": "# Lev Long\n\n" + "A line of a long sheet.\n" * 8000}
    one = opened(remote, CAMPAIGN, [shipped[0], {"sheet": sheet}, long], character=shipped[0])
    seats = remote.get(f"/v1/games/{one.game}", one.keeper)["seats"]
    assert {*seats} == {*offered["seats"], shipped[0], "tom-reed", "lev-long", "human"}
    assert {*party} < {*seats}


def test_what_a_host_makes_up_is_read_by_that_seat_and_the_game_master_alone(remote: RemoteServer) -> None:
    one = opened(remote, EMPTY, [ADA, "osric-pell"], character="Ada Brook")
    readers = {seat for piece in pieces(remote, one.game) if "forbidden clocks" in piece.text for seat in piece.readers}
    assert readers == {"ada-brook", "gm"}
    for seat, token in one.seats.items():
        told = json.dumps(remote.get(f"/v1/games/{one.game}", token)) + json.dumps(
            remote.get(f"/v1/games/{one.game}/view", token)
        )
        assert ("forbidden clocks" in told) == (seat in ("gm", "ada-brook", "human")), seat


@pytest.mark.parametrize(
    ("characters", "detail"),
    [
        (7, "characters: give a list of names, or of objects such as"),
        ([7], "characters: give a list of names, or of objects such as"),
        ("[nonsense", "characters: give a list of names, or of objects such as"),
        ([{}] * 7, "characters: bring at most 6."),
        ([{}], "characters: a new character needs a name, or a sheet."),
        (["nobody"], "characters: no character 'nobody' comes with Sottovoce. Choose one of: "),
        (["pim-tallow"], "characters: no character 'pim-tallow' comes with Sottovoce."),
        ([{"name": "Pim Tallow"}], "characters: there is a character 'pim-tallow' already. Choose another name."),
        ([ADA, ADA], "characters: there is a character 'ada-brook' already. Choose another name."),
        ([{"name": "***"}], "characters: the name is plain words, without signs such as * or #."),
        ([{"name": "!?"}], "characters: the name '!?' has no letter that a file name can have."),
        ([{"name": "Gm"}], "characters: 'gm' can't be a character's name"),
        ([{"name": "x" * 101}], "characters: name: string should have at most 100 characters."),
        ([{**ADA, "concept": "a\n# b"}], "characters: the concept is plain words"),
        ([{**ADA, "skills": ["flying"]}], "characters: 'flying' is not a skill. Choose among: "),
        (
            [{**ADA, "skills": ["stealth", "arcana", "insight", "nature", "religion"]}],
            "characters: name one to 4 skills",
        ),
        ([{**ADA, "numbers": {"str": 19}}], "characters: str: input should be less than or equal to 18."),
        ([{**ADA, "numbers": {"str": "17"}}], "characters: str: input should be a valid integer."),
        ([{**ADA, "numbers": {"luck": 9}}], "characters: luck: input should be 'str', "),
        ([{**ADA, "pronouns": "x"}], "characters: the pronouns are one of: "),
        ([{**ADA, "level": 3}], "characters: level: extra inputs are not permitted."),
        ([{**ADA, "sheet": "# A\n"}], "characters: a sheet says all that is to be said."),
        ([{"sheet": "no heading"}], "characters: the sheet has no name. Begin it with a line such as: # Ada Brook."),
        ([{"sheet": "# A\n\0"}], "characters: the sheet "),
        ([{"sheet": "# A\n" + "x" * 200_000}], "characters: sheet: string should have at most 200000 characters."),
    ],
)
def test_each_fault_is_one_line_and_opens_no_game(remote: RemoteServer, characters: Any, detail: str) -> None:
    games = len(remote.get("/v1/games", remote.host)["games"])
    setup = {"campaign": CAMPAIGN, "characters": characters}
    answer = remote.ask("POST", "/v1/games", remote.host, {"ruleset": "tabletop", "setup": setup})
    assert answer.status_code == 422, answer.text
    told = answer.json()["detail"]
    assert told.startswith(detail), told
    assert "\n" not in told
    assert len(remote.get("/v1/games", remote.host)["games"]) == games


def test_the_numbers_are_on_the_sheet_and_a_name_stands_over_a_sheet(remote: RemoteServer) -> None:
    one = opened(remote, EMPTY, [ADA, {"name": "Mia  Vale", "sheet": "# Old\n\n**Class**: Bard\n"}])
    texts: dict[str, str] = {}
    for piece in pieces(remote, one.game):
        texts[piece.document] = texts.get(piece.document, "") + piece.text
    assert "| 17 | 15 | 11 | 11 | 11 | 11 |" in texts["party/ada-brook.md"]
    assert texts["party/mia-vale.md"].startswith("# Mia Vale\n")
    assert "Bard" in texts["party/mia-vale.md"]
    assert "party/old.md" not in texts


def test_half_a_character_of_unicode_is_refused(remote: RemoteServer) -> None:
    setup = {"campaign": CAMPAIGN, "characters": [{"name": "Ada", "concept": "a \ud800"}]}
    answer = remote.http.post(
        "/v1/games",
        content=json.dumps({"ruleset": "tabletop", "setup": setup}),
        headers={"Authorization": f"Bearer {remote.host}", "Content-Type": "application/json"},
    )
    assert answer.status_code in (400, 422), answer.text
