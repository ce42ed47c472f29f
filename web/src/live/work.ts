/** Delegated work as one chair knows it: tasks in columns, and of each its messages and its files. */
import type { Track } from '../record/track';
import type { Entry, Mark } from '../record/types';

export type TaskMark = Extract<Mark, { mark: 'task' }>;

export interface Column {
    title: string;
    tasks: TaskMark[];
}

/** A file of a task in one of its versions. */
export interface Version {
    place: number;
    path: string;
    round: number | null;
    by: string;
    text: string;
}

/** A file of a task with all of its versions, oldest first. */
export interface Artifact {
    name: string;
    versions: Version[];
}

const COLUMNS: Record<string, string> = {
    proposed: 'To do',
    delegated: 'In progress',
    rework: 'In progress',
    iterating: 'In progress',
    review: 'In review',
    stopped: 'Needs decision',
    guarded: 'Needs decision',
    held: 'On hold',
    accepted: 'Wrapping up',
    requested: 'Wrapping up',
    instructed: 'Wrapping up',
    closing: 'Wrapping up',
    complete: 'Done',
    abandoned: 'Done',
};
/** Those that are always there; others come with their tasks. */
const USUAL = ['To do', 'In progress', 'In review', 'Needs decision', 'Wrapping up', 'Done'];

export function columnsOf(tasks: readonly TaskMark[]): Column[] {
    const titles = [...new Set([...USUAL, ...tasks.map(titleOf)])];
    return titles.map((title) => ({ title, tasks: tasks.filter((task) => titleOf(task) === title) }));
}

function titleOf(task: TaskMark): string {
    return COLUMNS[task.state] ?? task.state;
}

/** The tasks as they stand at a place, in the order in which the chair heard of them. */
export function tasksAt(track: Track, place: number): TaskMark[] {
    return [...track.tasks.values()].flatMap((line) => line.at(place) ?? []);
}

/** The task that an entry is about. */
export function taskOf(entry: Entry): string | null {
    const { task_id: own, message } = (entry.data ?? {}) as { task_id?: unknown; message?: { task_id?: unknown } };
    if (typeof own === 'string') return own;
    return typeof message?.task_id === 'string' ? message.task_id : null;
}

/** The files of a task: versions are those whose names differ by the round alone. */
export function artifactsOf(track: Track, task: string): Artifact[] {
    const found = new Map<string, Artifact>();
    for (const [index, entry] of track.entries.entries()) {
        if (taskOf(entry) !== task) continue;
        const { path, text, round, session } = entry.data as Record<string, unknown>;
        if (typeof text !== 'string') continue;
        const named = typeof path === 'string' ? path : 'brief';
        const name = (named.split('/').at(-1) ?? named).replace(/-r\d+(?=\.|$)/, '').replace(`-${task}`, '');
        const artifact = found.get(name) ?? { name, versions: [] };
        found.set(name, artifact);
        artifact.versions.push({
            place: index + 1,
            path: named,
            round: typeof round === 'number' ? round : null,
            by: typeof session === 'string' ? session : '',
            text,
        });
    }
    return [...found.values()];
}

/** A file that a round changed; lines are null where it is binary. */
export interface ChangedFile {
    path: string;
    old: string | null;
    added: number | null;
    removed: number | null;
}

/** What differs between two commits: `text` is the diff as far as it is kept. */
export interface Difference {
    files: ChangedFile[];
    size: number;
    text: string;
    whole: boolean;
}

/** A check as the server ran it. */
export interface CheckRun {
    name: string;
    exit: number | null;
    cut: string;
    seconds: number;
    output: string;
}

/** The code of a round: all that changed, what changed since the round before, and the checks that ran on it. */
export interface Offer {
    place: number;
    round: number;
    by: string;
    base: string;
    head: string;
    whole: Difference;
    since: Difference | null;
    checks: CheckRun[];
}

/** The code that a task has offered for review, oldest first, up to a place. */
export function codeOf(track: Track, task: string, place: number): Offer[] {
    const offers: Offer[] = [];
    for (const [index, entry] of track.entries.slice(0, place).entries()) {
        if (taskOf(entry) !== task) continue;
        const data = (entry.data ?? {}) as Record<string, unknown>;
        const { round, session, base, head, whole, since, check } = data as Partial<Offer> & {
            session?: string;
            check?: CheckRun;
        };
        if (round === undefined || head === undefined) continue;
        if (whole !== undefined && base !== undefined) {
            offers.push({
                place: index + 1,
                round,
                by: session ?? '',
                base,
                head,
                whole,
                since: since ?? null,
                checks: [],
            });
        } else if (check !== undefined) offers.find((offer) => offer.round === round)?.checks.push(check);
    }
    return offers;
}
