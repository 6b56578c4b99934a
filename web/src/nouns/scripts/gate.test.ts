import { expect, test } from 'vitest';
import { extra, gate, overtook, said, wider, type Situation } from './gate';
import { free, nameIn, renamed, tidy } from './header';
import type { Capability, Checked } from './types';

const right: Checked = { problems: [], spec: null, capabilities: [], ms: 1 };
const green = { passed: 2, total: 2, results: [] };
const fine: Situation = { changed: false, checked: right, tests: green, same: false, name: 'a', header: 'a' };

test('nothing is in the way of a checked, tested and changed text', () => {
  expect(gate(fine)).toBe('');
  expect(gate({ ...fine, tests: { passed: 0, total: 0, results: [] } })).toBe('');
});

test('a warning does not hold it up, an error does and says where', () => {
  const problem = { line: 13, column: 1, end_column: null, message: 'No such name.', hint: null };
  expect(gate({ ...fine, checked: { ...right, problems: [{ ...problem, severity: 'warning' }] } })).toBe('');
  expect(gate({ ...fine, checked: { ...right, problems: [{ ...problem, severity: 'error' }] } })).toContain('line 13');
});

test('each thing that is missing is named', () => {
  expect(gate({ ...fine, checked: null })).toContain('check');
  expect(gate({ ...fine, tests: null })).toContain('Run all');
  expect(gate({ ...fine, tests: { ...green, passed: 1 } })).toContain('2 of 2');
  expect(gate({ ...fine, header: 'b' })).toContain('@name a');
  expect(gate({ ...fine, same: true })).toContain('is published');
  expect(gate({ ...fine, changed: true })).toContain('until you have chosen');
});

test('what a text may more is what the other may not', () => {
  const tool: Capability = { kind: 'tool', what: 'read', granted: true };
  const host: Capability = { kind: 'http', what: 'x.org', granted: false };
  expect(wider([tool, host], [tool])).toEqual(['http x.org']);
  expect(wider([tool], [tool, host])).toEqual([]);
});

test('values of its own are named as the server names them, and said for people', () => {
  const values: Capability = { kind: 'kv', what: '', granted: true };
  expect(wider([values], [])).toEqual(['kv']);
  expect([said('kv'), said('http x.org'), said('else')]).toEqual([
    ['keeps values of its own, for each user apart', ''],
    ['sends requests to', 'x.org'],
    ['', 'else'],
  ]);
});

test("a refusal's details are found beside its words and among its details", () => {
  expect(extra({ wider: ['a'] }, 'wider')).toEqual(['a']);
  expect(extra({ details: { wider: ['a'] } }, 'wider')).toEqual(['a']);
  expect(extra({}, 'wider')).toBeUndefined();
});

test('who overtook a text is said with what they did', () => {
  const there = { draft: null, version: 5, updated_by: 'sam', updated_at: null };
  expect(overtook('lu', there, 'anna')).toBe('sam published version 5 of lu.');
  expect(overtook('lu', { ...there, draft: 'x', updated_by: 'anna', updated_at: new Date(Date.now() - 120_000).toISOString() }, 'anna')).toBe(
    'You, in another place, saved a draft of lu 2 min ago.',
  );
  expect(overtook('lu', { ...there, updated_by: null }, 'anna')).toContain('Somebody');
  expect(overtook('lu', null, 'anna')).toBe('lu was deleted meanwhile.');
});

test('a text changes its name and nothing else', () => {
  const text = '// @name old_one\n// about @name old_one\n';
  expect(renamed(text, 'new_one')).toBe('// @name new_one\n// about @name old_one\n');
  expect(renamed('fn run(a) {}', 'x')).toBe('// @name x\nfn run(a) {}');
  expect(nameIn(text)).toBe('old_one');
});

test('names are written small, and a taken one gets a number', () => {
  expect(tidy(' My Sum! ')).toBe('my_sum');
  expect(tidy('2 fast')).toBe('fast');
  expect(free('a', new Set(['a', 'a_2']))).toBe('a_3');
});
