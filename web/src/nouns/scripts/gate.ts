/** The conditions under which a script may be published, and the words for why not yet. */
import { ago } from '../../lib/format';
import type { Capability, Checked, Script, TestRun } from './types';

export interface Situation {
  /** Somebody put another text there meanwhile, and nobody has chosen yet. */
  changed: boolean;
  /** The answer for this very text; null while it is awaited. */
  checked: Checked | null;
  /** The tests of this very text; null where they have not run. */
  tests: TestRun | null;
  /** This very text is what is published. */
  same: boolean;
  /** The script's name, and the name in its header. */
  name: string;
  header: string;
}

/** Returns the reason publishing waits; empty where nothing is in its way. */
export function gate({ changed, checked, tests, same, name, header }: Situation): string {
  if (changed) return 'Publishing waits until you have chosen between your text and the one that is there now.';
  if (!checked) return 'Publishing waits for the check of this text.';
  const first = checked.problems.find((one) => one.severity === 'error');
  if (first) return `Publishing waits until line ${first.line} is right: ${first.message}`;
  if (header !== name) return `Publishing waits until the header says @name ${name}.`;
  if (same) return 'This text is what is published.';
  if (!tests) return 'Publishing waits for the tests of this text. Run all of them.';
  if (tests.passed < tests.total) return `Publishing waits for ${tests.total} of ${tests.total} tests on this text.`;
  return '';
}

/** A capability as the server names it: "http x.org", and "kv", which is about nothing in particular. */
export const words = ({ kind, what }: Pick<Capability, 'kind' | 'what'>) => `${kind} ${what}`.trim();

const SAYS: Record<string, string> = {
  tool: 'calls the tool',
  http: 'sends requests to',
  kv: 'keeps values of its own, for each user apart',
  secret: 'reads the secret',
};

/** A capability for people: what it does, and what with. */
export function said(named: string): readonly [string, string] {
  const [kind = '', ...what] = named.split(' ');
  return SAYS[kind] ? [SAYS[kind], what.join(' ')] : ['', named];
}

/** Returns what the one may that the other may not. */
export function wider(next: readonly Capability[], before: readonly Capability[]): string[] {
  const known = new Set(before.map(words));
  return next.map(words).filter((one) => !known.has(one));
}

/** Returns who put the text there that the server has now, and how: the text on the desk began from another. */
export function overtook(name: string, there: Pick<Script, 'draft' | 'version' | 'updated_by' | 'updated_at'> | null, me: string): string {
  if (!there) return `${name} was deleted meanwhile.`;
  const who = there.updated_by === me ? 'You, in another place,' : (there.updated_by ?? 'Somebody');
  const since = there.updated_at ? ago(there.updated_at) : '';
  const when = since === 'now' ? ' just now' : since && ` ${since}`;
  return there.draft != null ? `${who} saved a draft of ${name}${when}.` : `${who} published version ${there.version} of ${name}${when}.`;
}

/** A field that a refusal carries, beside its words or among its details. */
export function extra<T>(body: Record<string, unknown>, field: string): T | undefined {
  const details = body['details'] as Record<string, unknown> | undefined;
  return (body[field] ?? details?.[field]) as T | undefined;
}
