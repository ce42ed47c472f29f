/** One script and one style sheet, with the fonts in it, for the replay that is a single file. */
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

export default defineConfig({
    plugins: [svelte()],
    publicDir: false,
    build: {
        target: 'es2023',
        outDir: 'dist/file',
        assetsInlineLimit: 1_000_000,
        cssCodeSplit: false,
        lib: {
            entry: 'src/file.ts',
            formats: ['iife'],
            name: 'sottovoce',
            fileName: () => 'replay.js',
            cssFileName: 'replay',
        },
    },
    define: { 'process.env.NODE_ENV': '"production"' },
});
