import { describe, expect, it } from 'vitest';
import type { Passage } from '../../lib/types';
import { address, isFar, kindOf, marked, opened, pieces, place, preview, segments } from './passages';

const said = (text: string, spans: number[][]) =>
  pieces(text, spans)
    .map((piece) => (piece.hit ? `[${piece.text}]` : piece.text))
    .join('');

describe('a passage', () => {
  it('is marked where it fits, also where spans touch or overlap', () => {
    expect(
      said('A payment hold ends.', [
        [2, 9],
        [8, 14],
      ]),
    ).toBe('A [payment hold] ends.');
    expect(said('plain', [])).toBe('plain');
    expect(said('short', [[3, 99]])).toBe('sho[rt]');
  });

  it('counts characters, not halves of them', () => {
    expect(said('📦📦 hold', [[3, 7]])).toBe('📦📦 [hold]');
  });

  it('has an address and a place in words', () => {
    expect([address('d1'), address('d1', 7)]).toEqual(['/knowledge/documents/d1', '/knowledge/documents/d1#chunk=7']);
    expect(address('d1', 7, 'It ends & begins.')).toBe('/knowledge/documents/d1#chunk=7&sentence=It%20ends%20%26%20begins.');
    expect([place('Policy › Holds', 4), place('', 2), place('', null)]).toEqual(['§ Holds, page 4', 'page 2', '']);
  });
});

describe('a passage that was found', () => {
  const text = 'All begin alike. A payment hold lasts 14 days. Then it ends.';
  const found = (spans: number[][]) => opened({ document_id: 'd1', chunk_id: 7, text, spans } as unknown as Passage);

  it('opens at the sentence that holds most of what fits', () => {
    const at = (word: string) => [text.indexOf(word), text.indexOf(word) + word.length];
    expect(found([at('payment'), at('hold'), at('14'), at('Then')])).toBe(address('d1', 7, 'A payment hold lasts 14 days.'));
  });

  it('opens as a whole where it fits by its meaning alone', () => expect(found([])).toBe('/knowledge/documents/d1#chunk=7'));
});

describe('a preview', () => {
  const words = 'One word after another. '.repeat(30);
  const found = (text: string, ...wanted: string[]) => {
    const spans = wanted.flatMap((word) => [...text.matchAll(new RegExp(word, 'g'))].map(({ index }) => [index, index + word.length]));
    return preview(text, spans)
      .map((piece) => (piece.hit ? `[${piece.text}]` : piece.text))
      .join('');
  };

  it('begins a little before what fits', () => {
    const text = found(`${words}Holds end after a month.`, 'month');
    expect(text).toMatch(/^…\S.{10,60}Holds end after a \[month\]\.$/);
  });

  it('begins where most of the words stand together', () => {
    expect(found(`A hold. ${words}The hold ends in a month. ${words}A month.`, 'hold', 'month')).toMatch(/^….{10,60}The \[hold\] ends in a \[month\]\./);
  });

  it('begins with the passage where that shows it as well, and with a line where lines are short', () => {
    expect(found(`A hold ends. ${words}`, 'hold')).toMatch(/^A \[hold\] ends/);
    expect(found(words, 'never')).toBe(words);
    expect(found('a\nb\nc\nd\nThe hold\ne', 'hold')).toBe('…The [hold]\ne');
  });

  it('counts characters, not halves of them', () => {
    const text = `${'📦 '.repeat(200)}hold`;
    expect(preview(text, [[400, 404]]).at(-1)).toEqual({ text: 'hold', hit: true });
  });
});

describe('a document', () => {
  it('is its passages and what lies between them', () => {
    const found = segments(
      'Head\nOne two three.',
      [
        { id: 5, start: 5, end: 12, page: 1 },
        { id: 6, start: 10, end: 19, page: 2 },
      ],
      new Map([[5, 'Head']]),
    );
    expect(found.map(({ text, chunk, opens }) => [text, chunk, opens])).toEqual([
      ['Head', null, false],
      ['One two', 5, true],
      ['three.', 6, true],
    ]);
  });

  it('without passages is its text', () => {
    expect(segments('Only text', [], new Map()).map((one) => one.text)).toEqual(['Only text']);
  });
});

describe('the sentence that was looked for', () => {
  const all = segments(
    'One. A hold (of\n14 days) ends. Two. Three.',
    [
      { id: 5, start: 0, end: 31 },
      { id: 6, start: 17, end: 43 },
    ],
    new Map(),
  );
  const shown = (key: string, sentence: string) => {
    const found = marked(all, key, sentence);
    return found && [found.key, ...found.pieces.map((piece) => (piece.hit ? `[${piece.text}]` : piece.text))];
  };

  it('is marked in its passage, however its lines are broken, and in the one before where that has the text of both', () => {
    expect(shown('5', 'A hold (of 14 days) ends.')).toEqual(['5', 'One. ', '[A hold (of\n14 days) ends.]']);
    expect(shown('6', 'Three.')).toEqual(['6', 'Two. ', '[Three.]']);
    expect(shown('6', '14 days) ends.')).toEqual(['5', 'One. A hold (of\n', '[14 days) ends.]']);
  });

  it('is marked nowhere else', () => {
    expect([shown('5', 'Three.'), shown('5', ''), shown('9', 'Three.'), shown('6', 'Four.')]).toEqual([null, null, null, null]);
  });
});

describe('what is found', () => {
  const found = (cosine: number | null, ...terms: string[]) => ({ explain: { bm25: null, cosine, fused: 0.6, rank_text: null, rank_vector: 1, terms } });

  it('fits badly where no passage holds a word of the question and none is near in meaning', () => {
    expect(isFar([found(0.15), found(0.1)])).toBe(true);
    expect(isFar([found(0.15), found(0.4)])).toBe(false);
    expect(isFar([found(0.15, 'hold')])).toBe(false);
  });

  it('is not judged where nothing is found, nothing explained or no meaning compared', () => {
    expect(isFar([])).toBe(false);
    expect(isFar([{}])).toBe(false);
    expect(isFar([found(null)])).toBe(false);
  });
});

it('is called by its kind, whether it has been read or not', () => {
  expect(kindOf({ kind: 'markdown', mime: 'text/markdown' })).toBe('Markdown');
  expect(kindOf({ kind: null, mime: 'application/pdf' })).toBe('PDF');
  expect(kindOf({ kind: null, mime: 'text/plain; charset=utf-8' })).toBe('Text');
});
