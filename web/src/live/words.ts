/** What the page itself says about pieces and turns; all else are the server's words. */
import type { OpenTurn } from '../api/client';
import type { Piece, Run } from '../record/types';

/** A turn in a word or two, where several are open: what it is about, as far as its ruleset says. */
export function titleOf(turn: OpenTurn): string {
    const task = (turn as { task?: unknown }).task;
    const kind = turn.kind.replaceAll('-', ' ');
    return typeof task === 'string' ? `${taskTitle(task)}: ${kind}` : kind;
}

/** A task's id as words: what follows its date and time. */
export function taskTitle(task: string): string {
    return /^\d+-\d+-(.+)$/.exec(task)?.[1]?.replaceAll('-', ' ') ?? task;
}

/** A marked text without its marks. */
export function plain(runs: readonly Run[]): string {
    return runs.map((run) => (typeof run === 'string' ? run : run.name)).join('');
}

/** With whom a piece is shared, for a chair that has it in confidence; empty where everybody has it. */
export function shared(piece: Piece): string {
    return piece.private === null ? '' : piece.private === '' ? 'only you' : piece.private;
}
