"""Eleven small campaigns in the forms in which people keep theirs, made up after public ones.

    forms()["vault"].files()           by path, as bytes
    forms()["vault"].files(secrets=2)  the same with other words wherever only the GM may look

Every form has the same few people and places, so that twelve inputs fit all of them. Its closed words are made from a
number: `canaries` are the words that nobody but the GM may ever see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

Closed = Callable[[str], str]
"""Makes the text of one closed place from what it is called."""

_STEMS = ("qorvath", "zelmune", "brixtal", "drusket", "yvandor", "plomeg", "tharnik", "wexholm", "gruffin", "jastrel")


def closed_words(number: int) -> Closed:
    """Texts for closed places; another number gives other words and other lengths."""

    def text(place: str) -> str:
        at = sum(map(ord, place)) + 3 * number
        words = [f"{_STEMS[(at + step) % len(_STEMS)]}{'xz'[number % 2]}{number}" for step in range(4 + at % 3)]
        name = words[0].capitalize()
        return f"There was money for the {words[1]}. " + " ".join(words[2:]).capitalize() + f" was {name} all along."

    return text


def canaries(number: int) -> tuple[str, ...]:
    return tuple(f"{stem}{'xz'[number % 2]}{number}" for stem in _STEMS)


@dataclass(frozen=True)
class Form:
    """One campaign. `made` gives its texts; `found` is what the product is to say that it has."""

    name: str
    folder: str
    made: Callable[[Closed], Mapping[str, str | bytes]]
    found: str
    party: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()

    def files(self, secrets: int = 1) -> dict[str, bytes]:
        made = self.made(closed_words(secrets))
        return {path: text if isinstance(text, bytes) else text.encode() for path, text in made.items()}

    def write(self, above: Path, secrets: int = 1) -> Path:
        """Write it below a folder; its own folder."""
        top = above / self.folder
        for path, content in self.files(secrets).items():
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            (top / path).write_bytes(content)
        return top


LINES = (
    "I look around.",
    "I talk to Alba.",
    "I ask Alba about the lamp.",
    "I look at the slipway.",
    "I go to the net loft.",
    "I search the net loft.",
    "I ask Corin about the tide.",
    "I try to persuade Alba to tell us more.",
    "I ask about Qorvath and the hidden cellar.",
    "I ask my companions what they think.",
    "I wait and watch.",
    "I call it a night.",
)
"""Twelve inputs that fit every form."""

ALBA = (
    "Alba is a tall woman in a tarred coat.",
    "She has kept the harbour office for nine years. She says the lamp went out on a calm night.",
    "She sold the spare oil to a stranger.",
)
CORIN = (
    "Corin is a boy with one boot.",
    "He carries the tide book. He says the tide has been late for a week.",
    "He saw a boat without a light.",
)
HARBOUR = "Gulls sit on every post. The water is flat and smells of tar."
SLIP = "A slope of wet planks, with a boat on rollers."
LOFT = "Nets hang from every beam. A ladder stands in the corner."
TOWER = "The stair is cold. The lamp at its top is dark."


def _person(name: str, told: tuple[str, str, str], secret: str, where: str, heads: tuple[str, ...] = ()) -> str:
    looks, knows, private, closed = heads or ("Appearance", "Public Knowledge", "Private Knowledge", "Secrets")
    return (
        f"# {name}\n\n**Location**: {where}\n\n## {looks}\n\n{told[0]}\n\n## {knows}\n\n{told[1]}\n\n"
        f"## {private}\n\n{told[2]}\n\n## {closed}\n\n{secret}\n"
    )


def _parts(level: str = "##", title: str = "Key Features") -> str:
    return f"{level} {title}\n\n- **The slipway**: {SLIP}\n- **The net loft**: {LOFT}\n"


def _harbour(heading: str, secret: str, senses: str = "") -> str:
    """The harbour's page; something closed stands above its first heading too."""
    senses = senses or f"{HARBOUR} {secret}\n\n{secret}"
    return f"# Gull Harbour\n\n{senses}\n\n{_parts()}\n## {heading}\n\n{secret}\n"


