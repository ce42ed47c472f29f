/** Remarks that a person has written and not sent: they wait on this page alone, and go with the answer about the task. */
import type { OpenTurn } from '../api/client';
import type { Session } from '../record/session.svelte';
import type { Anchor, Remark } from './remarks';

export interface Draft extends Remark {
    /** Names it on this page. */
    id: string;
}

/** What is being written: at which lines, and of which draft, if of one that is there. */
export interface Writing {
    task: string;
    anchor: Anchor;
    id: string | null;
}

type Tasks = Readonly<Record<string, readonly Draft[]>>;

export class Drafts {
    private tasks = $state.raw<Tasks>({});
    /** The remark that is being written. */
    writing = $state.raw<Writing | null>(null);
    /** What is written of it so far. */
    text = $state('');
    /** A draft to be shown where it stands. */
    sought = $state.raw<{ task: string; draft: Draft } | null>(null);
    /** The drafts that went with the answer to a turn, until it is known to be taken. */
    private sent: Record<number, { task: string; ids: string[] } | undefined> = {};

    constructor(private readonly session: Session) {
        const kept = (name: string): unknown => session.kept.get(name);
        this.tasks = (kept('remarks') ?? {}) as Tasks;
        this.writing = (kept('writing') ?? null) as Writing | null;
        this.text = String(kept('written') ?? '');
        this.sent = (kept('sent remarks') ?? {}) as typeof this.sent;
    }

    of(task: string): readonly Draft[] {
        return this.tasks[task] ?? [];
    }

    /** Show a draft where it stands. */
    seek(task: string, draft: Draft): void {
        this.sought = { task, draft };
    }

    /** Begin a remark, or go on with one. What was begun elsewhere is kept as a draft. */
    write(task: string, anchor: Anchor, draft: Draft | null = null): void {
        this.save();
        this.writing = { task, anchor, id: draft?.id ?? null };
        this.text = draft?.text ?? '';
    }

    /** Keep what is being written; without words it was none. */
    save(): void {
        const { writing } = this;
        const text = this.text.trim();
        this.writing = null;
        if (writing === null || text === '') return;
        const { task, anchor, id } = writing;
        const { file, side, round, line, last, code } = anchor;
        const draft = { file, side, round, line, last, code, text, id: id ?? Math.random().toString(36).slice(2) };
        const others = this.of(task);
        this.set(task, id === null ? [...others, draft] : others.map((one) => (one.id === id ? draft : one)));
    }

    /** Leave it as it was before. */
    cancel(): void {
        this.writing = null;
    }

    remove(task: string, id: string): void {
        this.set(
            task,
            this.of(task).filter((one) => one.id !== id),
        );
    }

    private set(task: string, drafts: readonly Draft[]): void {
        this.tasks = { ...this.tasks, [task]: drafts };
    }

    /** The task whose remarks go with the answer to a turn; null if it takes none. */
    taskOf(turn: OpenTurn | null): string | null {
        const properties = (turn?.form?.['properties'] ?? {}) as object;
        const task = (turn as { task?: unknown } | null)?.task;
        return 'remarks' in properties && 'choice' in properties && typeof task === 'string' ? task : null;
    }

    /** The remarks that go with the answer to a turn. What is being written goes along. */
    take(turn: OpenTurn): Remark[] {
        const task = this.taskOf(turn);
        if (task === null) return [];
        if (this.writing?.task === task) this.save();
        const drafts = this.of(task);
        this.sent[turn.turn] = { task, ids: drafts.map((one) => one.id) };
        this.keep();
        return drafts.map(({ file, side, round, line, last, code, text }) => ({
            file,
            side,
            round,
            line,
            last,
            code,
            text,
        }));
    }

    /** Drop what was taken. To be run as an effect. */
    settle(): void {
        for (const [turn, verdict] of Object.entries(this.session.verdicts)) {
            const sent = this.sent[Number(turn)];
            if (sent === undefined) continue;
            this.sent = { ...this.sent, [turn]: undefined };
            if (verdict.how !== 'taken') continue;
            this.set(
                sent.task,
                this.of(sent.task).filter((one) => !sent.ids.includes(one.id)),
            );
        }
        this.keep();
    }

    /** Keep all of it over a reload. To be run as an effect. */
    keep(): void {
        this.session.kept.set('remarks', this.tasks);
        this.session.kept.set('writing', this.writing);
        this.session.kept.set('written', this.text);
        this.session.kept.set('sent remarks', this.sent);
    }
}
