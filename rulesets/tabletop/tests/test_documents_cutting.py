"""What F-060 keeps for the GM inside a document, and that cutting loses nothing."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.rulesets.tabletop.rules.documents.marks import is_marked
from sottovoce.rulesets.tabletop.rules.documents.pieces import folded, readable_by, rebuild
from sottovoce.rulesets.tabletop.rules.documents.secrecy import cut

READERS = ("gm", "tilda")
BITS = (
    "# A\n", "## B ##\n", "### GM Notes\n", "## Secrets\n", "#### c\n", "GM\n==\n", "Open\n---\n", "---\n", "***\n",
    "**GM Note**: s\n", "**Bond**: b\n", "- item\n", "- **For GMs**: s\n", "  deeper\n", "\n", "\r\n", "\n\n",
    "```\n", "~~~\n", "> quoted\n", "> **GM**: s\n", "| a | b |\n", "|---|\n", "words", "words\n", "\ufeff", "\t", "\r",
    "<!-- c -->", "<!--", "-->", "<!-- c\n", "%%", "%% c %%", "<details><summary>GM</summary>\n", "</details>", "<p>",
    "GM: s\n", "- GM: s\n", "> GM: s\n", "> [!gm] s\n", "(GM: s) o\n", "Ann: o\n", "| GM | b |\n", "| a | GM |\n",
    "| s |\n", "[//]: # (s)\n", "```gm\n", "<div class='gm'>", "</div>\n", "  ", "key: v\n",
    "# ★ Secret\n", "🔒 **GM**: s\n", "- ★ GM: s\n", "⚠️ SL-Info: s\n", "| 🔒 GM | s |\n", "★ ", "1. Secret\n===\n",
    "##GM loose\n", "    ## GM indented\n", "What She Doesn’t Know\n", "\u2028", "\x0c", "é",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(BITS), max_size=25).map("".join) | st.text()


def read_by(seat: str, text: str) -> str:
    return rebuild(readable_by(folded(cut("party/tilda.md", text, READERS)), seat).get("party/tilda.md", ()))


@given(TEXTS)
def test_the_pieces_joined_are_the_text_to_the_byte(text: str) -> None:
    pieces = cut("party/tilda.md", text, READERS)
    assert "".join(piece.text for piece in pieces) == text
    assert pieces, "even an empty file is kept"
    assert len({piece.key for piece in pieces}) == len(pieces)
    assert all(piece.readers == (("gm",) if piece.secret else READERS) for piece in pieces)
    assert all(piece.text for piece in pieces) or not text


@pytest.mark.spec("F-060")
@given(TEXTS)
def test_what_a_reader_has_holds_nothing_marked(text: str) -> None:
    """What is left is not merely cut once: read again, nothing in it is marked."""
    assert [piece.text for piece in cut("party/tilda.md", read_by("tilda", text), READERS) if piece.secret] == []


@pytest.mark.spec("F-060")
@pytest.mark.parametrize(
    "title",
    [
        "GM", "GM Notes", "gm notes", "For GMs", "Notes (GM only)", "GM-only", "gm_notes", "The GM's eyes", "G​M notes",
        "**GM** Notes", "Secrets", "SECRETS & Hidden Things", "🔒 Secrets", "What She Does NOT Know",
        "What He Doesn't Know", "What He Doesn’t Know", "What she does *not* know", "She does  not\tknow this",
        # one and many, and whose they are
        "Secret", "SECRET:", "Secret (do not share)", "Secret – the truth", "Secret Notes", "Secret Information",
        "Player Secrets", "Players' Secrets", "Player’s Secret", "PC Secrets", "Character Secrets",
        "Plot Secrets", "Keeper's Notes", "Keeper’s Notes", "Keepers' Notes", "Keeper`s note",
        "Keeper's Secrets", "Notes for the Keeper", "Storyteller's Notes", "Referee’s info", "Keeper‛s Notes",
        # symbols, numbers and emphasis in front
        "★ GM Notes", "★ Secrets", "ⓘ Secrets", "㊙ Secrets", "№ 3 Secrets", "⚠️ Secret", "1️⃣ Secrets",
        "† Secrets", "§ Secrets", ":lock: Secrets", ":no_entry_sign: Secret", "&#128274; Secrets",
        "&lock; Secrets", "![lock](lock.png) Secrets", "$\\star$ Secrets", "1. Secrets", "1.2 Secrets",
        "3a. Secrets", "IV. Secrets", "II Secrets", "A) Secrets", "(b) Secrets", "Part 3: Secrets",
        "Appendix A – Secrets", "Scene 2. Secrets", "**1. Secrets**", "*Secret*", "~~Secrets~~", "==Secrets==",
        "[[Secrets]]", "[Secrets](secrets.md)", "»Secrets«", "‹ Secret ›", "<u>Secrets</u>", "secret_notes",
        "player_secrets", "G.M. Notes", "G. M. Notes", "D.M. only", "GM—Notes", "Keeper‑only", "GM–only",
        # German
        "Geheim", "🔒 Geheimnisse", "Geheimnis", "Geheimnisse und Ränke", "Geheime Notizen", "Geheimes",
        "Spielleiter", "Spielleiterinformationen", "Nur für Spielleiter", "Für die Spielleitung",
        "Meisterinformation", "Meisterwissen", "Nur für den Meister", "Notizen für den Meister", "SL-Notizen",
        "SL-Info", "Nur für SL", "Nur für die SL", "Hinweise der SL", "Nicht für Spieler",
        "Nicht fuer die Spieler", "NICHT FÜR SPIELERINNEN", "Spieler dürfen das nicht lesen",
        "Vor den Spielern geheim", "Was Tilda nicht weiß", "Sie weiß es nicht", "2. Geheimnisse",
        "Teil 2: Geheimnisse",
        # French
        "Secret :", "Notes du MJ", "Notes du meneur", "Notes du Maître du jeu",
        "Infos MJ", "Réservé au MJ", "RÉSERVÉ AU MENEUR", "MJ uniquement", "Meneur de jeu", "Maître de jeu",
        "Notes du gardien", "Notes secrètes", "Informations secrètes", "Pas pour les joueurs",
        "Caché aux joueurs", "Ne pas montrer aux joueurs", "Ne pas lire à voix haute aux joueurs",
        "Les joueurs ne doivent pas savoir", "Ce qu’il ne sait pas", "Ce qu'elle ne sait pas",
        # Spanish
        "Secreto", "Secretos", "Secretos y mentiras", "🔒 Secretos", "Notas del DJ", "Notas del Máster",
        "Notas del director", "Director de juego", "Solo para el máster", "Sólo para el DJ", "SOLO DJ",
        "Notas del Guardián", "Notas del narrador", "Información secreta", "No para jugadores",
        "No para los jugadores", "No mostrar a los jugadores", "Oculto a los jugadores",
        "Los jugadores no deben saber esto", "Lo que no sabe",
    ],
)  # fmt: skip
def test_these_titles_are_marked(title: str) -> None:
    assert is_marked(title)
    public = f"## {title}\nhidden\n\n## Open\nshown\n"
    assert read_by("tilda", public) == "## Open\nshown\n"
    assert read_by("gm", public) == public


@pytest.mark.spec("F-060")
@pytest.mark.parametrize(
    "title",
    [
        "Known Spells",
        "Secret Action Triggers",
        "Knowledge and Secrets",
        "What She Knows",
        "Gmork",
        "Program",
        "Ogm",
        "The Lighthouse Keeper",
        "The Keeper's Notes",
        "Admiral",
        "Players",
        "For players",
        "The Players Must Not Forget",
        "Hidden Pockets",
        "Secret Action Triggers (for AI Players)",
        "Secret Societies",
        "Secret-keeping",
        "The Secretary",
        "Her Dark Secrets",
        "The Secret of the Mill",
        "Party Secrets",
        "A Player Character",
        "What They Do Not Know",
        "DJ",
        "MJ",
        "The DJ Booth",
        "Mary Jane (MJ)",
        "Director",
        "The Guardian",
        "Meister Eckhart",
        "Der Waffenmeister",
        "Geheimnis der Mühle",
        "Geheime Tür",
        "Spieler",
        "Für die Spieler",
        "Was sie nicht wissen",
        "Pour les joueurs",
        "Le gardien du phare",
        "Le maître",
        "Le secret du moulin",
        "Para los jugadores",
        "El director",
        "El secreto del molino",
        "El guardián",
        "Master Solo",
        "Sledge",
        "Slowly",
        "Vile Part",
    ],
)
def test_these_titles_are_not(title: str) -> None:
    text = f"## {title}\nshown\n"
    assert not is_marked(title)
    assert read_by("tilda", text) == text


@pytest.mark.spec("F-060")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # a section lasts to the next heading of its own level or a higher one
        ("# T\n## GM\ns\n### Deeper\ns\n## Open\no\n", "# T\n## Open\no\n"),
        ("# T\n### GM\ns\n## Open\no\n", "# T\n## Open\no\n"),
        ("# T\no\n\n## GM\ns\n#### x\n##### y\n# U\no\n", "# T\no\n\n# U\no\n"),
        ("## Bare\n### GM\ns\n##GM loose\ns\n### Still\ns\n## Open\n", "## Bare\n## Open\n"),
        # underlined headings
        ("T\n=\n\nGM Notes\n--------\ns\n\nOpen\n----\no\n", "T\n=\n\nOpen\n----\no\n"),
        ("GM Notes\n===\ns\n\nOpen\n---\ns\n\nU\n===\no\n", "U\n===\no\n"),
        ("# T\n\n## GM\n\nA long sentence about it.\n---\nmore of it\n", "# T\n"),
        # sloppy headings open a secret and never end one
        ("o\n##GM Notes\ns\n##Not a heading\ns\n", "o\n"),
        ("o\n      ## GM Notes\ns\n", "o\n"),
        # fences
        ("o\n```\n## GM example\n```\no\n", "o\n```\n## GM example\n```\no\n"),
        ("o\n\n## GM\n```\n# Not a heading\n```\ns\n", "o\n"),
        ("o\n```\nnever closed\n## GM\ns\n", "o\n```\nnever closed\n"),
        ("o\n~~~~\n~~~\n## GM\n~~~~\no\n", "o\n~~~~\n~~~\n## GM\n~~~~\no\n"),
        # paragraphs, and what ends them
        ("**A**: o\n\n**GM Note**: s\nstill s\n\no\n", "**A**: o\n\no\n"),
        ("**A**: o\n**GM Note**: s\n**B**: o\n", "**A**: o\n**B**: o\n"),
        ("**What He Doesn’t Know**: s\n\n**Bond**: o\n", "**Bond**: o\n"),
        ("o\n\n__GM note:__ s\n\no\n", "o\n\no\n"),
        ("o\n\n<b>GM</b>: s\n\no\n", "o\n\no\n"),
        ("o\n\n**For GMs**:\n- s\n- s\n\no\n", "o\n\no\n"),
        ("o\n\n**For GMs**:\n\n- s\n\n- s\n\n  s\n\no\n", "o\n\no\n"),
        ("o\n\n**GM Note**: it is\n**Hessa** who did it\n\no\n", "o\n\no\n"),
        ("- a\n- **GM**: s\n  s\n\n  s\n- b\n", "- a\n- b\n"),
        ("> o\n>\n> **GM Note**: s\n> s\n\no\n", "> o\n>\n\no\n"),
        ("> ## GM Notes\n> s\n\no\n", "o\n"),
        ("| a | b |\n|---|---|\n| **GM Note** | s |\n| o | o |\n", "| a | b |\n|---|---|\n| o | o |\n"),
        ("o\n\n**GM\nNote**: s\n\no\n", "o\n\no\n"),
        ("A line and\n**the GM** says so\n", "A line and\n**the GM** says so\n"),
        # front matter
        ("---\nname: T\ngm_notes: s\n  s\nage: 3\n---\no\n", "---\nname: T\nage: 3\n---\no\n"),
        ("---\n# GM\nname: T\n---\no\n", "---\n# GM\nname: T\n---\no\n"),
        # plain labels
        ("o\n\nGM: s\ns\n\no\n", "o\n\no\n"),
        ("- a\n- GM: s\n  s\n- b\n", "- a\n- b\n"),
        ("1. a\n2. DM note: s\n3. b\n", "1. a\n3. b\n"),
        ("> GM: s\n> s\n\no\n", "o\n"),
        ("> [!gm]- The truth\n> s\n>\n> **Bond**: s\n\no\n", "o\n"),
        ("> [!secret]\n> s\n\no\n", "o\n"),
        ("> [!note] o\n> o\n", "> [!note] o\n> o\n"),
        ("o\n(GM: s)\no\n", "o\no\n"),
        ("o\n\n[GM only: s]\n\no\n", "o\n\no\n"),
        ("Ann: o\nGM: s\nBen: o\n", "Ann: o\nBen: o\n"),
        ("Not for players: s\n\no\n", "o\n"),
        ("o\n\nNote to the GM: s\n\no\n", "o\n\no\n"),
        ("The GM: o\n", "The GM: o\n"),
        ("Ask your GM: it is o\n", "Ask your GM: it is o\n"),
        ("Keeper: who is there?\n", "Keeper: who is there?\n"),
        ("```gm\ns\n\ns\n```\no\n", "o\n"),
        # symbols in front of what marks
        ("o\n\n🔒 **GM Note**: s\n\no\n", "o\n\no\n"),
        ("- a\n- ★ **For GMs**: s\n- b\n", "- a\n- b\n"),
        ("- a\n- :lock: **Secret**: s\n- b\n", "- a\n- b\n"),
        ("o\n\n⚠️ GM: s\n\no\n", "o\n\no\n"),
        ("o\n(🔒 GM: s)\no\n", "o\no\n"),
        ("> 🔒 GM: s\n> s\n\no\n", "o\n"),
        ("| a | b |\n|---|---|\n| ★ GM | s |\n| o | o |\n", "| a | b |\n|---|---|\n| o | o |\n"),
        ("| a | 🔒 Secret |\n|---|---|\n| o | s |\n", "| a |\n|---|\n| o |\n"),
        ("---\nname: T\nsecret: s\nage: 3\n---\no\n", "---\nname: T\nage: 3\n---\no\n"),
        # labels in other languages
        ("o\n\nNur für die SL: s\ns\n\no\n", "o\n\no\n"),
        ("- a\n- Notes du MJ: s\n- b\n", "- a\n- b\n"),
        ("o\n\n**Notas del DJ**: s\n\no\n", "o\n\no\n"),
        ("o\n<div class='geheim'>\ns\n</div>\no\n", "o\no\n"),
        ("> [!geheim]\n> s\n\no\n", "o\n"),
        ("o\n<details>\n<summary>Solo para el máster</summary>\ns\n</details>\no\n", "o\no\n"),
        ("DJ: o\n", "DJ: o\n"),
        ("Secret: o\n", "Secret: o\n"),
        # comments
        ("o\n\n<!-- s\n\n## s\n-->\n\no\n", "o\n\no\n"),
        ("# T\n<!-- s -->\no\n", "# T\no\n"),
        ("o <!-- s --> o <!-- s -->\no\n", "o o\no\n"),
        ("o <!-- s\ns --> o\n", "o\no\n"),
        ("- o\n- <!-- GM: s -->\n- o\n", "- o\n- o\n"),
        ("o\n<!-- s\nnever closed\n# s\n", "o\n"),
        ("o <!-- s\no\n", "o\no\n"),
        ("## GM\ns <!--\n# T\n--> s\n\n## O\no\n", "## O\no\n"),
        ("<!-- s -->\n\n# T\no\n", "# T\no\n"),
        ("<!-- s -->\n---\ngm: s\nage: 3\n---\no\n", "---\nage: 3\n---\no\n"),
        ("GM Notes\n<!-- c -->\n---\ns\n", None),
        ("<!-<!-- s -->- o -->\no\n", "o\n"),
        ("o %% s %% o\n100 %% o\n", "o o\n100 %% o\n"),
        ("o\n%%\ns\n%%\no\n", "o\no\n"),
        ("o\n[//]: # (s)\no\n", "o\no\n"),
        # marked elements
        ("o\n<details>\n<summary>GM notes</summary>\n\ns\n\n<details>s</details>\ns\n</details>\n\no\n", "o\n\no\n"),
        ("<details><summary>Map</summary>o</details>\n", "<details><summary>Map</summary>o</details>\n"),
        ("o <span class=\"gm-only\">s</span> o\n", "o o\n"),
        ("o\n<div class='secret'>\ns\n</div>\no\n", "o\no\n"),
        ("o\n<details><!-- c --><summary>GM</summary>s</details>\n", "o\n"),
        ("o\n\n<summary>GM</summary>\ns\n\no\n", "o\n\no\n"),
        # columns
        ("| a | GM | b |\n|---|---|---|\n| o | s | o |\n", "| a | b |\n|---|---|\n| o | o |\n"),
        ("| a | GM notes |\n|---|---|\n| o | s | s |\n\no\n", "| a |\n|---|\n| o |\n\no\n"),
        ("a | GM\n--|--\no | s\n", "a \n--\no \n"),
        ("| **GM** | a |\n|---|---|\n| s \\| s | o |\n", "| a |\n|---|\n| o |\n"),
        ("| GM |\n|---|\n| s |\n\no\n", "o\n"),
        ("| a | b |\n|---|---|\n| GM | s |\n| o | o |\n", "| a | b |\n|---|---|\n| o | o |\n"),
        ("| What she doesn't know | a <!-- | --> |\n|---|---|\n| s | o |\n\no\n", "|---|\n| o |\n\no\n"),
        # endings of lines and of files
        ("# T\r\no\r\n\r\n## GM\r\ns\r\n\r\n## U\r\no", "# T\r\no\r\n\r\n## U\r\no"),
        ("\ufeff# GM\ns\n# Open\no", "# Open\no"),
        ("\ufeff# T\no", "\ufeff# T\no"),
        # nothing shows that something was there
        ("# T\no\n\n---\n\n## GM\ns\n", "# T\no\n"),
        ("# T\no\n\n---\n\n## GM\ns\n\n---\n\n## U\no\n", "# T\no\n\n---\n\n## U\no\n"),
        ("# T\no\n\n## Notes\n\n**GM Note**: s\n\n## U\no\n", "# T\no\n\n## U\no\n"),
        ("# T\no\n\n## Notes\n\n### Secrets\ns\n", "# T\no\n"),
        ("o\n**GM**: s\n\n**B**: o\n", "o\n\n**B**: o\n"),
    ],
)  # fmt: skip
def test_a_reader_has_the_text_as_if_the_secret_had_never_been_there(text: str, shown: str | None) -> None:
    assert read_by("tilda", text) == (shown or "")
    assert read_by("gm", text) == text


@pytest.mark.spec("F-060")
def test_a_document_that_is_secret_from_the_first_line_is_no_document_to_its_reader() -> None:
    assert "party/tilda.md" not in readable_by(folded(cut("party/tilda.md", "# GM\ns\n", READERS)), "tilda")


@given(TEXTS, st.text(alphabet="abc \n", max_size=40))
def test_a_change_to_what_is_secret_leaves_a_readers_pieces_as_they_were(text: str, other: str) -> None:
    """Same keys, same texts, same order: nothing that a reader holds depends on what it lacks."""
    pieces = cut("party/tilda.md", f"# T\n{text}", READERS)
    start = f"# T\no\n\n## GM Notes\n{other}\n\n## Open\no\n"
    plain = "# T\no\n\n## Open\no\n"
    seen = [piece for piece in cut("party/tilda.md", start, READERS) if not piece.secret]
    assert [(piece.key, piece.text) for piece in seen] == [
        (piece.key, piece.text) for piece in cut("party/tilda.md", plain, READERS)
    ]
    left = "".join(piece.text for piece in pieces if not piece.secret)
    assert left == read_by("tilda", f"# T\n{text}")


def test_cutting_takes_time_linear_in_the_text() -> None:
    units = (
        "`````x\n", "```\n", "> " * 50 + "\n", "**GM Note**: s\n\n", "- " * 40 + "x\n", "#" * 300 + "\n", " \n",
        "a\n---\n",
        "<!--", "<!-- x --> ", "%% ", "<details>", "<div class='gm'>\n", "| GM | a |\n|---|---|\n", "<p>",
        "|a" * 99 + "\n",
        "★ ", "★", "- 🔒 **GM**: s\n", "&lock; ", "&", ":a: ", ":", "$a$", "![a](b) ", "(★ ", "I. ", "# ★ 1. ", "_ ",
        "notes du ", "# nicht für ", "# ne pas lire ", "<h2>Secrets", "# g. m. ", "'", "’",
        "**" * 30 + "\n", "- **GM**: s\n\n  s\n", "**For GMs**:\n\n", "## a\n### b\n", "### GM\n## a\n",
    )  # fmt: skip
    for unit in units:
        text = unit * (40_000 // len(unit))
        began = time.process_time()
        assert "".join(piece.text for piece in cut("x.md", text, READERS)) == text
        assert time.process_time() - began < 8, unit
