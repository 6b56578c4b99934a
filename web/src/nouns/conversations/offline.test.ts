import { mount, unmount } from 'svelte';
import { expect, it } from 'vitest';
import { tools } from '../../lib/tools.svelte';
import type { Found, Tool } from '../../lib/types';
import OfflineAnswer from './OfflineAnswer.svelte';
import { Talk } from './talk.svelte';

const found = (name: string, score: number): Found => ({
  id: `builtin:${name}`,
  name,
  description: `What ${name} does`,
  score,
  why: { words: [], bm25: 0 },
  risk: 'read',
});

it('names the tools in the order they fit, without figures that are of this search alone', async () => {
  tools.all = [
    { id: 'builtin:near', name: 'near', description: 'What near does', risk: 'read', parameters: { type: 'object', properties: {} } } as unknown as Tool,
  ];
  const turn = { id: 'one', text: 'a need', tools: [found('near', 0.94), found('far', 0.31)], passages: [], note: '' };
  const page = mount(OfflineAnswer, { target: document.body, props: { turn, talk: new Talk() } });
  expect([...document.querySelectorAll('h2 a, .item .name')].map((one) => one.textContent)).toEqual(['near', 'far']);
  expect(document.body.textContent).not.toMatch(/0\.\d\d/);
  await unmount(page);
});
