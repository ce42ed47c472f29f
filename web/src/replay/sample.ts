/** Records for the tests: a small game of three players and a narrator, from every chair. */
import type { Entry, Mark, Piece, TrackRecord } from '../record/types';

export const BLANK: Piece = {
    kind: 'line',
    who: null,
    to: [],
    title: [],
    lead: [],
    note: '',
    words: [],
    chapter: null,
    private: null,
    mood: '',
    weight: 1,
    grid: null,
    numbers: {},
};

export const SEATS = ['narrator', 'Ada', 'Bram', 'Cleo'];

interface Happened {
    audience: 'everyone' | string[];
    piece?: Partial<Piece>;
    marks?: Mark[];
}

const role = (seat: string, part: string, to: string[] | null): Mark => ({
    mark: 'fact',
    fact: ['role', seat, part],
    about: [seat],
    label: part,
    says: `${seat} is ${part}`,
    way: to === null ? 'rule' : 'saw',
    to,
});

const HAPPENED: Happened[] = [
    {
        audience: 'everyone',
        piece: { lead: ['A game begins.'] },
        marks: [{ mark: 'seats', seats: SEATS, offices: ['narrator'] }],
    },
    {
        audience: ['narrator', 'Ada'],
        piece: { lead: ['Ada is Mafia.'], private: 'only you' },
        marks: [role('Ada', 'Mafia', ['narrator', 'Ada'])],
    },
    {
        audience: ['narrator', 'Bram'],
        piece: { lead: ['Bram is Doctor.'], private: 'only you' },
        marks: [role('Bram', 'Doctor', ['narrator', 'Bram'])],
    },
    {
        audience: 'everyone',
        piece: { kind: 'heading', chapter: { text: 'Night 1', level: 2, mood: 'night', within: '' } },
        marks: [{ mark: 'phase', text: 'Night 1', level: 2, mood: 'night', within: '' }],
    },
    { audience: [], piece: { weight: 0, lead: ['A turn opens.'] } },
    {
        audience: 'everyone',
        piece: { kind: 'heading', chapter: { text: 'Day 1', level: 2, mood: 'day', within: '' } },
        marks: [{ mark: 'phase', text: 'Day 1', level: 2, mood: 'day', within: '' }],
    },
    {
        audience: 'everyone',
        piece: {
            kind: 'speech',
            who: 'Bram',
            lead: [{ name: 'Bram' }, ' says:'],
            words: [{ who: 'Bram', text: 'I am the Doctor.' }],
        },
        marks: [
            {
                mark: 'claim',
                by: 'Bram',
                about: ['Bram'],
                fact: ['role', 'Bram', 'Doctor'],
                label: 'Doctor',
                says: 'Bram is Doctor',
                denied: false,
                words: 'I am the Doctor.',
                to: null,
            },
            { mark: 'mention', what: 'claim', text: 'Bram: Bram is Doctor', seats: ['Bram'] },
        ],
    },
    {
        audience: 'everyone',
        piece: {
            kind: 'speech',
            who: 'Ada',
            lead: [{ name: 'Ada' }, ' says:'],
            words: [{ who: 'Ada', text: 'He is not; Cleo is Mafia.' }],
        },
        marks: [
            {
                mark: 'claim',
                by: 'Ada',
                about: ['Bram'],
                fact: ['role', 'Bram', 'Doctor'],
                label: 'Doctor',
                says: 'Bram is Doctor',
                denied: true,
                words: 'He is not',
                to: null,
            },
            {
                mark: 'claim',
                by: 'Ada',
                about: ['Cleo'],
                fact: ['role', 'Cleo', 'Mafia'],
                label: 'Mafia',
                says: 'Cleo is Mafia',
                denied: false,
                words: 'Cleo is Mafia.',
                to: null,
            },
        ],
    },
    {
        audience: 'everyone',
        piece: { kind: 'death', lead: [{ name: 'Bram' }, ' died.'] },
        marks: [
            { mark: 'out', seat: 'Bram', how: 'night 2' },
            { mark: 'mention', what: 'death', text: 'Bram died', seats: ['Bram'] },
        ],
    },
];

/** The record of a seat, of the public (null), or with `full` all of it. */
export function record(seat: string | null, full = false): TrackRecord {
    const entries: Entry[] = [];
    HAPPENED.forEach(({ audience, piece = {}, marks = [] }, index) => {
        const sees = audience === 'everyone' || (seat !== null && audience.includes(seat));
        if (!full && !sees) return;
        const position = index + 1;
        const entry: Entry = { position, name: 'x.y.v1', at: '', actor: null, marks, piece: { ...BLANK, ...piece } };
        entries.push(full ? { ...entry, audience } : { ...entry, seq: entries.length + 1 });
    });
    return {
        game: 'g',
        ruleset: 'mafia',
        layout: 'table',
        title: 'A game of Mafia',
        chair: { seat, full },
        chairs: full ? SEATS : [],
        over: true,
        seq: entries.length,
        seats: SEATS,
        offices: ['narrator'],
        orders: [],
        plays: null,
        started: '',
        entries,
    };
}
