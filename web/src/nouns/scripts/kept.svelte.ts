/** Texts of scripts that are not saved yet; they outlive the tab. */
import { Kept } from '../../lib/kept.svelte';

export const unsaved = new Kept(() => localStorage, 'satchel.script.');

export const keptText = (name: string): string | null => unsaved.text(name);
export const keep = (name: string, text: string) => unsaved.keep(name, text);
export const forget = (name: string) => unsaved.forget(name);