def _vault(closed: Closed) -> Mapping[str, str | bytes]:
    def note(name: str, told: tuple[str, str, str]) -> str:
        return (
            f'---\ntype: npc\ntags: [npc, gull-harbour]\nlocation: "[[Gull Harbour]]"\nstatus: alive\n'
            f"true_name: {closed('front ' + name).split()[0]}\n---\n"
            f"![[{name}.png|200]]\n\n> [!secret] For later\n> {closed('callout ' + name)}\n\n"
            f"# Description\n{told[0]} ^looks\n\n"
            f"# Public Knowledge\n{told[1].replace('harbour office', '[[Gull Harbour|harbour office]]')}\n"
            f"%% {closed('comment ' + name)}\n{closed('second line ' + name)} %%\n\n# Private Knowledge\n{told[2]}\n\n"
            f"# Background\n{closed('background ' + name)}\n\n# DM Notes\n{closed('dm ' + name)}\n"
        )

    return {
        ".obsidian/app.json": "{}",
        "Home.md": f"# Home\n\n- [[Alba Renn]]\n- [[Gull Harbour]]\n\n{closed('home')}\n",
        "01 - Characters/NPCs/Alba Renn.md": note("Alba Renn", ALBA),
        "01 - Characters/NPCs/Corin Tey.md": note("Corin Tey", CORIN),
        "01 - Characters/NPCs/_Index.md": f"```dataview\nTABLE status FROM #npc\n```\n\n{closed('index')}\n",
        "01 - Characters/NPCs/Alba Renn.png": b"\x89PNG\r\n\x1a\n" + bytes(200),
        "02 - Locations/Gull Harbour.md": (
            f"---\ntags:\n  - location/town\naliases: [the harbour]\n---\n"
            f"> [!read-aloud] When they arrive\n> {HARBOUR}\n\n"
            f"{_parts()}\n## Secrets\n\n{closed('harbour')}\n"
        ),
        "02 - Locations/Lamp Tower.md": (
            f"---\ntags: location\n---\n## Description\n\n{TOWER}\n\n## Plot\n\n{closed('tower')}\n"
        ),
        "03 - Sessions/Session 01.md": f"# Session 01\n\n{closed('session')}\n",
        "Templates/NPC Template.md": "---\ntype: npc\n---\n# {{title}}\n",
        "Loose thoughts.md": f"{closed('loose')}\n",
        "Who did it?.md": f"# Who did it?\n\n{closed('who')}\n",
    }


def _lists(closed: Closed) -> Mapping[str, str | bytes]:
    def entry(name: str, told: tuple[str, str, str]) -> str:
        whole = _person(name, told, closed(name), "Gull Harbour")
        return "\n".join(f"#{line}" if line.startswith("#") else line for line in whole.splitlines())

    return {
        "Home.md": f"Welcome to the wiki.\n\n{closed('home')}\n",
        "_Sidebar.md": "* [[NPCs]]\n* [[Locations]]\n",
        "NPCs.md": (
            f"# NPCs\n\n{entry('Alba Renn', ALBA)}\n\n{entry('Corin Tey', CORIN)}\n\n"
            f"<!-- ## Old One\n{closed('comment')} -->\n"
        ),
        "Locations.md": (
            f"# Locations\n\n## Gull Harbour\n\n{HARBOUR}\n\n{_parts('###')}\n### GM Notes\n\n{closed('harbour')}\n\n"
            f"## Lamp Tower\n\n{TOWER}\n"
        ),
        "Timeline.md": f"# Timeline\n\n{closed('timeline')}\n",
    }


def _one_file(closed: Closed) -> Mapping[str, str | bytes]:
    def entry(name: str, told: tuple[str, str, str]) -> str:
        whole = _person(name, told, closed(name), "Gull Harbour")
        return "\n".join(f"##{line}" if line.startswith("#") else line for line in whole.splitlines())

    return {
        "campaign.md": (
            f"# The Dark Lamp\n\n{closed('pitch')}\n\n## Background\n\n{closed('background')}\n\n## NPCs\n\n"
            f"{entry('Alba Renn', ALBA)}\n\n{entry('Corin Tey', CORIN)}\n\n"
            f"## Locations\n\n### Gull Harbour\n\n{HARBOUR}\n\n"
            f"{_parts('####')}\n### Lamp Tower\n\n{TOWER}\n\n"
            f"## Secrets\n\n### NPCs\n\n#### The Paymaster\n\n{closed('paymaster')}\n"
        )
    }


