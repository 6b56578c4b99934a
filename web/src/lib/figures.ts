/** A column of numbers as people read it: thousands apart, and decimals below each other. */
import { figure } from './format';

/** Numbers that name something are no amounts: nobody parts their digits. */
const NAMES = /(^|[_\s-])(id|ids|no|nr|number|year|zip|postcode|code|port|seq|version|phone|line|page)$/i;
const LONGEST = 6;

export interface Figure {
  text: string;
  /** Digits that only keep the place: not seen, not read, not copied. */
  space: string;
}

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

/** Returns how the numbers of a column are written. `named` is its head; `values` are those its decimals are aligned by. */
export function figures(named: string, values: readonly unknown[]): (value: unknown) => Figure {
  const apart = !NAMES.test(named.trim());
  const texts = values.filter(isNumber).map(plain);
  const most = Math.min(LONGEST, Math.max(0, ...texts.map((text) => decimals(text).length)));
  return (value) => {
    if (!isNumber(value)) return { text: '', space: '' };
    const text = plain(value);
    const after = decimals(text);
    const missing = most - after.length;
    const space = missing > 0 && !/e/i.test(text) ? `${after ? '' : '.'}${'0'.repeat(missing)}` : '';
    // Whole numbers that large are ids of another system.
    return { text: apart && typeof value === 'number' ? grouped(text) : text, space };
  };
}

const plain = (value: number | bigint) => (typeof value === 'bigint' ? String(value) : figure(value));
const decimals = (text: string) => /^-?\d+\.(\d+)$/.exec(text)?.[1] ?? '';

/** Thousands with commas; what is no plain number, as 1e+21, stays. */
function grouped(text: string): string {
  const [whole = '', ...rest] = text.split('.');
  return /^-?\d+$/.test(whole) ? [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.') : text;
}
