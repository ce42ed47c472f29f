/**
 * Long texts in parts, each of which a browser draws in a moment: anybody may write 65,536 characters, and a page of
 * line breaks, cells or scripts in turn takes seconds to draw.
 */

/** What a part costs at most; a plain character costs 1. About four screens of prose. */
const PART = 10_000;
/** What a sign costs that may become an element of its own: a cell, or words set apart. */
const SIGN = 8;
/** What a character costs that is drawn with another font or direction than the one before. */
const TURN = 8;
const LINE = 40;
/** A short text is one part, whatever is in it. */
const SHORT = PART / LINE;

/** The text in parts, cut between paragraphs, lines or words where that is possible. Joined they are the text again. */
export function partsOf(text: string, most = PART): string[] {
    if (text.length <= Math.min(SHORT, most / LINE)) return [text];
    const parts: string[] = [];
    let from = 0;
    while (from < text.length) {
        const end = endOf(text, from, most);
        parts.push(text.slice(from, end));
        from = end;
    }
    return parts;
}

/** The text for a place with little room: whole if it is short, else its beginning and an ellipsis. */
export function excerpt(text: string, most = 2_000): string {
    const [first = '', ...rest] = partsOf(text, most);
    return rest.length === 0 ? first : `${first.trimEnd()} …`;
}

/** Where a part that begins there ends. */
function endOf(text: string, from: number, most: number): number {
    /** The latest of each kind of gap in the second half of the part. */
    let paragraph = 0;
    let line = 0;
    let word = 0;
    let cost = 0;
    let script = 0;
    for (let at = from; at < text.length; at++) {
        const code = text.charCodeAt(at);
        const next = scriptOf(code);
        cost += isBreak(code) ? LINE : isSign(code) ? SIGN : next === 0 || next === script ? 1 : TURN;
        if (next !== 0) script = next;
        if (cost > most) return Math.max(paragraph || line || word || whole(text, at), from + 1);
        if (cost <= most / 2) continue;
        if (isBreak(code)) {
            line = at + 1;
            if (isBreak(text.charCodeAt(at - 1))) paragraph = line;
        } else if (code === 0x20) word = at + 1;
    }
    return text.length;
}

const isBreak = (code: number): boolean => code === 0x0a || code === 0x0d;

/** `*`, `_`, a backtick and `|`. */
const isSign = (code: number): boolean => code === 0x2a || code === 0x5f || code === 0x60 || code === 0x7c;

/** No pair of surrogates is cut in two. */
const whole = (text: string, at: number): number => ((text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at);

/** What a character is drawn with, roughly; 0 for signs that go with whatever stands beside them. */
function scriptOf(code: number): number {
    if (code < 0x41 || (code >= 0x300 && code < 0x370) || (code >= 0x2000 && code < 0x2e80)) return 0;
    if (code < 0x590) return 1;
    if (code < 0x900 || (code >= 0xfb1d && code < 0xfe00) || (code >= 0xfe70 && code < 0xff00)) return 2;
    if (code < 0x2000) return code >> 7;
    if (code >= 0xd800 && code < 0xe000) return 3;
    return 4;
}
