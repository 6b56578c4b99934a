/** Texts of scripts that are not saved yet; they outlive the tab. */
import { Kept } from '../../lib/kept.svelte';

export const unsaved = new Kept(() => localStorage, 'satchel.script.');

/** Of each the digest of the server's text it began from; empty where there was none. */
const bases = new Kept(() => localStorage, 'satchel.script-base.');

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
