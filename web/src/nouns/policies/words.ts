/** Rules for arguments, in words. */
import { brief } from '../../lib/format';
import type { Rule, RuleCondition } from '../../lib/types';

function condition(given: RuleCondition): string {
  if ('equals' in given) return `is ${brief(given.equals)}`;
  if ('one_of' in given) return `is one of ${given.one_of.map((one) => brief(one)).join(', ')}`;
  if ('prefix' in given) return `is at or below ${given.prefix}`;
  if ('domain' in given) return `is an address of ${given.domain}`;
  return `is at most ${given.max}`;
}

/** The argument a JSON pointer names: `path`, `headers.accept`. */
const name = (pointer: string) => pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');

/** Each condition as a sentence's part. */
export const conditions = (rule: Pick<Rule, 'when'>) => Object.entries(rule.when).map(([pointer, given]) => `${name(pointer)} ${condition(given)}`);

/** What a rule made from a question will cover: hosts of addresses, every other value exactly. */
export function covers(values: Record<string, unknown>): string {
  const hosts = Object.values(values).flatMap((value) => {
    const url = typeof value === 'string' && /^(https?|wss?):\/\//i.test(value) ? URL.parse(value) : null;
    return url ? [url.host] : [];
  });
  const others = Object.values(values).some((value) => value !== null && !(typeof value === 'string' && /^(https?|wss?):\/\//i.test(value)));
  if (hosts.length === 0) return 'Later calls with exactly these values will not ask.';
  return `Later calls to ${[...new Set(hosts)].join(', ')}${others ? ', with all other values as here,' : ''} will not ask.`;
}
