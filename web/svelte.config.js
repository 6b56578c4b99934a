import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';

export default {
  preprocess: vitePreprocess(),
  compilerOptions: {
    // What scrolls must take the focus, or the keyboard cannot reach what it hides (axe: scrollable-region-focusable).
    warningFilter: (warning) => warning.code !== 'a11y_no_noninteractive_tabindex',
  },
};
