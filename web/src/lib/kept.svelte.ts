/** Texts that are not sent yet, kept in this browser so that leaving a page or a reload loses nothing. */
import { untrack } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';

/** Longer texts come from a file, which is still there. */
const MOST = 500_000;

export class Kept {
  /** Counts up where a name has come or gone. */
  private changes = $state(0);
  /** The entries, by name and in order. */
  readonly names = $derived.by(() => (void this.changes, this.list()));
  /** The entries written since the page was loaded, by their whole key: all there is where storage is blocked or full. */
  private readonly written = new SvelteMap<string, string>();

  constructor(
    private readonly area: () => Storage,
    /** The prefix of the keys; it may name whoever is signed in. */
    private readonly prefix: () => string,
  ) {}

  private store<T>(does: (all: Storage) => T, otherwise: T): T {
    try {
      return does(this.area());
    } catch {
      return otherwise;
    }
  }

  private list(): string[] {
    const prefix = this.prefix();
    const stored = this.store((all) => Object.keys(all).filter((key) => key.startsWith(prefix)), []);
    const written = [...this.written.keys()].filter((key) => key.startsWith(prefix));
    return [...new Set([...stored, ...written])].map((key) => key.slice(prefix.length)).sort();
  }

  text(name: string): string | null {
    const key = this.prefix() + name;
    const written = this.written.get(key) ?? null;
    return this.store((all) => all.getItem(key), null) ?? written;
  }

  keep(name: string, text: string) {
    untrack(() => {
      if (text.length > MOST) return this.forget(name);
      const key = this.prefix() + name;
      const known = this.names.includes(name);
      this.store((all) => all.setItem(key, text), undefined);
      this.written.set(key, text);
      if (!known) this.changes += 1;
    });
  }

  forget(name: string) {
    untrack(() => {
      const key = this.prefix() + name;
      const known = this.names.includes(name);
      this.store((all) => all.removeItem(key), undefined);
      this.written.delete(key);
      if (known) this.changes += 1;
    });
  }

  clear() {
    for (const name of untrack(() => this.list())) this.forget(name);
  }
}

/** The contents of forms and of the composer, in this tab; whoever signs out leaves none of them. */
export const drafts = new Kept(
  () => sessionStorage,
  () => 'satchel.draft.',
);
