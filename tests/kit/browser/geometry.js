// Run in a page: what is ill placed there, each as a line.
(least) => {
    const faults = [];
    const edge = document.documentElement.clientWidth;
    const name = (it) => {
        const words = it.getAttribute('aria-label') ?? it.labels?.[0]?.textContent ?? it.textContent ?? '';
        return `${it.localName}.${[...it.classList].filter((one) => !one.startsWith('svelte')).join('.')} `
            + `«${words.replace(/\s+/g, ' ').trim().slice(0, 40)}»`;
    };
    const box = (rect) => ({ left: rect.left, top: rect.top, right: rect.right, bottom: rect.bottom });
    const said = (it) => [it.left, it.top, it.right, it.bottom].map(Math.round).join(' ');
    const common = (one, other) => ({
        left: Math.max(one.left, other.left), top: Math.max(one.top, other.top),
        right: Math.min(one.right, other.right), bottom: Math.min(one.bottom, other.bottom),
    });
    const meet = (one, other, by = 2) => {
        const it = common(one, other);
        return it.right - it.left > by && it.bottom - it.top > by;
    };
    const ways = (it, wanted) => {
        const found = [];
        for (let up = it.parentElement; up !== null; up = up.parentElement) if (wanted(getComputedStyle(up))) found.push(up);
        return found;
    };
    const cuts = (style) => style.overflowX !== 'visible' || style.overflowY !== 'visible';
    const dialog = document.querySelector('dialog[open]');
    const within = dialog ?? document.body;
    const seen = (it) => it.checkVisibility({ opacityProperty: true, visibilityProperty: true })
        && it.closest('[inert]') === null && getComputedStyle(it).clipPath === 'none' && it.getClientRects().length > 0;
    /** What can be seen of a box: what its scrolling parents do not cut off. Null where that is nothing. */
    const shown = (it, rect) => {
        let left = rect;
        for (const parent of ways(it, cuts)) left = common(left, parent.getBoundingClientRect());
        return left.right - left.left > 1 && left.bottom - left.top > 1 ? left : null;
    };
    /** The boxes of an element's lines. */
    const lines = (it) => {
        const range = document.createRange();
        range.selectNodeContents(it);
        return [...range.getClientRects()].map(box);
    };
    const all = (selector, from = within) => [...from.querySelectorAll(selector)].filter(seen);

    if (document.documentElement.scrollWidth > edge + 1)
        faults.push(`the page is ${document.documentElement.scrollWidth} wide in ${edge}`);

    // What is pressed or typed in: as large as it must be, within the page, and nothing upon it.
    const controls = all('button, a[href], input, select, textarea, summary, [role=slider], [role=button]')
        .filter((it) => !it.matches('.skip, fieldset.what input'));
    const places = controls.map((it) => {
        let rect = box(it.getBoundingClientRect());
        // A tick is hit by its label too.
        if (it.matches('[type=checkbox], [type=radio]'))
            for (const label of it.labels ?? []) {
                const more = label.getBoundingClientRect();
                rect = { left: Math.min(rect.left, more.left), top: Math.min(rect.top, more.top),
                    right: Math.max(rect.right, more.right), bottom: Math.max(rect.bottom, more.bottom) };
            }
        return rect;
    });
    const sides = (style) => style.overflowX === 'auto' || style.overflowX === 'scroll';
    const sticks = (style) => style.position === 'sticky' || style.position === 'fixed';
    controls.forEach((it, number) => {
        const rect = places[number];
        const inline = it.localName === 'a' && getComputedStyle(it).display === 'inline';
        const small = rect.right - rect.left < least - 0.5 || rect.bottom - rect.top < least - 0.5;
        if (small && !inline) faults.push(`too small: ${name(it)} ${said(rect)}`);
        if ((rect.left < -1 || rect.right > edge + 1) && ways(it, sides).length === 0)
            faults.push(`beside the page: ${name(it)} ${said(rect)}`);
        const part = shown(it, common(it.getBoundingClientRect(), { left: 0, top: 0, right: edge, bottom: innerHeight }));
        if (part === null) return;
        const hit = document.elementFromPoint((part.left + part.right) / 2, (part.top + part.bottom) / 2);
        if (hit === null || it.contains(hit) || hit.contains(it)) return;
        if ([...(it.labels ?? [])].some((label) => label.contains(hit))) return;
        // What stays at an edge of the page lies upon what is scrolled below it.
        if ([hit, ...ways(hit, () => true)].some((one) => sticks(getComputedStyle(one)) && !one.contains(it))) return;
        faults.push(`covered: ${name(it)} by ${name(hit)}`);
    });
    controls.forEach((one, number) => {
        controls.slice(number + 1).forEach((other, more) => {
            if (one.contains(other) || other.contains(one)) return;
            const [here, there] = [shown(one, places[number]), shown(other, places[number + 1 + more])];
            if (here === null || there === null || !meet(here, there)) return;
            const held = (it) => [it, ...ways(it, () => true)].find((up) => sticks(getComputedStyle(up)) || cuts(getComputedStyle(up)));
            if (held(one) === held(other)) faults.push(`on one another: ${name(one)} ${said(here)}, ${name(other)} ${said(there)}`);
        });
    });

    // Seats: each apart from the others, and from the words in the middle; no arrow through anybody's words.
    for (const table of all('.table')) {
        const middle = all('.speech:not(.below) p', table).filter((it) => it.textContent !== '')
            .flatMap((it) => lines(it).map((line) => common(line, it.getBoundingClientRect())));
        const parts = all('.seat', table).flatMap((seat, number) =>
            all('.face svg, .name, .label, .resource', seat).map((it) => ({ it, number, rect: box(it.getBoundingClientRect()) })));
        for (const { it, rect } of parts)
            if (rect.left < -1 || rect.right > edge + 1) faults.push(`beside the page: ${name(it)} ${said(rect)}`);
        parts.forEach((one, place) => {
            for (const other of parts.slice(place + 1))
                if (one.number !== other.number && meet(one.rect, other.rect))
                    faults.push(`seats on one another: ${name(one.it)} ${said(one.rect)}, ${name(other.it)} ${said(other.rect)}`);
            for (const line of middle)
                if (meet(one.rect, line)) faults.push(`in the middle’s words: ${name(one.it)} ${said(one.rect)}`);
        });
        const words = [...parts.filter((one) => !one.it.matches('svg')).map((one) => one.rect)];
        const plate = all('.speech.plate:not(.below)', table).length > 0;
        for (const path of table.querySelectorAll('.votes path')) {
            const matrix = path.getScreenCTM();
            const far = path.getTotalLength();
            for (let step = 0; step <= far; step += 4) {
                const at = path.getPointAtLength(step).matrixTransform(matrix);
                const spot = { left: at.x - 1, top: at.y - 1, right: at.x + 1, bottom: at.y + 1 };
                const through = [...words, ...(plate ? [] : middle)].find((rect) => meet(rect, spot, 0));
                if (through !== undefined) { faults.push(`an arrow through words at ${said(through)}`); break; }
            }
        }
    }

    // Words that do not fit are cut only where that is meant: with dots, by lines, or where they scroll.
    for (const it of all('p, span, bdi, h1, h2, h3, strong, button, label, td, th, li')) {
        const style = getComputedStyle(it);
        const meant = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none';
        if (style.overflowX === 'hidden' && !meant && it.scrollWidth > it.clientWidth + 2) faults.push(`cut off: ${name(it)}`);
    }
    return [...new Set(faults)];
}
