/** Waiting for something to be tried again: until a time has passed, or the browser finds that there is a network again. */

export function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
        const done = () => {
            clearTimeout(timer);
            removeEventListener('online', done);
            resolve();
        };
        const timer = setTimeout(done, ms);
        addEventListener('online', done);
    });
}
