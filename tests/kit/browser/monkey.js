// Run in a page: so many things that hands might do, drawn from a seed, most of them before the page has drawn what came
// of the last one. Gives what was done, in lines. Where a button led to another page, call it there with the same seed:
// it goes on after what it did before.
async ({ seed, steps }) => {
    const KEPT = `monkey ${seed}`;
    let { state, done } = JSON.parse(sessionStorage.getItem(KEPT)) ?? { state: seed, done: [] };
    /** Mulberry32: a number from 0 to 1. */
    const draw = () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
    const one = (list) => list[Math.floor(draw() * list.length)];
    const all = (what) => [...document.querySelectorAll(what)];
    const frame = () => new Promise((done) => requestAnimationFrame(() => done()));

    const KEYS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown', ' ', 'Enter'];
    KEYS.push('Escape', 'Tab', '?', '[', ']', ...'abcdefghijklmnopqrstuvwxyz0123456789');
    const WORDS = ['yes', 'Ada', '', '\u202eabc', '<b>x</b>', '\n\n', '9'.repeat(40), '\u{1f480}'.repeat(50)];
    const PLACES = ['0', '1', '-5', '2.5', 'x', '1000000000'];
    const CHAIRS = ['', '*', 'Ada', 'user', 'gm', 'nobody'];

    const touchable = () =>
        all('button, summary, label, select, input, [role=tab]').filter(
            (it) => it.offsetParent !== null || it.closest('dialog[open]') !== null,
        );
    const scrolled = () =>
        all('main *').filter(
            (it) => /auto|scroll/.test(getComputedStyle(it).overflowY) && it.scrollHeight > it.clientHeight,
        );
    // So that nobody goes back to before the page.
    for (let step = 0; step < steps / 4; step++) history.pushState(history.state, '');

    const deeds = {
        press: () => {
            const it = one(touchable());
            if (draw() < 0.5) it?.focus();
            it?.click();
        },
        // Whoever reads a list goes away from it before a browser has told that it was scrolled.
        leave: () => {
            for (const list of scrolled()) list.scrollTop = draw() * list.scrollHeight;
            one(touchable())?.click();
        },
        scroll: () => {
            const list = one(all('main, main *'));
            list?.scrollTo(draw() * list.scrollWidth, draw() * list.scrollHeight);
        },
        key: () => {
            const key = one(KEYS);
            for (const kind of ['keydown', 'keyup'])
                document.activeElement?.dispatchEvent(
                    new KeyboardEvent(kind, { key, bubbles: true, cancelable: true, shiftKey: draw() < 0.1 }),
                );
        },
        write: () => {
            const field = one(all('input, textarea, select'));
            if (field === undefined || field.type === 'file') return;
            if (field.matches('select')) field.selectedIndex = Math.floor(draw() * field.options.length);
            else if (field.matches('[type=checkbox], [type=radio]')) field.click();
            else field.value = one(WORDS);
            for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, { bubbles: true }));
        },
        go: () => {
            const place = draw() < 0.6 ? Math.floor(draw() * 400) : one(PLACES);
            const chairs = [CHAIRS, CHAIRS].filter(() => draw() < 0.5).map((of) => `&as=${one(of)}`);
            const to = `#at=${place}${chairs.join('')}`;
            location.hash = to;
        },
        back: () => history.back(),
        forth: () => history.forward(),
        drag: () => {
            const it = one(all('[role=slider], svg, main *'));
            if (it === undefined) return;
            const box = it.getBoundingClientRect();
            const pointerType = one(['mouse', 'touch']);
            for (const kind of ['pointerover', 'pointerdown', 'pointermove', one(['pointerup', 'pointercancel'])])
                it.dispatchEvent(
                    new PointerEvent(kind, {
                        bubbles: true,
                        cancelable: true,
                        pointerId: 1,
                        pointerType,
                        clientX: box.left + draw() * box.width,
                        clientY: box.top + draw() * box.height,
                    }),
                );
        },
    };
    const OFTEN = { press: 6, leave: 3, key: 4, scroll: 2, write: 2, go: 2, back: 1, forth: 1, drag: 2 };
    const urn = Object.entries(OFTEN).flatMap(([name, times]) => Array(times).fill(name));

    while (done.length < steps) {
        const name = one(urn);
        done.push(name);
        sessionStorage.setItem(KEPT, JSON.stringify({ state, done }));
        deeds[name]();
        const rest = draw();
        if (rest > 0.98) await new Promise((then) => setTimeout(then, 60));
        else if (rest > 0.6) await frame();
    }
    return done;
}
