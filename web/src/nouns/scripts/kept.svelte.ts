/** Texts of scripts that are not saved yet, each of whoever wrote it; they outlive the tab. */
import { Kept } from '../../lib/kept.svelte';
import { session } from '../../lib/session.svelte';

const whose = () => session.me?.id ?? '';

export const unsaved = new Kept(
  () => localStorage,
  () => `satchel.script.${whose()}.`,
);

/** Of each the digest of the server's text it began from; empty where there was none. */
const bases = new Kept(
  () => localStorage,
  () => `satchel.script-base.${whose()}.`,
);

/** Keys of an earlier version: they say whose text it is with nothing. No name of a script holds a dot. */
const UNOWNED = /^satchel\.script(?:-base)?\.[^.]*$/;

/** Removes texts of which nobody can say who wrote them: in a browser that several people use, nobody else may read them. */
export function removeUnowned() {
  try {
    for (const key of Object.keys(localStorage).filter((key) => UNOWNED.test(key))) localStorage.removeItem(key);
  } catch {
    // Storage is blocked: nothing is kept there.
  }
}

export const keptText = (name: string): string | null => unsaved.text(name);
export const keptBase = (name: string): string | null => bases.text(name);
export function keep(name: string, text: string, base = '') {
  unsaved.keep(name, text);
  bases.keep(name, base);
}
export function forget(name: string) {
  unsaved.forget(name);
  bases.forget(name);
}
