/** The egress ledger as it is shown: what is asked for, the rows found, and the ledger in short. */
import { client, ok } from '../../lib/http';
import type { EgressRow, EgressSummary } from '../../lib/types';

/** Filters, as the address and the server have them; empty is any. */
export const FILTERS = ['outcome', 'tool', 'user', 'host', 'call_id'] as const;
export type Filter = Record<(typeof FILTERS)[number], string>;

const PAGE = 100;
const MOST = 5000;

export function filterOf(query: URLSearchParams): Filter {
  const made = {} as Filter;
  for (const name of FILTERS) made[name] = query.get(name) ?? '';
  return made;
}

/** The address of a filtered view. */
export function address(filter: Filter): string {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value));
  return `/outbound${query.size ? `?${query}` : ''}`;
}

/** Returns whether a facet's value is the one that is filtered by; an empty one is never, since an empty filter is any. */
export const picked = (filter: Filter, name: keyof Filter, value: string) => value !== '' && filter[name] === value;

const USUAL: Record<string, number> = { http: 80, https: 443, ws: 80, wss: 443 };
/** The length of the end of a place that is never cut off. */
const END = 12;

/** Returns the place an attempt went to, in two parts: only the first may be cut, so that a host's end and its port are always seen. */
export function place({ host, port, protocol }: Pick<EgressRow, 'host' | 'port' | 'protocol'>): [start: string, end: string] {
  const at = Math.max(0, host.length - END);
  return [host.slice(0, at), host.slice(at) + (USUAL[protocol] === port ? '' : `:${port}`)];
}

/** Returns the name of a tool or of a part of the product. */
export function named(by: string): string {
  return by.includes(':') ? by.replace(/^builtin:/, '') : by.replaceAll('_', ' ');
}

export class Ledger {
  rows = $state<EgressRow[]>([]);
  summary = $state<EgressSummary | null>(null);
  next = $state<number | null>(null);
  loading = $state(true);
  failure = $state<unknown>(null);
  private filter: Filter = filterOf(new URLSearchParams());

  async load(filter: Filter) {
    this.filter = filter;
    this.loading = true;
    this.failure = null;
    try {
      const page = await this.page(filter);
      const summary = await ok(client.GET('/api/egress/summary'));
      if (this.filter !== filter) return;
      [this.rows, this.next, this.summary] = [page.entries, page.next ?? null, summary];
    } catch (failure) {
      if (this.filter === filter) this.failure = failure;
    } finally {
      if (this.filter === filter) this.loading = false;
    }
  }

  /** Older rows, below those that are shown. */
  async more() {
    if (this.next === null || this.loading || this.rows.length >= MOST) return;
    this.loading = true;
    const filter = this.filter;
    try {
      const page = await this.page(filter, this.next);
      if (this.filter !== filter) return;
      this.rows = [...this.rows, ...page.entries];
      this.next = page.next ?? null;
    } catch (failure) {
      this.failure = failure;
    } finally {
      this.loading = false;
    }
  }

  private page(filter: Filter, before?: number) {
    const wanted = Object.fromEntries(Object.entries(filter).filter(([, value]) => value));
    return ok(client.GET('/api/egress', { params: { query: { ...wanted, limit: PAGE, ...(before ? { before } : {}) } } }));
  }
}
