import { describe, expect, it } from 'vitest';
import type { Conversation, Tool } from '../../lib/types';
import { command, suggest } from './commands';
import { groups } from './groups';
import { known, Talk } from './talk.svelte';

const now = new Date('2026-11-20T15:00:00').getTime();
const talk = (id: string, days: number, folder: string | null = null) =>
  ({ id, folder, updated_at: new Date(now - days * 86_400_000).toISOString() }) as Conversation;
const tools = [
  { name: 'write', description: 'Writes', enabled: true },
  { name: 'exec', description: 'Runs', enabled: false },
] as Tool[];

describe('the list', () => {
  it('has folders first, then today, then what is older', () => {
    const found = groups([talk('old', 30), talk('week', 3), talk('b', 0, 'Suppliers'), talk('today', 0), talk('a', 9, 'Month end')], now);
    expect(found.map((group) => [group.name, group.items.map((one) => one.id)])).toEqual([
      ['Month end', ['a']],
      ['Suppliers', ['b']],
      ['Today', ['today']],
      ['Last 7 days', ['week']],
      ['Earlier', ['old']],
    ]);
  });
});

describe('what is found without a model', () => {
  it('is there again after a reload, until a new conversation begins', () => {
    const talk = new Talk();
    talk.offer({ text: 'sort rows', tools: [], passages: [], note: '' });
    const again = new Talk();
    again.recall();
    expect(again.offline.map((one) => one.text)).toEqual(['sort rows']);
    again.startOver();
    expect(again.offline).toEqual([]);
    talk.recall();
    expect(talk.offline).toEqual([]);
  });
});

describe('slash commands', () => {
  it('are offered as they are typed, those for an open conversation only there', () => {
    expect(suggest('/', tools, false).map((one) => one.name)).toEqual(['/new', '/tool', '/find']);
    expect(suggest('/re', tools, true).map((one) => one.name)).toEqual(['/rename']);
    expect(suggest('hello', tools, true)).toEqual([]);
  });

  it('offer the tools that are on', () => {
    expect(suggest('/tool ', tools, true).map((one) => one.text)).toEqual(['/tool write']);
  });

  it('are told from messages', () => {
    expect(command('/rename New title')).toEqual({ name: 'rename', words: 'New title' });
    expect(command('/etc/passwd')).toBeNull();
    expect(command('what is 1/2')).toBeNull();
  });
});

describe('events that come again', () => {
  it.each([
    ['turn_a-3', 'turn_a-3', true],
    ['turn_a-2', 'turn_a-10', true],
    ['turn_a-11', 'turn_a-10', false],
    ['turn_b-1', 'turn_a-10', false],
    ['turn_a-1', null, false],
    [null, 'turn_a-1', false],
  ])('%s after %s is known: %s', (id, last, wanted) => expect(known(id, last)).toBe(wanted));
});
