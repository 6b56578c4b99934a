import { expect, test } from 'vitest';
import { part, share } from './backups';

test('a share is told only where the whole is known', () => {
  expect(share({ part: 'writing', done: 5, total: 20 })).toBe(0.25);
  expect(share({ part: 'asking', done: 0, total: 0 })).toBeNull();
  expect(share(null)).toBeNull();
});

test('each part has words', () => {
  expect(part('reading')).toBe('comparing digests');
});
