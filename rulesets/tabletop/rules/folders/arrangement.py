"""A folder as somebody has it, put into the layout of the rules (F-001 to F-014): what is what, and what is nothing.

    arranged = arrange(read_campaign(folder).files)

What a file is follows from `sottovoce.toml`, its front matter and tags, or the name of a folder above it, the closest
first. Anything else is closed: a file that nothing is known about goes into the game as the GM's alone, and is read
for nothing. Only sheets and what is named for the players are ever read by a player. A folder in the layout of the
rules comes out as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sottovoce import SetupRefused
from sottovoce.domain.paths import file_name
from sottovoce.rulesets.tabletop.rules.documents import PARTY_KNOWLEDGE, STORY_STATE, marked_title, open_lines, text_of
from sottovoce.rulesets.tabletop.rules.folders.front_matter import fields, length
from sottovoce.rulesets.tabletop.rules.folders.kinds import (
    ASIDE,
    EITHER,
    READ,
    Kind,
    bare,
    named_for,
    named_partly_for,
    read_as,
)
from sottovoce.rulesets.tabletop.rules.folders.letters import in_latin
from sottovoce.rulesets.tabletop.rules.folders.plan import PLAN, Plan, read_plan
from sottovoce.rulesets.tabletop.rules.folders.wiki import as_markdown
from sottovoce.rulesets.tabletop.rules.names import RESERVED, TAKEN_ENDINGS

PRIMER = "world-primer.md"
OWN = frozenset({PARTY_KNOWLEDGE, STORY_STATE, PRIMER, "preferences.md", "decision-log.md", "gm-progress.md", PLAN})
"""Files at the top of a folder that the rules know by name."""
OWN_FOLDERS = ("tmp/", "scenes/")
LIST = "arrangement.md"
"""A paper of the GM's, in a game whose folder has another form: what each file was taken for."""
_TEXTS = (".md", ".markdown", ".mdown", ".txt", ".wiki", ".mediawiki")
_NO_SHEETS = frozenset(
    "party group inventory loot treasure equipment notes journal relationships bonds summary roster marching order"
    " shared stash members background rules funds gruppe inventar".split()
) | {
    "party inventory",
    "marching order",
    "shared loot",
    "party notes",
    "party members",
    "party overview",
    "group notes",
}
_ABOUT_A_CHARACTER = frozenset("backstory background notes inventory spells spellbook history summary timeline".split())
_PLAYED = re.compile(
    r"(?im)^[ \t>*_|-]*+(?:player(?: name)?|played by|spieler(?:in)?|gespielt von|joue(?:ur|use)|jugador(?:a)?"
    r"|giocatore|jogador(?:a)?|speler|spelare|gracz|игрок)[*_ ]*+[:|][*_ |]*+[^\s*_|:]"
)
_CLASS = re.compile(
    r"(?im)^[ \t>*_|-]*+(?:class(?: (?:&|and) levels?)?|klasse|classe|clase|klasa|playbook|archetype)[*_ ]*+[:|]"
)
_LEVEL = re.compile(r"(?i)\b(?:level|lvl|stufe|niveau|nivel|livello|poziom|niva)\b\W{0,6}\d|\bplaybook\b")
_DIARIES = ("journal", "diary", "tagebuch", "carnet", "diario")
_TAGGED = re.compile(r"(?:^|\s)#([^\W\d][\w/-]*)")
_HEADING = re.compile(r"(#{1,6})[ \t]++(.*)")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_TYPES = ("type", "tags", "tag", "category", "categories", "kind", "note type", "notetype", "typ", "art", "tipo")


