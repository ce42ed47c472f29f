"""Names of other scripts in the letters that a seat's name is made of (F-056), near enough to be told apart."""

from __future__ import annotations

import unicodedata

_CYRILLIC = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґўјљњћђџ",
        (
            "a b v g d e e zh z i i k l m n o p r s t u f kh ts ch sh shch _ y _ e yu ya i yi ye g u j lj nj c dj dz"
        ).split(),
        strict=True,
    )
)
_GREEK = dict(
    zip("αβγδεζηθικλμνξοπρσςτυφχψω", "a v g d e z i th i k l m n x o p r s s t y f ch ps o".split(), strict=True)
)
_TABLE = {ord(letter): latin.replace("_", "") for letter, latin in (_CYRILLIC | _GREEK).items()}


def in_latin(name: str) -> str:
    """The name with Latin letters where there are any for it: Cyrillic, Greek, kana and Korean; others are left out."""
    folded = "".join(c for c in unicodedata.normalize("NFD", name.casefold()) if not unicodedata.combining(c))
    return "".join(map(_one, unicodedata.normalize("NFC", folded).translate(_TABLE)))


def _one(char: str) -> str:
    if char.isascii():
        return char
    name = unicodedata.name(char, "")
    for script in ("HIRAGANA LETTER ", "KATAKANA LETTER ", "HANGUL SYLLABLE "):
        if name.startswith(script):
            return name.removeprefix(script).removeprefix("SMALL ").lower()
    return char
