/** Runs: what agents did for one request, as a tree by what began what. */
import type { Run } from '../../lib/types';

/** The words of each state, and its look. */
export const STATES: Record<string, readonly [string, string]> = {
  queued: ['Queued', 'queued'],
  running: ['Running', 'busy'],
  waiting: ['Waiting for you', 'available'],
  done: ['Done', 'good'],
  failed: ['Failed', 'error'],
  cancelled: ['Stopped', 'disabled'],
  uncertain: ['Uncertain', 'warn'],
};

/** The words of each kind. */
export const KINDS: Record<string, string> = { chat: 'Chat', sub: 'Session', job: 'Job', channel: 'Channel', api: 'API', acp: 'Editor' };

export const isOver = (state: string) => !['queued', 'running', 'waiting'].includes(state);

/** A run and how deep it lies below the first one. */
export interface Branch {
  run: Run;
  depth: number;
  /** The number of runs that it began. */
  below: number;
}

/** Runs as lines of a tree: the newest tree first, in each what was begun first. One whose parent is not there begins a tree. */
export function tree(runs: readonly Run[], closed: ReadonlySet<string> = new Set()): Branch[] {
  const known = new Set(runs.map((run) => run.id));
  const children = new Map<string, Run[]>();
  const roots: Run[] = [];
  for (const run of runs) {
    if (!run.parent || !known.has(run.parent)) roots.push(run);
    else children.set(run.parent, [...(children.get(run.parent) ?? []), run]);
  }
  const lines: Branch[] = [];
  const add = (run: Run, depth: number) => {
    const below = (children.get(run.id) ?? []).toSorted((a, b) => a.id.localeCompare(b.id));
    lines.push({ run, depth, below: below.length });
    if (!closed.has(run.id)) below.forEach((child) => add(child, depth + 1));
  };
  roots.toSorted((a, b) => b.id.localeCompare(a.id)).forEach((run) => add(run, 0));
  return lines;
}