@dataclass(frozen=True, slots=True)
class Arranged:
    """A folder's files by their paths in the rules' layout, and what was found: the original paths by kind.

    `unplaced` are files that nothing is known about; `handouts` are closed until somebody names them. `unread` have no
    text that can be read.
    """

    files: Mapping[str, bytes]
    found: Mapping[Kind, Sequence[str]]
    unplaced: Sequence[str] = ()
    handouts: Sequence[str] = ()
    unread: Sequence[str] = ()
    notes: Sequence[str] = ()
    plan: Plan = field(default_factory=Plan)

    @property
    def named(self) -> str:
        """The paper that says what each file was taken for."""
        lines = [f"- {path}: {kind}" for kind, paths in self.found.items() for path in paths]
        rest = [f"- {path}: closed, because nothing says what it is" for path in self.unplaced]
        return "\n".join(["# What Is What in This Folder", "", *sorted(lines), *rest]) + "\n"

    @property
    def listing(self) -> str:
        """What was found, in one line."""
        parts = [
            _count(len(self.found.get("people", ())), "person", "people"),
            _count(len(self.found.get("places", ())), "place", "places"),
        ]
        parts += [_count(len(self.found[kind]), *names) for kind, names in _NAMES.items() if self.found.get(kind)]
        parts.append(_count(len(self.found.get("party", ())), "character", "characters"))
        said = [", ".join(parts)]
        if self.found.get("shared"):
            said.append(f"the party reads {_some(self.found['shared'])}")
        if self.handouts:
            said.append(f"{_count(len(self.handouts), 'handout', 'handouts')}, closed until named in {PLAN}")
        if self.unread:
            said.append(f"not UTF-8 text: {_some(self.unread)}")
        if self.unplaced:
            count = _count(len(self.unplaced), "file", "files")
            said.append(f"{count} I can't place, closed to players: {_some(self.unplaced)}")
        return "; ".join(said)


_NAMES: Mapping[Kind, tuple[str, str]] = {
    "things": ("thing", "things"),
    "groups": ("group", "groups"),
    "sessions": ("session", "sessions"),
}
_SHOWN = 3


def _count(number: int, one: str, many: str) -> str:
    return f"{number or 'no'} {one if number == 1 else many}"


def _some(paths: Sequence[str]) -> str:
    rest = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return ", ".join(paths[:_SHOWN]) + rest


def arrange(files: Mapping[str, bytes]) -> Arranged:
    """The folder in the layout of the rules. SetupRefused for a plan that cannot be read and for sheets of one name."""
    return _Arranging(files).done()


