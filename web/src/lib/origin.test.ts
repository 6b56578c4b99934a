import { expect, it } from 'vitest';
import { from, place } from './origin';

it.each([
  ['web_fetch: https://invoices.example/may?x=1', 'invoices.example'],
  ['web_search: quarterly report', 'quarterly report'],
  ['index_put: a program of ann', 'a program of ann'],
  ['a page', 'a page'],
  ['web_fetch: http://127.0.0.1:8080/', '127.0.0.1:8080'],
])('names the place of %s', (source, wanted) => {
  expect(place(source)).toBe(wanted);
});

it('says from where and when', () => {
  expect(from({ source: 'web_fetch: https://invoices.example/may', at: '2026-05-03T12:00:00Z' })).toBe('from invoices.example, 3 May 2026');
});
