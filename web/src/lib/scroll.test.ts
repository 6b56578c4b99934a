import { beforeEach, expect, it } from 'vitest';
import { ask, go, listen, route } from './router.svelte';

listen();
const page = (text: string) => (document.body.innerHTML = `<main id="main"><div class="bar"></div><div class="body">${text}</div></main>`);
const list = () => document.querySelector('.body') as HTMLElement;
const scroll = (top: number) => {
  list().scrollTop = top;
  list().dispatchEvent(new Event('scroll'));
};
const back = () => new Promise<void>((done) => (addEventListener('popstate', () => done(), { once: true }), history.back()));
const frame = () => new Promise((done) => requestAnimationFrame(done));

beforeEach(() => {
  go('/');
  go('/tools?risk=read');
  page('the list');
});

it('a list stands where it stood when one comes back to it', async () => {
  scroll(700);
  go('/tools/echo');
  page('a tool');
  scroll(40);
  await back();
  page('the list');
  for (let turn = 0; turn < 3; turn += 1) await frame();
  expect([route.path, list().scrollTop]).toEqual(['/tools', 700]);
});

it('a new page begins at its head, and who scrolls is not scrolled', async () => {
  scroll(700);
  go('/tools/echo');
  page('a tool');
  await frame();
  expect(list().scrollTop).toBe(0);
  await back();
  page('the list');
  list().dispatchEvent(new Event('wheel', { bubbles: true }));
  for (let turn = 0; turn < 3; turn += 1) await frame();
  expect(list().scrollTop).toBe(0);
});

it('a filter changes what the address asks for, and nothing else of it', () => {
  ask({ status: 'error', q: '' });
  expect([location.pathname + location.search, route.query.get('status')]).toEqual(['/tools?risk=read&status=error', 'error']);
  ask({ risk: '', status: '' });
  expect(location.pathname + location.search).toBe('/tools');
});
