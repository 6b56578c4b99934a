import { EditorState, Text } from '@codemirror/state';
import { expect, test } from 'vitest';
import type { Diagnostic } from '../types';
import { next, place, problems, setProblems } from './problems';

const doc = Text.of(['fn run(args) {', '    for i in lates { }', '', '    "😀" + lates', '}']);
const problem = (line: number, column: number, end_column: number | null = null): Diagnostic => ({
  line,
  column,
  end_column,
  severity: 'error',
  message: 'wrong',
  hint: null,
});
const marked = (one: Diagnostic) => {
  const { from, to } = place(doc, one);
  return doc.sliceString(from, to);
};

test('a problem marks what its columns say', () => {
  expect(marked(problem(2, 14, 19))).toBe('lates');
});

test('a problem without an end marks the word there', () => {
  expect(marked(problem(2, 14))).toBe('lates');
  expect(marked(problem(1, 7))).toBe('(');
});

test('columns count characters: an emoji is one', () => {
  expect(marked(problem(4, 11, 16))).toBe('lates');
});

test('a problem behind the last letter marks that letter', () => {
  expect(marked(problem(1, 99))).toBe('{');
});

test('a problem of an empty line stands there and marks nothing', () => {
  const { from, to } = place(doc, problem(3, 1));
  expect([from, to]).toEqual([doc.line(3).from, doc.line(3).from]);
});

test('a line that does not exist is the nearest one', () => {
  expect(place(doc, problem(0, 1)).from).toBe(0);
  expect(doc.lineAt(place(doc, problem(99, 1)).from).number).toBe(5);
});

test('the next problem is the one behind the cursor, and after the last comes the first', () => {
  const all = [problem(4, 11), problem(2, 14)].map((one) => place(doc, one));
  const [second, first] = all;
  expect(next(all, 0, 1)).toBe(first);
  expect(next(all, first!.from, 1)).toBe(second);
  expect(next(all, second!.from, 1)).toBe(first);
  expect(next(all, first!.from, -1)).toBe(second);
  expect(next([], 0, 1)).toBeUndefined();
});

test('marks move with their text until the next answer', () => {
  let state = EditorState.create({ doc, extensions: [problems] });
  state = state.update({ effects: setProblems.of([problem(2, 14, 19)]) }).state;
  state = state.update({ changes: { from: 0, insert: '// a line more\n' } }).state;
  const [moved] = state.field(problems).placed;
  expect(state.sliceDoc(moved!.from, moved!.to)).toBe('lates');
  expect(state.doc.lineAt(moved!.from).number).toBe(3);
});
