import { mount, unmount } from 'svelte';
import { expect, it } from 'vitest';
import List from './List.svelte';
import { shelf } from './shelf.svelte';
import type { Listed } from './types';

const script = (name: string, origin: Listed['origin']): Listed => ({
  name,
  origin,
  state: 'live',
  description: '',
  has_draft: false,
  waiting: [],
  missing: [],
});

it("lists one's own first, and a file of the folder beside the shipped script whose name it has", async () => {
  shelf.all = [script('tidy_up', 'shipped'), script('tidy_up', 'folder'), script('tidy_up', 'folder'), script('other', 'console')];
  const list = mount(List, { target: document.body, props: { name: '', wrong: false, failure: null, retry: () => {} } });
  expect([...document.querySelectorAll('nav a .grow')].map((one) => one.textContent)).toEqual(['other', 'tidy_up', 'tidy_up', 'tidy_up']);
  expect([...document.querySelectorAll('nav .eyebrow')].map((one) => one.textContent)).toEqual(['From the folder', 'Shipped with Satchel']);
  await unmount(list);
});

it('marks a script that uses a tool that there is not, and says which', async () => {
  shelf.all = [{ ...script('mine', 'folder'), missing: ['nosuch'] }];
  const list = mount(List, { target: document.body, props: { name: '', wrong: false, failure: null, retry: () => {} } });
  const row = document.querySelector('nav a');
  expect([row?.getAttribute('title'), row?.querySelector('.sr')?.textContent]).toEqual([
    'Uses tools that there are not: nosuch',
    'uses a tool that there is not',
  ]);
  await unmount(list);
});
