/** A change of a system that waits for a review, as two texts a person compares. */
import type { SystemDetail } from '../../lib/types';

type Change = NonNullable<NonNullable<SystemDetail['waiting']>['change']>;
type Part = Pick<SystemDetail, 'name' | 'description' | 'base_url' | 'tags'>;

const written = (one: Part) =>
  [`Name: ${one.name}`, `Base URL: ${one.base_url ?? 'none'}`, `Tags: ${one.tags.join(', ')}`, 'Description:', one.description].join('\n');

/** The system as it counts now, and as it would with the change. */
export function sides(system: Part, change: Change): [before: string, after: string] {
  const after = {
    name: change.name ?? system.name,
    description: change.description ?? system.description,
    base_url: (change.base_url ?? system.base_url) || null,
    tags: change.tags ?? system.tags,
  };
  return [written(system), written(after)];
}

/** Returns the time the last of what a tool wrote was written that waits, as it was read; undefined where nothing waits. */
export function lastWritten(read: readonly ({ waiting?: SystemDetail['waiting'] } | null)[]): string | undefined {
  const times = read.flatMap((one) => (one?.waiting ? [one.waiting.at] : []));
  return times.sort((one, other) => Date.parse(one) - Date.parse(other)).at(-1);
}
