/** From a JSON Schema to the fields a person fills in. */
import { shown } from './draft';

export type Schema = Record<string, unknown>;
export type FieldKind = 'text' | 'long' | 'number' | 'integer' | 'boolean' | 'choice' | 'lines' | 'json' | 'file' | 'group' | 'items';

export interface Field {
  name: string;
  kind: FieldKind;
  required: boolean;
  /** The values that may stand here, in words: "text, required", "1 to 200, default 50". */
  note: string;
  hint: string;
  choices: string[];
  /** Any JSON value is fine, and plain text counts as a string. */
  loose: boolean;
  /** A text that is one line: its format says so, or it is a secret. All others keep their line breaks. */
  single?: boolean;
  minimum?: number;
  maximum?: number;
  fallback?: unknown;
  /** The fields of a group. */
  fields?: Field[];
  /** The shape of each entry of a list. */
  item?: Field;
}

/** Deeper than this a form helps nobody: the rest is JSON. */
const DEPTH = 3;

const LONG = /^(content|text|body|body_xml|patch|data|input|old_text|new_text|prompt|instruction|message|stdin|script)$/;

const SECRET = /(^|_)(password|passphrase|secret|token|api_?key)$/i;
const CARRIES = /^(authorization|headers?|cookies?|credentials?)$/i;
const TELLS = /(authorization|cookie|pass(word|phrase)|secret|token|api[-_]?key)["']?\s*[:=]|\s(-u|--user|-b)[\s=]|:\/\/[^\s/@]+@/i;

/** Returns whether a field of this name may hold a secret, which nothing but its form may keep. */
export const secretive = (name: string) => SECRET.test(name) || CARRIES.test(name);

/** Returns whether a free text seems to hold one. */
export const telling = (text: string) => TELLS.test(text);

/** Follows references and drops the null of optional values. */
export function resolve(schema: Schema, root: Schema, seen: readonly string[] = []): Schema {
  const ref = schema['$ref'];
  // What names itself, on whatever way, says nothing: any value fits.
  if (typeof ref === 'string' && seen.includes(ref)) return without(schema, '$ref');
  if (typeof ref === 'string' && ref.startsWith('#/')) {
    let at: unknown = root;
    for (const key of ref.slice(2).split('/')) at = (at as Schema | undefined)?.[key];
    return { ...resolve((at ?? {}) as Schema, root, [...seen, ref]), ...without(schema, '$ref') };
  }
  const options = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  const real = options?.filter((option) => option['type'] !== 'null');
  if (options && real?.length === 1 && real[0]) {
    return { ...resolve(real[0], root, seen), ...without(schema, 'anyOf', 'oneOf') };
  }
  return schema;
}

function without(schema: Schema, ...keys: string[]): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}

/** The fields of an object schema, required ones first. */
export function fields(schema: Schema, root: Schema = schema, depth = 0): Field[] {
  const properties = (schema['properties'] ?? {}) as Record<string, unknown>;
  const required = (schema['required'] ?? []) as string[];
  return Object.entries(properties)
    .map(([name, part]) => field(name, typeof part === 'object' && part ? (part as Schema) : {}, required.includes(name), root, depth))
    .sort((a, b) => Number(b.required) - Number(a.required));
}

function field(name: string, part: Schema, required: boolean, root: Schema, depth: number): Field {
  const schema = resolve(part, root);
  const types = [schema['type']].flat().filter((type) => type !== undefined && type !== 'null');
  const choices = choicesOf(schema);
  const inner = types.length === 1 ? inside(String(types[0]), schema, root, depth) : null;
  const kind = inner?.kind ?? kindOf(name, types, schema, choices);
  const found: Field = {
    name,
    kind,
    required,
    note: '',
    hint: String(part['description'] ?? schema['description'] ?? ''),
    choices,
    loose: kind === 'json' && (types.length !== 1 || types[0] === 'string'),
    ...inner,
  };
  if (kind === 'text' && (typeof schema['format'] === 'string' || schema['writeOnly'] === true || SECRET.test(name))) found.single = true;
  const minimum = schema[kind === 'items' ? 'minItems' : 'minimum'];
  const maximum = schema[kind === 'items' ? 'maxItems' : 'maximum'];
  if (typeof minimum === 'number') found.minimum = minimum;
  if (typeof maximum === 'number' && maximum < 1e15) found.maximum = maximum;
  const fallback = part['default'] ?? schema['default'];
  if (fallback !== undefined && fallback !== null) found.fallback = fallback;
  found.note = note(found);
  return found;
}

type Inside = { kind: 'group'; fields: Field[] } | { kind: 'items'; item: Field };

/** Returns what an object or a list holds, where a form can show it; null is for JSON. */
function inside(type: string, schema: Schema, root: Schema, depth: number): Inside | null {
  if (depth >= DEPTH) return null;
  const open = schema['additionalProperties'] ?? false;
  if (type === 'object' && open === false) {
    const parts = fields(schema, root, depth + 1);
    return parts.length > 0 ? { kind: 'group', fields: parts } : null;
  }
  const entry = schema['items'];
  if (type !== 'array' || typeof entry !== 'object' || entry === null) return null;
  const item = field('', entry as Schema, true, root, depth + 1);
  return ['json', 'lines', 'text', 'long', 'items'].includes(item.kind) ? null : { kind: 'items', item };
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
      if (schema['format'] === 'binary') return 'file';
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
  file: 'path of a file',
  group: 'group',
  items: 'list',
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
  const parts = kind === 'items' ? [`list${range && range !== '0 or more' ? ` of ${range}` : ''}`] : [range || (field.loose ? 'text or JSON' : NAMES[kind])];
  if (kind === 'group') parts.length = 0;
  if (field.required) parts.push('required');
  if (field.fallback !== undefined && kind !== 'boolean' && kind !== 'group' && kind !== 'items') parts.push(`default ${shown(field.fallback)}`);
  return parts.join(', ');
}
