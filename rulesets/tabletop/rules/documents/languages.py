"""The words by which authors who write German, French or Spanish mark what is not for players.

Each phrase is a pattern of whole words, with accents as they are written; texts are matched without them. In a phrase
`{master}` is whoever leads the game, `{notes}` what such a part may be called, `{players}` the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """What is written in one language, in `master`, `notes` and `players` one word or several by bars.

    `closing` phrases mark a heading, lead or label that has them; `unknowing` ones a heading or lead, as "does not
    know" does. `secret` are words for "Secret", which mark a heading that is nothing else, `secrets` those for
    "Secrets", with which it begins. What `looks` says closes nothing, and is named.
    """

    master: str
    notes: str
    players: str
    closing: tuple[str, ...]
    unknowing: tuple[str, ...]
    secret: tuple[str, ...]
    secrets: tuple[str, ...]
    looks: tuple[str, ...]

    def patterns(self, phrases: tuple[str, ...]) -> Iterator[str]:
        """The phrases as patterns of whole words."""
        for phrase in phrases:
            for name in ("master", "notes", "players"):
                phrase = phrase.replace(f"{{{name}}}", f"(?:{getattr(self, name)})")
            yield rf"\b(?:{phrase})\b"


GERMAN = Language(
    master=r"meister|meisterin|hüter|hüterin|sl|spielleit(?:er|ung|ende)\w*",
    notes=r"notiz\w*|info\w*|hinweis\w*|wissen|geheim\w*",
    players=r"spielern?|spielerinnen",
    closing=(
        r"spielleit(?:er|ung|ende)\w*",
        r"meister-?{notes}",
        r"sl[ -]{notes}|sl[ -](?:teil|abschnitt|bereich|only)",
        r"nur (?:(?:für|fuer) )?(?:(?:den|die|das) )?{master}",
        r"{notes} (?:für|fuer|an) (?:(?:den|die|das) )?{master}",
        r"{notes} de[rs] {master}",
        r"nicht (?:für|fuer) (?:(?:die|den) )?{players}",
        r"{players} (?:dürfen|duerfen|sollen|sollten|können|wissen) (?:(?:das|dies|es|hier) )?nicht",
        r"(?:geheim|verborgen) vor (?:den )?{players}|vor (?:den )?{players} (?:geheim|verborgen)",
    ),
    unknowing=(r"nicht weiß", r"weiß (?:(?:es|das|noch) )?nicht"),
    secret=("geheim", "geheimes", "geheimnis"),
    secrets=("geheimnisse", "geheime {notes}"),
    looks=(
        r"geheim\w*",
        "nicht wissen",
        "hinter den kulissen",
        r"wahre[rsn]? (?:identität|natur|name|absicht|motive?)\w*",
    ),
)

FRENCH = Language(
    master=r"mj|meneu(?:r|se)(?: de jeu)?|maître(?:sse)?(?: d[eu] jeu)?|gardien(?:ne)?(?: des arcanes)?|conteu(?:r|se)",
    notes=r"notes?|infos?|informations?|secrets?|section|partie|yeux",
    players=r"joueurs?|joueuses?",
    closing=(
        r"(?:meneu(?:r|se)|maître(?:sse)?) d[eu] jeu",
        r"{notes} (?:(?:pour|réservé\w*) )?(?:(?:du|de la|au|à la|le|la) )?{master}",
        r"(?:réservé\w*|seul\w*|uniquement) (?:(?:pour|à|au) )?(?:(?:le|la) )?{master}",
        r"{master} (?:seulement|uniquement|seule?)",
        r"(?:pas|non)(?: destiné\w*)? (?:pour (?:les )?|aux ){players}",
        r"(?:caché|secret|secrète)\w* (?:aux |pour (?:les )?){players}",
        r"ne pas (?:montrer|lire|révéler|donner|dire|divulguer|communiquer)(?: [\w]+){0,3} aux {players}",
        r"{players} ne (?:doivent|peuvent|savent) (?:pas|rien)",
    ),
    unknowing=(r"ne (?:(?:le|la) )?sait (?:pas|rien)",),
    secret=("secret", "secrète", "secrètes"),
    secrets=("secrets", "(?:notes?|infos?|informations?) secrètes?"),
    looks=(
        "secrètes?",
        r"ne savent (?:pas|rien)|qu'(?:il|elle)s? ignore\w*",
        "en coulisses?|les coulisses",
        r"(?:vraie?|véritable) (?:identité|nature|nom|motif)\w*",
    ),
)

SPANISH = Language(
    master=r"dj|m[aá]ster|director(?:a)?(?: de juego)?|guardi[aá]n(?:a)?|narrador(?:a)?",
    notes=r"notas?|info|información|secretos?|sección|ojos",
    players=r"jugador(?:es|as)?",
    closing=(
        r"director(?:a)? de juego|m[aá]ster de juego",
        r"{notes} (?:(?:para|solo) )?(?:(?:del|de la|de|el|la) )?{master}",
        r"(?:s[oó]lo|solamente|únicamente) (?:para (?:(?:el|la) )?{master}|dj|m[aá]ster)",
        r"(?:no|nunca)(?: es)? para (?:l[oa]s )?{players}",
        r"(?:ocult|secret)\w+ (?:a|para) (?:l[oa]s )?{players}",
        r"no (?:mostrar|leer|revelar|enseñar|contar|decir|dar)(?: [\w]+){0,3} a l[oa]s {players}",
        r"{players} no (?:deben|pueden|saben)",
    ),
    unknowing=(r"no (?:(?:lo|la) )?sabe",),
    secret=("secreto", "secreta", "secretas"),
    secrets=("secretos", "(?:notas?|info|información) secretas?"),
    looks=(
        r"secret[oa]s?",
        "no saben|desconocen?",
        "entre bastidores",
        r"verdader[oa]s? (?:identidad|naturaleza|nombre|motivo)\w*",
    ),
)

LANGUAGES = (GERMAN, FRENCH, SPANISH)


def phrases(field: str) -> str:
    """All that the languages have of one kind, such as `closing`, as one pattern."""
    return "|".join(pattern for language in LANGUAGES for pattern in language.patterns(getattr(language, field)))
