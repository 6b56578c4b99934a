import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import Copy from './Copy.svelte';
import { copyText, selectForCopy } from './clipboard';
import { press } from './keys';

/** The text that was selected when the page asked the browser to copy. */
let selected: string[] = [];
function browser({ clipboard, old }: { clipboard: 'takes' | 'refuses' | 'none'; old: boolean }) {
  const writeText = async (text: string) => {
    if (clipboard === 'refuses') throw new Error('NotAllowedError');
    selected.push(`clipboard ${text}`);
  };
  vi.stubGlobal('navigator', clipboard === 'none' ? {} : { clipboard: { writeText } });
  document.execCommand = (command: string) => {
    const field = document.activeElement;
    if (command === 'copy' && old && field instanceof HTMLTextAreaElement)
      selected.push(`selection ${field.value.slice(field.selectionStart, field.selectionEnd)}`);
    return old;
  };
}

beforeEach(() => {
  selected = [];
  document.body.innerHTML = '';
});
afterEach(() => vi.unstubAllGlobals());

describe('copying', () => {
  it('goes by the clipboard, else by the selection, and says where neither works', async () => {
    const told: boolean[] = [];
    for (const [clipboard, old] of [
      ['takes', true],
      ['refuses', true],
      ['none', true],
      ['none', false],
    ] as const) {
      browser({ clipboard, old });
      told.push(await copyText('a\nkey'));
    }
    expect(told).toEqual([true, true, true, false]);
    expect(selected).toEqual(['clipboard a\nkey', 'selection a\nkey', 'selection a\nkey']);
    expect(document.querySelector('textarea')).toBeNull();
  });

  it('leaves the focus where it was', async () => {
    document.body.innerHTML = '<button>x</button>';
    const button = document.querySelector('button');
    button?.focus();
    browser({ clipboard: 'none', old: true });
    await copyText('text');
    expect(document.activeElement).toBe(button);
  });

  it('works within an open dialog, outside of which nothing can be selected', async () => {
    document.body.innerHTML = '<dialog open><button>x</button></dialog>';
    document.querySelector('button')?.focus();
    browser({ clipboard: 'none', old: false });
    const where: unknown[] = [];
    document.execCommand = () => Boolean(where.push(document.activeElement?.closest('dialog')));
    await copyText('text');
    expect(where).toEqual([document.querySelector('dialog')]);
  });

  it('puts the text where the keys copy it, until it is taken away and the focus is given back', () => {
    document.body.innerHTML = '<button>x</button><input />';
    const [button, input] = [document.querySelector('button') as HTMLElement, document.querySelector('input') as HTMLElement];
    button.focus();
    const take = selectForCopy('text', button);
    expect((document.activeElement as HTMLTextAreaElement).value).toBe('text');
    take();
    expect([document.querySelector('textarea'), document.activeElement]).toEqual([null, button]);
    const late = selectForCopy('text', button);
    input.focus();
    late();
    expect(document.activeElement).toBe(input);
  });
});

describe('the button', () => {
  const shown = async (given: Parameters<typeof browser>[0]) => {
    browser(given);
    const made = mount(Copy, { target: document.body, props: { text: 'key', label: 'Copy the key' } });
    flushSync();
    document.querySelector('button')?.click();
    await vi.waitFor(() => expect(document.querySelector('button')?.textContent).not.toBe('Copy the key'));
    const text = document.querySelector('button')?.textContent;
    await unmount(made);
    document.body.innerHTML = '';
    return text;
  };

  it('says Copied where something was, and which keys to press where nothing was', async () => {
    expect(await shown({ clipboard: 'takes', old: false })).toBe('Copied');
    expect(await shown({ clipboard: 'none', old: true })).toBe('Copied');
    expect(await shown({ clipboard: 'none', old: false })).toBe('Press Ctrl C');
    expect(await shown({ clipboard: 'refuses', old: false })).toBe('Press Ctrl C');
  });
});

describe('the key L', () => {
  it('says what became of the link', async () => {
    for (const [old, wanted] of [
      [true, 'Link copied'],
      [false, 'Press Ctrl C to copy the link'],
    ] as const) {
      browser({ clipboard: 'none', old });
      document.body.innerHTML = '<a href="/x">x</a>';
      document.querySelector('a')?.focus();
      press(new KeyboardEvent('keydown', { key: 'l' }));
      await vi.waitFor(() => expect(document.querySelector('[role="status"]')?.textContent).toBe(wanted));
    }
  });
});
