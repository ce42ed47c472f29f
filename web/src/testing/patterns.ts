/** Every regular expression of the page's sources. */
import { parse } from 'svelte/compiler';
import ts from 'typescript';

export interface Pattern {
    /** The file and line in which it stands. */
    where: string;
    /** As it is written: `/a+/g`. */
    raw: string;
}

const FILES: Record<string, string> = import.meta.glob(
    ['/src/**/*.{ts,svelte}', '!/src/testing/**', '!**/*.test.ts', '!**/*.d.ts'],
    { query: '?raw', import: 'default', eager: true },
);

/** The patterns of all files; those made of texts at run time are not among them, see `made`. */
export function patterns(): Pattern[] {
    return Object.entries(FILES).flatMap(([path, source]) =>
        path.endsWith('.svelte') ? ofSvelte(path, source) : ofScript(path, source),
    );
}

/** Where a pattern is made of a text at run time, which nothing here can measure. */
export function made(): string[] {
    return Object.entries(FILES).flatMap(([path, source]) =>
        source.split('\n').flatMap((line, at) => (/\bRegExp\(/.test(line) ? [`${path}:${at + 1}`] : [])),
    );
}

function ofScript(path: string, source: string): Pattern[] {
    const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest);
    const found: Pattern[] = [];
    const visit = (node: ts.Node): void => {
        if (ts.isRegularExpressionLiteral(node)) {
            const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
            found.push({ where: `${path}:${line}`, raw: node.text });
        }
        ts.forEachChild(node, visit);
    };
    visit(file);
    return found;
}

function ofSvelte(path: string, source: string): Pattern[] {
    const found: Pattern[] = [];
    const visit = (node: unknown): void => {
        if (typeof node !== 'object' || node === null) return;
        const { type, regex, raw, start } = node as Record<string, unknown>;
        if (type === 'Literal' && regex !== undefined && typeof raw === 'string') {
            const line = source.slice(0, Number(start)).split('\n').length;
            found.push({ where: `${path}:${line}`, raw });
        }
        for (const child of Object.values(node)) visit(child);
    };
    const { fragment, instance, module } = parse(source, { modern: true });
    visit([fragment, instance, module]);
    return found;
}
