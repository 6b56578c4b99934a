/** A rule as it is written by hand: conditions in words of a form, and what the server takes. */
import { parse } from '../../lib/json';
import type { RuleCondition } from '../../lib/types';

export const KINDS = [
  ['equals', 'is'],
  ['one_of', 'is one of'],
  ['prefix', 'is at or below'],
  ['domain', 'is an address of'],
  ['max', 'is at most'],
] as const;
export type Kind = (typeof KINDS)[number][0];

/** One condition; several values of "is one of" stand on lines of their own. */
export interface Line {
  argument: string;
  kind: Kind;
  value: string;
}

export const BLANK: Line = { argument: '', kind: 'equals', value: '' };

export const DECISIONS = [
  ['allow', 'Allow without a question'],
  ['ask', 'Ask each time'],
  ['deny', 'Refuse'],
] as const;

/** The names of a tool's arguments, by its schema. */
export function argumentsOf(schema: unknown): string[] {
  const properties = (schema as { properties?: Record<string, unknown> } | null | undefined)?.properties;
  return Object.keys(properties ?? {});
}

/** The pointer to an argument: `headers.accept` is the field of an object. */
const pointer = (argument: string) =>
  `/${argument
    .split('.')
    .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
    .join('/')}`;

/** A value as it is meant: a number, a truth value or null where it is one, and else the words. In quotes it is words in any case. */
export function valueOf(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return text;
  }
}

function condition({ kind, value }: Line): RuleCondition {
  switch (kind) {
    case 'equals':
      return { equals: valueOf(value) };
    case 'one_of':
      return {
        one_of: value
          .split('\n')
          .filter((line) => line.trim())
          .map((line) => valueOf(line.trim())),
      };
    case 'prefix':
      return { prefix: value.trim() };
    case 'domain':
      return { domain: value.trim() };
    case 'max':
      return { max: Number(value.trim() || 'x') };
  }
}

/** The conditions by pointer; a line without an argument says nothing. */
export const conditionsOf = (lines: readonly Line[]): Record<string, RuleCondition> =>
  Object.fromEntries(lines.filter((line) => line.argument.trim()).map((line) => [pointer(line.argument.trim()), condition(line)]));

/** The arguments that two lines speak of: one condition each is what a rule has. */
export function doubled(lines: readonly Line[]): string[] {
  const named = lines.map((line) => line.argument.trim()).filter(Boolean);
  return [...new Set(named.filter((name, at) => named.indexOf(name) !== at))];
}

/** The moment at which the day ends here; null where none is given. */
export const endOf = (day: string): string | null => (day ? new Date(`${day}T23:59:59`).toISOString() : null);
