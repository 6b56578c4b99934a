import { expect, test } from 'vitest';
import { away, inZone, known, next, paced } from './moments';

const now = Date.parse('2026-11-27T08:00:00Z');

test('a moment is so far away', () => {
  expect(away('2026-11-27T11:30:00Z', now)).toBe('in 3 hours');
  expect(away('2026-11-27T08:59:30Z', now)).toBe('in 59 minutes');
  expect(away('2026-11-28T08:00:00Z', now)).toBe('tomorrow');
  expect(away('2026-11-25T08:00:00Z', now)).toBe('2 days ago');
});

test('a moment is told on the clock of its zone', () => {
  expect(inZone('2026-11-30T08:00:00Z', 'Europe/Berlin')).toBe('Mon, 30 Nov 2026, 09:00');
  expect(inZone('2026-11-30T08:00:30Z', 'Europe/Berlin')).toBe('Mon, 30 Nov 2026, 09:00:30');
});

test('what is no zone yet, while it is typed, is told in UTC', () => {
  expect([known('E'), known(''), known('Europe/Berlin')]).toEqual(['UTC', 'UTC', 'Europe/Berlin']);
  expect(inZone('2026-11-30T08:00:00Z', 'E')).toBe('Mon, 30 Nov 2026, 08:00');
});

test('a job at intervals counts from its next moment, not from now', () => {
  const times = paced({ when: { every_seconds: 90 }, next_at: '2026-11-27T11:00:00.000Z' });
  expect(times?.slice(0, 2)).toEqual(['2026-11-27T11:00:00.000Z', '2026-11-27T11:01:30.000Z']);
  expect(times).toHaveLength(5);
  expect(paced({ when: { cron: '0 9 * * *' }, next_at: '2026-11-27T11:00:00.000Z' })).toBeNull();
});

test('a job says when it runs next, or why it does not', () => {
  const job = { when: { cron: '0 9 * * *', time_zone: 'Europe/Berlin' }, enabled: true, next_at: '2026-11-27T11:00:00.000Z' };
  expect(next(job, now)).toBe('in 3 hours, Fri, 27 Nov 2026, 12:00 Europe/Berlin');
  expect(next({ ...job, enabled: false, next_at: null }, now)).toBe('Paused');
  expect(next({ ...job, next_at: null }, now)).toBe('Has no more times');
  expect(next({ ...job, when: { webhook: { path: '/hooks/x' } }, next_at: null }, now)).toBe('When its address is called');
});
