// @vitest-environment node
import { expect, it } from 'vitest';
import { relatives } from './branches';

const branch = (id: string, created_at: string, shared: number) => ({ id, title: id, created_at, shared });
const told = (all: ReturnType<typeof branch>[], begun: string) => {
  const { parent, branches } = relatives(all, begun);
  return [parent?.id ?? null, ...branches.map((one) => one.id)];
};

it('finds the parent and the branches by age, and of older ones that with most in common', () => {
  const [root, branch1, branch2] = [branch('root', '2026-01-01', 4), branch('one', '2026-01-02', 6), branch('two', '2026-01-04', 2)];
  expect(told([root, branch1, branch2], '2026-01-03')).toEqual(['one', 'two']);
  expect(told([branch1, branch2], '2026-01-01')).toEqual([null, 'one', 'two']);
  expect(told([branch('a', '2026-01-01', 2), branch('b', '2026-01-02', 2)], '2026-01-03')).toEqual(['a']);
  expect(told([], '2026-01-03')).toEqual([null]);
});
