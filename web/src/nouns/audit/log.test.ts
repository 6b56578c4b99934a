import { describe, expect, it } from 'vitest';
import type { Entry } from '../../lib/types';
import { address, belongs, filterOf } from './log.svelte';

const entry = {
  seq: 7,
  outcome: 'failure',
  risk: 'high_write',
  door: 'rest',
  event_type: 'tool_invocation',
  user: 'anna',
  tool: 'builtin:write',
  arguments: { path: 'Lanes.csv' },
} as unknown as Entry;
const filter = (text: string) => filterOf(new URLSearchParams(text));

describe('the audit view', () => {
  it('has its filter in its address', () => {
    const given = filter('outcome=failure&q=lanes');
    expect(address(given, '7')).toBe('/audit/7?q=lanes&outcome=failure');
    expect(address(filter(''))).toBe('/audit');
  });

  it('takes in new entries that fit', () => {
    expect(['', 'outcome=failure', 'q=lanes', 'outcome=failure&risk=high_write&user=anna'].map((text) => belongs(entry, filter(text)))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['outcome=success', 'q=other', 'user=jonas'].map((text) => belongs(entry, filter(text)))).toEqual([false, false, false]);
  });
});
