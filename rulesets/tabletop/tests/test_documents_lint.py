"""What the lint finds in small campaigns, and what it leaves alone."""

from __future__ import annotations

import pytest

from sottovoce.rulesets.tabletop.rules.documents.folder import import_folder
from sottovoce.rulesets.tabletop.rules.documents.pieces import folded, readable_by, rebuilt
from sottovoce.rulesets.tabletop.rules.lint.findings import LintFinding, leaking_terms
from sottovoce.rulesets.tabletop.rules.lint.ordinary import is_ordinary

ROSTER = ("corwin", "tilda")
FILES = {
    "story-state.md": "# Now\nThe keeper is Osric Vane, and the drowned bell calls the tide.\n",
    "locations/pier.md": "# Pier\n\n## Secrets\nUnder the boards hangs the drowned bell that Osric Vane has sunk.\n",
    "party-knowledge.md": "# Known\nThe ferry is late, and the Lantern House is shut.\n",
    "party/corwin.md": "# Corwin\nHe owes money at the Lantern House.\n",
    "party/tilda.md": "# Tilda\nShe dreams of a bell.\n\n**GM Note**: she heard the drowned bell as a child.\n",
}


def found(**changes: str) -> list[LintFinding]:
    files = {**FILES, **{f"party/{name}.md": text for name, text in changes.items()}}
    return list(leaking_terms(import_folder({path: text.encode() for path, text in files.items()}, ROSTER), ROSTER))


def test_a_clean_campaign_has_nothing_but_what_is_kept_back() -> None:
    assert [(finding.kind, finding.secret_at) for finding in found()] == [("kept back", (("party/tilda.md", "Tilda"),))]


def test_a_name_out_of_a_secret_is_found_where_a_player_reads_it() -> None:
    finding = found(corwin="# Corwin\n\n## Debts\nHe was once paid by Osric Vane.\n")[0]
    assert (finding.kind, finding.what, finding.open_at) == ("term", "Osric Vane", (("party/corwin.md", "Debts"),))
    assert finding.secret_at == (("locations/pier.md", "Secrets"), ("story-state.md", "Now"))


def test_a_phrase_out_of_two_secrets_is_found_and_not_out_of_one() -> None:
    assert found(corwin="# Corwin\nHe hears the drowned bell.\n")[0].what == "drowned bell"
    assert all(finding.kind == "kept back" for finding in found(corwin="# Corwin\nHe owes under the boards.\n"))


def test_what_the_whole_party_has_is_no_leak() -> None:
    files = {**FILES, "party-knowledge.md": "# Known\nOsric Vane rings the drowned bell.\n"}
    files["party/corwin.md"] = "# Corwin\nHe fears the drowned bell of Osric Vane.\n"
    pieces = import_folder({path: text.encode() for path, text in files.items()}, ROSTER)
    assert {finding.kind for finding in leaking_terms(pieces, ROSTER)} == {"kept back"}


def test_a_copied_passage_and_a_telling_sentence_are_found() -> None:
    kinds = {
        finding.kind: finding
        for finding in found(corwin="# Corwin\nUnder the boards hangs the drowned thing. He hasn't realised that.\n")
    }
    assert kinds["passage"].what == "Under the boards hangs the drowned"
    assert kinds["unknowing"].what == "He hasn't realised that"


def test_not_knowing_how_is_no_finding() -> None:
    assert {finding.kind for finding in found(corwin="# Corwin\nHe doesn't know how to swim.\n")} == {"kept back"}


OPEN = {
    "party-knowledge.md": "# Known\nThe ferry is late, and the Lantern House is shut.\n",
    "world-primer.md": "# World\nThe sea is cold.\n",
    "party/corwin.md": "# Corwin\nHe owes money at the Lantern House.\n",
}
CLOSED = {
    "locations/pier.md": "# Pier\nWood, a rail.\n\n## GM Notes\nThe warden buried the ledger below the third stone.\n",
    "party/tilda.md": "# Tilda\nShe sings.\n\n## Secrets\nHer mother is alive, the warden's prisoner. Olaf lied.\n",
    "npcs/warden.md": "# The Warden\nHe means to sell the harbour to the highest bidder in spring.\n",
}


