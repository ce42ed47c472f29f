import { describe, expect, it } from 'vitest';
import { Track } from '../record/track';
import type { Entry } from '../record/types';
import { anchorAt, filesOfOnce, followed, notedIn, placed, spot, type Anchor, type Looked } from './remarks';
import type { Difference, Offer } from './work';

const TASK = '20260101-1200-spring-fair';
const FIRST = `diff --git a/roof.py b/roof.py
--- a/roof.py
+++ b/roof.py
@@ -1,3 +1,4 @@
 def mend():
-    return roof
+    nails = 3
+    return roof + nails
 mend(1)
`;
const SINCE = `diff --git a/roof.py b/roof.py
--- a/roof.py
+++ b/roof.py
@@ -1,4 +1,5 @@
+import nails
 def mend():
     nails = 3
-    return roof + nails
+    return nails.mend(roof)
 mend(1)
`;
const WHOLE = FIRST.replace('@@ -1,3 +1,4 @@', '@@ -1,3 +1,5 @@\n+import nails').replace(
    'roof + nails',
    'nails.mend(roof)',
);

function difference(text: string): Difference {
    return { files: [{ path: 'roof.py', old: null, added: 1, removed: 1 }], size: 9, text, whole: true };
}
const common = { place: 1, by: 'executor', base: 'a', head: 'b', checks: [] };
const OFFERS: Offer[] = [
    { ...common, round: 1, whole: difference(FIRST), since: null },
    { ...common, round: 2, whole: difference(WHOLE), since: difference(SINCE) },
];

function anchor(given: Partial<Anchor> = {}): Anchor {
    return { file: 'roof.py', side: 'new', round: 1, line: 2, last: 2, code: '    nails = 3', ...given };
}

function looked(index: number, since: boolean): Looked {
    return { offers: OFFERS, index, since };
}

function entry(data: Record<string, unknown>): Entry {
    return { name: 'x.y.v1', at: '', actor: null, data: { task_id: TASK, ...data }, piece: null, marks: [] };
}

describe('remarks', () => {
    it('have their numbers and answers, whoever passes them on', () => {
        const track = new Track({ seat: 'user', full: false });
        const remark = { ...anchor(), text: 'Why three?' };
        track.add(entry({ round: 1, session: 'reviewer', remarks: [{ ...remark, text: 'Nice.' }] }));
        track.add(entry({ first: 3, items: ['Add a title.'], remarks: [remark] }));
        track.add(entry({ first: 3, items: ['Add a title.'], remarks: [remark] }));
        track.add(entry({ round: 2, session: 'executor', answers: [{ number: 4, done: true, words: 'Two.' }] }));
        track.add(entry({ task_id: 'other', remarks: [remark] }));
        track.add(entry({ round: 2, session: 'reviewer', answers: [{ number: 4, done: null, words: '' }] }));
        expect(notedIn(track, TASK, 9).map((one) => [one.by, one.number, one.remark.text, one.answers])).toEqual([
            ['reviewer', null, 'Nice.', []],
            [
                'user',
                4,
                'Why three?',
                [
                    { by: 'executor', round: 2, done: true, words: 'Two.' },
                    { by: 'reviewer', round: 2, done: null, words: '' },
                ],
            ],
        ]);
        expect(notedIn(track, TASK, 1)).toHaveLength(1);
    });

    it('are made at lines of one side, of the round that shows them', () => {
        const [file] = filesOfOnce(WHOLE);
        const [later] = filesOfOnce(SINCE);
        if (file === undefined || later === undefined) throw new Error('there are files');
        const gone = (lines: typeof file.lines) => lines.filter((line) => line.how === 'gone');
        expect(anchorAt(looked(1, false), file, file.lines.slice(1, 3))).toEqual(
            anchor({ round: 2, line: 1, last: 2, code: 'import nails\ndef mend():' }),
        );
        expect(anchorAt(looked(1, false), file, gone(file.lines))).toEqual(
            anchor({ round: 2, side: 'old', code: '    return roof' }),
        );
        expect(anchorAt(looked(1, true), later, gone(later.lines))).toEqual(
            anchor({ line: 3, last: 3, code: '    return roof + nails' }),
        );
    });

    it.each([
        [anchor(), { file: 'roof.py', line: 3, last: 3 }],
        [anchor({ line: 3, last: 3 }), null],
        [anchor({ line: 2, last: 3 }), null],
        [anchor({ line: 1, last: 2 }), { file: 'roof.py', line: 2, last: 3 }],
        [anchor({ line: 70, last: 70 }), { file: 'roof.py', line: 71, last: 71 }],
        [anchor({ file: 'wall.py' }), { file: 'wall.py', line: 2, last: 2 }],
    ])('are found in a later round unless their lines changed: %j', (one, found) => {
        expect(followed(OFFERS, one, 2)).toEqual(found);
    });

    it('stand at their lines, or are outdated', () => {
        const kept = anchor();
        const changed = anchor({ line: 3, last: 3, code: '    return roof + nails' });
        const later = anchor({ round: 2, line: 1, last: 1 });
        const far = anchor({ line: 70, last: 70 });
        const all = [kept, changed, later, far];
        const at = (look: Looked, text: string) => {
            const { at: spots, loose } = placed(look, filesOfOnce(text), all, (one) => one);
            const told = (of: ReadonlyMap<string, (Anchor & { outdated: boolean })[]>) =>
                Object.fromEntries([...of].map(([key, some]) => [key, some.map((one) => [one.line, one.outdated])]));
            return [told(spots), told(loose)];
        };
        expect(at(looked(0, false), FIRST)).toEqual([
            { [spot('roof.py', 'new', 2)]: [[2, false]], [spot('roof.py', 'new', 3)]: [[3, false]] },
            { 'roof.py': [[70, false]] },
        ]);
        expect(at(looked(1, false), WHOLE)).toEqual([
            { [spot('roof.py', 'new', 3)]: [[2, false]], [spot('roof.py', 'new', 1)]: [[1, false]] },
            {
                'roof.py': [
                    [3, true],
                    [70, false],
                ],
            },
        ]);
        expect(at(looked(1, true), SINCE)[0]).toEqual({
            [spot('roof.py', 'new', 3)]: [[2, false]],
            [spot('roof.py', 'old', 3)]: [[3, true]],
            [spot('roof.py', 'new', 1)]: [[1, false]],
        });
    });
});
