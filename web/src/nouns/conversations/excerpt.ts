/** The part of a passage that answers: around the sentence that shares most with what was said of it. */

/** Most characters of an excerpt. */
const MOST = 420;

export interface Excerpt {
  before: string;
  /** The sentence that fits best; empty where none does. */
  hit: string;
  after: string;
}

const words = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []);

/** Sentences with what stands between them: put together they are the text. */
function sentences(text: string): string[] {
  const parts = text.match(/[^.!?\n]*(?:[.!?](?!\s|$)[^.!?\n]*)*(?:[.!?]+|\n|$)\s*/g) ?? [text];
  // The number of a clause, and an abbreviation at the beginning, belong to what follows.
  return parts.reduceRight<string[]>(
    (made, part) => (part.trim().length < 4 && made.length > 0 ? [part + made[0], ...made.slice(1)] : part ? [part, ...made] : made),
    [],
  );
}

/** Returns how much a sentence has in common with what was said: figures and long words tell most. */
function worth(sentence: string, said: ReadonlySet<string>): number {
  let sum = 0;
  for (const word of words(sentence)) if (said.has(word)) sum += /\d/.test(word) ? 4 : word.length > 3 ? 2 : 0.25;
  return sum;
}

/** Returns which of the sentences shares most with what was said; -1 where none shares enough. */
function best(parts: readonly string[], said: string): number {
  const known = words(said);
  const worths = parts.map((part) => worth(part, known));
  const most = Math.max(0, ...worths);
  return most >= 2 ? worths.indexOf(most) : -1;
}

/** The sentence that best fits what was said, as it stands in the text; empty where none does. */
export function answering(text: string, said: string): string {
  const parts = sentences(text);
  const sentence = parts[best(parts, said)]?.trim() ?? '';
  return Array.from(sentence).slice(0, MOST).join('');
}

/** A passage cut around the sentence that best fits what was said; its beginning where nothing is in common. */
export function excerpt(text: string, said: string): Excerpt {
  const parts = sentences(text);
  const at = best(parts, said);
  if (at < 0) return { before: cut(text, MOST), hit: '', after: '' };
  const hit = cut((parts[at] ?? '').trim(), MOST);
  const room = Math.max(0, MOST - Array.from(hit).length);
  const [lead, rest] = [parts.slice(0, at).join(''), parts.slice(at + 1).join('')];
  const behind = Array.from(rest).length;
  // What follows needs what it needs, the rest of the room is for what comes before, and the other way about.
  const early = Math.max(room - behind, Math.floor(room / 2));
  const before = tail(lead, early);
  const after = cut(rest.trim(), Math.max(0, room - Array.from(before).length));
  return { before: before && `${before} `, hit, after: after && ` ${after}` };
}

function cut(text: string, most: number): string {
  const letters = Array.from(text);
  return letters.length > most ? `${letters.slice(0, most).join('').trimEnd()}\u2026` : text;
}

/** The end of a text, from the beginning of a word. */
function tail(text: string, most: number): string {
  const letters = Array.from(text.trim());
  if (letters.length <= most) return letters.join('');
  const end = letters.slice(letters.length - most).join('');
  return `\u2026${end.slice(end.search(/\s/) + 1)}`;
}
