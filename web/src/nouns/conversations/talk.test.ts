import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Tool } from '../../lib/types';
import { command, suggest } from './commands';
import { known } from './streams';
import { Talk } from './talk.svelte';

const tools = [
  { name: 'write', description: 'Writes', enabled: true },
  { name: 'exec', description: 'Runs', enabled: false },
] as Tool[];

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

describe('a conversation whose last turn failed', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('says which provider it was also after it is opened again, and no longer once the next turn is done', async () => {
    const failure = { provider: 'House', model: 'm1', address: 'h:1', status: 500, cause: 'It failed.', mend: '/settings/models' };
    let turn: object = { state: 'failed', error: 'House (m1 at h:1): It failed.', failure };
    vi.stubGlobal('fetch', async ({ url }: Request) => Response.json(url.endsWith('/queue') ? [] : { title: '', tainted: false, messages: [], turn }));
    const talk = new Talk();
    await talk.open('c1');
    expect([talk.error, talk.providerFailure]).toEqual(['House (m1 at h:1): It failed.', failure]);
    turn = { state: 'done', error: null, failure: null };
    await talk.refresh();
    expect([talk.error, talk.providerFailure]).toEqual([null, null]);
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
