import { flushSync, mount, unmount } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { session } from '../../lib/session.svelte';
import type { Me } from '../../lib/types';
import { blank } from './apply';
import { blocks, saidIn } from './blocks';
import Broken from './Broken.svelte';

const failure = { provider: 'House', model: 'm1', address: '10.0.0.2:11434', status: 500, cause: 'It failed with status 500.', mend: '/settings/models' };

describe('an answer that failed', () => {
  let shown: object;
  /** Returns what is shown of it to whoever holds these permissions: its text, and where its links lead. */
  function broken(permissions: string[], given: typeof failure | null) {
    session.me = { id: 'u', permissions } as unknown as Me;
    const props = { text: 'House (m1 at 10.0.0.2:11434): It failed with status 500.', said: '', failure: given, conversation: 'c1', retry: undefined };
    shown = mount(Broken, { target: document.body, props });
    flushSync();
    return { text: document.body.textContent, links: [...document.querySelectorAll('a')].map((one) => one.getAttribute('href')) };
  }
  afterEach(async () => {
    await unmount(shown);
    session.me = null;
  });

  it('names the model and its address, and leads to where that is mended and written down', () => {
    const { text, links } = broken(['*'], failure);
    expect(text).toContain('m1 could not answer');
    expect(text).toContain('It failed with status 500.');
    expect(text).toContain('House: m1 at 10.0.0.2:11434');
    expect(links).toEqual(['/settings/models', '/audit?outcome=failure&event_type=chat_turn&topic=c1']);
  });

  it('leads nobody to a page they may not open', () => {
    expect(broken(['audit:read'], failure).links).toEqual(['/audit?outcome=failure&event_type=chat_turn&topic=c1']);
  });

  it('blames no model where none is to blame', () => {
    const { text, links } = broken(['*'], null);
    expect([text?.includes('could not answer'), links]).toEqual([false, []]);
  });
});

it('tells an answer that was stopped from one that failed, with what there is of it', () => {
  const one = (id: string, text: string, error: string | null) => ({ ...blank(id, 't', 'assistant', text), error });
  const of = (error: string) => blocks([one('a', 'First.', null), one('b', 'Then', error)]).at(-1);
  expect(of('Stopped.')).toMatchObject({ kind: 'error', stopped: true, said: 'First.\n\nThen' });
  expect(of('Ollama failed.')).toMatchObject({ kind: 'error', stopped: false });
  expect(saidIn([blank('q', 't', 'user', 'Why?'), one('a', 'So.', null)], 't')).toBe('So.');
});
