import { expect, it } from 'vitest';
import { argumentsOf, conditionsOf, doubled, endOf, valueOf } from './draft';

it('makes conditions by pointer of what is written in words', () => {
  expect(
    conditionsOf([
      { argument: 'path', kind: 'prefix', value: 'reports/' },
      { argument: 'headers.a/b', kind: 'equals', value: 'x' },
      { argument: 'to', kind: 'one_of', value: 'ada\n\n 3 \n"4"' },
      { argument: 'url', kind: 'domain', value: ' example.com ' },
      { argument: 'limit', kind: 'max', value: '10' },
      { argument: ' ', kind: 'equals', value: 'nothing' },
    ]),
  ).toEqual({
    '/path': { prefix: 'reports/' },
    '/headers/a~1b': { equals: 'x' },
    '/to': { one_of: ['ada', 3, '4'] },
    '/url': { domain: 'example.com' },
    '/limit': { max: 10 },
  });
});

it('tells values from words, arguments said twice, and when a day ends', () => {
  expect(['true', '12', 'null', 'reports', '"12"', ''].map(valueOf)).toEqual([true, 12, null, 'reports', '12', '']);
  const line = (argument: string) => ({ argument, kind: 'equals' as const, value: '' });
  expect(doubled([line('a'), line('b'), line('a '), line('')])).toEqual(['a']);
  expect([endOf(''), endOf('2026-12-01')]).toEqual([null, new Date(2026, 11, 1, 23, 59, 59).toISOString()]);
  expect([argumentsOf({ properties: { a: {}, b: {} } }), argumentsOf(null)]).toEqual([['a', 'b'], []]);
});
