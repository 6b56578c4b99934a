import { expect, test } from 'vitest';
import type { Job } from '../../lib/types';
import { blank, draftOf, local, whenOf, writtenOf } from './written';

test('a form makes the one kind of moments that was chosen', () => {
  const form = { ...blank(), zone: 'Europe/Berlin', at: '2027-01-05T16:00', every: 2, unit: 3_600 };
  expect(whenOf(form)).toEqual({ cron: '0 9 * * 1-5', time_zone: 'Europe/Berlin' });
  expect(whenOf({ ...form, when: 'every' })).toEqual({ every_seconds: 7_200 });
  expect(whenOf({ ...form, when: 'webhook' })).toEqual({ webhook: {} });
  expect(whenOf({ ...form, when: 'at' })).toEqual({ at: '2027-01-05T16:00', time_zone: 'Europe/Berlin' });
  expect(whenOf({ ...form, when: 'at', recurrence: 'weekly' })).toMatchObject({ recurrence: 'weekly' });
  expect(whenOf({ ...form, when: 'at', at: '' })).toBeNull();
  expect(draftOf({ ...form, cron: ' ' })).toBeNull();
});

test('a job comes back as the form that made it', () => {
  const job = {
    name: 'Tea',
    when: { at: '2027-01-05T15:00:00.000Z', time_zone: 'Europe/Berlin', recurrence: 'weekly' },
    do: { message: 'Tea is ready' },
    catch_up: 'none',
    retries: 2,
    notify: ['inbox'],
  } as unknown as Job;
  const form = writtenOf(job);
  expect(form).toMatchObject({ when: 'at', at: '2027-01-05T16:00', recurrence: 'weekly', kind: 'message', tell: true });
  expect(draftOf(form)).toEqual({
    name: 'Tea',
    when: { at: '2027-01-05T16:00', time_zone: 'Europe/Berlin', recurrence: 'weekly' },
    do: { message: 'Tea is ready' },
    catch_up: 'none',
    retries: 2,
    notify: ['inbox'],
    enabled: true,
  });
});

test('a moment is put into its field on the clock of the zone', () => {
  expect(local('2026-07-01T22:30:00Z', 'Europe/Berlin')).toBe('2026-07-02T00:30');
  expect(local('2026-07-01T22:30:05Z', 'Europe/Berlin')).toBe('2026-07-02T00:30:05');
});

test.each([[90], [7_200], [86_400], [1], [100_001]])('an interval of %d seconds stays one when something else is changed', (seconds) => {
  const job = { name: 'Tick', when: { every_seconds: seconds }, do: { message: 'x' }, catch_up: 'none', retries: 0, notify: [] } as unknown as Job;
  expect(whenOf(writtenOf(job))).toEqual({ every_seconds: seconds });
});
