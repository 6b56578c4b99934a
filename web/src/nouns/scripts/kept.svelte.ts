/** Texts that are not saved yet, kept in this browser so that a reload loses nothing. */
const KEY = 'satchel.script.';

function store<T>(does: (all: Storage) => T, otherwise: T): T {
  try {
    return does(localStorage);
  } catch {
    // Storage is blocked or full: the text lives as long as the page.
    return otherwise;
  }
}

const names = () => store((all) => Object.keys(all).filter((key) => key.startsWith(KEY)).map((key) => key.slice(KEY.length)).sort(), [] as string[]);

/** The scripts with a text that is not saved. */
export const unsaved = $state({ names: names() });

export const keptText = (name: string): string | null => store((all) => all.getItem(KEY + name), null);

export function keep(name: string, text: string) {
  store((all) => all.setItem(KEY + name, text), undefined);
  if (!unsaved.names.includes(name)) unsaved.names = names();
}

export function forget(name: string) {
  store((all) => all.removeItem(KEY + name), undefined);
  if (unsaved.names.includes(name)) unsaved.names = names();
}
