import { expect, test } from 'vitest';
import { StringStream } from '@codemirror/language';
import { parser } from './rhai';

/** Each token of a text with its kind; spaces left out. */
function tokens(text: string): [string, string | null][] {
  const made: [string, string | null][] = [];
  const state = parser.startState!(4);
  for (const line of text.split('\n')) {
    const stream = new StringStream(line, 4, 4);
    while (!stream.eol()) {
      const kind = parser.token(stream, state);
      expect(stream.pos, `a token of "${line}" has letters`).toBeGreaterThan(stream.start);
      if (stream.current().trim()) made.push([stream.current(), kind]);
      stream.start = stream.pos;
    }
  }
  return made;
}
const kind = (text: string, token: string) => tokens(text).find(([found]) => found === token)?.[1];

test('a header line is slashes, a tag and what it says', () => {
  expect(tokens('// @name overdue')).toEqual([
    ['// ', 'lineComment'],
    ['@name', 'meta'],
    ['overdue', 'docComment'],
  ]);
});

test('a tag behind code is a plain comment', () => {
  expect(tokens('let x = 1; // @name')).toContainEqual(['// @name', 'lineComment']);
});

test('keywords, calls, names, numbers and texts are told apart', () => {
  const line = 'let late = round(sum, 0x1F) + "a";';
  expect(kind(line, 'let')).toBe('keyword');
  expect(kind(line, 'late')).toBe('variableName');
  expect(kind(line, 'round')).toBe('variableName.function');
  expect(kind(line, '0x1F')).toBe('number');
  expect(kind(line, '"a"')).toBe('string');
});

test('a field named like a keyword is a field', () => {
  expect(kind('r.in', 'in')).toBe('variableName');
});

test('a range does not become a number with a point', () => {
  expect(tokens('0..10').map(([text]) => text)).toEqual(['0', '.', '.', '10']);
});

test('block comments nest and reach over lines', () => {
  const all = tokens('a /* b /* c */ still\n here */ d');
  expect(all[0]).toEqual(['a', 'variableName']);
  expect(all.at(-1)).toEqual(['d', 'variableName']);
  expect(all.slice(1, -1).every(([, kind]) => kind === 'blockComment')).toBe(true);
});

test('an interpolation is code, and the text goes on behind it', () => {
  const all = tokens('`sum ${round(#{ a: 1 }.a)} done` x');
  expect(all).toContainEqual(['round', 'variableName.function']);
  expect(all).toContainEqual(['1', 'number']);
  expect(all.at(-1)).toEqual(['x', 'variableName']);
  expect(all).toContainEqual([' done`', 'string']);
});

test('a plain string ends with its line, a raw one where its hashes say', () => {
  expect(tokens('"open\nlet').at(-1)).toEqual(['let', 'keyword']);
  expect(tokens('#"say "hi" now"# let')).toEqual([
    ['#"say "hi" now"#', 'string'],
    ['let', 'keyword'],
  ]);
});
