import { describe, expect, it } from 'vitest';
import { Track } from '../record/track';
import type { Entry, Mark } from '../record/types';
import { ready, sessionOrders, textOf, workOrders } from './orders';
import { artifactsOf, columnsOf, tasksAt, taskOf, type TaskMark } from './work';

const FAIR = '20260101-1200-spring-fair';

function entry(data: Record<string, unknown>, marks: Mark[] = []): Entry {
    return { name: 'x.y.v1', at: '', actor: null, data, piece: null, marks };
}

function moved(state: string, seat: string | null = null): TaskMark {
    return { mark: 'task', task: FAIR, title: 'spring fair', state, seat, says: state };
}

describe('delegated work', () => {
    it('stands in the columns of its states, and a state that nobody knows has one of its own', () => {
        const track = new Track({ seat: 'user', full: false });
        track.add(entry({ task_id: FAIR }, [moved('delegated', 'executor')]));
        track.add(entry({ task_id: FAIR }, [moved('review', 'reviewer')]));
        const where = (place: number) =>
            columnsOf(tasksAt(track, place))
                .filter((one) => one.tasks.length > 0)
                .map((one) => one.title);
        expect([where(1), where(2)]).toEqual([['In progress'], ['In review']]);
        expect(columnsOf([moved('pondered')]).map((one) => one.title)).toContain('pondered');
    });

    it('has files whose versions differ by the round, each about its own task', () => {
        const track = new Track({ seat: 'user', full: false });
        const filed = (round: number, task: string) =>
            entry({
                task_id: task,
                path: `.a/${task}/review-report-r${round}.md`,
                round,
                session: 'reviewer',
                text: `${round}`,
            });
        track.add(entry({ task_id: FAIR, text: 'Do it.' }));
        track.add(filed(1, FAIR));
        track.add(filed(1, 'other'));
        track.add(filed(2, FAIR));
        track.add(entry({ message: { task_id: FAIR } }));
        expect(track.entries.map(taskOf)).toEqual([FAIR, FAIR, 'other', FAIR, FAIR]);
        expect(artifactsOf(track, FAIR).map((one) => [one.name, one.versions.map((version) => version.text)])).toEqual([
            ['brief', ['Do it.']],
            ['review-report.md', ['1', '2']],
        ]);
    });
});

describe('what is said unasked', () => {
    it('has the form that the rules read', () => {
        const said = (orders: ReturnType<typeof sessionOrders>, name: string, to: string, words: string) => {
            const order = orders.find((one) => one.name === name);
            return order === undefined || !ready(order, to, words) ? null : textOf(order, to, words);
        };
        const session = sessionOrders(['corwin', 'sefa']);
        expect(said(session, 'Whisper', 'sefa', ' Quick! ')).toBe('/chat sefa Quick!');
        expect(said(session, 'Whisper', 'sefa', ' ')).toBeNull();
        expect(said(session, 'Step away', '', '')).toBe('/away');
        expect(said(session, 'I’m back', '', '')).toBe('/back');
        const work = workOrders([moved('review')], ['planner']);
        expect(said(work, 'New task', 'Summer Fair', 'Do it.')).toBe('add summer-fair: Do it.');
        expect(said(work, 'New task', '', 'Do it.')).toBeNull();
        expect(said(work, 'Message', 'planner', 'Hurry.')).toBe('planner: Hurry.');
        const write = workOrders([moved('review'), { ...moved('review'), task: 'b' }], ['planner'])[1];
        expect(write?.about).toEqual([FAIR, 'b']);
        expect(write?.text('planner', 'Hurry.', 'b')).toBe('planner, b: Hurry.');
        expect(said(work, 'Abandon task', FAIR, '')).toBe(`abandon ${FAIR}`);
        expect(workOrders([moved('complete')], ['planner']).map((one) => one.name)).toEqual(['New task', 'Message']);
    });
});
