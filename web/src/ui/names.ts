/** Seats by the names that people read. What is typed, sent or matched stays the seat's own name. */

/** What is not written as a person's name is. */
const ROLES: ReadonlyMap<string, string> = new Map([
    ['gm', 'GM'],
    ['team-lead', 'Team lead'],
]);
/** Words in lower case, joined by hyphens. Anything else is shown as somebody wrote it. */
const JOINED = /^[\p{Ll}\p{N}]+(-[\p{Ll}\p{N}]+)*$/u;

const known = new Map<string, string>();

/** The name of a seat as it is shown: “Pim Tallow” for `pim-tallow`, “GM” for `gm`, “Ada” for `Ada`. */
export function displayName(seat: string): string {
    let name = known.get(seat);
    if (name === undefined) {
        name = ROLES.get(seat) ?? (JOINED.test(seat) ? capitals(seat) : seat);
        known.set(seat, name);
    }
    return name;
}

/** The same for a text that may be one of these seats; any other text stays. */
export function displayIn(text: string, seats: readonly string[]): string {
    return seats.includes(text) ? displayName(text) : text;
}

function capitals(seat: string): string {
    return seat
        .split('-')
        .map((word) => word.replace(/^./u, (letter) => letter.toUpperCase()))
        .join(' ');
}
