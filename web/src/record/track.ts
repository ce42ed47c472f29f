/**
 * A track: what one chair has of a game, and the picture of the table that it had at any moment.
 *
 * A *place* counts the track's own entries from 1: a seat's seq, in the full record the position. The picture at a place
 * is read from timelines that grow with each entry, so that a step costs the same wherever it is taken.
 */
import { Timeline } from './timeline';
import type { Chair, Entry, Fact, Heading, Highlight, Mark, Piece, TrackRecord } from './types';

/** How a seat could know a fact, as far as this chair can tell. */
export interface Knowledge {
    way: 'saw' | 'rule' | 'told' | 'denied';
    /** The place at which it came to be so. */
    place: number;
    /** Who told or denied it. */
    by: string | null;
    words: string;
}

/** What stands under a seat's name. */
export interface Label {
    text: string;
    /** `secret`: known by what this chair saw; `public`: by rule; `says`: by the seat's own words; `said`: by another's. */
    way: 'secret' | 'public' | 'says' | 'said';
    by: string | null;
}

/** A row of *who knows what*. */
export interface FactRow {
    key: string;
    fact: Fact;
    says: string;
    about: string[];
    /** The place at which the chair first heard of it, as a fact or as a claim. */
    from: number;
    /** The place from which on the chair knows it to be so, null if it never does. */
    known: number | null;
    cells: Map<string, Timeline<Knowledge>>;
    /** Every place at which a cell of it changes. */
    changes: number[];
}

export interface Vote {
    of: string;
    for: string | null;
    choice: string;
    ballot: string;
    place: number;
}

export interface Moment {
    place: number;
    what: Highlight;
    text: string;
    seats: string[];
}

export interface Phase extends Heading {
    place: number;
}

export interface Claim {
    place: number;
    by: string;
    about: string[];
    says: string;
    denied: boolean;
    words: string;
}

/** Whom an entry reached: everybody, some, one, or no seat at all. */
export type Reach = 'everyone' | 'some' | 'one' | 'nobody';

/** The picture of the table at one place. What has not changed since another place is the very same there. */
export interface Picture {
    place: number;
    entry: Entry | null;
    phase: Phase | null;
    awaited: readonly string[];
    speaker: string | null;
    speech: { place: number; piece: Piece } | null;
    out: ReadonlyMap<string, string>;
    labels: ReadonlyMap<string, Label>;
    votes: readonly Vote[];
    /** Whether nothing was said since the last of those votes. */
    counting: boolean;
    /** Who is together with whom, by the name of the group. */
    groups: ReadonlyMap<string, readonly string[]>;
}

type Resource = Extract<Mark, { mark: 'resource' }>;

const SPOKEN: ReadonlySet<string> = new Set(['speech', 'narration', 'call']);
const NOBODY: readonly string[] = [];
const NOBODY_OUT: ReadonlyMap<string, string> = new Map();
const NO_LABELS: ReadonlyMap<string, Label> = new Map();
export const NO_VOTES: readonly Vote[] = [];
const NO_GROUPS: ReadonlyMap<string, readonly string[]> = new Map();

export class Track {
    readonly entries: Entry[] = [];
    /** The places of entries that are told to whoever does not ask for everything. */
    readonly told: number[] = [];
    readonly phases: Phase[] = [];
    readonly moments: Moment[] = [];
    readonly claims: Claim[] = [];
    readonly facts = new Map<string, FactRow>();
    /** The facts in the order in which the chair first heard of them. */
    readonly rows: FactRow[] = [];
    private readonly heard: number[] = [];
    private readonly learnt: number[] = [];
    readonly thoughts = new Map<string, Timeline<string>>();
    /** What seats note for themselves: of others only an auditor has any. */
    readonly notes = new Map<string, Timeline<string>>();
    readonly tasks = new Map<string, Timeline<Extract<Mark, { mark: 'task' }>>>();
    readonly resources = new Map<string, Map<string, Timeline<Resource>>>();
    readonly groups = new Timeline<ReadonlyMap<string, string[]>>();
    seats: string[] = [];
    offices: string[] = [];
    private playing: { of: string[] | null; players: string[] } = { of: null, players: [] };
    private readonly awaited = new Timeline<readonly string[]>();
    private readonly speeches = new Timeline<{ place: number; piece: Piece }>();
    private readonly phaseAt = new Timeline<Phase>();
    private readonly outs = new Timeline<ReadonlyMap<string, string>>();
    private readonly labels = new Timeline<ReadonlyMap<string, Label>>();
    private readonly ballots = new Timeline<readonly Vote[]>();
    private readonly positions: number[] = [];

    constructor(readonly chair: Chair) {}

    static of(record: TrackRecord): Track {
        const track = new Track(record.chair);
        track.seats = record.seats;
        track.offices = record.offices;
        for (const entry of record.entries) track.add(entry);
        return track;
    }

