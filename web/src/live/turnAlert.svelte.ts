/** What calls whoever looks elsewhere when it is their turn: the title of the tab, and a bell. */
import type { Session } from '../record/session.svelte';
import { ring } from './bell';

export class TurnAlert {
    /** Whether the bell is on. */
    bell = $state(true);
    private newest = -1;

    constructor(private readonly session: Session) {
        this.bell = session.kept.get('sound') !== false;
    }

    turn(on: boolean): void {
        this.bell = on;
        this.session.kept.set('sound', on);
    }

    /** Say it in the title. To be run as an effect. */
    show(): void {
        const title = this.session.record?.title ?? '';
        const asked = this.session.turns.length > 0;
        document.title = `${asked ? '● Your turn: ' : ''}${title === '' ? 'Sottovoce' : title}`;
    }

    /** Ring for a turn that opens while the page is open. To be run as an effect. */
    sound(): void {
        if (this.session.record === null) return;
        const newest = Math.max(0, ...this.session.turns.map((turn) => turn.turn));
        if (newest > this.newest && this.newest >= 0 && this.bell) ring();
        this.newest = Math.max(this.newest, newest);
    }
}
