import { describe, expect, it } from 'vitest';
import { Track } from '../record/track';
import { labels, nights, placeAt, sign, signs, ticks, x } from './ticks';
import { record } from './sample';

const full = Track.of(record(null, true));
const scale = { width: 800, count: full.length };

describe('the timeline', () => {
    it('draws each entry by its audience', () => {
        const paths = ticks(full, scale);
        const many = (path: string): number => path.split('M').length - 1;
        expect([many(paths.everyone), many(paths.some), many(paths.one), many(paths.nobody)]).toEqual([6, 2, 0, 1]);
    });

    it('draws entries that fall on one another once, as high as the highest', () => {
        const paths = ticks(full, { width: 0.1, count: full.length });
        expect(paths.everyone).toBe('M0 6v26');
        expect([paths.some, paths.one, paths.nobody]).toEqual(['', '', '']);
    });

    it('leads from a place to a point and back, and never beyond an end', () => {
        for (let place = 1; place <= scale.count; place++) expect(placeAt(scale, x(scale, place))).toBe(place);
        expect([placeAt(scale, -50), placeAt(scale, 5000)]).toEqual([1, 9]);
        expect(placeAt({ width: 0, count: 0 }, 10)).toBe(1);
    });

    it('shades a night until the day', () => {
        expect(nights(full.phases, scale)).toEqual([{ at: 300, width: 200 }]);
    });

    it('leaves out names that have no room, and chapters last', () => {
        const phase = (place: number, text: string, level: 2 | 3) => ({
            place,
            text,
            level,
            mood: '' as const,
            within: '',
        });
        const crowded = [phase(1, 'Trial', 3), phase(2, 'Day 1', 2), phase(50, 'Vote', 3)];
        expect(labels(crowded, { width: 400, count: 100 }).map((one) => one.text)).toEqual(['Day 1', 'Vote']);
    });

    it('shows the weightier of two highlights that stand together', () => {
        const at = (place: number, what: 'claim' | 'death') => ({ place, what, text: '', seats: [] });
        expect(signs([at(4, 'claim'), at(4, 'death'), at(9, 'claim')], scale).map((one) => one.text)).toEqual([
            '†',
            '!',
        ]);
    });

    it('says of a close vote how it ended', () => {
        expect(sign({ what: 'close', text: 'Vera is condemned, 5 to 2' })).toBe('5:2');
        expect(sign({ what: 'close', text: 'a close vote' })).toBe('=');
    });
});
