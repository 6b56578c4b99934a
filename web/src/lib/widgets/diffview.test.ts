import { mount, unmount } from 'svelte';
import { expect, it } from 'vitest';
import { compare } from '../diff';
import Diff from './Diff.svelte';

it('shows what cannot be seen of a change by its number', async () => {
  const page = mount(Diff, { target: document.body, props: { rows: compare('Customers.', 'Customers.\u{e0041}\u202e') } });
  expect(document.body.textContent).toContain('Customers.\\u{e0041}\\u{202e}');
  await unmount(page);
});
