import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import type { Memory } from '../../lib/types';
import MemoryRow from './MemoryRow.svelte';

let page: object | undefined;
afterEach(async () => {
  vi.unstubAllGlobals();
  if (page) await unmount(page);
});

function said(more: Partial<Memory>): string {
  const memory = {
    id: 'm',
    layer: 'fact',
    category: 'general',
    content: 'The depot closes at noon.',
    key: 'fact-0a1b',
    strength: 1,
    recalls: 0,
    merged_from: [],
    history: [],
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    ...more,
  } as Memory;
  page = mount(MemoryRow, { target: document.body, props: { memory, changed: () => undefined } });
  return document.body.textContent ?? '';
}

it('says how well a memory is held only where it fades, and keeps its key to itself', () => {
  const text = said({});
  expect(text).toContain('The depot closes at noon.');
  expect(text).not.toMatch(/held|fact-0a1b|Vouch/);
});

it('says that a memory fades', () => {
  expect(said({ strength: 0.62 })).toContain('62% held');
});

it('says where a memory came from, and asks again before it is vouched for', async () => {
  const sent: unknown[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    sent.push(await request.json());
    return new Response(null, { status: 204 });
  });
  const text = said({ origin: { source: 'web_fetch: https://invoices.example/may', at: '2026-05-03T12:00:00Z' } });
  expect(text).toContain('from invoices.example, 3 May 2026');
  const click = (label: string) => {
    [...document.querySelectorAll('button')].find((one) => one.textContent.includes(label))?.click();
    flushSync();
  };
  click('Vouch');
  expect(sent).toEqual([]);
  click('I have read it');
  await vi.waitFor(() => expect(sent).toEqual([{ kind: 'memory', id: 'm', updated_at: '2026-01-01T00:00:00Z' }]));
});

it('shows an episode as its question and how it ended', () => {
  const text = said({ layer: 'episode', category: 'conversation', content: 'Asked: "When does it close?". Outcome: no answer came.' });
  expect(text).toContain('When does it close?');
  expect(text).toContain('No answer came');
  expect(text).not.toMatch(/Asked:|Outcome/);
});
