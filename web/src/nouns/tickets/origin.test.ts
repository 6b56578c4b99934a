import { describe, expect, it } from 'vitest';
import { fields } from '../../lib/schema';
import { origin, type Before } from './origin';

const [path, deep] = fields({ type: 'object', required: ['path'], properties: { path: { type: 'string' }, deep: { type: 'boolean', default: false } } });
const known: Before = { said: ['write it to out/a.md'], found: [{ tool: 'read', text: '["OP-88213"]' }] };

describe('where a value comes from', () => {
  it.each([
    [path, 'out/a.md', 'out/a.md', 'From your message'],
    [path, 'OP-88213', 'OP-88213', 'From the result of read'],
    [path, 'secret.txt', 'secret.txt', 'Written by the model. Check it'],
    [path, 'a.md', 'b.md', 'Edited, was a.md'],
    [path, undefined, 'b.md', 'Added by you'],
    [deep, false, 'false', 'Default of the tool'],
    [deep, true, 'true', 'Written by the model. Check it'],
  ])('%#: %s as %s', (field, given, now, text) => {
    expect(field && origin(field, given, now, known).text).toBe(text);
  });

  it('is the caller where there is no conversation', () => {
    expect(path && origin(path, 'x', 'x', null).text).toBe('Given by the caller');
  });
});
