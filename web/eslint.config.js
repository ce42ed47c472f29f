import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

/** Static styles and raw markup are refused here, as the policy of the served page refuses them. */
export default ts.config(
    { ignores: ['dist', 'node_modules', 'src/api/schema.d.ts'] },
    ...ts.configs.strict,
    ...svelte.configs.recommended,
    { languageOptions: { globals: globals.browser } },
    {
        files: ['**/*.svelte', '**/*.svelte.ts'],
        languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig } },
        rules: {
            'svelte/no-at-html-tags': 'error',
            'svelte/no-inline-styles': 'off',
            // A style attribute is refused by the policy; `style:left={…}` is set through the object model, and is not.
            'no-restricted-syntax': [
                'error',
                { selector: 'SvelteAttribute[key.name="style"]', message: 'Use a class, or style:property={…}.' },
                // One such handler anywhere has script carry each key and each move up the whole page, for all of it.
                { selector: 'SvelteAttribute[key.name=/^on(key|pointer)/]', message: 'Use listen of ui/listen.' },
                // What `bind:this` names is null once its element has gone, of which a browser may still tell something.
                {
                    selector: `:matches(${[
                        'CallExpression[callee.name="$state"] > TSTypeParameterInstantiation',
                        'CallExpression[callee.object.name="$state"] > TSTypeParameterInstantiation',
                        'VariableDeclaration[kind="let"] > VariableDeclarator > Identifier > TSTypeAnnotation',
                        'VariableDeclaration TSUnionType:has(TSUndefinedKeyword)',
                    ].join()}) > TSTypeReference[typeName.name=/^(HTML|SVG).*Element$/]`,
                    message: 'An element that goes is null: say so.',
                },
            ],
            // What is made anew whenever it changes needs no reactive container.
            'svelte/prefer-svelte-reactivity': 'off',
            'svelte/require-each-key': 'error',
            'no-undef': 'off',
        },
    },
    {
        rules: {
            'no-restricted-properties': [
                'error',
                { property: 'innerHTML', message: 'Text of players is text, never markup.' },
                { property: 'outerHTML', message: 'Text of players is text, never markup.' },
            ],
            'no-restricted-globals': ['error', 'localStorage', 'sessionStorage'],
        },
    },
);
