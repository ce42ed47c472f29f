"""What somebody with the database and time could do to the rows of game `g`: statements, and the places they touch."""

from __future__ import annotations

LENGTH = 12
"""Events in each of the games `g` and `other`."""


def another(random_, value):
    """A value of the same type that is not this one."""
    if value is None:
        return random_.choice([0, 1, 5])
    if isinstance(value, int):
        return value + random_.choice([-1, 1, 1000])
    if isinstance(value, bytes):
        at = random_.randrange(len(value))
        return value[:at] + bytes([value[at] ^ random_.randrange(1, 256)]) + value[at + 1 :]
    changed = [value + " ", value[:-1], value.swapcase(), value + "\x00"]
    return random_.choice([candidate for candidate in changed if candidate != value])


def change_of(column):
    def tamper(random_, rows):
        p = random_.randint(1, LENGTH)
        value = another(random_, getattr(rows[p - 1], column))
        if column == "actor" and not isinstance(value, str):
            value = "Bram"
        return [(f"UPDATE events SET {column} = ? WHERE game = 'g' AND position = ?", (value, p))], {p}

    return tamper


def erasure_of(column):
    def tamper(random_, rows):
        p = random_.choice([row.position for row in rows if getattr(row, column) is not None])
        return [(f"UPDATE events SET {column} = NULL WHERE game = 'g' AND position = ?", (p,))], {p}

    return tamper


def swap_of(columns):
    def tamper(random_, rows):
        differing = [
            (a, b)
            for a in rows
            for b in rows
            if a.position < b.position and all(getattr(a, c) != getattr(b, c) for c in columns)
        ]
        a, b = random_.choice(differing)
        sets = ", ".join(f"{column} = ?" for column in columns)
        return [
            (
                f"UPDATE events SET {sets} WHERE game = 'g' AND position = ?",
                (*(getattr(x, c) for c in columns), y.position),
            )
            for x, y in ((a, b), (b, a))
        ], {a.position, b.position}

    return tamper


def swap_of_positions(random_, rows):
    p, q = random_.sample(range(1, LENGTH + 1), 2)
    move = "UPDATE events SET position = ? WHERE game = 'g' AND position = ?"
    return [(move, (-1, p)), (move, (p, q)), (move, (q, -1))], {p, q}


def removal(random_, rows):
    p = random_.randint(1, LENGTH)
    return [("DELETE FROM events WHERE game = 'g' AND position = ?", (p,))], {p}


def removal_of_the_last(random_, rows):
    return [("DELETE FROM events WHERE game = 'g' AND position = ?", (LENGTH,))], {LENGTH}


def removal_that_closes_the_gap(random_, rows):
    p = random_.randint(1, LENGTH - 1)
    closing_up = [
        ("UPDATE events SET position = ? WHERE game = 'g' AND position = ?", (q - 1, q))
        for q in range(p + 1, LENGTH + 1)
    ]
    return [("DELETE FROM events WHERE game = 'g' AND position = ?", (p,)), *closing_up], {p, LENGTH}


COPY = (
    "INSERT INTO events (game, position, append, name, at, actor, audience, cause, body, salt, hash) SELECT "
    "'g', ?, append, name, at, actor, audience, cause, body, salt, hash FROM events WHERE game = ? AND position = ?"
)


def addition_at_the_end(random_, rows):
    return [(COPY, (LENGTH + 1, random_.choice(["g", "other"]), random_.randint(1, LENGTH)))], {LENGTH + 1}


def insertion(random_, rows):
    p = random_.randint(1, LENGTH)
    room = [
        ("UPDATE events SET position = ? WHERE game = 'g' AND position = ?", (q + 1, q))
        for q in range(LENGTH, p - 1, -1)
    ]
    return [*room, (COPY, (p, "other", p))], {p, LENGTH + 1}


def replacement_from_another_game(random_, rows):
    p = random_.randint(1, LENGTH)
    return [("DELETE FROM events WHERE game = 'g' AND position = ?", (p,)), (COPY, (p, "other", p))], {p}


TAMPERINGS = [
    *(change_of(c) for c in ("append", "name", "at", "actor", "audience", "cause", "body", "salt", "hash")),
    *(erasure_of(c) for c in ("actor", "cause")),
    *(swap_of(c) for c in (["body"], ["salt"], ["hash"], ["salt", "hash"], ["append"], ["audience"])),
    swap_of_positions,
    removal,
    removal_of_the_last,
    removal_that_closes_the_gap,
    addition_at_the_end,
    insertion,
    replacement_from_another_game,
]
