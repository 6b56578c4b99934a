import { describe, expect, it } from 'vitest';
import { called, part, stage } from './meaning';

describe('a change of the model of meaning', () => {
  it('says what is done and how far it is', () => {
    expect(stage({ to: 'a', stage: 'downloading', done: 1024, total: 2048 })).toBe('Fetching its files: 1 KB of 2 KB.');
    expect(stage({ to: 'a', stage: 'embedding', done: 1200, total: 5000 })).toBe('Reading everything anew: 1,200 of 5,000 texts.');
    expect(stage({ to: 'a', stage: 'indexing', done: 3, total: 0 })).toBe('Making the indexes: 3 texts.');
  });

  it('is a part of the whole, where that is known', () => {
    expect([part({ to: 'a', stage: 'embedding', done: 1, total: 4 }), part({ to: 'a', stage: 'embedding', done: 1, total: 0 })]).toEqual([0.25, null]);
    expect([called('none'), called(null), called('builtin'), called('my-model')]).toEqual(['Words alone', 'Words alone', 'The built-in model', 'my-model']);
  });
});
