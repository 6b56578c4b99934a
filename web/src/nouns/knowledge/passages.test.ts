import { describe, expect, it } from 'vitest';
import { address, pieces, place, segments } from './passages';

const said = (text: string, spans: number[][]) => pieces(text, spans).map((piece) => (piece.hit ? `[${piece.text}]` : piece.text)).join('');

describe('a passage', () => {
  it('is marked where it fits, also where spans touch or overlap', () => {
    expect(said('A payment hold ends.', [[2, 9], [8, 14]])).toBe('A [payment hold] ends.');
    expect(said('plain', [])).toBe('plain');
    expect(said('short', [[3, 99]])).toBe('sho[rt]');
  });

  it('counts characters, not halves of them', () => {
    expect(said('📦📦 hold', [[3, 7]])).toBe('📦📦 [hold]');
  });

  it('has an address and a place in words', () => {
    expect([address('d1'), address('d1', 7)]).toEqual(['/knowledge/documents/d1', '/knowledge/documents/d1#chunk=7']);
    expect([place('Policy › Holds', 4), place('', 2), place('', null)]).toEqual(['§ Holds, page 4', 'page 2', '']);
  });
});

describe('a document', () => {
  it('is its passages and what lies between them', () => {
    const found = segments('Head\nOne two three.', [{ id: 5, start: 5, end: 12, page: 1 }, { id: 6, start: 10, end: 19, page: 2 }], new Map([[5, 'Head']]));
    expect(found.map(({ text, chunk, opens }) => [text, chunk, opens])).toEqual([['Head', null, false], ['One two', 5, true], ['three.', 6, true]]);
  });

  it('without passages is its text', () => {
    expect(segments('Only text', [], new Map()).map((one) => one.text)).toEqual(['Only text']);
  });
});
