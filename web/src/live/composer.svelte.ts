/** What a person is about to answer: the turn, the choice that is taken, and the words in the field. */
import type { OpenTurn } from '../api/client';
import type { Session } from '../record/session.svelte';
import { answerTo, offersOf, takesWords, type Offer } from './answers';
import type { Drafts } from './drafts.svelte';
import { blank, formOf, read, saying, wordsOf, type FormField, type Values } from './form';

export class Composer {
    draft = $state('');
    private picked = $state<number | null>(null);
    /** What is filled in, by turn. */
    private filled = $state.raw<Record<number, Values>>({});
    /** The turn that is answered in words although it has a form. */
    private plain = $state<number | null>(null);
    private choice = $state.raw<{ turn: number; offer: Offer } | null>(null);

    /** The turns whose questions the telling has reached. */
    readonly turns: readonly OpenTurn[] = $derived.by(() =>
        this.session.turns.filter((one) => (this.session.since[one.turn] ?? 0) <= this.told()),
    );
    /** The turn that is answered: the one that was picked, else the oldest. */
    readonly turn: OpenTurn | null = $derived.by(
        () => this.turns.find((one) => one.turn === this.picked) ?? this.turns[0] ?? null,
    );
    readonly offers: Offer[] = $derived(this.turn === null ? [] : offersOf(this.turn));
    readonly taken: Offer | null = $derived(
        this.choice !== null && this.choice.turn === this.turn?.turn ? this.choice.offer : null,
    );
    /** The form of the turn, if it has one that can be drawn. */
    readonly drawn: FormField[] | null = $derived(this.turn === null ? null : formOf(this.turn));
    /** The form that is filled in, null where the answer is a choice or words. */
    readonly form: FormField[] | null = $derived(this.plain === this.turn?.turn ? null : this.drawn);
    readonly values: Values = $derived(
        this.turn !== null && this.form !== null ? (this.filled[this.turn.turn] ?? blank(this.form)) : {},
    );
    readonly answer: string | null = $derived.by(() => {
        if (this.turn === null) return null;
        if (this.form === null) {
            // Where the rules leave one choice, it needs no taking.
            const only = this.offers.length === 1 && this.draft.trim() === '' ? (this.offers[0] ?? null) : null;
            return answerTo(this.turn, this.taken ?? only, this.draft);
        }
        return saying(this.form, this.values) || this.turn.enter;
    });
    readonly sending = $derived.by(() => (this.turn === null ? null : this.session.outbox.of(this.turn.turn)));
    /** Why the last text was not taken: of this page's attempts, else of those before it was opened. */
    readonly refusal: string = $derived.by(() => {
        if (this.turn === null) return '';
        const verdict = this.session.verdicts[this.turn.turn];
        if (verdict !== undefined && verdict.how !== 'taken') return verdict.message;
        return this.turn.refused.at(-1) ?? '';
    });

    /** The words in the form that is open. */
    private last: { turn: number; text: string } | null = null;
    /** What stood in the field when a turn was answered. */
    private sent: Record<number, { answer: string; draft: string } | undefined> = {};

    constructor(
        private readonly session: Session,
        /** How much of the record has been told. */
        private readonly told: () => number = () => Infinity,
        /** The remarks that go with an answer. */
        private readonly drafts: Pick<Drafts, 'take'> | null = null,
    ) {
        const kept = session.kept.get('draft');
        if (typeof kept === 'string') this.draft = kept;
        const filled = session.kept.get('filled');
        if (typeof filled === 'object' && filled !== null) this.filled = filled as Record<number, Values>;
    }

    /** Turn to one of several open turns. */
    pick(turn: number): void {
        this.picked = turn;
    }

    /** Take a choice, or let go of it if it was taken. */
    take(offer: Offer): void {
        if (this.turn === null || this.sending !== null) return;
        this.choice = this.taken?.answer === offer.answer ? null : { turn: this.turn.turn, offer };
    }

    letGo(): void {
        this.choice = null;
    }

    /** Fill in the form. */
    fill(values: Values): void {
        if (this.turn !== null) this.filled = { ...this.filled, [this.turn.turn]: values };
    }

    /** Answer in the words that the rules lay down, or in the form again. */
    inWords(on: boolean): void {
        this.plain = on ? (this.turn?.turn ?? null) : null;
    }

    /** The field of the form that words go into, if it has one. */
    readonly words: string | null = $derived(this.form === null ? null : wordsOf(this.form));

    /** What was typed ahead goes where it is meant, and what was typed into a form that closed comes back. To be run as
     * an effect. */
    move(): void {
        const { turn, words } = this;
        const last = this.last;
        if (last !== null && last.turn !== turn?.turn) {
            this.last = null;
            const closed = !this.session.turns.some((one) => one.turn === last.turn);
            const verdict = this.session.verdicts[last.turn];
            if (closed && verdict?.how !== 'taken' && this.sent[last.turn] === undefined && last.text.trim() !== '')
                this.draft = this.draft === '' ? last.text : `${last.text} ${this.draft}`;
        }
        if (turn === null || words === null) return;
        let text = String(this.values[words] ?? '');
        if (this.draft !== '' && (this.draft.trim() !== '' || text !== '')) {
            text = text === '' ? this.draft : `${text} ${this.draft}`;
            this.fill({ ...this.values, [words]: text });
            this.draft = '';
        }
        this.last = { turn: turn.turn, text };
    }

    /** Send what is taken or typed, if there is anything and nothing is under way. */
    send(): void {
        const { turn, answer } = this;
        if (turn === null || answer === null || this.sending !== null) return;
        if (this.taken === null || takesWords(turn)) this.sent[turn.turn] = { answer, draft: this.draft };
        const remarks = this.drafts?.take(turn) ?? [];
        if (remarks.length > 0) {
            const choice = this.taken?.answer ?? '';
            this.choice = null;
            const words = choice === '' ? answer : this.draft.trim();
            this.session.send(turn.turn, answer, { choice, words, remarks });
            return;
        }
        this.choice = null;
        const said = this.form === null ? '' : saying(this.form, this.values);
        this.session.send(turn.turn, answer, this.form === null || said === '' ? null : read(this.form, this.values));
    }

    /** Clear the field of words that were taken, unless somebody has typed on. To be run as an effect. */
    settle(): void {
        for (const [turn, verdict] of Object.entries(this.session.verdicts)) {
            const sent = this.sent[Number(turn)];
            if (verdict.how !== 'taken' || verdict.text !== sent?.answer) continue;
            this.sent[Number(turn)] = undefined;
            this.filled = Object.fromEntries(Object.entries(this.filled).filter(([number]) => number !== turn));
            if (this.draft === sent.draft) this.draft = '';
        }
    }

    /** Keep the words over a reload. To be run as an effect. */
    keep(): void {
        this.session.kept.set('draft', this.draft);
        this.session.kept.set('filled', this.filled);
    }
}
