/** What a person is about to answer: the turn, the choice that is taken, and the words in the field. */
import type { OpenTurn } from '../api/client';
import type { Session } from '../record/session.svelte';
import { answerTo, offersOf, takesWords, type Offer } from './answers';

export class Composer {
    draft = $state('');
    private picked = $state<number | null>(null);
    private choice = $state.raw<{ turn: number; offer: Offer } | null>(null);

    /** The turn that is answered: the one that was picked, else the oldest. */
    readonly turn: OpenTurn | null = $derived.by(
        () => this.session.turns.find((one) => one.turn === this.picked) ?? this.session.turns[0] ?? null,
    );
    readonly offers: Offer[] = $derived(this.turn === null ? [] : offersOf(this.turn));
    readonly taken: Offer | null = $derived(
        this.choice !== null && this.choice.turn === this.turn?.turn ? this.choice.offer : null,
    );
    readonly answer: string | null = $derived(this.turn === null ? null : answerTo(this.turn, this.taken, this.draft));
    readonly sending = $derived.by(() => (this.turn === null ? null : this.session.outbox.of(this.turn.turn)));
    /** Why the last text was not taken: of this page's attempts, else of those before it was opened. */
    readonly refusal: string = $derived.by(() => {
        if (this.turn === null) return '';
        const verdict = this.session.verdicts[this.turn.turn];
        if (verdict !== undefined && verdict.how !== 'taken') return verdict.message;
        return this.turn.refused.at(-1) ?? '';
    });

    /** What stood in the field when a turn was answered. */
    private sent: Record<number, { answer: string; draft: string } | undefined> = {};

    constructor(private readonly session: Session) {
        const kept = session.kept.get('draft');
        if (typeof kept === 'string') this.draft = kept;
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

    /** Send what is taken or typed, if there is anything and nothing is under way. */
    send(): void {
        const { turn, answer } = this;
        if (turn === null || answer === null || this.sending !== null) return;
        if (this.taken === null || takesWords(turn)) this.sent[turn.turn] = { answer, draft: this.draft };
        this.choice = null;
        this.session.send(turn.turn, answer);
    }

    /** Clear the field of words that were taken, unless somebody has typed on. To be run as an effect. */
    settle(): void {
        for (const [turn, verdict] of Object.entries(this.session.verdicts)) {
            const sent = this.sent[Number(turn)];
            if (verdict.how !== 'taken' || verdict.text !== sent?.answer) continue;
            this.sent[Number(turn)] = undefined;
            if (this.draft === sent.draft) this.draft = '';
        }
    }

    /** Keep the words over a reload. To be run as an effect. */
    keep(): void {
        this.session.kept.set('draft', this.draft);
    }
}
