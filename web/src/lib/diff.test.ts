import { expect, test } from 'vitest';
import { compare, isDiff, parse } from './diff';

const short = (before: string, after: string) =>
  compare(before, after).map(({ kind, text }) => `${{ same: ' ', add: '+', del: '-', hunk: '@', file: '#' }[kind]}${kind === 'hunk' ? '' : text}`);

test('the same text has no difference', () => {
  expect(compare('a\nb', 'a\nb')).toEqual([]);
});

test('a changed line goes and comes with its neighbours and numbers', () => {
  expect(short('a\nb\nc', 'a\nx\nc')).toEqual([' a', '-b', '+x', ' c']);
  expect(compare('a\nb\nc', 'a\nx\nc')[2]).toEqual({ kind: 'add', text: 'x', before: null, after: 2 });
});

test('what is far from a change is left out', () => {
  const lines = Array.from({ length: 20 }, (_, n) => `line ${n}`);
  const found = short(lines.join('\n'), lines.with(10, 'new').join('\n'));
  expect(found).toEqual(['@', ' line 7', ' line 8', ' line 9', '-line 10', '+new', ' line 11', ' line 12', ' line 13']);
});

test('applying the rows to the first text gives the second', () => {
  const [before, after] = ['a\nb\nc\nd\ne', 'b\nx\nc\ne\nf\ng'];
  const rows = compare(before, after).filter((row) => row.kind !== 'hunk');
  expect(
    rows
      .filter((row) => row.kind !== 'add')
      .map((row) => row.text)
      .join('\n'),
  ).toBe(before);
  expect(
    rows
      .filter((row) => row.kind !== 'del')
      .map((row) => row.text)
      .join('\n'),
  ).toBe(after);
});

test('a unified diff is read with its numbers', () => {
  const rows = parse('--- a\n+++ b\n@@ -2,2 +2,2 @@\n same\n-old\n+new\n\\ No newline at end of file\n');
  expect(rows.map((row) => [row.kind, row.before, row.after])).toEqual([
    ['file', null, null],
    ['file', null, null],
    ['hunk', null, null],
    ['same', 2, 2],
    ['del', 3, null],
    ['add', null, 3],
  ]);
});

test('only a text with a hunk and a change is a diff', () => {
  expect(isDiff('@@ -1 +1 @@\n-a\n+b')).toBe(true);
  expect(isDiff('- a list\n- of things')).toBe(false);
  expect(isDiff('@@ -1 +1 @@')).toBe(false);
});
