/** What the page itself says about turns and tasks; all else are the server's words. */
import type { OpenTurn } from '../api/client';

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