def lint(**changes: str) -> list[LintFinding]:
    files = {**FILES, **OPEN, **CLOSED}
    for name, text in changes.items():
        path = next(path for path in files if name in path)
        files[path] += f"\n{text}\n"
    pieces = import_folder({path: text.encode() for path, text in files.items()}, ROSTER)
    return [finding for finding in leaking_terms(pieces, ROSTER) if finding.kind != "kept back"]


@pytest.mark.parametrize("where", ["knowledge", "primer", "corwin"])
@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("The warden buried the ledger below the third stone.", "The warden buried the ledger below the third stone"),
        ("So it is: *the warden buried the ledger, below* the door.", "the warden buried the ledger below the"),
        ("- Her mother is alive, the Warden’s prisoner.", "Her mother is alive the Warden’s prisoner"),
        (
            "| who | what |\n|---|---|\n| Olaf | her mother is alive, the warden's |",
            "her mother is alive the warden's",
        ),
        (
            "He means to sell the harbour to the highest bidder in spring.",
            "He means to sell the harbour to the highest",
        ),
    ],
)
def test_closed_words_in_a_row_are_found_wherever_players_read_them(where: str, words: str, found: str) -> None:
    passages = [finding for finding in lint(**{where: words}) if finding.kind == "passage"]
    assert len(passages) == 1
    assert passages[0].what.startswith(found)
    assert [document for document, _ in passages[0].open_at] == [next(path for path in OPEN if where in path)]
    assert passages[0].secret_at[0][0] in CLOSED


def test_a_short_sentence_is_found_whole() -> None:
    known = {"locations": "## GM Notes\nOsric is a forger. It was done. On the third of May."}
    assert [finding.what for finding in lint(pier=known["locations"], knowledge="They say Osric is a forger.")] == [
        "Osric is a forger"
    ]
    assert not lint(pier=known["locations"], knowledge="It was done. They met on the third of May.")


def test_a_sentence_of_one_sheet_is_found_in_what_all_read() -> None:
    told = "As a child he hid his sister in the bell tower."
    (finding,) = lint(corwin=told, knowledge=told)
    assert (finding.kind, finding.open_at, finding.secret_at) == (
        "passage",
        (("party-knowledge.md", "Known"),),
        (("party/corwin.md", "Corwin"),),
    )
    assert not lint(corwin=told), "a sheet is open to its own character"


def test_a_place_is_described_to_all_without_a_finding() -> None:
    told = "The pier has forty boards, a rail of iron, and a lamp that nobody lights."
    assert not lint(pier=f"# Boards\n{told}", knowledge=told)
    assert lint(warden=f"# Boards\n{told}", knowledge=told)


COMMENTS = ["<!-- GM: {} -->", "<!-- {} -->", "The sea. <!-- {} -->", "<!--\nGM\n\n{}\n-->", "%% {} %%", "[//]: # ({})"]
CLOSING = [
    "## DM Only\n{}", "### DM Notes\n{}", "## Not for players\n{}", "## Keeper's eyes only\n{}", "- GM: {}", "> GM: {}",
    "## Player must not read\n{}", "> [!gm]\n> {}", "| a | GM |\n|---|---|\n| o | {} |", "**DM note**: {}",
    "<details><summary>GM</summary>\n\n{}\n\n</details>", "<div class=\"gm\">{}</div>", "```gm\n{}\n```", "(GM: {})",
]  # fmt: skip


@pytest.mark.spec("F-060")
@pytest.mark.parametrize("form", [*COMMENTS, *CLOSING])
@pytest.mark.parametrize("where", ["knowledge", "primer", "corwin"])
def test_what_is_marked_in_any_of_the_usual_ways_is_closed_and_so_no_finding(form: str, where: str) -> None:
    words = "The warden buried the ledger below the third stone."
    assert not lint(**{where: form.format(words)})
    path = next(path for path in OPEN if where in path)
    text = f"{OPEN[path]}\n{form.format(words)}\n\n# More\nThe rest is for all.\n"
    pieces = import_folder({**dict.fromkeys(CLOSED, b"x"), path: text.encode()}, ROSTER)
    documents = folded(pieces)
    assert rebuilt(documents)[path] == text.encode()
    for name in ROSTER:
        mine = rebuilt(readable_by(documents, name)).get(path, b"").decode()
        assert "warden" not in mine
        assert "GM" not in mine
        assert ("The rest is for all." in mine) == (where != "corwin" or name == "corwin")


