import { afterEach, describe, expect, it } from 'vitest';
import { showModal } from '../ui/modal';
import { act } from './keys';

function pressed(key: string, on: Element = document.body, more: KeyboardEventInit = {}, pointed = false) {
    let found: ReturnType<typeof act> = null;
    const listen = (event: Event) => (found = act(event as KeyboardEvent, pointed));
    window.addEventListener('keydown', listen);
    on.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...more }));
    window.removeEventListener('keydown', listen);
    return found;
}

function made(html: 'input' | 'textarea' | 'select' | 'button'): HTMLElement {
    const element = document.createElement(html);
    document.body.append(element);
    return element;
}

afterEach(() => document.body.replaceChildren());

describe('keys', () => {
    it('step, jump and choose', () => {
        expect(pressed('ArrowRight')).toEqual({ does: 'step', by: 1 });
        expect(pressed('k')).toEqual({ does: 'step', by: -1 });
        expect(pressed('ArrowLeft', document.body, { shiftKey: true })).toEqual({ does: 'phase', by: -1 });
        expect(pressed('n')).toEqual({ does: 'highlight', by: 1 });
        expect(pressed('3')).toEqual({ does: 'chair', number: 3 });
        expect(pressed('?')).toEqual({ does: 'help' });
        expect(pressed('x')).toBeNull();
    });

    it.each(['input', 'textarea', 'select'] as const)('belong to a field of the kind %s', (kind) => {
        for (const key of ['ArrowRight', 'j', '1', ' ', 'Home']) expect(pressed(key, made(kind))).toBeNull();
    });

    it('are left to whoever holds Ctrl, Alt or Meta', () => {
        for (const held of ['ctrlKey', 'altKey', 'metaKey'])
            expect(pressed('w', document.body, { [held]: true })).toBeNull();
    });

    it('move nothing behind an open dialog, and do again once it is closed or gone', () => {
        for (const [shut, keys] of [
            [(dialog: HTMLDialogElement) => dialog.close(), 'j'],
            [(dialog: HTMLDialogElement) => dialog.remove(), 'k'],
        ] as const) {
            const dialog = document.createElement('dialog');
            document.body.append(dialog);
            expect(pressed(keys)).not.toBeNull();
            showModal(dialog);
            expect(pressed(keys)).toBeNull();
            shut(dialog);
            expect(pressed(keys)).not.toBeNull();
        }
    });

    it('go on after a button was clicked, and press a button that was reached by keys', () => {
        const button = made('button');
        expect(pressed('ArrowRight', button)).toEqual({ does: 'step', by: 1 });
        expect(pressed(' ', button)).toBeNull();
        expect(pressed(' ', button, {}, true)).toEqual({ does: 'play' });
    });
});
