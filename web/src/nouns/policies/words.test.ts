import { expect, it } from 'vitest';
import { conditions, covers } from './words';

it('says each condition of a rule', () => {
  const when = {
    '/path': { prefix: 'reports' },
    '/url': { domain: 'example.org' },
    '/n': { max: 3 },
    '/headers/accept': { equals: 'text/html' },
    '/mode': { one_of: ['a', 'b'] },
  };
  expect(conditions({ when })).toEqual([
    'path is at or below reports',
    'url is an address of example.org',
    'n is at most 3',
    'headers.accept is text/html',
    'mode is one of a, b',
  ]);
});

it('says before it is made what a rule will cover', () => {
  expect(covers({ path: 'a.txt' })).toBe('Later calls with exactly these values will not ask.');
  expect(covers({ url: 'https://example.org/x' })).toBe('Later calls to example.org will not ask.');
  expect(covers({ url: 'https://example.org:8443/x', method: 'POST' })).toBe('Later calls to example.org:8443, with all other values as here, will not ask.');
});
