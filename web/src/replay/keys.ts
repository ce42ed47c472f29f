import { modal } from '../ui/modal';

/** What a key does in the replay. Fields and dialogs keep their keys, and so does whoever holds Ctrl, Alt or Meta. */
export type Act =
    | { does: 'step'; by: 1 | -1 }
    | { does: 'phase'; by: 1 | -1 }
    | { does: 'highlight'; by: 1 | -1 }
    | { does: 'first' | 'last' | 'play' | 'pair' | 'matrix' | 'votes' | 'back' | 'help' }
    | { does: 'chair'; number: number };

const FIELDS = 'input:not([type=range],[type=checkbox],[type=radio]), select, textarea, [contenteditable]';
const PRESSED = 'button, a[href], summary, [role=button]';

/** The act of a key, null where it is none of ours. `pointed`: the focus was last put somewhere by a pointer. */
export function act(event: KeyboardEvent, pointed: boolean): Act | null {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || event.isComposing) return null;
    const target = event.target instanceof Element ? event.target : null;
    // Behind an open dialog nothing moves, wherever the focus is.
    if (target?.closest(FIELDS) != null || modal()) return null;
    const { key, shiftKey } = event;
    if (key === ' ') {
        // A button that was reached by keys is pressed by this key; one that was clicked has had its turn.
        return target?.closest(PRESSED) != null && !pointed ? null : { does: 'play' };
    }
    if (/^[0-9]$/.test(key)) return { does: 'chair', number: Number(key) };
    switch (key) {
        case 'ArrowRight':
            return shiftKey ? { does: 'phase', by: 1 } : { does: 'step', by: 1 };
        case 'ArrowLeft':
            return shiftKey ? { does: 'phase', by: -1 } : { does: 'step', by: -1 };
        case 'j':
            return { does: 'step', by: 1 };
        case 'k':
            return { does: 'step', by: -1 };
        case 'PageDown':
            return scrolls(target) ? null : { does: 'phase', by: 1 };
        case 'PageUp':
            return scrolls(target) ? null : { does: 'phase', by: -1 };
        case 'n':
            return { does: 'highlight', by: 1 };
        case 'p':
            return { does: 'highlight', by: -1 };
        case 'Home':
            return { does: 'first' };
        case 'End':
            return { does: 'last' };
        case 's':
            return { does: 'pair' };
        case 'w':
            return { does: 'matrix' };
        case 'v':
            return { does: 'votes' };
        case '?':
            return { does: 'help' };
        case 'Escape':
            return { does: 'back' };
        default:
            return null;
    }
}

/** Pages are turned where something scrolls; on the timeline they are phases. */
function scrolls(target: Element | null): boolean {
    return target?.getAttribute('role') !== 'slider';
}

/** The sheet of keys: signs are drawn where their name is in brackets. */
export const SHEET: readonly (readonly [readonly string[], string])[] = [
    [['[back]', '[on]', 'k', 'j'], 'Previous / next event'],
    [['Shift', '[back]', '[on]'], 'Previous / next phase'],
    [['p', 'n'], 'Previous / next highlight'],
    [['Home', 'End'], 'First / last event'],
    [['Space'], 'Play / pause'],
    [['1', '…', '9'], 'View as seat 1–9'],
    [['0'], 'View all seats'],
    [['s'], 'Compare two views'],
    [['w'], 'Who knows what'],
    [['v'], 'Votes'],
    [['Esc'], 'Close / deselect'],
    [['?'], 'Show this help'],
];
