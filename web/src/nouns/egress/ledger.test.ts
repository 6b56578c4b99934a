import { mount, unmount } from 'svelte';
import { describe, expect, it } from 'vitest';
import { address, filterOf, named, picked, place } from './ledger.svelte';
import Summary from './Summary.svelte';

describe('the outbound page', () => {
  it('has its filter in its address', () => {
    const given = filterOf(new URLSearchParams('host=a.example&outcome=refused&other=1'));
    expect(address(given)).toBe('/outbound?outcome=refused&host=a.example');
    expect(address(filterOf(new URLSearchParams()))).toBe('/outbound');
  });

  it('marks a value only where it is filtered by, and never the empty one', () => {
    const any = filterOf(new URLSearchParams());
    const one = filterOf(new URLSearchParams('host=a.example'));
    expect([picked(any, 'host', ''), picked(one, 'host', ''), picked(one, 'host', 'a.example'), picked(one, 'host', 'b.example')]).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });

  it('keeps the end of a place, which tells most', () => {
    expect(place({ host: '127.0.0.1', port: 21456, protocol: 'http' })).toEqual(['', '127.0.0.1:21456']);
    expect(place({ host: 'long.name.of.example.org', port: 443, protocol: 'https' })).toEqual(['long.name.of', '.example.org']);
    expect(place({ host: '', port: 25, protocol: 'smtp' })).toEqual(['', ':25']);
  });

  it('offers no filter for attempts that named no host', () => {
    const summary = {
      outcomes: [],
      by: [],
      users: [],
      hosts: ['', 'a.example'].map((host) => ({ host, attempts: 2, refused: 0, sent: 0, received: 0, last_at: '' })),
    };
    const page = mount(Summary, { target: document.body, props: { summary, filter: filterOf(new URLSearchParams()), pick: () => {} } });
    const rows = [...document.body.querySelectorAll('label, .plain')].map((row) => [row.textContent?.trim(), row.querySelector('input')?.checked]);
    expect(rows).toEqual([
      ['none named 2', undefined],
      ['a.example 2', false],
    ]);
    void unmount(page);
  });

  it('names tools and parts of the product', () => {
    expect(['builtin:web_fetch', 'catalog:crm.list', 'model_download'].map(named)).toEqual(['web_fetch', 'catalog:crm.list', 'model download']);
  });
});
