type Heard<Type extends keyof HTMLElementEventMap> = HTMLElementEventMap[Type] & { currentTarget: HTMLElement };
type Handlers = { [Type in keyof HTMLElementEventMap]?: (event: Heard<Type>) => void };

/**
 * An attachment that hears events on its element and nowhere else, for those that come at each step. `onkeydown` and its
 * like in a template are heard at the root of the page, and so, once one component has named a kind of event, each event
 * of that kind is carried up the whole page by script; `onkeydown` on the window does that too.
 */
export function listen(handlers: Handlers): (target: EventTarget) => () => void {
    return (target) => {
        const ended = new AbortController();
        for (const [type, handler] of Object.entries(handlers))
            target.addEventListener(type, handler as EventListener, { signal: ended.signal });
        return () => {
            ended.abort();
        };
    };
}
