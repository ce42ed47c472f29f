/** Whether the server has another page by now than the one that runs here. */

const SCRIPT = /\/assets\/[\w-]+\.js/;

/** The names of scripts carry a digest: a page that names another one is another page. False where nobody answers. */
export async function isOld(running: string | null): Promise<boolean> {
    if (running === null) return false;
    try {
        const answer = await fetch('/', { cache: 'no-store' });
        if (!answer.ok) return false;
        const offered = SCRIPT.exec(await answer.text())?.[0];
        return offered !== undefined && offered !== running;
    } catch {
        return false;
    }
}

/** The address of the script that runs here, null where it was not built. */
export function runningScript(): string | null {
    const script = document.querySelector<HTMLScriptElement>('script[type=module][src]');
    return SCRIPT.exec(script?.src ?? '')?.[0] ?? null;
}
