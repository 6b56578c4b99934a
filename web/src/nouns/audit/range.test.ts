import { expect, it } from 'vitest';
import { isOver, local, moments } from './range';

const now = Date.parse('2026-11-23T12:00:00Z');
const range = (given: object) => moments({ within: '', from: '', to: '', ...given }, now);

it('makes moments of a chosen stretch', () => {
  expect(range({})).toEqual({});
  expect(range({ within: 'hour' })).toEqual({ from: '2026-11-23T11:00:00.000Z' });
  expect(range({ within: 'week', from: '2026-01-01T00:00' })).toEqual({ from: '2026-11-16T12:00:00.000Z' });
  expect(range({ from: '2026-11-01T10:00:00Z', to: '2026-11-02T10:00:00Z' })).toEqual({ from: '2026-11-01T10:00:00.000Z', to: '2026-11-02T10:00:00.000Z' });
  expect(range({ within: 'nonsense', from: 'nonsense' })).toEqual({});
});

it('knows a stretch that has ended from one that still grows', () => {
  const ended = (given: object) => isOver({ within: '', from: '', to: '', ...given }, now);
  expect(ended({ to: '2026-11-23T12:00:00Z' })).toBe(true);
  expect([{}, { within: 'hour' }, { to: '2026-11-23T12:01:00Z' }, { from: '2026-11-01T00:00:00Z' }].map(ended)).toEqual([false, false, false, false]);
});

it('shows a moment as a field holds it, and back', () => {
  expect(new Date(local('2026-11-23T12:34:56Z')).toISOString()).toBe('2026-11-23T12:34:00.000Z');
  expect([local(''), local('x')]).toEqual(['', '']);
});