class _Arranging:
    """One folder being arranged."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.plan = read_plan(files.get(PLAN))
        self.texts = {
            path: text for path in sorted(files) if _is_text(path) and (text := text_of(files[path])) is not None
        }
        self.out: dict[str, bytes] = {}
        self.found: dict[Kind, list[str]] = {}
        self.unplaced: list[str] = []
        self.handouts: list[str] = []
        self.unread: list[str] = []
        self.shared: list[str] = []
        self.sheets: dict[str, str] = {}
        parts = {bare(part) for path in files for part in path.split("/")[:-1]}
        self.has_party = any(named_for(part) == "party" for part in parts) or "party" in self.plan.files.values()
        self.has = {kind for part in parts if (kind := named_for(part)) is not None}

    def done(self) -> Arranged:
        journals: list[str] = []
        for path in sorted(self.files):
            if path in OWN or path.startswith(OWN_FOLDERS):
                self.out[path] = self.files[path]
                continue
            if path not in self.texts:
                if path.startswith("party/") and "/" not in path[6:] and path.endswith(".md") and _is_sheet_name(path):
                    self.sheets[_stem(path)] = path  # a sheet in the rules' own layout is one, whatever it holds
                    self.out[path] = self.files[path]
                    continue
                if _is_text(path):
                    self.unread.append(path)
                if path.startswith("party/"):
                    self._put(path, path, None)
                else:
                    self._add(path, self.files[path])  # nobody takes it for a person or a place: it is no text
                continue
            kind = self.kind_of(path)
            if kind == "party" and (_diary_of(_stem(path)) or _stem(path).casefold().endswith(TAKEN_ENDINGS)):
                journals.append(path)
            elif kind == "party":
                self._sheet(path)
            elif kind == "shared":
                self.shared.append(path)
            elif kind in READ:
                self.found.setdefault(kind, []).append(path)  # type: ignore[arg-type]
                self._put(path, path, kind)  # type: ignore[arg-type]
            elif not self._entries(path, kind):
                if kind == "handouts":
                    self.handouts.append(path)
                elif kind is None:
                    self.unplaced.append(path)
                self._put(path, path, "closed")
            else:
                self._put(path, path, "closed")
        for path in journals:
            self._journal(path)
        self._share()
        for path in self.sheets.values():
            self.found.setdefault("party", []).append(path)
        arranged = Arranged(self.out, self.found, self.unplaced, self.handouts, self.unread, (), self.plan)
        if not {PARTY_KNOWLEDGE, STORY_STATE} & self.files.keys():
            self.out[LIST] = arranged.named.encode()
        notes = [f"{PLAN} names {name!r}, which is not in the folder." for name in self.plan.unmatched(self.files)]
        return replace(arranged, notes=notes)

    # what a file is

    def kind_of(self, path: str) -> str | None:
        """A kind, `handouts`, `aside`, or None for a file that nothing is known about."""
        planned = self.plan.kind_of(path)
        if planned is not None:
            return planned
        if path.startswith("party/") and "/" not in path[6:]:
            return "party" if _is_sheet_name(path) else "aside"
        *folders, _ = path.split("/")
        stem, text = _stem(path), self.texts[path]
        above = [named_for(part) or named_partly_for(part) for part in folders]
        if named_for(stem) == "shared":
            return "shared"
        if "handouts" in above:
            return "handouts"  # such as `Handouts/Places`: what is shown one day is closed until then
        if any(map(_is_aside, folders)) or _is_front_page(stem, folders) or marked_title(f"# {stem}"):
            return "aside"
        # of `GM/NPCs` and `NPCs/Secrets` the last word counts
        closest = next(
            (
                each or "aside"
                for each, part in reversed(list(zip(above, folders, strict=True)))
                if each or _is_marked(part)
            ),
            None,
        )
        if closest == "aside":
            return "aside"
        if _is_list(stem, closest):
            return "list"
        kind = _stated(text) or closest
        if kind == EITHER:
            return self._either(path)
        if kind == "party" and not _is_sheet_name(path):
            return "aside"
        return kind

    def _either(self, path: str) -> str | None:
        """What a file is in a folder that may hold the party as well as everybody else: the party if it must be.

        Somebody plays it; or it has a class and a level, and so have all in its folder, or others have their own.
        """
        text, folder = self.texts[path], path.rpartition("/")[0]
        if not _is_sheet_name(path):
            return "aside"
        if not self.has_party and is_played(text):
            return "party"
        if not self.has_party and has_class(text):
            beside = [each for each in self.texts if each.rpartition("/")[0] == folder and _is_sheet_name(each)]
            if "people" in self.has or all(has_class(self.texts[each]) for each in beside):
                return "party"
        return None if bare(folder.rpartition("/")[2]) == "players" else "people"

    # where it goes

    def _put(self, path: str, source: str, kind: Kind | None) -> None:
        """Take a file in, under a path at which the house takes it for that kind and nothing else."""
        content = self.files[source]
        target = path
        wanted = kind if kind in READ else None
        if path in self.texts and wanted is not None:
            text = as_markdown(path, self.texts[path])
            if text != self.texts[path] or not path.endswith(".md"):
                content, target = text.encode(), _with_ending(path)
        if read_as(target) != wanted or target.startswith("party/"):
            name = target.rpartition("/")[2]
            target = f"{READ[wanted][0]}/{name}" if wanted is not None else f"{ASIDE}/{target}"
        self._add(target, content)

    def _add(self, target: str, content: bytes) -> None:
        stem, dot, ending = target.rpartition(".")
        at = 1
        while target in self.out or (at > 1 and target in self.files):
            at += 1
            target = f"{stem} ({at}){dot}{ending}"
        self.out[target] = content

    def _sheet(self, path: str) -> None:
        text = as_markdown(path, self.texts[path])
        stem = _stem(path)
        name = file_name(in_latin(stem))
        if path == f"party/{stem}.md" and stem == name:
            name = stem
        if not name or name in RESERVED:
            name = file_name(in_latin(_title(text))) if name not in RESERVED else f"{name}-1"
        name = name or f"character-{len(self.sheets) + 1}"
        if name in self.sheets:
            raise SetupRefused(
                f"The characters {self.sheets[name]!r} and {path!r} give the same file name {name!r}. Rename one sheet."
            )
        self.sheets[name] = path
        unchanged = text == self.texts[path]
        self.out[f"party/{name}.md"] = self.files[path] if unchanged else text.encode()

    def _journal(self, path: str) -> None:
        """A character's journal goes with its sheet; anybody else's is closed."""
        stem = _stem(path)
        if path.startswith("party/") and any(
            path in [f"party/{n}{ending}.md" for ending in TAKEN_ENDINGS] for n in self.sheets
        ):
            self.out[path] = self.files[path]
            return
        name = file_name(in_latin(_diary_of(stem)))
        target = f"party/{name}-journal.md"
        if name in self.sheets and target not in self.out:
            self.out[target] = self.files[path]
        else:
            self._put(path, path, "closed")

    def _share(self) -> None:
        """What the whole party has read: its knowledge, and the rest as a primer."""
        for place, path in enumerate(self.shared):
            text = as_markdown(path, self.texts[path])
            self.found.setdefault("shared", []).append(path)
            if place == 0 and PARTY_KNOWLEDGE not in self.out and "guide" not in bare(_stem(path)):
                self.out[PARTY_KNOWLEDGE] = text.encode()
                continue
            before = self.out.get(PRIMER, b"").decode("utf-8", "replace")
            body = "\n".join(text.splitlines()[length(text) :]) if before else text
            self.out[PRIMER] = (f"{before.rstrip()}\n\n{body}" if before else body).encode()

    # several in one file

    def _entries(self, path: str, kind: str | None) -> bool:
        """Take the people, places and so on out of a file that has several; whether it has any."""
        if kind == "aside" and "/" in path:
            return False
        found = False
        text = as_markdown(path, self.texts[path])
        for part, name, body in _sections(text, _stem(path)):
            if part in self.has:
                continue
            found = True
            self.found.setdefault(part, []).append(f"{path}#{name}")
            self._add(f"{READ[part][0]}/{_path_name(name)}.md", f"# {name}\n\n{body}\n".encode())
        return found


def _diary_of(stem: str) -> str:
    """Whose journal a file of that name is; empty where it is none."""
    word = next((each for each in _DIARIES if stem.casefold().endswith((f" {each}", f"-{each}", f"_{each}"))), "")
    return stem[: -len(word)].rstrip(" _-").removesuffix("'s").removesuffix("’s") if word else ""


def _is_text(path: str) -> bool:
    return path.casefold().endswith(_TEXTS)


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name


def _with_ending(path: str) -> str:
    return f"{path.rpartition('.')[0] or path}.md"


def _path_name(name: str) -> str:
    return re.sub(r"[/\\\0\r\n]", "-", name).strip(". ")[:80] or "it"


def _is_sheet_name(path: str) -> bool:
    """Whether a file of the party's folder can be a character, by its name."""
    stem = _stem(path)
    words = bare(stem)
    ends = words.rpartition(" ")[2]
    no_sheet = words in _NO_SHEETS or ends in _ABOUT_A_CHARACTER or named_for(stem) is not None
    return bool(words) and not no_sheet and not stem.startswith(("_", "."))


