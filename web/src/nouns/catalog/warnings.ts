/** The warnings about an operation that is being imported. */
import type { ImportRow } from '../../lib/types';

/** Its warnings, without the one its own field speaks of, and none twice. */
export const warningsOf = ({ operation }: ImportRow): string[] => [
  ...new Set((operation.warnings ?? []).filter((text) => !text.startsWith('It has no description'))),
];
