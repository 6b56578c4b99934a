import { expect, it } from 'vitest';
import { steady } from './steady';

interface One {
  id: string;
  n: number;
}
const again = (before: readonly One[], now: One[]) =>
  steady(
    before,
    now,
    (one) => one.id,
    (a, b) => a.n === b.n,
  );
const one = (id: string, n: number): One => ({ id, n });

it('gives back the same list where nothing is new', () => {
  const before = [one('a', 1), one('b', 2)];
  expect(again(before, [one('a', 1), one('b', 2)])).toBe(before);
});

it('keeps the objects that say the same, wherever they stand now', () => {
  const before = [one('a', 1), one('b', 2), one('c', 3)];
  const made = again(before, [one('b', 2), one('c', 4), one('d', 5)]);
  expect(made).toEqual([one('b', 2), one('c', 4), one('d', 5)]);
  expect([made[0] === before[1], made[1] === before[2]]).toEqual([true, false]);
});

it('sees that a list has got shorter or another order', () => {
  const before = [one('a', 1), one('b', 2)];
  expect(again(before, [one('a', 1)])).toEqual([one('a', 1)]);
  expect(again(before, [one('b', 2), one('a', 1)])).toEqual([one('b', 2), one('a', 1)]);
});
