/** Links that were just issued: shown above everything, whatever becomes of the page below, and never again. */

import type { IconName } from '../ui/icons';

export interface HandedLink {
    name: string;
    about: string;
    opens: string;
    link: string;
    icon: IconName;
    /** The seat whose link it is, null for other kinds. */
    seat: string | null;
}

export interface Handed {
    title: string;
    note: string;
    links: HandedLink[];
    players: readonly string[];
}

class Hands {
    now = $state.raw<Handed | null>(null);

    show(handed: Handed): void {
        this.now = handed;
    }

    close(): void {
        this.now = null;
    }
}

export const hands = new Hands();
