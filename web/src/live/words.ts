/** What the page itself says about turns and tasks; all else are the server's words. */
import type { OpenTurn } from '../api/client';

/** A turn in a line, where several are open: what it is about, as far as its ruleset says, and what is asked. */
export function titleOf(turn: OpenTurn): string {
    const task = (turn as { task?: unknown }).task;
    return typeof task === 'string' ? `${taskTitle(task)}: ${turn.ask}` : turn.ask;
}

/** A task's id as words: what follows its date and time. */
export function taskTitle(task: string): string {
    return /^\d+-\d+-(.+)$/.exec(task)?.[1]?.replaceAll('-', ' ') ?? task;
}
