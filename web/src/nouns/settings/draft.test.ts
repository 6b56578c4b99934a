import { describe, expect, it } from 'vitest';
import { snippet } from '../tools/snippet';
import { changes, difference, merged } from './draft.svelte';

describe('changed settings', () => {
  it('are said leaf by leaf', () => {
    const was = { tools_enabled: true, exec: { mode: 'off', blocked: ['su'] }, chat: { daily_token_budget: null } };
    const now = { tools_enabled: false, exec: { mode: 'sandboxed', blocked: [] }, chat: { daily_token_budget: 5000 } };
    expect(changes(was, now)).toEqual([
      'tools enabled on to off',
      'exec mode off to sandboxed',
      'exec blocked su to nothing',
      'chat daily token budget none to 5,000',
    ]);
    expect(changes(was, structuredClone(was))).toEqual([]);
    expect(difference(was, now)).toEqual(now);
    expect(merged(was, difference(was, now))).toEqual(now);
    expect(merged(was, { gone: 1, exec: { mode: 'sandboxed' } })).toEqual({ ...was, exec: { mode: 'sandboxed', blocked: ['su'] } });
    expect(difference(was, { ...was, exec: { mode: 'off', blocked: [] } })).toEqual({ exec: { blocked: [] } });
  });
});

describe('snippets', () => {
  it('quote what a shell would read', () => {
    expect(snippet('shell', 'write', { content: "it's" }, '')).toBe(`satchel call write '{"content":"it'\\''s"}'`);
  });
});
