/** Paper by day, lamplight by night, or as the system has it: kept in the history's state, so that a reload keeps it. */
import { keep, kept } from '../record/address';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

class Choice {
    now = $state<Theme>(remembered());

    constructor() {
        show(this.now);
    }

    choose(theme: Theme): void {
        this.now = theme;
        show(theme);
        keep({ theme });
    }

    next(): void {
        this.choose(THEMES[(THEMES.indexOf(this.now) + 1) % THEMES.length] ?? 'system');
    }
}

function remembered(): Theme {
    const { theme } = kept();
    return THEMES.find((one) => one === theme) ?? 'system';
}

function show(theme: Theme): void {
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
}

export const theme = new Choice();
