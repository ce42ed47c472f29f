import { describe, expect, it } from 'vitest';
import { BLANK } from '../replay/sample';
import { Track } from './track';
import type { Entry, Mark, Piece } from './types';

function entry(marks: Mark[], piece: Partial<Piece> | null = null): Entry {
    return { name: 'x.y.v1', at: '', actor: null, marks, piece: piece && { ...BLANK, ...piece } };
}

const role = (seat: string, part: string) => ({
    fact: ['role', seat, part],
    about: [seat],
    label: part,
    says: `${seat} is ${part}`,
});

function told(...entries: Entry[]): Track {
    const track = new Track({ seat: 'Cleo', full: false });
    track.add(entry([{ mark: 'seats', seats: ['narrator', 'Cleo', 'Nora', 'Caspar'], offices: ['narrator'] }]));
    for (const one of entries) track.add(one);
    return track;
}

describe('a track', () => {
    it('shows what is known, what is said and what is known by rule, each from its moment on', () => {
        const track = told(
            entry([
                { mark: 'claim', by: 'Nora', ...role('Nora', 'Detective'), denied: false, words: 'I am it.', to: null },
            ]),
            entry([{ mark: 'fact', ...role('Nora', 'Mafia'), way: 'rule', to: null }]),
        );
        expect(track.at(1).labels.get('Nora')).toBeUndefined();
        expect(track.at(2).labels.get('Nora')).toEqual({ text: 'Detective', way: 'says', by: 'Nora' });
        expect(track.at(3).labels.get('Nora')).toEqual({ text: 'Mafia', way: 'public', by: null });
    });

    it('has the very same at two moments where nothing of it has changed between them', () => {
        const claim = { mark: 'claim' as const, by: 'Nora', ...role('Nora', 'Detective'), denied: false, to: null };
        const track = told(
            entry([
                { ...claim, words: 'I am it.' },
                { mark: 'out', seat: 'Caspar', how: 'died' },
            ]),
            entry([{ ...claim, words: 'I said so.' }]),
            entry([{ mark: 'out', seat: 'Nora', how: 'died' }]),
        );
        const [first, again, last] = [track.at(2), track.at(3), track.at(4)];
        expect(again.labels).toBe(first.labels);
        expect(again.out).toBe(first.out);
        expect(again.votes).toBe(first.votes);
        expect([...last.out.keys()]).toEqual(['Caspar', 'Nora']);
        expect([...again.out.keys()]).toEqual(['Caspar']);
    });

    it('keeps what a seat notes for itself from the place on at which it did, and claims nothing by it', () => {
        const track = told(
            entry([{ mark: 'notes', seat: 'Cleo', text: 'Nora lies.' }]),
            entry([{ mark: 'notes', seat: 'Cleo', text: 'Nora lies.\nAsk Caspar.' }]),
        );
        const notes = track.notes.get('Cleo');
        expect([1, 2, 3, 9].map((place) => notes?.at(place))).toEqual([
            undefined,
            'Nora lies.',
            'Nora lies.\nAsk Caspar.',
            'Nora lies.\nAsk Caspar.',
        ]);
        expect(track.claims).toEqual([]);
        expect(track.thoughts.size).toBe(0);
    });

    it('fills a cell by words, notes a denial, and lets no words undo what was seen', () => {
        const claim = { mark: 'claim' as const, ...role('Nora', 'Detective'), words: '…', to: null };
        const track = told(
            entry([{ mark: 'fact', ...role('Nora', 'Detective'), way: 'saw', to: ['Nora'] }]),
            entry([{ ...claim, by: 'Nora', denied: false }]),
            entry([{ ...claim, by: 'Caspar', denied: true }]),
        );
        const row = [...track.facts.values()][0];
        if (row === undefined) throw new Error('no row');
        expect(track.knows(row, 'Cleo', 2)).toBeNull();
        expect(track.knows(row, 'Cleo', 3)).toMatchObject({ way: 'told', by: 'Nora', place: 3 });
        expect(track.knows(row, 'Cleo', 4)).toMatchObject({ way: 'denied', by: 'Caspar', place: 4 });
        expect(track.knows(row, 'Nora', 4)).toMatchObject({ way: 'saw', place: 2 });
        expect(track.knows(row, 'Caspar', 4)).toMatchObject({ way: 'told', by: 'Nora' });
    });

    it('keeps the votes of the ballot that is open, one for each voter, until the next phase', () => {
        const vote = (of: string, choice: string): Mark => ({
            mark: 'vote',
            of,
            for: choice,
            choice,
            ballot: 'trial 1',
        });
        const track = told(
            entry([vote('Cleo', 'Nora'), vote('Caspar', 'Nora')]),
            entry([vote('Cleo', 'Caspar')]),
            entry([{ mark: 'phase', text: 'night 2', level: 2, mood: 'night', within: '' }]),
        );
        expect(track.at(2).votes.map((one) => one.for)).toEqual(['Nora', 'Nora']);
        expect(track.at(3).votes.map((one) => [one.of, one.for])).toEqual([
            ['Caspar', 'Nora'],
            ['Cleo', 'Caspar'],
        ]);
        expect(track.at(4).votes).toEqual([]);
    });

    it('finds the place of a position', () => {
        const track = new Track({ seat: 'Cleo', full: false });
        for (const position of [1, 4, 9]) track.add({ ...entry([]), position });
        expect([0, 1, 3, 4, 8, 9, 12].map((position) => track.placeOf(position))).toEqual([0, 1, 1, 2, 2, 3, 3]);
        expect(track.positionOf(2)).toBe(4);
    });
});
