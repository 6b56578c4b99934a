/** The text typed into a form, kept for whoever is signed in until it is sent. Secrets never are. */
import { untrack } from 'svelte';
import { parse } from './json';
import { drafts } from './kept.svelte';
import { session } from './session.svelte';

const key = (name: string) => `${untrack(() => session.me?.id ?? '')} ${name}`;

/** A text under a name of its own, for what is no form: empty where there is none. */
export const typedText = (name: string): string => drafts.text(key(name)) ?? '';

export function keepTyped(name: string, text: string) {
  if (text) drafts.keep(key(name), text);
  else drafts.forget(key(name));
}

/** Returns whether a form was begun and left. */
export const begun = (name: string): boolean => untrack(() => drafts.text(key(name)) !== null);

/** A form's fields, kept while they differ from what it began with. To be made while its component is. */
export class Typed<T> {
  /** Whether what was typed has been put back, and whether that which it changes is no longer the same. */
  restored = $state<'' | 'same' | 'changed'>('');
  private readonly key: string;
  private first: string;

  constructor(
    name: string,
    private readonly now: () => T,
    private readonly put: (was: T) => void,
  ) {
    this.key = key(name);
    this.first = untrack(() => JSON.stringify(now()));
    this.restore();
    $effect(() => this.look());
  }

  private restore() {
    const kept = untrack(() => drafts.text(this.key));
    if (kept === null) return;
    try {
      const { first, now } = parse(kept) as { first: string; now: T };
      this.put(now);
      this.restored = first === this.first ? 'same' : 'changed';
    } catch {
      drafts.forget(this.key);
    }
  }

  private look() {
    const now = this.now();
    if (JSON.stringify(now) === this.first) drafts.forget(this.key);
    else drafts.keep(this.key, JSON.stringify({ first: this.first, now }));
  }

  /** It was sent, or given up: what stands there now need not be kept. */
  done = () => {
    this.first = untrack(() => JSON.stringify(this.now()));
    this.restored = '';
    drafts.forget(this.key);
  };

  /** Back to what the form began with. */
  drop = () => {
    this.put(parse(this.first) as T);
    this.restored = '';
  };
}
