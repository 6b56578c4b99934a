/** What floats over the page: the palette and the list of keys. */
export const overlays = $state({ palette: false, keys: false });

/** What a page hands to the next one: a first question, a tool to open. */
export const handoff = { ask: '' };

/** What the open page offers to keys and palette; the chat sets `stop`. */
export const running: { stop: (() => void) | null } = { stop: null };
