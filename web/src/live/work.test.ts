import { describe, expect, it } from 'vitest';
import { Track } from '../record/track';
import type { Entry, Mark } from '../record/types';
import type { components } from '../api/schema';
import { ordersNow, ready, textOf } from './orders';
import { artifactsOf, codeOf, columnsOf, tasksAt, taskOf, type TaskMark } from './work';

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

describe('the code of a task', () => {
    const difference = (path: string, text = '') => ({
        files: [{ path, old: null, added: 1, removed: 0 }],
        size: 9,
        text,
        whole: true,
    });

    it('has its rounds, each with the checks that ran on it, and nothing of other tasks or later', () => {
        const track = new Track({ seat: 'user', full: false });
        const offered = (round: number, task: string) =>
            entry({
                task_id: task,
                round,
                session: 'executor',
                base: 'a',
                head: `h${round}`,
                whole: difference('roof.py'),
                since: round === 1 ? null : difference('wall.py'),
            });
        const check = { name: 'test', exit: 2, cut: '', seconds: 1.5, output: '1 failed' };
        track.add(offered(1, FAIR));
        track.add(entry({ task_id: FAIR, round: 1, head: 'h1', check }));
        track.add(offered(1, 'other'));
        track.add(offered(2, FAIR));
        expect(codeOf(track, FAIR, 4).map((one) => [one.round, one.since?.files[0]?.path, one.checks])).toEqual([
            [1, undefined, [check]],
            [2, 'wall.py', []],
        ]);
        expect(codeOf(track, FAIR, 1)).toEqual([expect.objectContaining({ round: 1, by: 'executor', checks: [] })]);
    });
});

type Declared = components['schemas']['Order'];

function declared(given: Partial<Declared>): Declared {
    return {
        name: 'Order',
        about: '',
        text: '',
        task_text: null,
        words: 'optional',
        to: null,
        label: '',
        ...given,
    };
}

describe('orders', () => {
    const tasks = [moved('review'), { ...moved('review'), task: 'b' }];
    const now = { players: ['corwin', 'sefa'], others: ['planner'], tasks };
    const said = (given: Partial<Declared>, to: string, words: string, about = '') => {
        const [order] = ordersNow([declared(given)], now);
        return order === undefined || !ready(order, to, words) ? null : textOf(order, to, words, about);
    };

    it('send the declared text with target and words', () => {
        const whisper = { text: '/chat {to} {words}', words: 'required', to: 'players', label: 'To' } as const;
        expect(said(whisper, 'sefa', ' Quick! ')).toBe('/chat sefa Quick!');
        expect(said(whisper, 'sefa', ' ')).toBeNull();
        expect(said({ text: '/away {words}' }, '', '')).toBe('/away');
        expect(said({ text: '/away {words}' }, '', '{to}')).toBe('/away {to}');
        const added = { text: 'add {to}: {words}', words: 'required', to: 'name', label: 'Name' } as const;
        expect(said(added, 'Summer Fair', 'Do it.')).toBe('add summer-fair: Do it.');
        expect(said(added, '', 'Do it.')).toBeNull();
    });

    it('name the task if several are open, and need one if they are about tasks', () => {
        const message = declared({ text: '{to}: {words}', task_text: '{to}, {task}: {words}', to: 'others' });
        const [several] = ordersNow([message], now);
        expect(several?.about).toEqual([FAIR, 'b']);
        expect(several?.text('planner', 'Hurry.', 'b')).toBe('planner, b: Hurry.');
        const [one] = ordersNow([message], { ...now, tasks: [moved('review')] });
        expect([one?.about, one?.text('planner', 'Hurry.', '')]).toEqual([undefined, 'planner: Hurry.']);
        const about = declared({ text: 'abandon {to}', to: 'tasks', label: 'Task' });
        expect(ordersNow([about], now)[0]?.to).toEqual([FAIR, 'b']);
        expect(ordersNow([about], { ...now, tasks: [moved('complete')] })).toEqual([]);
    });
});
