import { describe, expect, it } from 'vitest';
import { drafts, fields, read, type Schema } from './schema';

const schema: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['path', 'content', 'data'],
  properties: {
    limit: { type: ['integer', 'null'], minimum: 1, maximum: 200, default: 50, description: 'How many' },
    path: { type: 'string', description: 'Where' },
    content: { type: 'string' },
    ratio: { type: 'number' },
    deep: { type: 'boolean', default: false },
    order: { anyOf: [{ $ref: '#/$defs/Order' }, { type: 'null' }] },
    kind: { oneOf: [{ const: 'a', description: 'first' }, { const: 'b' }] },
    tags: { type: 'array', items: { type: 'string' } },
    data: {},
    options: { type: 'object' },
  },
  $defs: { Order: { type: 'string', enum: ['asc', 'desc'] } },
};

const filled = { path: 'a.txt', content: 'x', data: '[1]' };

describe('fields', () => {
  it('take their kind from the schema', () => {
    const kinds = Object.fromEntries(fields(schema).map((field) => [field.name, field.kind]));
    expect(kinds).toEqual({
      path: 'text', content: 'long', data: 'json', limit: 'integer', ratio: 'number', deep: 'boolean',
      order: 'choice', kind: 'choice', tags: 'lines', options: 'json',
    });
  });

  it('put what is required first', () => {
    expect(fields(schema).slice(0, 3).map((field) => field.name)).toEqual(['path', 'content', 'data']);
  });

  it('say in words what may stand there', () => {
    const notes = Object.fromEntries(fields(schema).map((field) => [field.name, field.note]));
    expect(notes).toMatchObject({ limit: '1 to 200, default 50', path: 'text, required', data: 'text or JSON, required', order: 'choice', tags: 'one per line' });
  });

  it('follow references to their choices', () => {
    expect(fields(schema).find((field) => field.name === 'order')?.choices).toEqual(['asc', 'desc']);
    expect(fields(schema).find((field) => field.name === 'kind')?.choices).toEqual(['a', 'b']);
  });

  it('of a schema without properties are none', () => {
    expect(fields({ type: 'object' })).toEqual([]);
  });
});

describe('reading a form', () => {
  it('leaves out what is empty and makes each value its type', () => {
    const given = { ...filled, limit: '20', ratio: '0.5', deep: 'true', order: 'asc', tags: 'a\n\n b ', options: '{"x":1}' };
    expect(read(schema, given)).toEqual({
      value: { path: 'a.txt', content: 'x', data: [1], limit: 20, ratio: 0.5, deep: true, order: 'asc', tags: ['a', 'b'], options: { x: 1 } },
      errors: {},
    });
  });

  it('takes text where any value is fine', () => {
    expect(read(schema, { ...filled, data: 'name,age' }).value['data']).toBe('name,age');
    expect(read(schema, { ...filled, data: '3' }).value['data']).toBe(3);
  });

  it('lets a required text be empty, but no other required field', () => {
    expect(read(schema, { path: '', content: '', data: '' }).errors).toEqual({ path: 'Fill in path', data: 'Fill in data' });
    expect(read(schema, { ...filled, content: '' }).value['content']).toBe('');
  });

  it.each([
    [{ limit: '0' }, { limit: 'Enter 1 or more' }],
    [{ limit: '201' }, { limit: 'Enter 200 or less' }],
    [{ limit: '1.5' }, { limit: 'Enter a whole number' }],
    [{ limit: 'many' }, { limit: 'Enter a number' }],
    [{ ratio: 'Infinity' }, { ratio: 'Enter a number' }],
    [{ order: 'up' }, { order: 'Choose one of asc, desc' }],
  ])('says what is wrong with %j', (given, errors) => {
    expect(read(schema, { ...filled, ...given }).errors).toEqual(errors);
  });

  it('says that JSON is not JSON', () => {
    expect(read(schema, { ...filled, options: '{' }).errors['options']).toMatch(/^Not valid JSON/);
  });

  it('gives back what was filled in', () => {
    const value = { path: 'a', content: 'b\nc', data: [{ x: 1 }], limit: 3, deep: false, tags: ['p', 'q'], order: 'desc' };
    expect(read(schema, drafts(schema, value))).toEqual({ value, errors: {} });
  });

  it('keeps a long text with its line breaks and blanks', () => {
    const content = '  first\n\n  last \n';
    expect(read(schema, { ...filled, content }).value['content']).toBe(content);
  });
});
