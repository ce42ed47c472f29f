/** Where the focus goes when what had it is there no more: for whoever works by keys, or hears the page. */

const REACHED =
    'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]';

/** Remember where the focus is. What this gives puts it back, or beside where that was, if it is lost by then. */
export function keepPlace(): () => void {
    const around: Element[] = [];
    for (let up = document.activeElement; up !== null && up !== document.body; up = up.parentElement) around.push(up);
    return () => {
        // A button that is of no use any more keeps the focus until it is drawn so, and loses it then.
        const here = document.activeElement;
        if (here !== null && here !== document.body && !here.matches(':disabled')) return;
        for (const near of around) {
            if (!near.isConnected) continue;
            const next = near.matches(REACHED) ? near : near.querySelector(REACHED);
            if (next === null) continue;
            (next as HTMLElement).focus();
            return;
        }
    };
}