def _with_party(closed: Closed) -> Mapping[str, str | bytes]:
    return {
        "README.md": f"# Our campaign\n\n{closed('readme')}\n",
        "Player Characters/Sir Edmund the Bold.md": (
            "# Sir Edmund the Bold\n\n**Class**: Knight\n**Level**: 2\n\n- Persuasion +5\n\n"
            f"## GM Notes\n\n{closed('edmund')}\n"
        ),
        "Player Characters/O'Brien.md": "# O'Brien\n\n**Class**: Thief\n**Level**: 2\n\n- Stealth +5\n",
        "Player Characters/Party Inventory.md": "# Inventory\n\n- rope\n",
        "Player Characters/index.md": "# Player Characters\n",
        "Non-Player Characters/Alba Renn.md": _person("Alba Renn", ALBA, closed("alba"), "Gull Harbour"),
        "Non-Player Characters/Corin Tey.md": _person("Corin Tey", CORIN, closed("corin"), "Gull Harbour"),
        "Places/Gull Harbour.md": _harbour("Who Paid", closed("cellar")),
        "Places/Lamp Tower.md": f"# Lamp Tower\n\n{TOWER}\n",
        "Handouts/The torn page.md": f"{closed('page')}\n",
        "What the party knows.md": "# What we know\n\n- The lamp at Gull Harbour went out.\n- Alba Renn wrote to us.\n",
        "Session Notes/2024-03-01.md": f"{closed('session')}\n",
    }


def _german(closed: Closed) -> Mapping[str, str | bytes]:
    heads = ("Aussehen", "Allgemein bekannt", "Private Knowledge", "Geheimnisse")
    return {
        "Übersicht.md": f"{closed('overview')}\n",
        "Spielercharaktere/Jörg Müller.md": "# Jörg Müller\n\n**Klasse**: Waldläufer\n\n- Survival +4\n",
        "NSCs/Alba Renn.md": _person("Alba Renn", ALBA, closed("alba"), "Gull Harbour", heads),
        "NSCs/Corin Tey.md": _person("Corin Tey", CORIN, closed("corin"), "Gull Harbour", heads),
        "Orte/Gull Harbour.md": _harbour("Nur für die SL", closed("sl"), f"## Beschreibung\n\n{HARBOUR}"),
        "Orte/Lamp Tower.md": f"# Lamp Tower\n\n## Beschreibung\n\n{TOWER}\n",
        "Gegenstände/Die Lampe.md": "# Die Lampe\n\nEine Lampe aus Messing.\n",
        "Spielerwissen.md": "# Spielerwissen\n\n- Alba Renn wartet in Gull Harbour.\n",
    }


def _cyrillic(closed: Closed) -> Mapping[str, str | bytes]:
    return {
        "Персонажи игроков/Иван Щукин.md": "# Иван Щукин\n\n- Perception +4\n",
        "Персонажи игроков/Ольга.md": "# Ольга\n\n- Persuasion +4\n",
        "НПС/Alba Renn.md": _person("Alba Renn", ALBA, closed("alba"), "Gull Harbour"),
        "НПС/Corin Tey.md": _person("Corin Tey", CORIN, closed("corin"), "Gull Harbour"),
        "Локации/Gull Harbour.md": f"# Gull Harbour\n\n{HARBOUR}\n\n{_parts()}\n## GM\n\n{closed('harbour')}\n",
        "Локации/Lamp Tower.md": f"# Lamp Tower\n\n{TOWER}\n",
        "Заметки.md": f"{closed('notes')}\n",
    }


def _mixed(closed: Closed) -> Mapping[str, str | bytes]:
    return {
        "index.md": f"# Index\n\n{closed('index')}\n",
        "characters/tamsin.md": "---\nplayer: Jo\nclass: druid\n---\n# Tamsin\n\n- Nature +4\n",
        "characters/rook.md": "---\nplayer: Al\nclass: monk\n---\n# Rook\n\n- Acrobatics +4\n",
        "characters/alba-renn.md": _person("Alba Renn", ALBA, closed("alba"), "Gull Harbour"),
        "characters/corin-tey.md": _person("Corin Tey", CORIN, closed("corin"), "Gull Harbour"),
        "characters/README.md": f"{closed('characters')}\n",
        "world/towns/gull-harbour.md": _harbour("Significance", closed("harbour")),
        "world/dungeons/lamp-tower.md": f"# Lamp Tower\n\n{TOWER}\n\n## Boss\n\n{closed('boss')}\n",
        "world/cosmology.md": f"# Cosmology\n\n{closed('gods')}\n",
        "maps/harbour.jpg": bytes(300),
    }


