/** From a JSON Schema to fields a person fills in, and back to a value. Drafts are text, as typed, so no input is ever lost. */
export type Schema = Record<string, unknown>;
export type Drafts = Record<string, string>;
export type FieldKind = 'text' | 'long' | 'number' | 'integer' | 'boolean' | 'choice' | 'lines' | 'json';

export interface Field {
  name: string;
  kind: FieldKind;
  required: boolean;
  /** What may stand here, in words: "text, required", "1 to 200, default 50". */
  note: string;
  hint: string;
  choices: string[];
  /** Any JSON value is fine, and plain text counts as a string. */
  loose: boolean;
  minimum?: number;
  maximum?: number;
  fallback?: unknown;
}

const LONG = /^(content|text|body|body_xml|patch|data|input|old_text|new_text|prompt|instruction|message|stdin|script)$/;

/** Follows references and drops the null of optional values. */
export function resolve(schema: Schema, root: Schema): Schema {
  const ref = schema['$ref'];
  if (typeof ref === 'string' && ref.startsWith('#/')) {
    let at: unknown = root;
    for (const key of ref.slice(2).split('/')) at = (at as Schema | undefined)?.[key];
    return { ...resolve((at ?? {}) as Schema, root), ...without(schema, '$ref') };
  }
  const options = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  const real = options?.filter((option) => option['type'] !== 'null');
  if (options && real?.length === 1 && real[0]) {
    return { ...resolve(real[0], root), ...without(schema, 'anyOf', 'oneOf') };
  }
  return schema;
}

function without(schema: Schema, ...keys: string[]): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}

/** The fields of an object schema, required ones first. */
export function fields(schema: Schema): Field[] {
  const properties = (schema['properties'] ?? {}) as Record<string, unknown>;
  const required = (schema['required'] ?? []) as string[];
  return Object.entries(properties)
    .map(([name, part]) => field(name, typeof part === 'object' && part ? (part as Schema) : {}, required.includes(name), schema))
    .sort((a, b) => Number(b.required) - Number(a.required));
}

function field(name: string, part: Schema, required: boolean, root: Schema): Field {
  const schema = resolve(part, root);
  const types = [schema['type']].flat().filter((type) => type !== undefined && type !== 'null');
  const choices = choicesOf(schema);
  const kind = kindOf(name, types, schema, choices);
  const found: Field = {
    name,
    kind,
    required,
    note: '',
    hint: String(part['description'] ?? schema['description'] ?? ''),
    choices,
    loose: kind === 'json' && (types.length !== 1 || types[0] === 'string'),
  };
  const { minimum, maximum } = schema;
  if (typeof minimum === 'number') found.minimum = minimum;
  if (typeof maximum === 'number' && maximum < 1e15) found.maximum = maximum;
  const fallback = part['default'] ?? schema['default'];
  if (fallback !== undefined && fallback !== null) found.fallback = fallback;
  found.note = note(found);
  return found;
}

function choicesOf(schema: Schema): string[] {
  if (Array.isArray(schema['enum'])) return schema['enum'].filter((item) => item !== null).map(String);
  const options = (schema['oneOf'] ?? schema['anyOf']) as Schema[] | undefined;
  const constants = options?.flatMap((option) =>
    'const' in option ? [String(option['const'])] : Array.isArray(option['enum']) ? option['enum'].map(String) : [],
  );
  return constants && constants.length >= (options?.length ?? 1) - 1 ? constants : [];
}

function kindOf(name: string, types: unknown[], schema: Schema, choices: string[]): FieldKind {
  if (choices.length > 0) return 'choice';
  if (types.length !== 1) return 'json';
  switch (types[0]) {
    case 'string':
      return LONG.test(name) ? 'long' : 'text';
    case 'integer':
      return 'integer';
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return (schema['items'] as Schema | undefined)?.['type'] === 'string' ? 'lines' : 'json';
    default:
      return 'json';
  }
}

const NAMES: Record<FieldKind, string> = {
  text: 'text',
  long: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'yes or no',
  choice: 'choice',
  lines: 'one per line',
  json: 'JSON',
};

function note(field: Field): string {
  const { minimum, maximum, kind } = field;
  const range =
    minimum !== undefined && maximum !== undefined
      ? `${minimum} to ${maximum}`
      : minimum !== undefined && minimum > 0
        ? `${minimum} or more`
        : maximum !== undefined
          ? `at most ${maximum}`
          : '';
  const parts = [range || (field.loose ? 'text or JSON' : NAMES[kind])];
  if (field.required) parts.push('required');
  if (field.fallback !== undefined && kind !== 'boolean') parts.push(`default ${draft(field.fallback)}`);
  return parts.join(', ');
}

/** A value as it stands in a field. */
export function draft(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, typeof value === 'object' ? 2 : 0);
}

/** An object's values as they stand in the fields of a schema. */
export function drafts(schema: Schema, value: unknown): Drafts {
  const values = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const made: Drafts = {};
  for (const field of fields(schema)) {
    const given = values[field.name];
    if (field.kind === 'lines' && Array.isArray(given)) made[field.name] = given.join('\n');
    else if (given !== undefined) made[field.name] = field.kind === 'json' && !field.loose ? JSON.stringify(given, null, 2) : draft(given);
    else made[field.name] = '';
  }
  return made;
}

export type Coerced = { value: unknown } | { error: string } | null;

/** One field's value; null where it is left out. */
export function coerce(field: Field, text: string): Coerced {
  const empty = text.trim() === '';
  if (empty && !(field.required && (field.kind === 'long' || field.kind === 'text') && text !== '')) {
    return field.required && field.kind !== 'long' && field.kind !== 'lines' ? { error: `Fill in ${field.name}` } : blank(field);
  }
  switch (field.kind) {
    case 'integer':
    case 'number':
      return numeric(field, text.trim());
    case 'boolean':
      return { value: text === 'true' };
    case 'lines':
      return { value: text.split('\n').map((line) => line.trim()).filter(Boolean) };
    case 'json':
      return json(field, text);
    case 'choice':
      return field.choices.includes(text) ? { value: text } : { error: `Choose one of ${field.choices.join(', ')}` };
    default:
      return { value: text };
  }
}

/** An empty field that must be there: an empty text or list is a value, too. */
function blank(field: Field): Coerced {
  if (!field.required) return null;
  return field.kind === 'lines' ? { value: [] } : { value: '' };
}

function numeric(field: Field, text: string): Coerced {
  const value = Number(text);
  if (!Number.isFinite(value)) return { error: 'Enter a number' };
  if (field.kind === 'integer' && !Number.isInteger(value)) return { error: 'Enter a whole number' };
  if (field.minimum !== undefined && value < field.minimum) return { error: `Enter ${field.minimum} or more` };
  if (field.maximum !== undefined && value > field.maximum) return { error: `Enter ${field.maximum} or less` };
  return { value };
}

function json(field: Field, text: string): Coerced {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (failure) {
    return field.loose ? { value: text } : { error: `Not valid JSON: ${(failure as Error).message}` };
  }
}

/** All fields together: the value to send, and what is wrong by field. */
export function read(schema: Schema, given: Drafts): { value: Record<string, unknown>; errors: Record<string, string> } {
  const value: Record<string, unknown> = {};
  const errors: Record<string, string> = {};
  for (const field of fields(schema)) {
    const found = coerce(field, given[field.name] ?? '');
    if (found && 'error' in found) errors[field.name] = found.error;
    else if (found) value[field.name] = found.value;
  }
  return { value, errors };
}
