/** Where a game stands beside its table, as one chair's entries say it. */
import type { OpenTurn } from '../api/client';
import type { Track } from '../record/track';

/** Who else is awaited; in words where no seat is named. */
export function awaitedIn(track: Track, seat: string | null): string[] | string {
    for (const entry of track.entries.toReversed())
        for (const mark of entry.marks)
            if (mark.mark === 'awaited')
                return mark.seats.length > 0 ? mark.seats.filter((one) => one !== seat) : (mark.text ?? '');
    return '';
}

/** Whether the game is on hold: it goes on when whoever keeps it says so. */
export function isHeld(track: Track): boolean {
    const last = track.entries.findLast((entry) => /^core\.hold-(placed|lifted)\./.test(entry.name));
    return last?.name.startsWith('core.hold-placed.') ?? false;
}

/** Whether a turn is a ballot: the entry that opened it says so. */
export function isBallot(track: Track, turn: OpenTurn): boolean {
    if (turn.choices.length === 0) return false;
    const opening = track.entries.findLast(
        (entry) => entry.name === 'core.turn-opened.v1' && entry.data?.['turn'] === turn.turn,
    );
    return typeof opening?.data?.['ballot'] === 'string';
}
