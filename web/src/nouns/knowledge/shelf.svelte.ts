/** The collections, and what is being taken in: shared by the pages of knowledge, and kept while one looks elsewhere. */
import { client, ok, upload, words } from '../../lib/http';
import type { Collection, Document } from '../../lib/types';

export interface Work {
  key: number;
  name: string;
  /** Here until it has been sent. */
  file: File | null;
  state: 'waiting' | 'sending' | Document['status'];
  progress: number;
  reason: string;
  document: Document | null;
  abort: AbortController;
}

const AT_ONCE = 2;
const LOOK = 700;
const OPEN = ['queued', 'reading', 'embedding'] as const;

export const isOpen = (state: Work['state']) => state === 'waiting' || state === 'sending' || (OPEN as readonly string[]).includes(state);

class Shelf {
  collections = $state<Collection[] | null>(null);
  work = $state<Work[]>([]);
  failure = $state<unknown>(null);
  /** Counts up when a document has come or gone. */
  changes = $state(0);
  private next = 0;
  private timer = 0;

  named(id: string): Collection | undefined {
    return this.collections?.find((one) => one.id === id);
  }

  async load() {
    this.failure = null;
    try {
      this.collections = await ok(client.GET('/api/knowledge/collections'));
    } catch (failure) {
      this.failure = failure;
    }
  }

  /** Takes up again what the server still works on, for instance after a reload. */
  async resume() {
    const open = OPEN.map((status) => ok(client.GET('/api/knowledge/documents', { params: { query: { status } } })));
    for (const found of await Promise.all(open).catch(() => [])) for (const document of found) this.follow(document);
  }

  /** A document the server works on. */
  follow(document: Document) {
    const known = this.work.find((one) => one.document?.id === document.id);
    if (known) this.take(known, document);
    else this.work.push({ ...this.blank(document.title), state: document.status, progress: document.progress, document });
    this.watch();
  }

  send(files: Iterable<File>, collection: string) {
    for (const file of files) this.work.push({ ...this.blank(file.name), file });
    this.pump(collection);
  }

  private blank(name: string): Work {
    this.next += 1;
    return { key: this.next, name, file: null, state: 'waiting', progress: 0, reason: '', document: null, abort: new AbortController() };
  }

  /** Sends what waits, few at a time. */
  private pump(collection: string) {
    const room = AT_ONCE - this.work.filter((one) => one.state === 'sending').length;
    for (const one of this.work.filter((one) => one.state === 'waiting').slice(0, room)) void this.begin(one, collection);
  }

  private async begin(one: Work, collection: string) {
    const form = new FormData();
    if (collection) form.append('collection', collection);
    form.append('file', one.file as File, one.name);
    Object.assign(one, { state: 'sending', progress: 0, reason: '' });
    try {
      const answer = await upload('/api/knowledge/documents', form, (part) => (one.progress = part), one.abort.signal);
      const { id } = ([answer].flat() as { id: string }[])[0] ?? { id: '' };
      one.file = null;
      this.take(one, await ok(client.GET('/api/knowledge/documents/{id}', { params: { path: { id } } })));
    } catch (failure) {
      Object.assign(one, one.abort.signal.aborted ? { state: 'cancelled' } : { state: 'failed', reason: words(failure) });
    }
    this.pump(collection);
    this.watch();
  }

  private take(one: Work, document: Document) {
    Object.assign(one, { document, name: document.title, state: document.status, progress: document.progress, reason: document.reason ?? '' });
    if (!isOpen(document.status)) {
      this.changes += 1;
      void this.load();
    }
  }

  /** Looks at the first of those in work until all are done. */
  private watch() {
    if (this.timer) return;
    this.timer = window.setTimeout(async () => {
      const open = this.work.filter((one) => one.document && isOpen(one.state)).slice(0, 6);
      await Promise.all(open.map((one) => this.look(one)));
      this.timer = 0;
      if (this.work.some((one) => one.document && isOpen(one.state))) this.watch();
    }, LOOK);
  }

  private async look(one: Work) {
    if (!one.document) return;
    try {
      this.take(one, await ok(client.GET('/api/knowledge/documents/{id}', { params: { path: { id: one.document.id } } })));
    } catch {
      // The next look may reach the server.
    }
  }

  async cancel(one: Work) {
    one.abort.abort();
    if (!one.document) {
      one.state = 'cancelled';
      return;
    }
    await this.change(one, () => ok(client.POST('/api/knowledge/documents/{id}/cancel', { params: { path: { id: one.document?.id ?? '' } } })));
  }

  async retry(one: Work, collection: string) {
    if (one.file) {
      Object.assign(one, { state: 'waiting', reason: '', abort: new AbortController() });
      this.pump(collection);
      return;
    }
    await this.change(one, () => ok(client.POST('/api/knowledge/documents/{id}/retry', { params: { path: { id: one.document?.id ?? '' } } })));
  }

  private async change(one: Work, work: () => Promise<unknown>) {
    try {
      await work();
      await this.look(one);
      this.watch();
    } catch (failure) {
      one.reason = words(failure);
    }
  }

  /** Takes one off the list; what failed is deleted with it. */
  async drop(one: Work) {
    this.work = this.work.filter((other) => other.key !== one.key);
    if (one.document && one.state !== 'ready') {
      await client.DELETE('/api/knowledge/documents/{id}', { params: { path: { id: one.document.id } } }).catch(() => null);
      this.changes += 1;
    }
  }

  clear() {
    this.work = this.work.filter((one) => isOpen(one.state) || one.state === 'failed');
  }
}

export const shelf = new Shelf();
