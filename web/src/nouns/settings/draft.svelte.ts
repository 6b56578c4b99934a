/** The settings as they are and as they are being changed; what differs is said before it is saved. */
import { client, ok } from '../../lib/http';
import { brief, count } from '../../lib/format';
import { session } from '../../lib/session.svelte';
import { keepTyped, typedText } from '../../lib/typed.svelte';
import type { Settings } from '../../lib/types';

/** The name under which what is changed is kept. */
const NAME = 'settings';

type Plain = Record<string, unknown>;

/** Each leaf that differs, in words. */
export function changes(was: Plain, now: Plain, path = ''): string[] {
  return Object.keys(now).flatMap((key) => {
    const [a, b] = [was[key], now[key]];
    const name = `${path}${key}`.replaceAll('_', ' ').replaceAll('.', ' ');
    if (JSON.stringify(a) === JSON.stringify(b)) return [];
    if (b && typeof b === 'object' && !Array.isArray(b)) return changes((a ?? {}) as Plain, b as Plain, `${path}${key}.`);
    return [`${name} ${say(a)} to ${say(b)}`];
  });
}

/** Returns what differs, and nothing else: others may have changed the rest meanwhile. */
export function difference(was: Plain, now: Plain): Plain {
  const changed = Object.entries(now).filter(([key, value]) => JSON.stringify(was[key]) !== JSON.stringify(value));
  return Object.fromEntries(
    changed.map(([key, value]) => [
      key,
      value && typeof value === 'object' && !Array.isArray(value) ? difference((was[key] ?? {}) as Plain, value as Plain) : value,
    ]),
  );
}

/** Settings with what differs put into them; what they have no place for is left out. */
export function merged(was: Plain, changed: Plain): Plain {
  const plain = (value: unknown): value is Plain => !!value && typeof value === 'object' && !Array.isArray(value);
  const known = Object.entries(changed).filter(([key]) => key in was);
  return { ...was, ...Object.fromEntries(known.map(([key, value]) => [key, plain(value) && plain(was[key]) ? merged(was[key], value) : value])) };
}

function say(value: unknown): string {
  if (Array.isArray(value) && value.length === 0) return 'nothing';
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'number' ? count(value) : brief(value, 40);
}

export class Draft {
  saved = $state<Settings | null>(null);
  now = $state<Settings | null>(null);
  failure = $state<unknown>(null);
  busy = $state(false);
  /** The settings that were saved last, in words, until something else is changed. */
  done = $state<string[]>([]);

  get changes(): string[] {
    return this.saved && this.now ? changes(this.saved as unknown as Plain, this.now as unknown as Plain) : [];
  }

  private take(settings: Settings) {
    this.saved = settings;
    this.now = structuredClone(settings);
  }

  async load() {
    this.failure = null;
    try {
      this.take(await ok(client.GET('/api/settings')));
      this.restore();
    } catch (failure) {
      this.failure = failure;
    }
  }

  /** Brings back what was changed and not saved before the page was left. */
  private restore() {
    try {
      this.now = merged(this.now as unknown as Plain, JSON.parse(typedText(NAME)) as Plain) as unknown as Settings;
    } catch {
      // Nothing is kept.
    }
  }

  /** Keeps what differs; an effect calls it. */
  keep() {
    if (!this.saved || !this.now) return;
    const changed = difference(this.saved as unknown as Plain, this.now as unknown as Plain);
    keepTyped(NAME, Object.keys(changed).length > 0 ? JSON.stringify(changed) : '');
  }

  async save() {
    if (this.busy) return;
    this.failure = null;
    this.done = [];
    this.busy = true;
    const said = this.changes;
    try {
      const body = difference(this.saved as unknown as Plain, $state.snapshot(this.now) as unknown as Plain);
      // The server changes what the body names; its document asks for the whole.
      this.take(await ok(client.PUT('/api/settings', { body: body as unknown as Settings })));
      this.done = said;
      void session.look();
    } catch (failure) {
      this.failure = failure;
    }
    this.busy = false;
  }

  undo() {
    if (this.saved) this.now = structuredClone($state.snapshot(this.saved) as Settings);
  }
}