def _is_marked(folder: str) -> bool:
    return marked_title(f"# {folder}") is not None


def _is_aside(folder: str) -> bool:
    """Whether a folder holds nothing of the story: templates, archives, rules, pictures, what a `_` puts first."""
    name = named_for(folder)
    return name == "aside" or (
        name is None and (folder.startswith("_") or named_for(bare(folder).rpartition(" ")[2]) == "aside")
    )


def _is_list(stem: str, closest: str | None) -> bool:
    """Whether a file in a folder that is read is named for a kind itself, as a list of its own is."""
    kind = named_for(stem)
    return closest in READ and kind in READ and (kind != closest or bare(stem).endswith("s"))


def _is_front_page(stem: str, folders: Sequence[str]) -> bool:
    """Whether a file is there to lead to others: an index, a template, a note on its folder, anything behind a `_`."""
    return (
        named_for(stem) == "aside"
        or stem.startswith("_")
        or bare(stem).endswith((" template", " index", " moc", " overview"))
        or bool(folders and bare(stem).replace(" ", "") == bare(folders[-1]).replace(" ", ""))
    )


def is_played(text: str) -> bool:
    """Whether a text says which person at the table plays the character that it is about."""
    told = fields(text)
    keys = ("player", "player name", "played by", "playedby", "played_by", "spieler", "joueur", "jugador", "giocatore")
    named = any(told.get(key) for key in keys)
    return named or _PLAYED.search(text) is not None