def _dokuwiki(closed: Closed) -> Mapping[str, str | bytes]:
    def page(text: str) -> str:
        lines = []
        for line in text.splitlines():
            level = len(line) - len(line.lstrip("#"))
            signs = "=" * (7 - level)
            lines.append(f"{signs} {line.lstrip('# ')} {signs}" if level else line)
        return "\n".join(lines) + "\n"

    return {
        "start.txt": page(f"# The Wiki\n\n{closed('start')}"),
        "npcs/alba_renn.txt": page(_person("Alba Renn", ALBA, closed("alba"), "Gull Harbour")),
        "npcs/corin_tey.txt": page(_person("Corin Tey", CORIN, closed("corin"), "Gull Harbour")),
        "places/gull_harbour.txt": page(_harbour("Session History", closed("harbour"))),
        "places/lamp_tower.txt": page(f"# Lamp Tower\n\n{TOWER}"),
        "playground/playground.txt": page(f"# Playground\n\n{closed('playground')}"),
    }


def _tagged(closed: Closed) -> Mapping[str, str | bytes]:
    def note(tags: str, text: str) -> str:
        return f"{tags}\n\n{text}"

    return {
        "notes/Alba Renn.md": note(
            "#npc #harbour", _person("Alba Renn", ALBA, closed("alba"), "Gull Harbour").split("\n", 2)[2]
        ),
        "notes/Corin Tey.md": note(
            "#ttrpg/npc", _person("Corin Tey", CORIN, closed("corin"), "Gull Harbour").split("\n", 2)[2]
        ),
        "notes/Gull Harbour.md": note(
            "#location", f"## Description\n\n{HARBOUR}\n\n{_parts()}\n## Truth\n\n{closed('truth')}\n"
        ),
        "notes/Lamp Tower.md": note("#location", f"## Description\n\n{TOWER}\n"),
        "notes/Mara Vale.md": note("#pc", "**Player**: Sam\n\n- Insight +4\n"),
        "notes/Ideas for the finale.md": f"{closed('finale')}\n",
        "notes/A list of names.md": f"{closed('names')}\n",
    }


def _planned(closed: Closed) -> Mapping[str, str | bytes]:
    heads = ("Vibe", "Gossip", "If You Buy Her a Drink", "Beneath")
    return {
        "sottovoce.toml": (
            'start = "Gull Harbour"\n\n[files]\n"Faces" = "people"\n"Spots/" = "places"\n'
            '"Read me first.md" = "shared"\n"Faces/Nobody yet.md" = "closed"\n'
            '\n[headings]\n"Vibe" = "seen"\n"Gossip" = "asked"\n'
            '"If You Buy Her a Drink" = "trusted"\n"Beneath" = "closed"\n'
        ),
        "Faces/Alba Renn.md": _person("Alba Renn", ALBA, closed("alba"), "Gull Harbour", heads),
        "Faces/Corin Tey.md": _person("Corin Tey", CORIN, closed("corin"), "Gull Harbour", heads),
        "Faces/Nobody yet.md": _person("Nobody Yet", ("x", "x", "x"), closed("nobody"), "Gull Harbour", heads),
        "Spots/Gull Harbour.md": _harbour("Beneath", closed("harbour"), f"## Vibe\n\n{HARBOUR}"),
        "Spots/Lamp Tower.md": f"# Lamp Tower\n\n## Vibe\n\n{TOWER}\n",
        "Read me first.md": "# Before we play\n\nThe lamp of Gull Harbour is dark, and Alba Renn has asked for help.\n",
        "Stuff/Plans.md": f"{closed('plans')}\n",
    }


