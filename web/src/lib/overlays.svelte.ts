/** The overlays that float over the page: the palette and the list of keys. */
export const overlays = $state({ palette: false, keys: false });

/** The things a page hands to the next one: a first question, a tool to open. */
export const handoff = { ask: '' };

/** The actions the open page offers to keys and palette; the chat sets `stop`. */
export const running: { stop: (() => void) | null } = { stop: null };
