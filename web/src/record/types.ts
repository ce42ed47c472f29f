/** What a track is made of. Pieces and marks come from the server, told for one chair and for nobody else. */

export type Run = string | { name: string };

export interface Voice {
    who: string;
    text: string;
}

export interface Heading {
    text: string;
    level: 1 | 2 | 3;
    mood: Mood;
    within: string;
}

export type Mood = '' | 'good' | 'bad' | 'odd' | 'warn' | 'night' | 'day' | 'story' | 'quiet';

export type Kind =
    | 'line'
    | 'heading'
    | 'speech'
    | 'narration'
    | 'call'
    | 'document'
    | 'ballot'
    | 'list'
    | 'roll'
    | 'card'
    | 'death'
    | 'ending'
    | 'hold'
    | 'warning'
    | 'reply';

export interface Piece {
    kind: Kind;
    who: string | null;
    to: string[];
    title: Run[];
    lead: Run[];
    note: string;
    words: Voice[];
    chapter: Heading | null;
    private: string | null;
    mood: Mood;
    weight: 0 | 1 | 2;
    grid: { header: string[]; rows: Run[][][] } | null;
    numbers: Record<string, number>;
}

export type Fact = readonly string[];

export type Mark =
    | { mark: 'seats'; seats: string[]; offices: string[] }
    | { mark: 'awaited'; seats: string[]; text?: string }
    | ({ mark: 'phase' } & Heading)
    | { mark: 'out'; seat: string; how: string }
    | {
          mark: 'fact';
          fact: Fact;
          about: string[];
          label: string;
          says: string;
          way: 'saw' | 'rule';
          to: string[] | null;
      }
    | {
          mark: 'claim';
          by: string;
          about: string[];
          fact: Fact;
          label: string;
          says: string;
          denied: boolean;
          words: string;
          to: string[] | null;
      }
    | { mark: 'mention'; what: Highlight; text: string; seats: string[] }
    | { mark: 'vote'; of: string; for: string | null; choice: string; ballot: string }
    | { mark: 'thought'; seat: string; text: string }
    | { mark: 'task'; task: string; title: string; state: string; seat: string | null; says?: string }
    | { mark: 'resource'; seat: string; name: string; value: number | string | null; most: number | null }
    | { mark: 'group'; name: string; seats: string[] }
    | { mark: 'scene'; title: string; text: string };

export type Highlight = 'claim' | 'counter' | 'betrayal' | 'close' | 'death' | 'last-words' | 'end';

/** One entry of a chair. Positions and audiences are an auditor's to know. */
export interface Entry {
    seq?: number;
    position?: number;
    audience?: 'everyone' | string[];
    name: string;
    at: string;
    actor: string | null;
    data?: Record<string, unknown>;
    piece: Piece | null;
    marks: Mark[];
}

export interface Chair {
    seat: string | null;
    full: boolean;
}

/** A chair's record of a game, whole. */
export interface TrackRecord {
    game: string;
    ruleset: string;
    title: string;
    chair: Chair;
    /** Seats whose tracks may be asked for as well. */
    chairs: string[];
    over: boolean;
    seats: string[];
    offices: string[];
    started: string;
    entries: Entry[];
}
