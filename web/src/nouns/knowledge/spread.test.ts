// @vitest-environment node
import { expect, it } from 'vitest';
import type { Passage } from '../../lib/types';
import { spread } from './spread';

let count = 0;
const passage = (document_id: string, fits = true) =>
  ({ document_id, chunk_id: (count += 1), explain: fits ? { terms: ['x'], cosine: 0.6 } : { terms: [], cosine: 0.1 } }) as unknown as Passage;
const of = (document: string, many: number, fits = true) => Array.from({ length: many }, () => passage(document, fits));
const told = (results: Passage[]) =>
  spread(results)
    .shown.map((one) => one.document_id)
    .join('');

it('shows at most three of one document among ten where others fit', () => {
  expect(told([...of('a', 10), ...of('b', 2), ...of('c', 8)])).toBe('aaaaabbccc');
  expect(told([...of('a', 10), ...of('b', 4), ...of('c', 4), ...of('d', 4)])).toBe('aaabbbcccd');
});

it('fills up with a document rather than with what does not fit', () => {
  expect(told([...of('a', 12), ...of('b', 8, false)])).toBe('aaaaaaaaaa');
  expect(told(of('a', 12))).toBe('aaaaaaaaaa');
  expect(told([...of('a', 2), ...of('b', 1, false)])).toBe('aab');
});

it('keeps what else a document holds below its last passage', () => {
  const results = [...of('a', 5), ...of('b', 3), ...of('c', 3), ...of('d', 3)];
  const { shown, more } = spread(results);
  expect(shown.map((one) => one.document_id).join('')).toBe('aaabbbcccd');
  expect([...more].map(([chunk, passages]) => [chunk, passages.length])).toEqual([
    [results[2]?.chunk_id, 2],
    [results[11]?.chunk_id, 2],
  ]);
});
