/** The things a person has opened or begun to type on this page. Rows of long lists come and go; this stays. */
import { SvelteMap } from 'svelte/reactivity';

export const opened = new SvelteMap<string, string>();
