import { describe, expect, it } from 'vitest';
import { placeOf } from './place';

describe('the place of an address', () => {
  it('is its host and port', () => {
    expect(placeOf('http://127.0.0.1:18102/api')).toBe('127.0.0.1:18102');
    expect(placeOf('https://crm.local/')).toBe('crm.local:443');
    expect(placeOf('http://CRM.local./x')).toBe('crm.local:80');
    expect(placeOf('http://[::1]:8080')).toBe('[::1]:8080');
  });

  it('is none where there is no such address', () => {
    for (const address of [null, undefined, '', 'nowhere', 'mailto:a@b']) expect(placeOf(address)).toBe('');
  });
});
