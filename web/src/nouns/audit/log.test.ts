import { describe, expect, it } from 'vitest';
import type { Entry } from '../../lib/types';
import { address, asked, belongs, exported, filterOf } from './log.svelte';

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

  it('asks and exports with what is chosen, and with nothing else', () => {
    const now = Date.parse('2026-11-23T12:00:00Z');
    expect(asked(filter('outcome=failure&within=hour'), now)).toEqual({ outcome: 'failure', from: '2026-11-23T11:00:00.000Z' });
    expect(exported(filter('outcome=failure&q=a b&to=2026-11-01T00:00:00Z'))).toBe('/api/audit/export?q=a+b&outcome=failure&to=2026-11-01T00%3A00%3A00.000Z');
    expect(exported(filter(''))).toBe('/api/audit/export');
  });

  it('takes in no new entries into a time that is over', () => {
    const late = { ...entry, time: '2026-11-23T12:00:00.000Z' };
    expect(['to=2026-11-01T00:00:00Z', 'from=2026-11-01T00:00:00Z', ''].map((text) => belongs(late, filter(text)))).toEqual([false, true, true]);
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
