import { beforeEach, describe, expect, it } from 'vitest';
import { keepPlace } from './focus';

describe('the focus', () => {
    beforeEach(() => {
        const part = make('section');
        const head = make('h3', 'Links');
        head.tabIndex = -1;
        const row = make('li', 'one');
        row.append(make('button', 'a'), make('button', 'b'));
        part.append(head, row);
        document.body.replaceChildren(make('button', 'away'), part);
    });
    const make = (name: string, id = ''): HTMLElement => Object.assign(document.createElement(name), { id });
    const at = (id: string) => document.getElementById(id) as HTMLButtonElement;
    const lose = (id: string) => {
        at(id).blur();
        at(id).remove();
    };

    it('stays where it is while that is there', () => {
        at('b').focus();
        const back = keepPlace();
        at('away').focus();
        back();
        expect(document.activeElement?.id).toBe('away');
    });

    it('goes to what stands beside a button that is gone', () => {
        at('b').focus();
        const back = keepPlace();
        lose('b');
        back();
        expect(document.activeElement?.id).toBe('a');
    });

    it('goes to the head of the part where nothing is left beside it', () => {
        at('b').focus();
        const back = keepPlace();
        lose('b');
        at('one').remove();
        back();
        expect(document.activeElement?.id).toBe('Links');
    });

    it('leaves a button that may not be pressed any more', () => {
        at('b').focus();
        const back = keepPlace();
        at('b').disabled = true;
        back();
        expect(document.activeElement?.id).toBe('a');
    });

    it('comes back to a button that it was lost from', () => {
        at('b').focus();
        const back = keepPlace();
        at('b').blur();
        back();
        expect(document.activeElement?.id).toBe('b');
    });
});
