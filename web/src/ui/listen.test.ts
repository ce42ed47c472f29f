import { describe, expect, it } from 'vitest';
import { listen } from './listen';

describe('a listener of its own', () => {
    it('hears on its element what happens there and within, and nothing once it has ended', () => {
        const box = document.createElement('div');
        const button = box.appendChild(document.createElement('button'));
        const heard: string[] = [];
        const end = listen({
            keydown: (event) => heard.push(`${event.key} at ${event.currentTarget.localName}`),
            pointerup: (event) => heard.push(event.type),
        })(box);
        button.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
        box.dispatchEvent(new Event('pointerup'));
        box.dispatchEvent(new Event('pointerdown'));
        expect(heard).toEqual(['j at div', 'pointerup']);
        end();
        button.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', bubbles: true }));
        box.dispatchEvent(new Event('pointerup'));
        expect(heard).toHaveLength(2);
    });
});
