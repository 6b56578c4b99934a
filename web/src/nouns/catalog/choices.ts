/** The choices made of a document that is being imported, kept until it is imported or given up. */
import { parse } from '../../lib/json';
import { keepTyped, typedText } from '../../lib/typed.svelte';
import type { ImportPreview, Risk } from '../../lib/types';

export interface Choices {
  name: string;
  base: string;
  /** Keys of the operations that are taken, and ids of the endpoints that go. */
  chosen: string[];
  gone: string[];
  risks: Record<string, Risk>;
  texts: Record<string, string>;
}

const at = (place: string) => `${place} choices`;
const told = ({ title, format }: ImportPreview) => `${format} ${title}`;

/** Returns whether a document lay open when the page was left. */
export const opened = (place: string): boolean => typedText(at(place)) !== '';

export const keep = (place: string, of: ImportPreview, choices: Choices) => keepTyped(at(place), JSON.stringify({ of: told(of), ...choices }));
export const forget = (place: string) => keepTyped(at(place), '');

/** Returns what was chosen of this document; null where nothing was, or of another one. What it no longer has is left out. */
export function kept(place: string, found: ImportPreview): Choices | null {
  try {
    const { of, name, base, chosen, gone, risks, texts } = parse(typedText(at(place))) as Choices & { of: string };
    if (of !== told(found)) return null;
    const keys = new Set(found.operations.map((row) => row.operation.key));
    const ids = new Set(found.removed.map((one) => one.id));
    return { name, base, chosen: chosen.filter((key) => keys.has(key)), gone: gone.filter((id) => ids.has(id)), risks, texts };
  } catch {
    return null;
  }
}
