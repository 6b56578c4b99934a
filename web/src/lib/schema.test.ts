import { describe, expect, it } from 'vitest';
import { drafts, read } from './draft';
import { fields, type Schema } from './schema';

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

describe('a reference', () => {
  it('that names itself, alone or over others, is any value', () => {
    const looping: Schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/A', description: 'first' }, b: { $ref: '#/$defs/B' }, c: { anyOf: [{ $ref: '#/$defs/C' }, { type: 'null' }] } },
      $defs: { A: { $ref: '#/$defs/A' }, B: { $ref: '#/$defs/D' }, D: { $ref: '#/$defs/B' }, C: { anyOf: [{ $ref: '#/$defs/C' }, { type: 'null' }] } },
    };
    expect(fields(looping).map(({ name, kind, hint }) => [name, kind, hint])).toEqual([
      ['a', 'json', 'first'],
      ['b', 'json', ''],
      ['c', 'json', ''],
    ]);
  });
});

describe('fields', () => {
  it('take their kind from the schema', () => {
    const kinds = Object.fromEntries(fields(schema).map((field) => [field.name, field.kind]));
    expect(kinds).toEqual({
      path: 'text',
      content: 'long',
      data: 'json',
      limit: 'integer',
      ratio: 'number',
      deep: 'boolean',
      order: 'choice',
      kind: 'choice',
      tags: 'lines',
      options: 'json',
    });
  });

  it('that are files are given by their path', () => {
    const schema = { properties: { body: { type: 'string', format: 'binary' }, all: { type: 'array', items: { type: 'string', format: 'binary' } } } };
    const [body, all] = fields(schema);
    expect([body?.kind, body?.note, all?.kind, all?.item?.kind]).toEqual(['file', 'path of a file', 'items', 'file']);
  });

  it('put what is required first', () => {
    expect(
      fields(schema)
        .slice(0, 3)
        .map((field) => field.name),
    ).toEqual(['path', 'content', 'data']);
  });

  it('say in words what may stand there', () => {
    const notes = Object.fromEntries(fields(schema).map((field) => [field.name, field.note]));
    expect(notes).toMatchObject({
      limit: '1 to 200, default 50',
      path: 'text, required',
      data: 'text or JSON, required',
      order: 'choice',
      tags: 'one per line',
    });
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

describe('what is nested', () => {
  const rule: Schema = {
    type: 'object',
    required: ['field'],
    properties: { field: { type: 'string' }, most: { type: 'integer', minimum: 1 }, on: { type: 'boolean' } },
  };
  const nested: Schema = {
    type: 'object',
    required: ['rules'],
    properties: {
      rules: { type: 'array', items: { $ref: '#/$defs/Rule' }, minItems: 1, maxItems: 8 },
      page: { type: 'object', properties: { size: { type: 'integer' }, where: { $ref: '#/$defs/Rule' } } },
      sizes: { type: 'array', items: { type: 'number' } },
      free: { type: 'object', additionalProperties: { type: 'string' } },
      tree: { $ref: '#/$defs/Node' },
    },
    $defs: { Rule: rule, Node: { type: 'object', properties: { name: { type: 'string' }, under: { $ref: '#/$defs/Node' } } } },
  };

  it('has fields of its own, down to a depth', () => {
    const kinds = Object.fromEntries(fields(nested).map((field) => [field.name, field.kind]));
    expect(kinds).toEqual({ rules: 'items', page: 'group', sizes: 'items', free: 'json', tree: 'group' });
    expect(fields(nested)[0]?.item?.fields?.map((field) => field.name)).toEqual(['field', 'most', 'on']);
    const depth = (all: ReturnType<typeof fields>, name: string): number => {
      const found = all.find((field) => field.name === name);
      return found?.kind === 'group' ? 1 + depth(found.fields ?? [], 'under') : 0;
    };
    expect(depth(fields(nested), 'tree')).toBe(3);
    expect(fields(nested)[0]?.note).toBe('list of 1 to 8, required');
  });

  it('gives back what was filled in', () => {
    const value = {
      rules: [
        { field: 'a', most: 3 },
        { field: 'b', on: true },
      ],
      page: { size: 5, where: { field: 'c' } },
      sizes: [1, 2.5],
      free: { x: 'y' },
    };
    expect(read(nested, drafts(nested, value))).toEqual({ value, errors: {} });
  });

  it('leaves an untouched group out and says where a touched one is wrong', () => {
    expect(read(nested, drafts(nested, { rules: [] }))).toEqual({ value: { rules: [] }, errors: {} });
    const wrong = read(nested, drafts(nested, { rules: [{ field: 'a' }, { most: 0 }], page: { where: { most: 1 } } }));
    expect(wrong.errors).toEqual({ 'rules/1/field': 'Fill in field', 'rules/1/most': 'Enter 1 or more', 'page/where/field': 'Fill in field' });
  });

  it('stays JSON where the form has no place for it', () => {
    const value = { rules: [{ field: 'a', more: 1 }], page: { size: 1, unknown: true } };
    const given = drafts(nested, value);
    expect([typeof given['page'], read(nested, given)]).toEqual(['string', { value, errors: {} }]);
  });
});
