/** Numbers, times and words as people read them. */
import type { Cost } from './types';

const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const clocks = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

export const count = (n: number) => numbers.format(n);
/** An amount as a chart says it: small ones keep the digits that make them. */
export const amount = (n: number) => (n !== 0 && Math.abs(n) < 1 ? figure(n) : count(n));
export const clock = (iso: string) => clocks.format(new Date(iso));
export function day(iso: string): string {
  const date = new Date(iso);
  return `${date.getDate()} ${MONTHS[date.getMonth()]} ${date.getFullYear()}`;
}

export const moment = (iso: string) => `${day(iso)}, ${clock(iso)}`;

/** A moment in a narrow column: `14:03:07` of today, `3 May 14:03` of another day, `3 May 2024` of another year. */
export function shortly(iso: string, now = new Date()): string {
  if (day(iso) === day(now.toISOString())) return clock(iso);
  const year = ` ${now.getFullYear()}`;
  return day(iso).endsWith(year) ? `${day(iso).slice(0, -year.length)} ${clock(iso).slice(0, 5)}` : day(iso);
}

/** `1 tool`, `2 tools`. */
export const plural = (n: number, one: string, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

/** A stretch of time in the unit that fits: `412 ms`, `1.2 s`, `2 min 5 s`, `3 h 20 min`. */
export function duration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined) return '';
  if (milliseconds < 1) return '<1 ms';
  // What would be rounded to a whole of the next unit is one of the next.
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 3600) return parts(seconds, 60, 'min', 's');
  return parts(Math.round(seconds / 60), 60, 'h', 'min');
}

/** `2 h 5 min`, `2 h`. */
function parts(n: number, size: number, whole: string, rest: string): string {
  const left = n % size;
  return `${count(Math.floor(n / size))} ${whole}${left ? ` ${left} ${rest}` : ''}`;
}

const SIZES = ['KB', 'MB', 'GB', 'TB', 'PB'];

/** A number of bytes in the unit that fits: `70.2 GB`. */
export function bytes(n: number): string {
  if (n < 1024) return `${n} B`;
  let size = n / 1024;
  let unit = 0;
  // What would be rounded to 1024 is one of the next.
  while (size >= 1023.95 && unit < SIZES.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${size.toFixed(1).replace(/\.0$/, '')} ${SIZES[unit]}`;
}

/** `12 s` of `4.2 s, 7.8 s`: what several things took together; nothing where none is known. */
export function together(milliseconds: readonly (number | null | undefined)[]): string {
  const known = milliseconds.filter((one) => typeof one === 'number');
  return known.length > 0 ? duration(known.reduce((sum, one) => sum + one, 0)) : '';
}

export function ago(iso: string | null, now = Date.now()): string {
  if (!iso) return 'never';
  const seconds = Math.max(0, Math.round((now - Date.parse(iso)) / 1000));
  if (seconds < 45) return 'now';
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`;
  if (seconds < 7 * 86_400) return plural(Math.round(seconds / 86_400), 'day') + ' ago';
  return day(iso);
}

const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['HeadlessChrome', 'Chrome'],
  ['Chrome', 'Chrome'],
  ['Version', 'Safari'],
] as const;
const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const;

/** "Firefox 140 on Linux", of what a browser calls itself; others by their first word. */
export function browser(agent: string): string {
  const system = SYSTEMS.find(([sign]) => agent.includes(sign))?.[1];
  for (const [sign, name] of BROWSERS) {
    const version = new RegExp(`\\b${sign}/(\\d+)`).exec(agent)?.[1];
    if (version) return `${name} ${version}${system ? ` on ${system}` : ''}`;
  }
  return agent.split(' ')[0] || 'A browser';
}

/** Minutes and seconds that are left. */
export function countdown(iso: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.ceil((Date.parse(iso) - now) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Returns how long a question stands: `expires in 4:59` within an hour, `open until 28 Nov 2027` beyond. */
export function until(iso: string, now = Date.now()): string {
  const left = Date.parse(iso) - now;
  if (left <= 3_600_000) return `expires in ${countdown(iso, now)}`;
  return `open until ${day(iso)}${left < 172_800_000 ? `, ${clock(iso).slice(0, 5)}` : ''}`;
}

/** `high_write` as `High write`. */
export function sentence(text: string): string {
  const spaced = text.replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** Returns the name of a tool that was called as a person reads it: a model may have said its wire name, an event its id. */
export function called({ tool, asked_as }: { tool: string; asked_as: string }): string {
  return asked_as === tool || asked_as.includes('__') ? tool.slice(tool.indexOf(':') + 1) : asked_as;
}

/** `1st`, `2nd`, `11th`. */
export function ordinal(n: number): string {
  const teen = Math.floor(n / 10) % 10 === 1;
  return `${count(n)}${(!teen && ['', 'st', 'nd', 'rd'][n % 10]) || 'th'}`;
}

/** A sentence that goes on after a colon or a comma. */
export const lower = (text: string) => (/^[A-Z][a-z\s]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text);

/** Returns what a tool does, and when it is chosen, where that is said. */
export const purpose = (tool: { description: string; when_to_use: string }) =>
  tool.description + (tool.when_to_use && ` Use it when: ${lower(tool.when_to_use)}`);

/** A number without what binary fractions add to it: at most 6 decimals, of a small one 6 digits. Integers stay exact. */
export function figure(n: number): string {
  if (!Number.isFinite(n) || Number.isInteger(n)) return String(n);
  return String(Number(Math.abs(n) < 1 ? n.toPrecision(6) : n.toFixed(6)));
}

/** A value in a cell: plain ones and lists of them as words, what is nested as compact JSON. */
export function field(value: unknown, limit = 120): string {
  const nested = (one: unknown) => typeof one === 'object' && one !== null;
  const plain = (one: unknown) => (typeof one === 'number' ? figure(one) : one);
  if (!nested(value)) return brief(plain(value), limit);
  return brief(Array.isArray(value) && !value.some(nested) ? value.map(plain) : JSON.stringify(value), limit);
}

/** One line of a value, for lists and cards. */
export function brief(value: unknown, limit = 80): string {
  const text = inline(value);
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

function inline(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value.replace(/\s+/g, ' ').trim();
  if (Array.isArray(value)) return value.map(inline).join(', ');
  if (typeof value === 'object') return Object.values(value).map(inline).filter(Boolean).join(', ');
  return String(value);
}

/** The characters that cannot be seen or turn the text: controls, formats, separators, ignorables (variation selectors, tags, fillers), empty Braille. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Such characters spelled out, `\u{202e}`, but for line breaks and tabs: what is approved is what is seen. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (c) => (c === '\n' || c === '\t' ? c : `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`));
}

/** An amount of money, with as many places as it takes to be seen. */
export function money({ amount, currency }: Cost): string {
  const small = amount !== 0 && Math.abs(amount) < 1;
  const places = small ? { maximumSignificantDigits: 2, minimumFractionDigits: 0 } : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return `${new Intl.NumberFormat('en', places).format(amount)} ${currency}`;
}
