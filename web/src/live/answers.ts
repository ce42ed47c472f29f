/** What an answer comes to: a choice by its button or number, the turn's own short answer, or the words that were typed. */
import type { OpenTurn } from '../api/client';

/** Something that a button or a number answers. */
export interface Offer {
    text: string;
    /** What is sent. */
    answer: string;
}

/** What a turn offers: its choices; else its options, which are taken by number; else its short answer. */
export function offersOf(turn: OpenTurn): Offer[] {
    if (turn.choices.length > 0) return turn.choices.map((text) => ({ text, answer: text }));
    return turn.options.map((text, place) => ({ text, answer: String(place + 1) }));
}

/** What is sent for a turn: the words, unless a choice was taken; a choice that comes with a file has both. */
export function answerTo(turn: OpenTurn, taken: Offer | null, words: string): string | null {
    const typed = words.trim();
    if (taken !== null) {
        if (takesWords(turn) && typed !== '') return `${taken.answer}\n\n${typed}`;
        return taken.answer;
    }
    if (typed !== '') return byNumber(turn, typed);
    return turn.enter;
}

/** Whether words go along with a choice: a file or a note that belongs to the answer. */
export function takesWords(turn: OpenTurn): boolean {
    return 'artifact' in turn && turn.choices.length > 0;
}

/** Context lines that say more than the buttons beside them do. */
export function contextOf(turn: OpenTurn): string[] {
    const offered = turn.options;
    return turn.context.filter((line) => offered.length === 0 || !offered.every((option) => line.includes(option)));
}

/** A context line cut into what the game says and what it quotes, which others wrote: lines that begin with `> `. */
export function partsOf(line: string): { quoted: boolean; text: string }[] {
    const parts: { quoted: boolean; text: string }[] = [];
    for (const one of line.split('\n')) {
        const quoted = one.startsWith('> ') || one === '>';
        const text = quoted ? one.slice(2) : one;
        const last = parts.at(-1);
        if (last !== undefined && last.quoted === quoted) last.text += `\n${text}`;
        else parts.push({ quoted, text });
    }
    return parts;
}

/** A bare number stands for the choice that it numbers, unless a choice is that number. */
function byNumber(turn: OpenTurn, typed: string): string {
    const number = /^(\d{1,3})[.)]?$/.exec(typed);
    if (number === null || turn.choices.includes(typed)) return typed;
    return turn.choices[Number(number[1]) - 1] ?? typed;
}
