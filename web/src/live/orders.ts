/** What a seat can order at any time, as its ruleset declares it. */
import type { components } from '../api/schema';
import type { TaskMark } from './work';

type Declared = components['schemas']['Order'];

/** An order with the targets there are now. */
export interface Order {
    name: string;
    what: string;
    words: Declared['words'];
    /** What it can be about; missing if the person types a name. */
    to?: readonly string[];
    toLabel?: string;
    /** The tasks it can be about, if there are several. */
    about?: readonly string[];
    text: (to: string, words: string, about: string) => string;
}

export function ready(order: Order, to: string, words: string): boolean {
    if (order.words === 'required' && words.trim() === '') return false;
    return order.toLabel === undefined || order.to !== undefined || to.trim() !== '';
}

export function textOf(order: Order, to: string, words: string, about = ''): string {
    return order.text(to.trim(), words.trim(), about).trim();
}

/** The declared orders that can be given now. One about a task needs an open task. */
export function ordersNow(
    declared: readonly Declared[],
    now: { players: readonly string[]; others: readonly string[]; tasks: readonly TaskMark[] },
): Order[] {
    const tasks = now.tasks
        .filter((task) => task.state !== 'complete' && task.state !== 'abandoned')
        .map((task) => task.task);
    const targets = { players: now.players, others: now.others, tasks };
    return declared
        .filter((order) => order.to !== 'tasks' || tasks.length > 0)
        .map((order) => ({
            name: order.name,
            what: order.about,
            words: order.words,
            ...(order.to === null || order.to === 'name' ? {} : { to: targets[order.to] }),
            ...(order.to === null ? {} : { toLabel: order.label }),
            ...(order.task_text !== null && tasks.length > 1 ? { about: tasks } : {}),
            text: (to, words, task) =>
                filled(task === '' ? order.text : (order.task_text ?? order.text), {
                    to: order.to === 'name' ? to.toLowerCase().replace(/\s+/g, '-') : to,
                    words,
                    task,
                }),
        }));
}

function filled(text: string, values: Record<'to' | 'words' | 'task', string>): string {
    return text.replace(/\{(to|words|task)\}/g, (_, name: 'to' | 'words' | 'task') => values[name]);
}
