/** What a seat may say unasked, by its ruleset: the forms of texts that the rules read. */
import type { TaskMark } from './work';

export interface Order {
    /** What stands on its button. */
    name: string;
    what: string;
    /** Whether it needs words, may have some, or takes none. */
    words: 'must' | 'may' | 'none';
    /** Whom or what it is about: one of these, or any name where only a label is given. */
    to?: readonly string[];
    toLabel?: string;
    /** What it may be about besides, where there are several such. */
    about?: readonly string[];
    text: (to: string, words: string, about: string) => string;
}

export function ready(order: Order, to: string, words: string): boolean {
    if (order.words === 'must' && words.trim() === '') return false;
    return order.toLabel === undefined || order.to !== undefined || to.trim() !== '';
}

export function textOf(order: Order, to: string, words: string, about = ''): string {
    return order.text(to.trim(), words.trim(), about).trim();
}

/** What the human of a session may type at any time. */
export function sessionOrders(party: readonly string[]): Order[] {
    const plain = (command: string) => (_: string, words: string) => `/${command} ${words}`;
    return [
        {
            name: 'Whisper',
            what: 'Say something only this companion hears.',
            words: 'must',
            to: party,
            toLabel: 'To',
            text: (to, words) => `/chat ${to} ${words}`,
        },
        {
            name: 'Step away',
            what: 'Your character acts on its own until you return.',
            words: 'may',
            text: plain('away'),
        },
        {
            name: 'I’m back',
            what: 'Take over again and get a summary of what you missed.',
            words: 'none',
            text: plain('back'),
        },
        { name: 'Save', what: 'Ask the GM to save the session.', words: 'none', text: plain('save') },
        { name: 'End session', what: 'Ask the GM to end the session.', words: 'may', text: plain('end') },
    ];
}

/** What the user of delegated work may order at any time. */
export function workOrders(tasks: readonly TaskMark[], sessions: readonly string[]): Order[] {
    const under = tasks
        .filter((task) => task.state !== 'complete' && task.state !== 'abandoned')
        .map((one) => one.task);
    const orders: Order[] = [
        {
            name: 'New task',
            what: 'Add a task and say what to do.',
            words: 'must',
            toLabel: 'Short name, e.g. spring-fair',
            text: (to, words) => `add ${to.toLowerCase().replace(/\s+/g, '-')}: ${words}`,
        },
        {
            name: 'Message',
            what: 'Send a message to an agent, or answer its question.',
            words: 'must',
            to: sessions,
            toLabel: 'To',
            ...(under.length > 1 ? { about: under } : {}),
            text: (to, words, about) => `${to}${about === '' ? '' : `, ${about}`}: ${words}`,
        },
    ];
    if (under.length === 0) return orders;
    return [
        ...orders,
        {
            name: 'Edit task',
            what: 'Change the brief, or tell the agents working on it.',
            words: 'must',
            to: under,
            toLabel: 'Task',
            text: (to, words) => `change ${to}: ${words}`,
        },
        {
            name: 'Abandon task',
            what: 'Stops work on the task. This can’t be undone.',
            words: 'may',
            to: under,
            toLabel: 'Task',
            text: (to) => `abandon ${to}`,
        },
    ];
}
