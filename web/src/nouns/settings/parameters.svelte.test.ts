import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import type { Provider } from '../../lib/types';
import ProviderForm from './ProviderForm.svelte';

const provider = {
  id: 'p',
  kind: 'openai',
  name: 'House',
  base_url: 'http://h/v1',
  model: 'm',
  api_key: null,
  enabled: true,
  context_tokens: null,
  parameters: { temperature: 0.5, instructions: 'Be kind.' },
} as unknown as Provider;

let shown: object;
const field = (name: string) => document.querySelector<HTMLInputElement>(`[name="${name}"]`) as HTMLInputElement;
const folded = () => document.querySelector('details') as HTMLDetailsElement;

function type(name: string, text: string) {
  field(name).value = text;
  field(name).dispatchEvent(new Event('input', { bubbles: true }));
}

const send = () => document.querySelector('form')?.requestSubmit();

afterEach(async () => {
  await unmount(shown);
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

it('says a wrong parameter at its field, unfolded, and saves what is right without a test of words alone', async () => {
  const asked: [string, string, unknown][] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    asked.push([request.method, new URL(request.url).pathname, await request.json()]);
    return Response.json({ ok: true, models: [] });
  });
  const done = vi.fn();
  shown = mount(ProviderForm, { target: document.body, props: { provider, done } });
  flushSync();
  expect([folded().open, folded().querySelector('summary')?.textContent]).toEqual([false, 'Parameterstemperature 0.5, instructions']);
  const paths = () => asked.map(([method, path]) => `${method} ${path}`);
  type('top_p', '7');
  send();
  await vi.waitFor(() => expect(field('top_p').getAttribute('aria-invalid')).toBe('true'));
  expect([folded().open, document.activeElement, paths()]).toEqual([true, field('top_p'), []]);
  type('top_p', '');
  type('instructions', 'Be brief.');
  send();
  await vi.waitFor(() => expect(done).toHaveBeenCalledTimes(1));
  expect(paths()).toEqual(['PUT /api/providers/p']);
  expect(asked[0]?.[2]).toMatchObject({ parameters: { temperature: 0.5, instructions: 'Be brief.' } });
  type('temperature', '1');
  send();
  await vi.waitFor(() => expect(done).toHaveBeenCalledTimes(2));
  expect(paths().slice(1)).toEqual(['POST /api/providers/test', 'PUT /api/providers/p']);
});
