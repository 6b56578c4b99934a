import { describe, expect, it } from 'vitest';
import { address, filterOf, named } from './ledger.svelte';

describe('the outbound page', () => {
  it('has its filter in its address', () => {
    const given = filterOf(new URLSearchParams('host=a.example&outcome=refused&other=1'));
    expect(address(given)).toBe('/outbound?outcome=refused&host=a.example');
    expect(address(filterOf(new URLSearchParams()))).toBe('/outbound');
  });

  it('names tools and parts of the product', () => {
    expect(['builtin:web_fetch', 'catalog:crm.list', 'model_download'].map(named)).toEqual(['web_fetch', 'catalog:crm.list', 'model download']);
  });
});
