import { describe, expect, it } from 'vitest';
import { steady } from './steady';
import { alike, draw, offsets, rowAt } from './virtual';

const items = Array.from({ length: 10 }, (_, n) => `r${n}`);
const starts = offsets(items.map(() => 20));
const say = (view: { top: number; bottom: number }, stay: number[] = []) =>
  draw(items, starts, view, stay, (item) => item).map((one) => (one.kind === 'gap' ? one.height : one.item));

describe('a long list', () => {
  it('draws the rows in view, and empty space for the others', () => {
    expect(say({ top: 45, bottom: 95 })).toEqual([40, 'r2', 'r3', 'r4', 100]);
    expect(say({ top: -50, bottom: 10 })).toEqual(['r0', 180]);
    expect(say({ top: 500, bottom: 900 })).toEqual([180, 'r9']);
  });

  it('keeps rows that must stay where they are', () => {
    expect(say({ top: 0, bottom: 10 }, [5, 9, 99])).toEqual(['r0', 80, 'r5', 60, 'r9']);
  });

  it('always has the height of the whole', () => {
    for (const stay of [[], [0], [3, 4], [9]]) {
      const height = draw(items, starts, { top: 61, bottom: 119 }, stay, (item) => item).reduce((sum, one) => sum + (one.kind === 'gap' ? one.height : 20), 0);
      expect(height).toBe(200);
    }
  });

  it('draws no row again that is in view before and after a move', () => {
    const at = (top: number) => draw(items, starts, { top, bottom: top + 50 }, [], (item) => item);
    const before = at(45);
    const again = (now: typeof before) => steady(before, now, (one) => one.key, alike);
    expect(again(at(46))).toBe(before);
    expect(again(at(65)).map((one) => before.includes(one))).toEqual([false, true, true, false, false]);
  });

  it('finds a row by its place, also where rows have no height', () => {
    const uneven = offsets([0, 30, 0, 10]);
    expect([uneven, rowAt(uneven, 0), rowAt(uneven, 29), rowAt(uneven, 30), rowAt(uneven, 99)]).toEqual([[0, 0, 30, 30, 40], 1, 1, 3, 3]);
  });

  it('of nothing is nothing', () => {
    expect(draw([], offsets([]), { top: 0, bottom: 100 }, [0], String)).toEqual([]);
  });
});
