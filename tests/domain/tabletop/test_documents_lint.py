"""What the lint finds in small campaigns, and what it leaves alone."""

from __future__ import annotations

from domain.rulesets.tabletop.importing import import_folder
from domain.rulesets.tabletop.lint import Finding, leaking_terms

ROSTER = ("corwin", "tilda")
FILES = {
    "story-state.md": "# Now\nThe keeper is Osric Vane, and the drowned bell calls the tide.\n",
    "locations/pier.md": "# Pier\n\n## Secrets\nUnder the boards hangs the drowned bell that Osric Vane has sunk.\n",
    "party-knowledge.md": "# Known\nThe ferry is late, and the Lantern House is shut.\n",
    "party/corwin.md": "# Corwin\nHe owes money at the Lantern House.\n",
    "party/tilda.md": "# Tilda\nShe dreams of a bell.\n\n**GM Note**: she heard the drowned bell as a child.\n",
}


def found(**changes: str) -> list[Finding]:
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
