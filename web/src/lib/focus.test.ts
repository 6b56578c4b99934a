import { flushSync, mount, unmount, type Component } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import EndpointForm from '../nouns/catalog/EndpointForm.svelte';
import SystemForm from '../nouns/catalog/SystemForm.svelte';
import Add from '../nouns/knowledge/Add.svelte';
import ProviderForm from '../nouns/settings/ProviderForm.svelte';

let shown: object;

/** Returns what has the focus once a button has opened this: its label, or its own text. */
function opened(form: unknown, props: object): string | undefined {
  shown = mount(form as Component<Record<string, unknown>>, { target: document.body, props: props as Record<string, unknown> });
  flushSync();
  const has = document.activeElement as HTMLInputElement | null;
  return (has?.labels?.[0] ?? has)?.textContent?.trim();
}
const nothing = () => undefined;

afterEach(async () => {
  await unmount(shown);
  document.body.replaceChildren();
});

describe('a form that is opened', () => {
  it.each([
    ['a provider', ProviderForm, { done: nothing, cancel: nothing }, 'Address'],
    ['a system', SystemForm, { done: nothing, cancel: nothing }, 'Name required'],
    ['an endpoint', EndpointForm, { system: 's', done: nothing, cancel: nothing }, 'Name required'],
    ['an address to add', Add, { kind: 'url', collection: '', close: nothing }, 'Address'],
    ['files to add', Add, { kind: 'files', collection: '', close: nothing }, 'Choose files'],
  ])('takes the focus to where it begins: %s', (_, form, props, wanted) => expect(opened(form, props)).toBe(wanted));

  it('leaves the focus to the tab or the choice it stands under', () => {
    document.body.innerHTML = '<button>Change</button>';
    document.querySelector('button')?.focus();
    expect(opened(EndpointForm, { system: 's', done: nothing })).toBe('Change');
  });
});
