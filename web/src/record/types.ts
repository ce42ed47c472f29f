/** What a track is made of, as the server's own document has it (`docs/openapi.json`). */
import type { components } from '../api/schema';

type Schemas = components['schemas'];

export type Piece = Schemas['Piece'];
export type Run = Piece['lead'][number];
export type Heading = Schemas['Heading'];
export type Mood = Heading['mood'];
export type Mark = Schemas['Entry']['marks'][number];
export type Highlight = Schemas['MentionMark']['what'];
export type Fact = readonly string[];
export type Chair = Schemas['ReplayChair'];

/** One entry of a chair. Positions and audiences are an auditor's to know, and what a replay needs not is left out. */
export type Entry = Pick<Schemas['Entry'], 'name' | 'at' | 'actor' | 'piece' | 'marks'> &
    Partial<Pick<Schemas['Entry'], 'seq' | 'data'>> &
    Partial<Pick<Schemas['FullEvent'], 'position' | 'audience'>>;

/** A chair's record of a game, whole. */
export type TrackRecord = Omit<Schemas['Replay'], 'entries'> & { entries: Entry[] };
