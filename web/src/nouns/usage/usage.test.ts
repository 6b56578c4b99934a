import { expect, it } from 'vitest';
import { costOf, daysOf, rowsOf, share, since, together } from './usage';

const row = { key: 'm', requests: 2, input_tokens: 10, output_tokens: 5, unpriced_tokens: 3, costs: [{ amount: 0.0123, currency: 'EUR' }] };

it('adds costs up by currency, and has none where there is no price', () => {
  const other = { ...row, costs: [...row.costs, { amount: 1, currency: 'USD' }] };
  expect(together([row, other])).toEqual([
    { currency: 'EUR', amount: 0.0246 },
    { currency: 'USD', amount: 1 },
  ]);
  expect([costOf(other), costOf({ costs: [] })]).toEqual(['0.012 EUR, 1.00 USD', '']);
});

it('has every day, those without usage too', () => {
  expect(daysOf('2026-02-27', '2026-03-01')).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  expect([daysOf('2026-03-01', '2026-02-01'), since(7, Date.parse('2026-03-01T23:00:00Z'))]).toEqual([[], '2026-02-23']);
});

it('gives rows to take along, with a column for each currency', () => {
  const free = { ...row, key: 'n', costs: [] };
  expect(rowsOf('model', [row, free], (one) => one.key)).toEqual([
    { model: 'm', provider: '', requests: 2, input_tokens: 10, output_tokens: 5, tokens_without_price: 3, cost_EUR: 0.0123 },
    { model: 'n', provider: '', requests: 2, input_tokens: 10, output_tokens: 5, tokens_without_price: 3, cost_EUR: null },
  ]);
  expect(rowsOf('tool', [{ ...row, costs: [] }], (one) => one.key)).toEqual([{ tool: 'm', calls: 2, failed: 0, tokens_read: 5 }]);
});

it('says how much of a budget is used', () => {
  expect([share(1500, 6000), share(1500, null)]).toEqual(['1,500 of 6,000 tokens, 25 %', '1,500 tokens, without a limit']);
});