def _keyed(closed: Closed) -> Mapping[str, str | bytes]:
    """A printed adventure taken into a vault: rooms with keys, notes that a program fills in, lists and leftovers."""

    def note(name: str, told: tuple[str, str, str], where: str) -> str:
        whole = _person(name, told, closed(name), where).split("\n", 2)[2]
        title = '# **`=this.file.name`** <span style="font-size: small">`VIEW[{pronounced}]`</span>'
        private = (
            f"## Private Knowledge\n\n- [[{name}]]\n\n### Between Us\n\n{closed('between ' + name)}\n\n{told[2]}\n"
        )
        query = "```dataview\nTABLE file.name AS Name, quicknote AS Notes FROM #npc WHERE contains(holder, this)\n```"
        looks = f"## Description\n\n`VIEW[{{look}}][text]` {told[0]}\n\n{closed('description ' + name)}\n"
        return f"<!-- {closed('above')} -->\n---\ntags: [npc]\n---\n{title}\n\n{query}\n\n{whole}\n{looks}\n{private}"

    return {
        "World/NPC Roster/Alba Renn.md": note("Alba Renn", ALBA, "Gull Harbour"),
        "World/NPC Roster/Corin Tey.md": note("Corin Tey", CORIN, "Gull Harbour"),
        "World/NPC Roster/Factions.md": f"# Factions\n\n{closed('factions')}\n",
        "World/Notable Places/Gull Harbour.md": (
            f"# Chapter 2: Gull Harbour\n\nGulls sit on every post. {closed('harbour')}\n\n## Areas\n\n"
            f"{closed('areas')}\n\n### A1. The Slipway\n\nWhen they arrive, read:\n\n> {SLIP}\n\n"
            f"{closed('slipway')}\n\n> {closed('later')}\n\n### A2. The Net Loft\n\n{closed('loft')}\n\n"
            f"> {LOFT}\n\n#### Treasure\n\n{closed('treasure')}\n\n> {closed('quoted treasure')}\n\n"
            f"### A3. {closed('room').split()[-4].capitalize()}\n\n{closed('third room')}\n"
        ),
        "World/Notable Places/Lamp Tower.md": f"# Lamp Tower\n\n{TOWER}\n\n{closed('tower')}\n",
        "Handouts/Places/Chart.md": f"# Chart\n\n{closed('chart')}\n",
        "_sealed/NPCs/Nobody.md": _person("Nobody", ("x", "x", "x"), closed("nobody"), "Gull Harbour"),
        "z_Templates/NPCs/NPC.md": "# {{title}}\n\n## Description\n\nWhat does this creature look like?\n",
        "Parties/Dashboard Gulls.md": f'---\ntags: ["#Party"]\n---\n# Dashboard\n\n{closed("dashboard")}\n',
        "Parties/Retired/Old Hand.md": "# Old Hand\n\n**Player**: Kim\n",
        "Daily/2024-05-01.md": f"{closed('daily')}\n",
    }


def forms() -> dict[str, Form]:
    """Every form by name."""
    two = "2 people, 2 places"
    made = (
        Form("vault", "Gull Harbour (vault)", _vault, f"{two}, 1 session, no characters; 2 files I can't place"),
        Form("lists", "gull-harbour.wiki", _lists, f"{two}, no characters; 1 file I can't place"),
        Form("one-file", "The Dark Lamp", _one_file, f"{two}, no characters"),
        Form(
            "with-party",
            "Our Campaign",
            _with_party,
            f"{two}, 1 session, 2 characters",
            ("obrien", "sir-edmund-the-bold"),
        ),
        Form("german", "Die dunkle Lampe", _german, f"{two}, 1 thing, 1 character", ("jorg-muller",)),
        Form("cyrillic", "Тёмная лампа", _cyrillic, f"{two}, 2 characters", ("ivan-shchukin", "olga")),
        Form("mixed", "mixed_notes", _mixed, f"{two}, 2 characters", ("rook", "tamsin")),
        Form("dokuwiki", "pages", _dokuwiki, f"{two}, no characters"),
        Form("tagged", "zettel", _tagged, f"{two}, 1 character; 2 files I can't place", ("mara-vale",)),
        Form("keyed", "The Gull Run", _keyed, f"{two}, no characters; 1 handout"),
        Form("planned", "Session Zero", _planned, f"{two}, no characters; the party reads Read me first.md"),
    )
    return {form.name: form for form in made}
