// @vitest-environment node
import { expect, it } from 'vitest';
import { figures } from './figures';

const written = (name: string, values: unknown[]) => values.map(figures(name, values)).map(({ text, space }) => text + space.replaceAll('0', '·'));

it('parts thousands and aligns decimals with digits nobody reads', () => {
  expect(written('total', [401.5, 803, 1204.25, -1234567, null])).toEqual(['401.5·', '803.··', '1,204.25', '-1,234,567.··', '']);
  expect(written('count', [1, 1000, 99999])).toEqual(['1', '1,000', '99,999']);
});

it('leaves names, years and very large numbers as they are', () => {
  expect(written('invoice_id', [1024, 20480])).toEqual(['1024', '20480']);
  expect(written('Year', [2026])).toEqual(['2026']);
  expect(written('total', [1e21, 0.1])).toEqual(['1e+21', '0.1']);
  expect(written('total', [12345678901234567890n])).toEqual(['12345678901234567890']);
});
