/** Delegated work as it lies before one: the tasks, which of them is seen, and what was said about it. */
import type { Session } from '../record/session.svelte';
import type { Composer } from './composer.svelte';
import { taskOf, tasksAt } from './work';

/** The task that a turn is about, as far as its ruleset says. */
function aboutOf(turn: object | null): string | null {
    const task = (turn as { task?: unknown } | null)?.task;
    return typeof task === 'string' ? task : null;
}

export class SelectedTask {
    private opened = $state<string | null>(null);

    constructor(
        private readonly session: Session,
        private readonly composer: Composer,
    ) {}

    readonly tasks = $derived.by(() => {
        void this.session.length;
        return tasksAt(this.session.track, this.session.length);
    });
    /** Tasks about which one is asked, the one that is answered first. */
    readonly asked = $derived.by(() =>
        [this.composer.turn, ...this.session.turns].flatMap((turn) => {
            const task = aboutOf(turn);
            return task === null ? [] : [task];
        }),
    );
    /** The task that is seen. */
    readonly task = $derived(this.opened ?? this.asked[0] ?? this.tasks[0]?.task ?? null);

    /** Whether the message at a place is about the task that is seen; its files stand beside it. */
    readonly isAbout = (at: number): boolean => {
        const entry = this.session.track.entries[at - 1];
        if (entry === undefined || entry.data?.['text'] !== undefined) return false;
        const about = taskOf(entry);
        return about === this.task || about === null;
    };

    /** See a task, and answer what is asked about it. */
    readonly open = (task: string): void => {
        this.opened = task;
        const turn = this.session.turns.find((one) => aboutOf(one) === task);
        if (turn !== undefined) this.composer.pick(turn.turn);
    };

    /** The task that is answered is the one that is seen. To be run as an effect. */
    follow(): void {
        const about = aboutOf(this.composer.turn);
        if (about !== null) this.opened = about;
    }
}
