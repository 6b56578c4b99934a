/** The contents of a form, and the value they make. Drafts are text, as typed, so no input is ever lost. */
import { parse, whole } from './json';
import { fields, secretive, type Field, type Schema } from './schema';

/** A field's text; a list's or a group's own drafts. Text in place of those two is their JSON. */
export type Draft = string | Draft[] | Drafts;
export interface Drafts {
  [name: string]: Draft;
}

/** A value as it stands in a field. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, typeof value === 'object' ? 2 : 0);
}

/** A draft as one text, to compare it. */
export const flat = (draft: Draft | undefined): string => (typeof draft === 'string' ? draft : JSON.stringify(draft ?? ''));

/** Returns whether anything has been filled in. */
export function filled(draft: Draft | undefined): boolean {
  if (draft === undefined || typeof draft === 'string') return !!draft;
  return Array.isArray(draft) ? draft.length > 0 : Object.values(draft).some(filled);
}

/** Returns what may be kept of a form: all but what may be secret. */
export function open(given: Drafts): Drafts {
  const plain = (draft: Draft): Draft => {
    if (Array.isArray(draft)) return draft.map(plain);
    return typeof draft === 'string' ? draft : open(draft);
  };
  return Object.fromEntries(Object.entries(given).map(([name, draft]) => [name, secretive(name) ? '' : plain(draft)]));
}

/** One field's value as its draft; what the form has no place for stays JSON. */
export function written(field: Field, value: unknown): Draft {
  if (field.kind === 'group') return group(field.fields ?? [], value);
  if (field.kind === 'items' && field.item) return list(field.item, value);
  if (value === undefined) return '';
  if (field.kind === 'lines' && Array.isArray(value)) return value.join('\n');
  return field.kind === 'json' && !field.loose ? JSON.stringify(value, null, 2) : shown(value);
}

function group(parts: Field[], value: unknown): Draft {
  if (value === undefined || value === null) return drafted(parts, {});
  const known = typeof value === 'object' && !Array.isArray(value) && Object.keys(value).every((key) => parts.some((part) => part.name === key));
  return known ? drafted(parts, value as Record<string, unknown>) : shown(value);
}

function list(item: Field, value: unknown): Draft {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.map((entry) => written(item, entry)) : shown(value);
}

const drafted = (parts: Field[], values: Record<string, unknown>): Drafts =>
  Object.fromEntries(parts.map((part) => [part.name, written(part, values[part.name])]));

/** An object's values as they stand in the fields of a schema. */
export function drafts(schema: Schema, value: unknown): Drafts {
  return drafted(fields(schema), (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>);
}

type Errors = Record<string, string>;
type Coerced = { value: unknown } | null;

/** One field's value, null where it is left out; what is wrong goes to `errors`, by path. */
function coerce(field: Field, draft: Draft | undefined, path: string, errors: Errors): Coerced {
  if (field.kind === 'group' && typeof draft === 'object' && !Array.isArray(draft)) {
    if (!field.required && !filled(draft)) return null;
    return { value: gather(field.fields ?? [], draft, `${path}/`, errors) };
  }
  if (field.kind === 'items' && field.item && Array.isArray(draft)) {
    if (draft.length === 0 && !field.required) return null;
    const { item } = field;
    return { value: draft.map((entry, at) => coerce(item, entry, `${path}/${at}`, errors)?.value ?? null) };
  }
  const found = text(field, typeof draft === 'string' ? draft : flat(draft));
  if (found && 'error' in found) {
    errors[path] = found.error;
    return null;
  }
  return found;
}

function gather(parts: Field[], given: Drafts, path: string, errors: Errors): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const part of parts) {
    const found = coerce(part, given[part.name] ?? '', `${path}${part.name}`, errors);
    if (found) value[part.name] = found.value;
  }
  return value;
}

function text(field: Field, given: string): { value: unknown } | { error: string } | null {
  const empty = given.trim() === '';
  if (empty && field.kind === 'boolean' && field.required) return { value: field.fallback === true };
  const wordy = field.kind === 'long' || field.kind === 'text';
  if (empty && !(field.required && wordy && given !== '')) {
    return field.required && !['long', 'lines', 'items'].includes(field.kind) ? { error: `Fill in ${field.name || 'this entry'}` } : blank(field);
  }
  switch (field.kind) {
    case 'integer':
    case 'number':
      return numeric(field, given.trim());
    case 'boolean':
      return { value: given === 'true' };
    case 'lines':
      return {
        value: given
          .split('\n')
          .map((line) => line.trim())
          .filter(Boolean),
      };
    case 'json':
    case 'group':
    case 'items':
      return json(field, given);
    case 'choice':
      return field.choices.includes(given) ? { value: given } : { error: `Choose one of ${field.choices.join(', ')}` };
    default:
      return { value: given };
  }
}

/** An empty field that must be there: an empty text or list is a value, too. */
function blank(field: Field): Coerced {
  if (!field.required) return null;
  return field.kind === 'lines' || field.kind === 'items' ? { value: [] } : { value: '' };
}

function numeric(field: Field, given: string): { value: unknown } | { error: string } {
  const value = Number(given);
  if (!Number.isFinite(value)) return { error: 'Enter a number' };
  if (field.kind === 'integer' && !Number.isInteger(value)) return { error: 'Enter a whole number' };
  if (field.minimum !== undefined && value < field.minimum) return { error: `Enter ${field.minimum} or more` };
  if (field.maximum !== undefined && value > field.maximum) return { error: `Enter ${field.maximum} or less` };
  return { value: whole(given) };
}

function json(field: Field, given: string): { value: unknown } | { error: string } {
  const wrong = mistake(given);
  if (!wrong) return { value: parse(given) };
  return field.loose ? { value: given } : { error: wrong };
}

/** Returns what is wrong with a text that should be JSON; empty where nothing is. */
export function mistake(given: string): string {
  try {
    JSON.parse(given);
    return '';
  } catch (failure) {
    return `Not valid JSON: ${(failure as Error).message}`;
  }
}

/** All fields together: the value to send, and what is wrong by path, `rows/0/name`. */
export function read(schema: Schema, given: Drafts): { value: Record<string, unknown>; errors: Errors } {
  const errors: Errors = {};
  const value = gather(fields(schema), given, '', errors);
  return { value, errors };
}
