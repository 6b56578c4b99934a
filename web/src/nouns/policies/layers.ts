/** The nine layers as the rows of one table, and back. */
import type { Layer, Policies } from '../../lib/types';

export type Kind = keyof Policies;

export interface KindOf {
  kind: Kind;
  title: string;
  /** The calls that it holds for. */
  holds: string;
  /** The names that tell layers of this kind apart; none where there is one. */
  keys: readonly string[];
  /** The kind in whose place it holds, and by whose number it goes. */
  instead?: Kind;
}

/** In the order in which they are applied. */
export const KINDS: readonly KindOf[] = [
  { kind: 'profile', title: 'Profile', holds: 'all calls', keys: [] },
  { kind: 'provider_profile', title: 'Provider profile', holds: "what this provider's models ask for", keys: ['provider'] },
  { kind: 'global', title: 'Global', holds: 'all calls', keys: [] },
  { kind: 'global_provider', title: 'Provider', holds: "what this provider's models ask for", keys: ['provider'] },
  { kind: 'agent', title: 'Agent', holds: 'what this agent asks for', keys: ['agent'] },
  { kind: 'agent_provider', title: 'Agent with provider', holds: 'this agent, on this provider', keys: ['agent', 'provider'] },
  { kind: 'group', title: 'Channel', holds: 'answers to this channel', keys: ['channel'] },
  { kind: 'sandbox', title: 'Sandbox', holds: 'what scripts and other confined code call', keys: [] },
  { kind: 'subagent', title: 'Sub-agents', holds: 'sessions that an agent started', keys: [] },
  {
    kind: 'agent_subagent',
    title: 'Sub-agent',
    holds: 'such sessions that this agent leads, in the place of that for all',
    keys: ['agent'],
    instead: 'subagent',
  },
];

export interface Row {
  kind: KindOf;
  /** `assistant`, `assistant` and `local`. */
  names: string[];
  /** Null where none is written: everything passes, but for sub-agents. */
  layer: Layer | null;
}

type Map = Record<string, Layer>;
type Nested = Record<string, Map>;

export const empty = (): Layer => ({ profile: null, allow: [], deny: [], ask: [] });

/** Its number among the nine. */
export const number = (kind: KindOf) => KINDS.findIndex((one) => one.kind === (kind.instead ?? kind.kind)) + 1;

/** One row for each layer that is written, one for each of the nine of which none is. */
export function rows(policies: Policies): Row[] {
  return KINDS.flatMap((kind): Row[] => {
    const value = policies[kind.kind];
    if (kind.keys.length === 0) return [{ kind, names: [], layer: (value as Layer | null | undefined) ?? null }];
    const found =
      kind.keys.length === 1
        ? Object.entries((value ?? {}) as Map).map(([name, layer]) => ({ kind, names: [name], layer }))
        : Object.entries((value ?? {}) as Nested).flatMap(([agent, map]) =>
            Object.entries(map).map(([provider, layer]) => ({ kind, names: [agent, provider], layer })),
          );
    return found.length > 0 || kind.instead ? found : [{ kind, names: [], layer: null }];
  });
}

/** The same policies with another layer in this place; without it where that is null. */
export function put(policies: Policies, kind: KindOf, names: readonly string[], layer: Layer | null): Policies {
  const [first, second] = names;
  if (kind.keys.length === 0) return { ...policies, [kind.kind]: layer };
  if (first === undefined) return policies;
  const change = <T>(map: Record<string, T>, name: string, value: T | null): Record<string, T> => {
    const rest = Object.fromEntries(Object.entries(map).filter(([key]) => key !== name));
    return value === null ? rest : { ...rest, [name]: value };
  };
  if (second === undefined) return { ...policies, [kind.kind]: change((policies[kind.kind] ?? {}) as Map, first, layer) };
  const all = (policies[kind.kind] ?? {}) as Nested;
  const below = change(all[first] ?? {}, second, layer);
  return { ...policies, [kind.kind]: change(all, first, Object.keys(below).length > 0 ? below : null) };
}

/** The patterns in a text: names have neither spaces nor commas. */
export const patterns = (text: string) => text.split(/[\s,]+/).filter(Boolean);

/** A document without what the server says about it. */
export function document(view: Policies & { version?: number; warnings?: string[] }): Policies {
  const policies: Policies & { version?: number; warnings?: string[] } = { ...view };
  delete policies.version;
  delete policies.warnings;
  return policies;
}
