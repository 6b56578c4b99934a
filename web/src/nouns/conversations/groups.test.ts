// @vitest-environment node
import { expect, it } from 'vitest';
import type { Conversation } from '../../lib/types';
import { groups } from './groups';

// A Thursday at noon, by the clock of whoever looks.
const NOW = new Date(2026, 10, 19, 12).getTime();
const at = (...date: [number, number, number, number?]) =>
  ({ id: date.join('-'), updated_at: new Date(...(date as [number, number, number])).toISOString() }) as Conversation;

it('gathers by day, week and month, and folders before', () => {
  const all = [
    at(2026, 10, 19, 9),
    at(2026, 10, 18),
    at(2026, 10, 16),
    at(2026, 10, 15),
    at(2026, 9, 30),
    at(2025, 10, 19),
    { ...at(2026, 10, 19), folder: 'Work' } as Conversation,
  ];
  expect(groups(all, NOW).map(({ name, items }) => `${name} ${items.length}`)).toEqual([
    'Work 1',
    'Today 1',
    'Yesterday 1',
    'This week 1',
    'November 1',
    'October 1',
    'November 2025 1',
  ]);
});

it('knows yesterday also over the turn of a month, and on a Monday', () => {
  const monday = new Date(2026, 5, 1, 8).getTime();
  expect(groups([at(2026, 4, 31, 23), at(2026, 4, 30)], monday).map(({ name }) => name)).toEqual(['Yesterday', 'May']);
});
