import { flushSync, mount, unmount } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { inputOf, plain } from './atfield';
import Failure from './Failure.svelte';
import { Problem } from './http';

const refused = new Problem(400, 'The body is wrong: `username`: A user name is 1 to 64 letters (line 1, column 14).', {
  field: 'username',
  reason: 'A user name is 1 to 64 letters',
});

afterEach(() => document.body.replaceChildren());

function form(html: string): HTMLFormElement {
  const made = document.createElement('form');
  made.innerHTML = html;
  document.body.append(made);
  return made;
}

describe('a refusal of one field', () => {
  it('is a plain sentence', () => {
    expect(plain(refused)).toBe('A user name is 1 to 64 letters.');
    expect(plain(new Problem(400, "A key's name is 1 to 100 characters on one line.", { field: 'name' }))).toBe(
      "A key's name is 1 to 100 characters on one line.",
    );
    expect(plain(new Problem(400, 'The body is wrong: it ends early (line 1, column 3).', {}))).toBe('The body is wrong: it ends early (line 1, column 3).');
  });

  it('is said under its input until that is changed', async () => {
    const made = form('<div class="field"><input id="c1-name"></div><div class="field"><input id="c1-password"></div>');
    const page = mount(Failure, { target: made, props: { error: refused } });
    flushSync();
    const input = made.querySelector<HTMLInputElement>('#c1-name');
    expect(input?.getAttribute('aria-invalid')).toBe('true');
    expect(input?.parentElement?.textContent).toBe('A user name is 1 to 64 letters.');
    expect(made.querySelectorAll('[role="alert"]')).toHaveLength(1);
    expect(document.activeElement).toBe(input);
    input?.dispatchEvent(new Event('input'));
    expect(input?.getAttribute('aria-invalid')).toBeNull();
    expect(made.querySelectorAll('[role="alert"]')).toHaveLength(0);
    await unmount(page);
  });

  it('stands by itself where the form has no such input', async () => {
    const made = form('<input id="c1-title">');
    const page = mount(Failure, { target: made, props: { error: refused } });
    flushSync();
    expect(made.querySelector('[role="alert"]')?.textContent).toContain('A user name is 1 to 64 letters.');
    await unmount(page);
  });

  it('of an entry of a list is said at the list', () => {
    const made = form('<textarea name="outbound.exceptions"></textarea><input name="outbound.keep_days">');
    expect(inputOf(made, 'outbound.exceptions[1]')?.tagName).toBe('TEXTAREA');
    expect(inputOf(made, 'outbound.keep_days')?.tagName).toBe('INPUT');
    expect(inputOf(made, 'outbound.keep')).toBeNull();
  });

  it('of a place inside a list is no input of the form', () => {
    const made = form('<input id="c1-name">');
    expect(inputOf(made, 'items[1].name')).toBeNull();
    expect(inputOf(made, undefined)).toBeNull();
  });
});
