import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { offer, ownNames, placeOf, type Knowledge } from './complete';
import { pointed } from './hover';
import { rhai } from './rhai';

const knowledge: Knowledge = {
  reference: {
    helpers: [{ name: 'round', signature: 'round(x, digits)', group: 'math', description: 'Rounds.', example: '', result: '' }],
    tags: [{ tag: 'param', syntax: '@param name type "what"', description: 'An argument.' }],
    templates: [],
    limits: { source_bytes: 1, operations: 1, memory_bytes: 1, depth: 1 },
  },
  tools: [{ name: 'calculator', description: 'Sums.' }],
};

/** Returns what is offered where the bar stands. */
function offered(text: string, explicit = false): string[] {
  const at = text.indexOf('|');
  const state = EditorState.create({ doc: text.replace('|', ''), extensions: [rhai] });
  const found = offer(() => knowledge)(new CompletionContext(state, at, explicit));
  return found?.options.map((one) => one.label) ?? [];
}

test('host functions, own names and keywords are offered in code', () => {
  const all = offered('fn run(args) {\n    let rounds = 1;\n    ro|\n}');
  expect(all).toContain('round');
  expect(all).toContain('rounds');
  expect(all).toContain('args');
  expect(all).toContain('return');
});

test('nothing is offered for one letter unless it is asked for', () => {
  expect(offered('r|')).toEqual([]);
  expect(offered('r|', true)).toContain('round');
});

test('nothing is offered in a text or a comment', () => {
  expect(offered('let a = "rou|"', true)).toEqual([]);
  expect(offered('// rou|', true)).toEqual([]);
});

test('tools are offered where one is named', () => {
  expect(offered('tool("cal|")')).toEqual(['calculator']);
  expect(offered('// @uses read, cal|')).toEqual(['calculator']);
});

test('tags are offered in the header', () => {
  expect(offered('// @pa|')).toEqual(['@param']);
});

test('the place of the cursor is read from its line', () => {
  expect(placeOf('    tool(`wr', 'string')).toEqual({ kind: 'tool', typed: 'wr' });
  expect(placeOf('    log("wr', 'string')).toBeNull();
  expect(placeOf('// @', 'lineComment')).toEqual({ kind: 'tag', typed: '@' });
});

test('the names a text makes are its variables, functions, parameters and what loops go through', () => {
  expect(ownNames('fn run(args, more) { let a = 1; const B = 2; for i in x.map(|one, two| one) {} }')).toEqual(
    expect.arrayContaining(['run', 'a', 'B', 'i', 'args', 'more', 'one', 'two']),
  );
});

test('the pointer names one word of a chain, a tool or a tag', () => {
  expect(pointed('late.round(2)', 6)).toEqual({ from: 5, to: 10, word: 'round', kind: 'code' });
  expect(pointed('tool("calculator")', 8)).toMatchObject({ word: 'calculator', kind: 'tool' });
  expect(pointed('// @param x', 5)).toMatchObject({ word: '@param', kind: 'tag' });
  expect(pointed('// just words', 6)).toBeNull();
});
