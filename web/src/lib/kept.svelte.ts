/** Texts that are not sent yet, kept in this browser so that leaving a page or a reload loses nothing. */
import { untrack } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';

/** Longer texts come from a file, which is still there. */
const MOST = 500_000;

export class Kept {
  /** What there is, by name and in order. */
  names = $state<string[]>([]);
  /** What was written since the page was loaded: all there is where storage is blocked or full. */
  private readonly written = new SvelteMap<string, string>();

  constructor(
    private readonly area: () => Storage,
    private readonly prefix: string,
  ) {
    this.names = this.list();
  }

  private store<T>(does: (all: Storage) => T, otherwise: T): T {
    try {
      return does(this.area());
    } catch {
      return otherwise;
    }
  }

  private list(): string[] {
    const { prefix } = this;
    const stored = this.store((all) => Object.keys(all).filter((key) => key.startsWith(prefix)), []);
    return [...new Set([...stored.map((key) => key.slice(prefix.length)), ...this.written.keys()])].sort();
  }

  text(name: string): string | null {
    const written = this.written.get(name) ?? null;
    return this.store((all) => all.getItem(this.prefix + name), null) ?? written;
  }

  keep(name: string, text: string) {
    untrack(() => {
      if (text.length > MOST) return this.forget(name);
      this.store((all) => all.setItem(this.prefix + name, text), undefined);
      this.written.set(name, text);
      if (!this.names.includes(name)) this.names = this.list();
    });
  }

  forget(name: string) {
    untrack(() => {
      this.store((all) => all.removeItem(this.prefix + name), undefined);
      this.written.delete(name);
      if (this.names.includes(name)) this.names = this.list();
    });
  }

  clear() {
    for (const name of untrack(() => this.list())) this.forget(name);
  }
}

/** What stands in forms and in the composer, in this tab; who signs out leaves none of it. */
export const drafts = new Kept(() => sessionStorage, 'satchel.draft.');
