/** Usage in words and figures: money, days and rows to take along. */
import { count, money } from '../../lib/format';
import type { Cost, Usage, UsageRow } from '../../lib/types';
type Row = Record<string, unknown>;

export const KINDS = [
  ['day', 'Day'],
  ['person', 'Person'],
  ['agent', 'Agent'],
  ['model', 'Model'],
  ['tool', 'Tool'],
] as const;
export type By = Usage['by'];

export const PERIODS = [
  [7, 'The last 7 days'],
  [30, 'The last 30 days'],
  [90, 'The last 90 days'],
  [365, 'The last 365 days'],
] as const;

const DAY = 86_400_000;
const day = (time: number) => new Date(time).toISOString().slice(0, 10);

/** The first of so many days (UTC), the last of which is today. */
export const since = (days: number, now = Date.now()) => day(now - (days - 1) * DAY);

/** Every day from one to another, both among them. */
export function daysOf(from: string, to: string): string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  if (!(first <= last)) return [];
  return Array.from({ length: Math.round((last - first) / DAY) + 1 }, (_, nth) => day(first + nth * DAY));
}

/** The costs of several rows, by currency. */
export function together(rows: readonly Pick<UsageRow, 'costs'>[]): Cost[] {
  const sums = new Map<string, number>();
  for (const { amount, currency } of rows.flatMap((row) => row.costs)) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return [...sums].map(([currency, amount]) => ({ currency, amount }));
}

/** The cost of a row in words; empty where nothing of it has a price. */
export const costOf = (row: Pick<UsageRow, 'costs'>) => row.costs.map(money).join(', ');

/** The rows as a spreadsheet takes them: a column for each currency, empty where there is no price. */
export function rowsOf(by: By, rows: readonly UsageRow[], nameOf: (row: UsageRow) => string): Row[] {
  const currencies = together(rows).map((one) => one.currency);
  return rows.map((row) => ({
    [by]: nameOf(row),
    ...(by === 'model' ? { provider: row.name ?? '' } : {}),
    ...(by === 'tool'
      ? { calls: row.requests, failed: row.failed ?? 0, tokens_read: row.output_tokens }
      : { requests: row.requests, input_tokens: row.input_tokens, output_tokens: row.output_tokens, tokens_without_price: row.unpriced_tokens }),
    ...Object.fromEntries(currencies.map((currency) => [`cost_${currency}`, row.costs.find((one) => one.currency === currency)?.amount ?? null])),
  }));
}

/** The part of a budget that is used, in words. */
export const share = (used: number, limit: number | null | undefined) =>
  limit ? `${count(used)} of ${count(limit)} tokens, ${Math.round((100 * used) / limit)} %` : `${count(used)} tokens, without a limit`;
