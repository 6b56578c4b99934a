/** The audit as it is shown: what is asked for, the entries found, and those that arrive while one looks. */
import { client, ok, problem, reach } from '../../lib/http';
import { parse } from '../../lib/json';
import { follow } from '../../lib/sse';
import type { AuditFacets, AuditHistogram, Entry } from '../../lib/types';
import { moments } from './range';

/** One value of each facet; empty is any. */
export const FACETS = ['outcome', 'risk', 'door', 'event_type', 'user', 'tool', 'topic'] as const;
export type Facet = (typeof FACETS)[number];
export type Filter = Record<Facet | 'q' | 'within' | 'from' | 'to', string>;

const PAGE = 100;
const MOST = 5000;
/** The time until it is counted again where something has arrived. */
const RECOUNT = 3000;

export function filterOf(query: URLSearchParams): Filter {
  const text = (name: string) => query.get(name) ?? '';
  const made = { q: text('q'), within: text('within'), from: text('from'), to: text('to') } as Filter;
  for (const facet of FACETS) made[facet] = query.get(facet) ?? '';
  return made;
}

/** The address of a filtered view. */
export function address(filter: Filter, seq = ''): string {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value));
  return `/audit${seq ? `/${seq}` : ''}${query.size ? `?${query}` : ''}`;
}

/** Returns the query the server is asked with. */
export function asked(filter: Filter, now = Date.now()): Record<string, string> {
  const plain = Object.entries(filter).filter(([name, value]) => value && !['within', 'from', 'to'].includes(name));
  return { ...Object.fromEntries(plain), ...moments(filter, now) };
}

/** Returns the address where what is shown, and no more, can be fetched. */
export function exported(filter: Filter): string {
  const query = new URLSearchParams(asked(filter));
  return `/api/audit/export${query.size ? `?${query}` : ''}`;
}

/** Returns whether an entry that has just arrived belongs to what is shown. */
export function belongs(entry: Entry, filter: Filter): boolean {
  const plain = entry as unknown as Record<string, unknown>;
  const facets = FACETS.every((facet) => !filter[facet] || plain[facet] === filter[facet]);
  const { from, to } = moments(filter);
  if ((from && entry.time < from) || (to && entry.time >= to)) return false;
  return facets && (!filter.q || JSON.stringify(entry).toLowerCase().includes(filter.q.toLowerCase()));
}

export class Log {
  entries = $state<Entry[]>([]);
  counted = $state.raw<AuditFacets | null>(null);
  overTime = $state.raw<AuditHistogram | null>(null);
  next = $state<number | null>(null);
  loading = $state(false);
  live = $state(false);
  failure = $state<unknown>(null);
  private filter: Filter = filterOf(new URLSearchParams());
  /** The query the entries were asked for with: older ones belong to the same stretch of time. */
  private query: Record<string, string> = {};
  private timer: number | null = null;
  private abort = new AbortController();

  async load(filter: Filter) {
    this.filter = filter;
    this.loading = true;
    this.failure = null;
    try {
      this.query = asked(filter);
      const page = await ok(client.GET('/api/audit', { params: { query: { ...this.query, limit: PAGE } } }));
      if (this.filter !== filter) return;
      this.entries = page.entries;
      this.next = page.next ?? null;
      await this.count();
    } catch (failure) {
      if (this.filter === filter) this.failure = failure;
    } finally {
      if (this.filter === filter) this.loading = false;
    }
  }

  /** Counts them: how many there are, under what, and when. */
  private async count() {
    const { filter } = this;
    const query = asked(filter);
    const [counted, overTime] = await Promise.all([
      ok(client.GET('/api/audit/facets', { params: { query } })),
      ok(client.GET('/api/audit/histogram', { params: { query } })),
    ]);
    if (this.filter !== filter) return;
    this.counted = counted;
    this.overTime = overTime;
    // Entries of before are still being counted: until then, and then once more.
    if (counted.uncounted > 0) this.recount();
  }

  /** Counts again soon: once for all that arrives meanwhile. */
  private recount() {
    this.timer ??= window.setTimeout(() => {
      this.timer = null;
      void this.count().catch(() => null);
    }, RECOUNT);
  }

  /** Older entries, below those that are shown. */
  async more() {
    if (this.next === null || this.loading || this.entries.length >= MOST) return;
    this.loading = true;
    const filter = this.filter;
    try {
      const page = await ok(client.GET('/api/audit', { params: { query: { ...this.query, limit: PAGE, before: this.next } } }));
      if (this.filter !== filter) return;
      this.entries = [...this.entries, ...page.entries];
      this.next = page.next ?? null;
    } catch (failure) {
      this.failure = failure;
    } finally {
      this.loading = false;
    }
  }

  /** Follows what happens now. */
  async tail() {
    const open = async (after: string | null, signal: AbortSignal) => {
      const headers: Record<string, string> = { Accept: 'text/event-stream', ...(after ? { 'Last-Event-ID': after } : {}) };
      const response = await reach('/api/audit/tail', { headers, signal });
      if (!response.ok) throw problem(response.status, await response.json().catch(() => null));
      this.live = true;
      return response;
    };
    const take = (event: { data: string }) => {
      try {
        const entry = parse(event.data) as Entry;
        const known = this.entries.some((one) => one.seq === entry.seq);
        if (!known && belongs(entry, this.filter)) this.entries = [entry, ...this.entries].slice(0, MOST);
        this.recount();
      } catch {
        // A heartbeat or something newer than this console: nothing to show.
      }
      return false;
    };
    await follow({ open, take, signal: this.abort.signal, connected: (yes) => (this.live = yes) }).catch(() => (this.live = false));
  }

  close() {
    if (this.timer !== null) clearTimeout(this.timer);
    this.abort.abort();
  }
}