    get length(): number {
        return this.entries.length;
    }

    /** Those who play: every seat that is no office, all seats where all are. The very same list until seats change. */
    get players(): string[] {
        if (this.playing.of !== this.seats) {
            const players = this.seats.filter((seat) => !this.offices.includes(seat));
            this.playing = { of: this.seats, players: players.length > 0 ? players : this.seats };
        }
        return this.playing.players;
    }

    add(entry: Entry): void {
        this.entries.push(entry);
        const place = this.entries.length;
        if (entry.position !== undefined) this.positions.push(entry.position);
        const piece = entry.piece;
        if (piece !== null && piece.weight > 0) this.told.push(place);
        if (piece !== null && isSpeech(piece)) this.speeches.set(place, { place, piece });
        for (const mark of entry.marks) this.take(place, mark);
    }

    /** The place of the last entry at or before a position of the full record. */
    placeOf(position: number): number {
        return this.positions.length > 0 ? upto(this.positions, position) : Math.min(position, this.length);
    }

    /** The position of the entry at a place, where it is known; else the place. */
    positionOf(place: number): number {
        return this.positions[place - 1] ?? place;
    }

    /** The number by which the chair knows the entry at a place: a seat's seq, in the full record the position. */
    numberOf(place: number): number {
        return this.chair.full ? this.positionOf(place) : (this.entries[place - 1]?.seq ?? place);
    }

    at(place: number): Picture {
        const speech = this.speeches.at(place) ?? null;
        const phase = this.phaseAt.at(place) ?? null;
        const here = speech !== null && (phase === null || speech.place >= phase.place) ? speech : null;
        return {
            place,
            entry: this.entries[place - 1] ?? null,
            phase,
            awaited: this.awaited.at(place) ?? NOBODY,
            speaker: here?.piece.who ?? null,
            speech: here,
            out: this.outAt(place),
            labels: this.labels.at(place) ?? NO_LABELS,
            votes: this.ballots.at(place) ?? NO_VOTES,
            counting: this.ballots.since(place) >= (this.speeches.at(place)?.place ?? 0),
            groups: this.groups.at(place) ?? NO_GROUPS,
        };
    }

    /** Who is out at a place, and how. */
    outAt(place: number): ReadonlyMap<string, string> {
        return this.outs.at(place) ?? NOBODY_OUT;
    }

    /** The phase at a place in words, with what it is within; null before the first. */
    phaseOf(place: number): string | null {
        const phase = this.phaseAt.at(place);
        if (phase === undefined) return null;
        return phase.within === '' ? phase.text : `${phase.text}, ${phase.within}`;
    }

    /** What stands under a seat's name at a place. */
    labelOf(seat: string, place: number): Label | undefined {
        return this.labels.at(place)?.get(seat);
    }

    /** How many of `told` there are up to and with a place. */
    toldUpto(place: number): number {
        return upto(this.told, place);
    }

    /** What a seat has of what is counted, as far as this chair knows. */
    resourcesAt(seat: string, place: number): Resource[] {
        const kept = this.resources.get(seat);
        return kept === undefined ? [] : [...now(kept, place).values()];
    }

    /** How many rows the chair has heard of up to a place. */
    rowsUpto(place: number): number {
        return upto(this.heard, place);
    }

    /** How many of them it knows to be so by then. */
    knownUpto(place: number): number {
        return upto(this.learnt, place);
    }

    /** How a seat could know a fact at a place, null if in no way. */
    knows(row: FactRow, seat: string, place: number): Knowledge | null {
        return row.cells.get(seat)?.at(place) ?? null;
    }

    /** Whom the entry at a place reached, as far as this chair can tell. */
    reach(place: number): Reach {
        const entry = this.entries[place - 1];
        if (entry === undefined) return 'nobody';
        if (entry.audience !== undefined) {
            if (entry.audience === 'everyone') return 'everyone';
            return entry.audience.length === 0 ? 'nobody' : entry.audience.length === 1 ? 'one' : 'some';
        }
        if (entry.piece === null) return 'nobody';
        if (entry.piece.private === null) return 'everyone';
        return entry.piece.private === '' || entry.piece.private === 'only you' ? 'one' : 'some';
    }

