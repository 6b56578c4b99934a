import { expect, it } from 'vitest';
import { portions } from './portions';

it('cuts a list where it would be too large, and loses nothing', () => {
  const all = ['aaaa', 'éé', 'bb', 'a very long one that goes alone', 'c'];
  expect(portions(all, 14)).toEqual([['aaaa', 'éé'], ['bb'], ['a very long one that goes alone'], ['c']]);
  expect(portions(all, 1_000)).toEqual([all]);
  expect(portions([], 10)).toEqual([[]]);
});
