import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';

export default defineConfig(({ mode }) => ({
    plugins: [svelte(), ...(mode === 'test' ? [svelteTesting()] : [])],
    // Everything is fetched as a file of its own: the policy allows no data in the place of scripts, styles and fonts.
    build: { target: 'es2023', assetsInlineLimit: 0, modulePreload: false },
    test: { environment: 'happy-dom', include: ['src/**/*.test.ts'], testTimeout: 30_000 },
}));
