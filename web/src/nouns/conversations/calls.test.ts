import { describe, expect, it } from 'vitest';
import type { Step } from '../../lib/types';
import { callsOf } from './calls';

const step = (output: unknown) => ({ output }) as Pick<Step, 'output'>;

describe('the calls of a program', () => {
  const call = { tool: 'write', arguments: { path: 'a' }, ok: false, replayed: true, error: 'full', duration_ms: 3 };
  const read = [{ tool: 'write', arguments: { path: 'a' }, ok: false, replayed: true, error: 'full', ms: 3 }];

  it('stand beside its result, and beside its error', () => {
    expect(callsOf(step({ meta: { calls: [call] } }))).toEqual(read);
    expect(callsOf(step({ meta: {}, problem: { details: { calls: [call] } } }))).toEqual(read);
  });

  it('are none of other tools', () => {
    expect([step(null), step({ meta: {} }), step({ meta: { calls: 3 } })].map(callsOf)).toEqual([[], [], []]);
  });
});
