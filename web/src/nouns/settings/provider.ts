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

/** What a provider is called where nobody says: two of one kind are told apart by their hosts. */
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
