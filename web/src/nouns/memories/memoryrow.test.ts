import { mount, unmount } from 'svelte';
import { afterEach, expect, it } from 'vitest';
import type { Memory } from '../../lib/types';
import MemoryRow from './MemoryRow.svelte';

let page: object | undefined;
afterEach(async () => {
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
  expect(text).not.toMatch(/held|fact-0a1b/);
});

it('says that a memory fades', () => {
  expect(said({ strength: 0.62 })).toContain('62% held');
});

it('shows an episode as its question and how it ended', () => {
  const text = said({ layer: 'episode', category: 'conversation', content: 'Asked: "When does it close?". Outcome: no answer came.' });
  expect(text).toContain('When does it close?');
  expect(text).toContain('No answer came');
  expect(text).not.toMatch(/Asked:|Outcome/);
});
