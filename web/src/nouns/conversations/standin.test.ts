import { expect, it } from 'vitest';
import { lastStandIn, standIn } from './standin';

const first = { provider: 'House', model: 'm1', address: 'h:1', status: null, cause: 'No connection.', mend: '/settings/models' };

it('says who answered in place of whom, and why', () => {
  expect(standIn({ provider: 'Cloud', model: 'm2', instead_of: first })).toBe(
    'Answered by Cloud / m2, because House (m1 at h:1) did not answer: No connection.',
  );
  expect(standIn({ provider: 'Cloud', model: 'm2', instead_of: null })).toBe(null);
});

it('finds the stand-in of the last turn only', () => {
  const one = (turn_id: string, instead_of: typeof first | null) => ({ turn_id, provider: 'Cloud', model: 'm2', instead_of });
  expect(lastStandIn([one('a', first), one('b', null)])).toBe(null);
  expect(lastStandIn([one('a', null), one('b', first), one('b', null)])?.instead_of).toBe(first);
  expect(lastStandIn([])).toBe(null);
});
