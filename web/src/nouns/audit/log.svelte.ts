/** The audit as it is shown: what is asked for, the entries found, and those that arrive while one looks. */
import { client, ok, problem, reach } from '../../lib/http';
import { parse } from '../../lib/json';
import { follow } from '../../lib/sse';
import type { Entry, Facets } from '../../lib/types';

/** One value of each facet; empty is any. */
export const FACETS = ['outcome', 'risk', 'door', 'event_type', 'user', 'tool', 'topic'] as const;
export type Facet = (typeof FACETS)[number];
export type Filter = Record<Facet | 'q', string>;

const PAGE = 100;
const MOST = 5000;

export function filterOf(query: URLSearchParams): Filter {
  const made = { q: query.get('q') ?? '' } as Filter;
  for (const facet of FACETS) made[facet] = query.get(facet) ?? '';
  return made;
}

/** The address of a filtered view. */
export function address(filter: Filter, seq = ''): string {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value));
  return `/audit${seq ? `/${seq}` : ''}${query.size ? `?${query}` : ''}`;
}

/** Whether an entry that has just arrived belongs to what is shown. */
export function belongs(entry: Entry, filter: Filter): boolean {
  const plain = entry as unknown as Record<string, unknown>;
  const facets = FACETS.every((facet) => !filter[facet] || plain[facet] === filter[facet]);
  return facets && (!filter.q || JSON.stringify(entry).toLowerCase().includes(filter.q.toLowerCase()));
}

export class Log {
  entries = $state<Entry[]>([]);
  facets = $state<Facets>({});
  next = $state<number | null>(null);
  loading = $state(false);
  live = $state(false);
  failure = $state<unknown>(null);
  private filter: Filter = filterOf(new URLSearchParams());
  private abort = new AbortController();

  async load(filter: Filter) {
    this.filter = filter;
    this.loading = true;
    this.failure = null;
    try {
      const query = Object.fromEntries(Object.entries(filter).filter(([, value]) => value));
      const page = await ok(client.GET('/api/audit', { params: { query: { ...query, limit: PAGE } } }));
      if (this.filter !== filter) return;
      this.entries = page.entries;
      this.next = page.next ?? null;
      this.facets = (await ok(client.GET('/api/audit/facets'))) as Facets;
    } catch (failure) {
      if (this.filter === filter) this.failure = failure;
    } finally {
      if (this.filter === filter) this.loading = false;
    }
  }

  /** Older entries, below those that are shown. */
  async more() {
    if (this.next === null || this.loading || this.entries.length >= MOST) return;
    this.loading = true;
    const filter = this.filter;
    try {
      const query = Object.fromEntries(Object.entries(filter).filter(([, value]) => value));
      const page = await ok(client.GET('/api/audit', { params: { query: { ...query, limit: PAGE, before: this.next } } }));
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
    const { signal } = this.abort;
    const open = async (after: string | null) => {
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
      } catch {
        // A heartbeat or something newer than this console: nothing to show.
      }
      return false;
    };
    await follow({ open, take, signal, connected: (yes) => (this.live = yes) }).catch(() => (this.live = false));
  }

  close() {
    this.abort.abort();
  }
}
