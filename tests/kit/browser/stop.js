// Run in a page: where the focus is now, as a line; what is wrong with it there; and whether it has been there before.
(anew) => {
    window.stops = anew ? new Set() : (window.stops ?? new Set());
    // Lists of which only a part is there gain rows while one goes through them: those are for who scrolls.
    if (anew) window.there = new Set(document.querySelectorAll('*'));
    const it = document.activeElement;
    if (it === null || it === document.body) return null;
    const words = it.getAttribute('aria-label') ?? it.labels?.[0]?.textContent ?? it.textContent ?? '';
    const name = `${it.localName} «${words.replace(/\s+/g, ' ').trim().slice(0, 40)}»`;
    const again = window.stops.has(it);
    window.stops.add(it);
    const faults = [];
    // A radio button that is drawn as its label has its frame there.
    const framed = it.matches('[type=radio]') && getComputedStyle(it).opacity === '0' ? it.closest('label') : it;
    const style = getComputedStyle(framed);
    const rect = framed.getBoundingClientRect();
    const far = parseFloat(style.outlineOffset) + 1;
    if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 2) faults.push('no frame');
    let room = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    for (let up = framed.parentElement; up !== null; up = up.parentElement) {
        const { overflowX, overflowY, contain } = getComputedStyle(up);
        if (overflowX === 'visible' && overflowY === 'visible' && !/paint|strict|content/.test(contain)) continue;
        const cut = up.getBoundingClientRect();
        room = { left: Math.max(room.left, cut.left), top: Math.max(room.top, cut.top),
            right: Math.min(room.right, cut.right), bottom: Math.min(room.bottom, cut.bottom) };
    }
    const sides = [rect.left - far >= room.left, rect.right + far <= room.right,
        rect.top - far >= room.top, rect.bottom + far <= room.bottom].filter(Boolean).length;
    if (sides < 2) faults.push(`the frame is cut off at ${4 - sides} sides`);
    const left = Math.max(rect.left, room.left), right = Math.min(rect.right, room.right);
    const top = Math.max(rect.top, room.top), bottom = Math.min(rect.bottom, room.bottom);
    if (right - left < 2 || bottom - top < 2) faults.push('out of sight');
    else {
        const parts = [[0.5, 0.5], [0.1, 0.2], [0.9, 0.2], [0.1, 0.8], [0.9, 0.8]];
        const hit = ([x, y]) => document.elementFromPoint(left + (right - left) * x, top + (bottom - top) * y);
        if (!parts.some((part) => { const one = hit(part); return one !== null && (framed.contains(one) || one.contains(framed)); }))
            faults.push('covered');
    }
    return { name, again, faults };
}
