import { expect, it } from 'vitest';
import { ENDS, endOf } from './ends';

it('names each end, and what a rule made from it does', () => {
  expect(ENDS.map(([outcome]) => endOf({ outcome }).title)).toEqual(['Allowed', 'Allowed, failed', 'Refused', 'Expired']);
  expect(endOf({ outcome: 'allowed', rule: { id: 'r', decision: 'allow' } }).rule).toBe('calls like it are allowed without a question');
  expect(endOf({ outcome: 'refused' }).rule).toBe('');
});
