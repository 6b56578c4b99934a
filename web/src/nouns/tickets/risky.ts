/** Things a person must notice before they approve a call: what a yes covers, how long a value is, what cannot be seen. */
import { count, plural, visible } from '../../lib/format';
import type { Ticket } from '../../lib/types';

/** Returns what a yes for the whole conversation covers, in a sentence; empty where there is no such yes. */
export const coverage = ({ scope }: Pick<Ticket, 'scope'>) =>
  scope ? `For this conversation covers: ${scope}, and nothing else. It ends once content from outside comes in.` : '';

/** A text of more characters or lines than this is cut in its field. */
const LONG = 300;
const LINES = 6;

/** Returns the length of a text, where a field shows its beginning only: `5,432 characters, 84 lines`. Empty for a short one. */
export function size(text: string): string {
  const characters = [...text].length;
  const lines = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
  if (characters <= LONG && lines <= LINES) return '';
  return `${count(characters)} characters, ${plural(lines, 'line')}`;
}

/** A value with everything in its texts and names spelled out that cannot be seen. */
export function spelled(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value)) return value.map(spelled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [visible(name), spelled(one)]));
}
