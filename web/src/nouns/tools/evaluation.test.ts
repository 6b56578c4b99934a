import { describe, expect, it } from 'vitest';
import { queries } from './evaluation';

describe('questions of an evaluation', () => {
  it('are a need and the tools that serve it', () => {
    expect(queries('sum it up => calculator, transform_data\n\nnote => save_memory')).toEqual({
      queries: [{ query: 'sum it up', relevant: ['calculator', 'transform_data'] }, { query: 'note', relevant: ['save_memory'] }],
      mistake: '',
    });
    expect(queries(' \n')).toEqual({ queries: [], mistake: '' });
  });

  it.each(['sum it up', 'sum => ', '=> calculator'])('without both are a mistake: %s', (line) => {
    expect(queries(`ok => a\n${line}`).mistake).toBe('Line 2 names no tool. Write: need => tool, tool');
  });
});
