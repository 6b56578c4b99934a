import { expect, it } from 'vitest';
import type { Run } from '../../lib/types';
import { tree } from './runs';

const run = (id: string, parent?: string) => ({ id, ...(parent ? { parent } : {}) }) as Run;
const lines = (all: Run[], closed = new Set<string>()) => tree(all, closed).map(({ run, depth, below }) => [run.id, depth, below]);

it('puts what a run began below it, the newest tree first', () => {
  const all = [run('5'), run('4', '2'), run('3', '1'), run('2', '1'), run('1')];
  expect(lines(all)).toEqual([
    ['5', 0, 0],
    ['1', 0, 2],
    ['2', 1, 1],
    ['4', 2, 0],
    ['3', 1, 0],
  ]);
  expect(lines(all, new Set(['1']))).toEqual([
    ['5', 0, 0],
    ['1', 0, 2],
  ]);
});

it('begins a tree with a run whose parent is not there', () => {
  expect(lines([run('4', '2'), run('3')])).toEqual([
    ['4', 0, 0],
    ['3', 0, 0],
  ]);
});
