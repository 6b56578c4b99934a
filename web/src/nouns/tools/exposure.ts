/** The tools a model is shown, in a sentence that holds for the rule in force. */
import { count } from '../../lib/format';
import type { Settings } from '../../lib/types';

export type Rule = Settings['chat']['exposure'];

interface Costs {
  total: number;
  innate: number;
  budget: number;
}

/** The rule is null for people who may not read the settings. */
export function exposed({ total, innate, budget }: Costs, rule: Rule | null): string {
  const need = `a model sees the innate ones, ${count(innate)} tokens, and finds the others by need`;
  switch (rule) {
    case 'all':
      return 'A model sees them all, always.';
    case 'selected':
      return 'A model sees those that the settings select, and others once they are found by need.';
    case 'discover':
      return `${need.replace('a', 'A')}.`;
    case 'auto':
      return total <= budget ? `They fit in the ${count(budget)} that are set aside, so a model sees them all.` : `Set aside are ${count(budget)}, so ${need}.`;
    default:
      return `Where the settings do not say otherwise, ${total <= budget ? `they fit in the ${count(budget)} set aside, and a model sees them all` : need}.`;
  }
}
