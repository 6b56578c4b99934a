// @vitest-environment node
import { expect, it } from 'vitest';
import { answering, excerpt } from './excerpt';

const CLAUSES = Array.from(
  { length: 12 },
  (_, n) => `${n + 1}. Clause ${n + 1} says that matter ${'abcdefghijkl'[n]} is handled by the office within due time and with care.`,
);
const TEXT = [...CLAUSES.slice(0, 6), '7. A hold lasts 14 days at most and may be renewed once.', ...CLAUSES.slice(7)].join('\n');

it('is centred on the sentence that answers', () => {
  const { before, hit, after } = excerpt(TEXT, 'A payment hold lasts 14 days, and you may renew it once.');
  expect(hit).toBe('7. A hold lasts 14 days at most and may be renewed once.');
  expect([before.startsWith('\u2026'), after.endsWith('\u2026'), (before + hit + after).length < 440]).toEqual([true, true, true]);
  expect(before.length).toBeGreaterThan(100);
  expect(after.length).toBeGreaterThan(100);
});

it('knows the sentence by itself, as it stands there and no longer than an excerpt', () => {
  expect(answering(TEXT, 'A hold lasts 14 days.')).toBe('7. A hold lasts 14 days at most and may be renewed once.');
  expect(answering(TEXT, 'Zebra')).toBe('');
  expect(answering(`Short. ${'Holds and holds '.repeat(60)}end.`, 'It holds')).toHaveLength(420);
});

it('uses the whole room where the sentence stands at an end', () => {
  const first = excerpt(TEXT, 'Matter a is handled by the office: clause 1.');
  expect([first.before, first.after.length > 250]).toEqual(['', true]);
  const last = excerpt(TEXT, 'Matter l, clause 12');
  expect([last.after, last.before.length > 250]).toEqual(['', true]);
});

it('is the beginning where nothing is in common, and the whole of what is short', () => {
  expect(excerpt(TEXT, 'Zebra').hit).toBe('');
  expect(excerpt(TEXT, 'Zebra').before.startsWith('1. Clause 1')).toBe(true);
  expect(excerpt('One. Two.', 'nothing')).toEqual({ before: 'One. Two.', hit: '', after: '' });
  expect(excerpt('', 'x')).toEqual({ before: '', hit: '', after: '' });
});

it('parts no number and no address', () => {
  expect(excerpt('It costs 3.50 at shop.example.org today. Else nothing.', 'It costs 3.50').hit).toBe('It costs 3.50 at shop.example.org today.');
});
