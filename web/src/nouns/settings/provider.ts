/** Providers of models: their usual addresses, what they are called, and what the server says of one before it is saved. */
import { client, ok, Problem } from '../../lib/http';
import type { NewProvider, Provider } from '../../lib/types';

export type Kind = Provider['kind'];

export const KINDS: readonly (readonly [Kind, string])[] = [
  ['openai', 'OpenAI-compatible'],
  ['anthropic', 'Anthropic'],
  ['ollama', 'Ollama'],
];
export const ADDRESSES: Record<Kind, string> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
  ollama: 'http://127.0.0.1:11434',
};

/** The host of an address, with its port; nothing where it is no address. */
export function hostOf(address: string): string {
  try {
    return new URL(address).host;
  } catch {
    return '';
  }
}

/** Returns the usual name of a provider where nobody gives one: two of one kind are told apart by their hosts. */
export function usualName(kind: Kind, address: string, taken: readonly string[]): string {
  const name = KINDS.find(([key]) => key === kind)?.[1] ?? kind;
  const host = hostOf(address || ADDRESSES[kind]);
  return taken.includes(name) && host ? `${name} at ${host}` : name;
}

/** A model as it is chosen: with its provider, for two may have one of the same name. */
export const choiceName = ({ model, name }: Pick<Provider, 'model' | 'name'>): string => (name && name !== model ? `${model}, ${name}` : model);

/** The order with one provider moved; the same where it cannot go further. */
export function moved(ids: readonly string[], id: string, to: number): string[] {
  const rest = ids.filter((one) => one !== id);
  const at = Math.max(0, Math.min(rest.length, to));
  return [...rest.slice(0, at), id, ...rest.slice(at)];
}

/**
 * Asks a provider that is not saved which models it has, none where it has no list; a finding that is none good is thrown,
 * with its field.
 */
export async function tryOut(provider: NewProvider, stored: string | null): Promise<string[]> {
  const found = await ok(client.POST('/api/providers/test', { body: { stored, provider } }));
  if (!found.ok) throw new Problem(400, found.message, { field: found.field ?? undefined, models: found.models ?? [] });
  return found.models ?? [];
}

/** Parameters of requests beside the conversation, as they are typed: an empty field is not sent. */
export interface ParameterFields {
  temperature: string;
  top_p: string;
  max_tokens: string;
  reasoning_effort: string;
  instructions: string;
}

type Parameters = NonNullable<NewProvider['parameters']>;

export const EFFORTS = ['none', 'low', 'medium', 'high'] as const;

/** The longest instructions, in characters. */
export const LONGEST = 8_000;

/** Parameters as fields. */
export const fieldsOf = (given: Parameters = {}): ParameterFields => ({
  temperature: String(given.temperature ?? ''),
  top_p: String(given.top_p ?? ''),
  max_tokens: String(given.max_tokens ?? ''),
  reasoning_effort: given.reasoning_effort ?? '',
  instructions: given.instructions ?? '',
});

/** The highest temperature a kind of provider takes. */
export const warmest = (kind: Kind) => (kind === 'anthropic' ? 1 : 2);

/** The parameters that fields say; what is out of range is thrown, with its field. */
export function parametersOf(fields: ParameterFields, kind: Kind): Parameters {
  const most = warmest(kind);
  const temperature = number('temperature', fields.temperature, `Enter a number from 0 to ${most}.`, (n) => n >= 0 && n <= most);
  const top_p = number('top_p', fields.top_p, 'Enter a number from 0 to 1.', (n) => n >= 0 && n <= 1);
  const max_tokens = number('max_tokens', fields.max_tokens, 'Enter a whole number, 1 or more.', (n) => Number.isInteger(n) && n >= 1 && n < 2 ** 32);
  const reasoning_effort = EFFORTS.find((one) => one === fields.reasoning_effort) ?? null;
  const instructions = fields.instructions.trim();
  if ([...instructions].length > LONGEST) throw wrong('instructions', `Enter at most ${LONGEST.toLocaleString('en-US')} characters.`);
  return Object.fromEntries(
    Object.entries({ temperature, top_p, max_tokens, reasoning_effort, instructions: instructions || null }).filter(([, one]) => one !== null),
  );
}

function number(field: string, typed: string, message: string, fits: (n: number) => boolean): number | null {
  const text = typed.trim().replace(',', '.');
  if (!text) return null;
  const n = /^\d*\.?\d+$/.test(text) ? Number(text) : NaN;
  if (!fits(n)) throw wrong(field, message);
  return n;
}

const wrong = (field: string, message: string) => new Problem(400, message, { field });

/** The parameters that are set, in words, for the line that folds them. */
export function summary(fields: ParameterFields): string {
  const set = [
    fields.temperature.trim() && `temperature ${fields.temperature.trim()}`,
    fields.top_p.trim() && `top P ${fields.top_p.trim()}`,
    fields.max_tokens.trim() && `at most ${fields.max_tokens.trim()} tokens`,
    fields.reasoning_effort && `reasoning ${fields.reasoning_effort}`,
    fields.instructions.trim() && 'instructions',
  ].filter(Boolean);
  return set.length > 0 ? set.join(', ') : 'as its server has them';
}
