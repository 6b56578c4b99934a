/** The calls that a program of the model made: its card has each of them inside. */
import type { Step } from '../../lib/types';

export interface InnerCall {
  tool: string;
  arguments: unknown;
  ok: boolean;
  /** Made before the program waited for a person, and not again. */
  replayed: boolean;
  error: string | null;
  ms: number;
}

const record = (value: unknown): Record<string, unknown> => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {});

/** The calls of a step; none of any other tool than a program's. */
export function callsOf(step: Pick<Step, 'output'>): InnerCall[] {
  const output = record(step.output);
  const problem = record(record(output['problem'])['details']);
  const calls = record(output['meta'])['calls'] ?? problem['calls'];
  if (!Array.isArray(calls)) return [];
  return calls.map(record).map((call) => ({
    tool: String(call['tool'] ?? ''),
    arguments: call['arguments'] ?? null,
    ok: call['ok'] === true,
    replayed: call['replayed'] === true,
    error: typeof call['error'] === 'string' ? call['error'] : null,
    ms: Number(call['duration_ms'] ?? 0),
  }));
}
