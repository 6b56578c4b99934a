import { expect, it } from 'vitest';
import type { ApiKey } from '../../lib/types';
import { since, told } from './watch';

const AT = Date.parse('2026-11-28T10:00:00Z');
const key = (changes: Partial<ApiKey> = {}): ApiKey => ({
  id: 'k1',
  user: 'u',
  name: 'Codex',
  permissions: ['*'],
  personal: true,
  approves: false,
  exposure: null,
  selected: [],
  created_at: '2026-11-28T09:59:00Z',
  last_used_at: null,
  first_call: null,
  ...changes,
});

it('waits, sees a program connect, and its first call', () => {
  expect(told(key(), AT)).toMatchObject({ state: 'busy', text: 'Waiting for its first call …' });
  const used = { last_used_at: '2026-11-28T09:59:40Z' };
  expect(told(key(used), AT).text).toBe('Connected 20 s ago. Waiting for its first call …');
  const called = { ...used, first_call: { name: 'calculator', at: '2026-11-28T09:59:48Z' } };
  expect(told(key(called), AT)).toEqual({ state: 'good', text: 'First call 12 s ago: calculator', said: 'First call: calculator' });
});

it('says that a key has ended', () => {
  expect(told(undefined, AT).state).toBe('disabled');
});

it('shows what cannot be seen in a name', () => {
  expect(told(key({ first_call: { name: 'read\u202e', at: '2026-11-28T10:00:05Z' } }), AT).text).toBe('First call 0 s ago: read\\u{202e}');
});

it('counts seconds for a minute', () => {
  expect(since('2026-11-28T09:59:01Z', AT)).toBe('59 s ago');
  expect(since('2026-11-28T09:58:00Z', AT)).toBe('2 min ago');
});
