/** What a person must notice in a value before they approve it: what is long, what cannot be seen, hosts that may be others. */
import { count, plural, visible } from '../../lib/format';
import type { Ticket } from '../../lib/types';

/** What a yes for the whole conversation covers, in a sentence; empty where there is no such yes. */
export function coverage({ scope, risk }: Pick<Ticket, 'scope' | 'risk'>): string {
  if (!scope) return '';
  const ends = risk === 'high_write' ? ' It ends once content from outside comes in.' : '';
  return `For this conversation covers: ${scope}, and nothing else.${ends}`;
}

/** A text of more characters or lines than this is cut in its field. */
const LONG = 300;
const LINES = 6;

/** How long a text is, where a field shows its beginning only: `5,432 characters, 84 lines`. Empty for a short one. */
export function size(text: string): string {
  const characters = [...text].length;
  const lines = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
  if (characters <= LONG && lines <= LINES) return '';
  return `${count(characters)} characters, ${plural(lines, 'line')}`;
}

/** Whether a text holds characters that cannot be seen or that turn the direction of writing. */
export const hides = (text: string) => visible(text) !== text;

/** The names of the arguments that hide something, in a text or in a name, however deep. */
export const hiding = (given: unknown) =>
  Object.entries((given ?? {}) as Record<string, unknown>)
    .filter(([name, value]) => hides(name) || texts(value, true).some(hides))
    .map(([name]) => visible(name));

/** A value with everything in its texts and names spelled out that cannot be seen. */
export function spelled(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value)) return value.map(spelled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [visible(name), spelled(one)]));
}

/** Every text in a value, however deep; names of members too where they are wanted. */
function texts(value: unknown, names = false): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((one) => texts(one, names));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => [...(names ? [name] : []), ...texts(one, names)]);
}

const SCHEME = /^(https?|wss?):/i;

/** The host an address leads to, as it is dialled; null where a text is no address. */
function host(text: string): string | null {
  // As the server reads it: breaks and tabs within an address are none.
  const bare = text.trim().replace(/[\t\r\n]/g, '');
  const address = SCHEME.test(bare) ? bare : /^[^\s/@?#]+\.[^\s/@?#]+:\d{1,5}$/u.test(bare) ? `http://${bare}` : null;
  return address && URL.canParse(address) ? new URL(address).hostname : null;
}

/** Hosts among these arguments whose names are written in letters beyond a to z, as they are dialled: `xn--pple-43d.com`. */
export function strangers(value: unknown): string[] {
  const found = texts(value).flatMap((text) => host(text) ?? []);
  return [...new Set(found)].filter((name) => name.split('.').some((label) => label.startsWith('xn--')));
}
