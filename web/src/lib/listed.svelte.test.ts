import { expect, it } from 'vitest';
import { listed } from './listed.svelte';

it('loads again after an act that was refused, and says what was refused', async () => {
  let version = 1;
  const list = listed(() => Promise.resolve(version));
  await list.load();
  version = 2;
  await list.act(() => Promise.reject(new Error('changed')));
  expect([list.all, String(list.failure), list.what]).toEqual([2, 'Error: changed', 'It was not done']);
  await list.act(() => Promise.resolve());
  expect([list.all, list.failure]).toEqual([2, null]);
});

it('says that it could not be read', async () => {
  const list = listed(() => Promise.reject(new Error('gone')));
  await list.load();
  expect([list.all, list.what]).toEqual([null, 'It could not be read']);
});
