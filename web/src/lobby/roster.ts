/** Who is to sit where: names in seating order, offices, and what fills each seat. */
import type { IconName } from '../ui/icons';

/** The agent of a seat that is held by whoever has its link. */
export const OUTSIDE = 'outside';

export const NAMES: readonly string[] =
    'Ada Bram Cleo Dirk Edda Finn Greta Hugo Ines Jory Kira Lorenz Mila Nils Orla Piet Quinn Runa Sven Thea Ulf Vera Wim Xenia Yorick Zita Anselm Berta Caspar Dora Egon Frieda Gideon Hanne Ivo Jutta Konrad Leni Moritz Nora'.split(
        ' ',
    );

export interface Seat {
    /** Stays the same while the name is written. */
    key: number;
    name: string;
    agent: string;
    /** Whether the rules give the name. */
    fixed: boolean;
}

/** An agent as a person reads it. */
export function agentWords(agent: string): { label: string; about: string; icon: IconName } {
    switch (agent) {
        case OUTSIDE:
            return { label: 'Invite', about: 'A person or program who opens this seat’s link.', icon: 'person' };
        case 'house':
            return { label: 'Bot', about: 'Built-in bot. Free.', icon: 'house' };
        case 'random':
            return { label: 'Random bot', about: 'Picks a random legal move.', icon: 'dice' };
    }
    const [kind, model] = agent.split(/:(.*)/s);
    return model === undefined || model === ''
        ? { label: agent, about: 'Allowed by the server’s settings.', icon: 'model' }
        : { label: model, about: `Language model (${kind}). The server pays for its tokens.`, icon: 'model' };
}

/** A name that nobody has yet. */
export function freeName(taken: readonly string[], chance: () => number = Math.random): string {
    const lower = new Set(taken.map((name) => name.trim().toLowerCase()));
    const free = NAMES.filter((name) => !lower.has(name.toLowerCase()));
    const drawn = free[Math.floor(chance() * free.length)];
    if (drawn !== undefined) return drawn;
    let number = taken.length + 1;
    while (lower.has(`player ${number}`)) number++;
    return `Player ${number}`;
}

/** The seats with one of them at another place among those that are not the rules' own; offices keep theirs. */
export function reseated(seats: readonly Seat[], key: number, to: number): Seat[] {
    const moved = seats.find((seat) => seat.key === key && !seat.fixed);
    if (moved === undefined) return [...seats];
    const others = seats.filter((seat) => !seat.fixed && seat !== moved);
    others.splice(Math.max(0, to), 0, moved);
    return seats.map((seat) => (seat.fixed ? seat : (others.shift() ?? seat)));
}

/** As the rules have it, for every ruleset. */
export const LONGEST_NAME = 40;

/** What is wrong with a name among the others, nothing if nothing is. */
export function nameFault(seat: Seat, seats: readonly Seat[]): string {
    const name = seat.name.trim();
    if (name === '') return 'Enter a name.';
    if (name.length > LONGEST_NAME) return `Use at most ${LONGEST_NAME} characters.`;
    const same = (one: Seat) => one !== seat && one.name.trim().toLowerCase() === name.toLowerCase();
    return seats.some(same) ? 'This name is already taken.' : '';
}