def has_class(text: str) -> bool:
    """Whether a text has a class and a level, as sheets have."""
    told = fields(text)
    return bool(("class" in told or _CLASS.search(text)) and ("level" in told or _LEVEL.search(text)))


def _stated(text: str) -> str | None:
    """The kind that a note's front matter or tags say it is."""
    told = fields(text)
    said = [word for key in _TYPES for value in told.get(key, ()) for word in re.split("[/,#]", value)]
    for line in text.splitlines()[length(text) :][:6]:
        if not _HEADING.fullmatch(line):
            said += [part for tag in _TAGGED.findall(line[:300]) for part in tag.split("/")]
    # a tag `party` is on what is about the party as much as on its members
    words = [word.replace("-", " ") for word in said if bare(word) not in ("party", "the party")]
    kinds = [kind for word in words if (kind := named_for(word)) is not None]
    for kind in kinds:
        if kind not in ("aside", "handouts", EITHER, "shared"):
            return kind
    return EITHER if EITHER in kinds else None


def _title(text: str) -> str:
    return next(
        (found[2].rstrip("# \t") for line in text.splitlines() if (found := _HEADING.fullmatch(line.strip()[:300]))), ""
    )


def _has_named_heading(text: str, stem: str) -> bool:
    """Whether a file can have entries: it is named for a kind, or one of its lines is a heading that is."""
    if named_for(stem) in READ:
        return True
    lines = (line.strip()[:300] for line in text.splitlines() if line.lstrip()[:1] == "#")
    return any(match and named_for(match[2].rstrip("# \t")) in READ for match in map(_HEADING.fullmatch, lines))


def _sections(text: str, stem: str) -> Iterator[tuple[Kind, str, str]]:
    """The people, places and so on that a file has under headings of their own: kind, name and text of each.

    They stand in a file that is named for them, or under a heading that is. What is closed in the file is left out.
    """
    if not _has_named_heading(text, stem):
        return
    lines = open_lines(text)[length(text) :]
    headings: list[tuple[int, int, str]] = []
    fenced = False
    for at, line in enumerate(lines):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and (match := _HEADING.fullmatch(line[:300].strip())):
            headings.append((at, len(match[1]), match[2].rstrip("# \t")))
    own = named_for(stem)
    if own in READ:
        levels = [level for _, level, _ in headings]
        top = min(levels, default=0)
        top = min((level for level in levels[1:] if level > top), default=top) if levels.count(top) == 1 else top
        yield from _children(lines, headings, own, top)  # type: ignore[arg-type]
        return
    for place, (_, level, title) in enumerate(headings):
        kind = named_for(title)
        if kind not in READ or kind == "sessions":
            continue
        below = []
        for heading in headings[place + 1 :]:
            if heading[1] <= level:
                below.append(heading)
                break
            below.append(heading)
        inner = min((each[1] for each in below if each[1] > level), default=0)
        yield from _children(lines, below, kind, inner)  # type: ignore[arg-type]


def _children(
    lines: Sequence[str], headings: Sequence[tuple[int, int, str]], kind: Kind, level: int
) -> Iterator[tuple[Kind, str, str]]:
    for place, (at, own, title) in enumerate(headings):
        if not level or own != level or named_for(title) is not None:
            continue
        end = next((each[0] for each in headings[place + 1 :] if each[1] <= level), len(lines))
        body = [re.sub(rf"^#{{{level}}}(?=#)", "#", line) for line in lines[at + 1 : end]]
        yield kind, title.strip("*_ "), "\n".join(body).strip()
