import { render, screen } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import { Track } from '../record/track';
import type { Entry, Mark } from '../record/types';
import type { Minded } from './handovers';
import Thoughts from './Thoughts.svelte';

const entry = (marks: Mark[]): Entry => ({ name: 'x.y.v1', at: '', actor: null, marks, piece: null });
const noted = (text: string): Entry => entry([{ mark: 'notes', seat: 'Ada', text }]);

function track(): Track {
    const made = new Track({ seat: null, full: true });
    made.add(entry([{ mark: 'seats', seats: ['Ada', 'Bram'], offices: [] }]));
    made.add(noted('Bram was early.'));
    made.add(noted('Bram was early.\nHe lied.'));
    return made;
}

const minded = (thoughts: string, much: number, since: number): Minded => ({
    mind: { thoughts, suspicion: [['Bram', much]] },
    agent: 'openai:small',
    since,
    number: since,
});

const shown = (place: number, minds: Minded[] = []): HTMLElement => {
    const jump = (): void => undefined;
    const given = { track: track(), place, onjump: jump, minded: (seat: string) => (seat === 'Ada' ? minds : []) };
    return render(Thoughts, given).container;
};

describe('thoughts', () => {
    it('show the notes as they were at the place, and what is new in them', () => {
        expect(shown(1).querySelector('.notes')).toBeNull();
        const first = shown(2);
        expect(first.querySelector('.notes')?.textContent.trim()).toBe('Bram was early.');
        expect(first.querySelector('ins')).toBeNull();
        const second = shown(3);
        expect(second.querySelector('.notes')?.textContent).toContain('Bram was early.');
        expect(second.querySelector('ins')?.textContent).toBe('He lied.');
    });

    it('show the last thoughts, those before on request, and how suspicion moved', () => {
        const page = shown(3, [minded('Nobody yet.', -0.5, 1), minded('It is Bram.', 2.2, 3)]);
        expect(page.querySelector('.mind')?.textContent).toContain('It is Bram.');
        expect(page.querySelectorAll('.mind').length).toBe(1);
        expect(page.querySelector('details')?.textContent).toContain('Nobody yet.');
        expect(page.querySelector('details')?.open).toBe(false);
        expect(page.querySelector('.suspicion .number')?.textContent.replace(/\s+/g, ' ').trim()).toBe('2.2 +2.7');
        expect(page.querySelector('polyline')?.getAttribute('points')).toBe('0.0,6.5 48.0,3.6');
    });

    it('draw no course and tell no change of what was said once', () => {
        const page = shown(3, [minded('It is Bram.', 2.2, 3)]);
        expect(page.querySelector('polyline')).toBeNull();
        expect(page.querySelector('.move')).toBeNull();
        expect(page.querySelector('details')).toBeNull();
    });

    it('say that there are none', () => {
        shown(1);
        expect(screen.getByText('No thoughts recorded so far.')).toBeTruthy();
    });
});
