import { describe, expect, it } from 'vitest';
import { after, filesOf } from './diffLines';

const TEXT = [
    'diff --git a/roof.py b/roof.py',
    'index 111..222 100644',
    '--- a/roof.py',
    '+++ b/roof.py',
    '@@ -1,3 +1,3 @@ def mend():',
    ' same',
    '--- gone',
    '+++ new',
    '',
    '\\ No newline at end of file',
    '@@ -20,0 +21 @@',
    '+@@ -1 +1 @@',
    'diff --git a/logo.png b/logo.png',
    'Binary files a/logo.png and b/logo.png differ',
    '',
].join('\n');

describe('the lines of a diff', () => {
    it('are told by file with their numbers, without what git writes above them', () => {
        const [roof, logo, ...more] = filesOf(TEXT);
        expect(roof?.lines).toEqual([
            { how: 'place', text: '@@ -1,3 +1,3 @@ def mend():', old: null, new: null },
            { how: 'same', text: 'same', old: 1, new: 1 },
            { how: 'gone', text: '-- gone', old: 2, new: null },
            { how: 'new', text: '++ new', old: null, new: 2 },
            { how: 'same', text: '', old: 3, new: 3 },
            { how: 'place', text: '@@ -20,0 +21 @@', old: null, new: null },
            { how: 'new', text: '@@ -1 +1 @@', old: null, new: 21 },
        ]);
        expect([roof?.path, logo?.path, logo?.lines, more]).toEqual(['roof.py', 'logo.png', [], []]);
        expect(filesOf('')).toEqual([]);
    });

    it.each([
        [['--- a/ü ö.md\t', '+++ b/ü ö.md\t', '@@ -1 +1 @@'], 'ü ö.md', 'ü ö.md'],
        [['--- "a/\\303\\274\\tx"', '+++ "b/\\303\\274\\tx"', '@@ -1 +1 @@'], 'ü\tx', 'ü\tx'],
        [['similarity index 100%', 'rename from a b.py', 'rename to c d.py'], 'a b.py', 'c d.py'],
        [['new file mode 100644', '--- /dev/null', '+++ b/new.py', '@@ -0,0 +1 @@'], 'new.py', 'new.py'],
        [['deleted file mode 100644', '--- a/old.py', '+++ /dev/null', '@@ -1 +0,0 @@'], 'old.py', 'old.py'],
    ])('name files whatever signs they have: %j', (head, old, path) => {
        const [file] = filesOf(['diff --git a/x b/x', ...head, ''].join('\n'));
        expect([file?.old, file?.path]).toEqual([old, path]);
    });

    it('name a file with spaces that has no lines', () => {
        const head = 'diff --git a/my logo.png b/my logo.png\nBinary files differ\n';
        expect(filesOf(head)[0]?.path).toBe('my logo.png');
    });

    it('are found again where they moved to', () => {
        const [roof] = filesOf(TEXT);
        if (roof === undefined) throw new Error('there is a file');
        expect([1, 2, 3, 4, 20, 21, 99].map((line) => after(roof, line))).toEqual([1, null, 3, 4, 20, 22, 100]);
    });
});
