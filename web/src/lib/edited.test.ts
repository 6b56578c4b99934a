// @vitest-environment node
import { expect, it } from 'vitest';
import { edited } from './edited';

const change = (name: string, from: unknown, to: unknown) => ({ name, from, to });
const one = (from: unknown, to: unknown) => {
  const [{ was, now } = { was: null, now: null }] = edited({ edited: [change('content', from, to)] });
  return [was, now];
};

it('names what a person changed, and what it was', () => {
  expect(edited({ edited: [change('content', 'x', 'y'), change('gone', true, null), change('fresh', null, { a: [1] })] })).toEqual([
    { name: 'content', was: 'x', now: 'y' },
    { name: 'gone', was: 'true', now: null },
    { name: 'fresh', was: null, now: '{"a":[1]}' },
  ]);
  expect(edited({ edited: [] })).toEqual([]);
  expect(one('x', '')).toEqual(['x', '(empty)']);
});

it('shows a change far down a text, and a near one from the beginning', () => {
  const start = 'é'.repeat(5000);
  const [was, now] = one(`${start}; ls`, `${start}; rm`);
  expect(was).toMatch(/^\(after 4962 characters\) …é+; ls$/);
  expect(now).toMatch(/^\(after 4962 characters\) …é+; rm$/);
  expect(one(`a${start}`, `b${start}`)).toEqual([`a${'é'.repeat(399)}…`, `b${'é'.repeat(399)}…`]);
  expect(one(start, `${start}!`)[1]).toMatch(/^\(after 4960 characters\) …é+!$/);
});

it('shows a change within what is nested', () => {
  const list = (last: string) => [...Array.from({ length: 200 }, (_, n) => `--n${n}`), last];
  const [was, now] = one(list('--keep'), list('--delete'));
  expect([was?.endsWith('"--keep"]'), now?.endsWith('"--delete"]')]).toEqual([true, true]);
});

it('marks spaces and line breaks where only they differ', () => {
  expect(one('a b', 'a  b')).toEqual(['a·b', 'a··b']);
  expect(one('a\n', 'a')).toEqual(['a⏎\n', 'a']);
  expect(one('\ta', '\u00a0a')).toEqual(['→a', '\\u{a0}a']);
  expect(one('a b', 'a c')).toEqual(['a b', 'a c']);
});