@pytest.mark.parametrize(
    "line",
    [
        "She smiles (GM: she lies) and goes.",
        "She smiles. [DM note: she lies]",
        "Keep reading only if you lead; this is not for players.",
        "The rest has spoilers.",
        "**Secret compartment**: she lies",
        "Secret: she lies",
        "- Secrets: she lies",
        "## Lies and Secrets",
        "## Her Dark Secrets",
        "<h2>Secrets</h2>",
        "<h3 class='x'>🔒 GM Notes</h3>",
        "## Geheime Tür",
        "## Geheimnis der Mühle",
        "## Was sie nicht wissen",
        "## Hinter den Kulissen",
        "## SL",
        "## MJ",
        "## DJ",
        "SL: she lies",
        "She smiles (MJ: she lies) and goes.",
        "Sie lächelt; das ist nicht für Spieler bestimmt.",
        "## Le secret du moulin",
        "## Ce qu'ils ne savent pas",
        "## Ce qu’elle ignore",
        "Elle sourit; pas pour les joueurs.",
        "## El secreto del molino",
        "## Lo que no saben",
        "Sonríe; no para los jugadores.",
        "**Future Development**: she will lie",
        "## Hidden Agenda",
        "## What They Don't Know",
        "## The Keeper's Notes",
        "She is kept from the party.",
    ],
)
@pytest.mark.parametrize("where", ["knowledge", "corwin"])
def test_a_mark_that_closes_nothing_is_named(line: str, where: str) -> None:
    marks = [finding for finding in lint(**{where: f"{line}\nIt is so."}) if finding.kind == "mark"]
    assert [finding.open_at[0][0] for finding in marks] == [next(path for path in OPEN if where in path)]
    assert line.strip(" *#[](-")[:12] in marks[0].what


@pytest.mark.parametrize(
    "line",
    [
        "## Secret Action Triggers (for AI Players)",
        "Ask your GM when in doubt.",
        "**Hidden pockets**: two",
        "The keeper of the lamp waits.",
        "Nobody knows what became of the bell.",
        "If it is not here, your character does not know it.",
        "She suspects a key that she hasn't discovered.",
        "## Slings",
        "## Knowledge and Secrets",
        "The secretary waits.",
        "## The Director",
        "Der Meister wartet.",
        "Le maître attend.",
        "El director espera.",
    ],
)
def test_what_only_sounds_alike_is_not(line: str) -> None:
    assert not lint(knowledge=line)
    assert not lint(corwin=line)


def test_an_unusual_word_is_found_in_every_sheet_and_an_ordinary_one_in_none() -> None:
    secrets = {
        f"npcs/{number}.md": f"# {number}\n\n## GM Notes\nIt works by nanotubes; becoming harder, network by network.\n"
        for number in range(4)
    }
    sheet = "# C\nHe reads the nanotube-bearing soil, becoming one with the network.\n"
    files = {**secrets, "party-knowledge.md": "# K\nRain.\n", "party/corwin.md": sheet, "party/tilda.md": "# T\nShe.\n"}
    pieces = import_folder({path: text.encode() for path, text in files.items()}, ROSTER)
    assert [(finding.kind, finding.what) for finding in leaking_terms(pieces, ROSTER) if finding.kind == "term"] == [
        ("term", "nanotube")
    ]
    assert all(map(is_ordinary, ("becoming", "networks", "security", "they'll", "thirtieth", "told", "relationship")))
    assert not any(map(is_ordinary, ("nanotube", "osric", "dodecahedron")))


def test_names_of_a_character_s_own_life_public_words_and_dates_are_no_findings() -> None:
    life = "Osric Vane taught him.\n\n## Debts\nHe owes Osric Vane a boat."
    assert not lint(corwin=life)
    assert [finding.what for finding in lint(corwin="Osric Vane taught him.")] == ["Osric Vane"]
    dates = "## GM Notes\nOn the night of the twelfth of March all came on time, late that Monday evening."
    assert not lint(
        pier=dates, warden=dates, corwin="They met that Monday evening, on the night of the twelfth of March."
    )
    ferry = "## GM Notes\nThe late ferry goes to the Lantern House."
    assert not lint(pier=ferry, warden=ferry, corwin="He waits for the late ferry.")
