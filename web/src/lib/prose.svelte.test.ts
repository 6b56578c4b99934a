import { flushSync, mount, tick, unmount } from 'svelte';
import { afterEach, expect, it } from 'vitest';
import Markdown from './Markdown.svelte';

const WIDGET = ':::widget{type="alert"}\n{"text":"Beware"}\n:::';
const frame = () => new Promise(requestAnimationFrame);
let shown: object;
let message = $state.raw({ text: '' });

/** Draws a text that comes from an object which is handed on anew although it says the same, as rows of a list are. */
async function draw(text: string) {
  message = { text };
  shown = mount(Markdown, {
    target: document.body,
    props: {
      get text() {
        return message.text;
      },
    },
  });
  await tick();
}

async function say(text: string) {
  message = { text };
  flushSync();
  await frame();
}

afterEach(async () => {
  await unmount(shown);
  document.body.replaceChildren();
});

it('leaves an answer as it is drawn while its words are the same', async () => {
  await draw('One');
  const [before] = document.querySelectorAll('p');
  await say('One');
  expect(document.querySelector('p')).toBe(before);
  await say('One two');
  expect(document.querySelector('p')?.textContent).toBe('One two');
});

it('leaves what stands before a widget while the end grows', async () => {
  await draw(`One\n\n${WIDGET}\n\nTwo`);
  const [before] = document.querySelectorAll('p');
  const alert = document.querySelector('.prose + *');
  expect([before?.textContent, alert?.textContent]).toEqual(['One', expect.stringContaining('Beware')]);
  await say(`One\n\n${WIDGET}\n\nTwo three`);
  expect([document.querySelector('p'), document.querySelector('.prose + *')]).toEqual([before, alert]);
  expect([before?.isConnected, alert?.isConnected]).toEqual([true, true]);
  expect(document.body.textContent).toContain('Two three');
});
