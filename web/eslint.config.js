// What is no type error and still wrong. Formatting is Prettier's.
import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

export default ts.config(
  { ignores: ['dist', 'node_modules', 'src/lib/api.d.ts'] },
  js.configs.recommended,
  ts.configs.recommended,
  svelte.configs.recommended,
  svelte.configs.prettier,
  { languageOptions: { globals: { ...globals.browser } } },
  // The walks are programs of Node whose functions are in part evaluated in a page.
  { files: ['*.js', '*.ts', '**/*.test.ts', 'tests/e2e/**'], languageOptions: { globals: { ...globals.node } } },
  {
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', caughtErrors: 'none' }],
      // The sanitiser and its tests speak of control characters.
      'no-control-regex': 'off',
      // Lists without a key are those whose rows hold nothing of their own.
      'svelte/require-each-key': 'off',
      // A Map that nothing draws from needs no signals.
      'svelte/prefer-svelte-reactivity': 'off',
      // Spaces and line breaks that count are written as text.
      'svelte/no-useless-mustaches': 'off',
      // svelte-check holds those comments to account; this rule takes the reason after the colon for more codes.
      'svelte/no-unused-svelte-ignore': 'off',
    },
  },
  { files: ['**/*.svelte', '**/*.svelte.ts'], languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } } },
);