    private take(place: number, mark: Mark): void {
        switch (mark.mark) {
            case 'seats':
                this.seats = mark.seats;
                this.offices = mark.offices;
                break;
            case 'awaited':
                this.awaited.set(place, mark.seats);
                break;
            case 'phase': {
                const phase = { ...mark, place };
                this.phases.push(phase);
                this.phaseAt.set(place, phase);
                this.ballots.set(place, []);
                break;
            }
            case 'out':
                this.outs.set(place, new Map(this.outs.last).set(mark.seat, mark.how));
                break;
            case 'fact': {
                const row = this.row(mark.fact, mark.says, mark.about, place);
                changed(row, place);
                if (row.known === null) this.learnt.push(place);
                row.known ??= place;
                for (const seat of mark.to ?? this.seats) {
                    const cell = timeline(row.cells, seat);
                    if (!['saw', 'rule'].includes(cell.last?.way ?? ''))
                        cell.set(place, { way: mark.way, place, by: null, words: '' });
                }
                if (mark.label !== '')
                    for (const seat of mark.about)
                        this.label(seat, place, {
                            text: mark.label,
                            way: mark.way === 'rule' ? 'public' : 'secret',
                            by: null,
                        });
                break;
            }
            case 'claim': {
                const row = this.row(mark.fact, mark.says, mark.about, place);
                changed(row, place);
                this.claims.push({ ...mark, place });
                for (const seat of mark.to ?? this.seats) {
                    if (seat === mark.by) continue;
                    const cell = timeline(row.cells, seat);
                    const last = cell.last?.way;
                    if (last === 'saw' || last === 'rule' || last === 'denied') continue;
                    if (mark.denied) cell.set(place, { way: 'denied', place, by: mark.by, words: mark.words });
                    else if (last === undefined)
                        cell.set(place, { way: 'told', place, by: mark.by, words: mark.words });
                }
                if (mark.label !== '' && !mark.denied)
                    for (const seat of mark.about)
                        this.label(seat, place, {
                            text: mark.label,
                            way: seat === mark.by ? 'says' : 'said',
                            by: mark.by,
                        });
                break;
            }
            case 'mention':
                this.moments.push({ place, what: mark.what, text: mark.text, seats: mark.seats });
                break;
            case 'vote': {
                const before = this.ballots.last ?? [];
                const same = before.filter((vote) => vote.ballot === mark.ballot && vote.of !== mark.of);
                this.ballots.set(place, [...same, { ...mark, place }]);
                break;
            }
            case 'thought':
                timeline(this.thoughts, mark.seat).set(place, mark.text);
                break;
            case 'notes':
                timeline(this.notes, mark.seat).set(place, mark.text);
                break;
            case 'task':
                timeline(this.tasks, mark.task).set(place, mark);
                break;
            case 'resource': {
                const kept = this.resources.get(mark.seat) ?? new Map();
                this.resources.set(mark.seat, kept);
                timeline(kept, mark.name).set(place, mark);
                break;
            }
            case 'group': {
                const moved = new Map(this.groups.last ?? []);
                for (const [name, seats] of moved)
                    moved.set(
                        name,
                        seats.filter((seat) => !mark.seats.includes(seat)),
                    );
                moved.set(mark.name, mark.seats);
                this.groups.set(place, new Map([...moved].filter(([, seats]) => seats.length > 0)));
                break;
            }
        }
    }

    private row(fact: Fact, says: string, about: string[], place: number): FactRow {
        const key = JSON.stringify(fact);
        const known = this.facts.get(key);
        if (known !== undefined) return known;
        const row: FactRow = { key, fact, says, about, from: place, known: null, cells: new Map(), changes: [] };
        this.facts.set(key, row);
        this.rows.push(row);
        this.heard.push(place);
        return row;
    }

    /** What is known beats what is said, and one's own words beat those of others. */
    private label(seat: string, place: number, label: Label): void {
        const strength = { secret: 4, public: 5, says: 2, said: 1 };
        const last = this.labels.last?.get(seat);
        if (last !== undefined && strength[label.way] < strength[last.way]) return;
        if (last?.way === label.way && last.text === label.text && last.by === label.by) return;
        this.labels.set(place, new Map(this.labels.last).set(seat, label));
    }
}

/** Whether somebody says something: aloud, or with an act of the game such as a nomination. */
function isSpeech(piece: Piece): boolean {
    if (piece.words.length === 0) return false;
    if (SPOKEN.has(piece.kind)) return true;
    return piece.kind === 'line' && piece.who !== null && piece.words.length === 1 && piece.words[0]?.who === piece.who;
}

function changed(row: FactRow, place: number): void {
    if (row.changes.at(-1) !== place) row.changes.push(place);
}

/** How many of the growing numbers are at most `most`. */
export function upto(numbers: readonly number[], most: number): number {
    let low = 0;
    let high = numbers.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if ((numbers[middle] as number) <= most) low = middle + 1;
        else high = middle;
    }
    return low;
}

function timeline<T>(kept: Map<string, Timeline<T>>, key: string): Timeline<T> {
    const found = kept.get(key);
    if (found !== undefined) return found;
    const made = new Timeline<T>();
    kept.set(key, made);
    return made;
}

function now<T>(kept: ReadonlyMap<string, Timeline<T>>, place: number): Map<string, T> {
    const found = new Map<string, T>();
    for (const [key, line] of kept) {
        const value = line.at(place);
        if (value !== undefined) found.set(key, value);
    }
    return found;
}
