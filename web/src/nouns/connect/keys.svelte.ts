/** The keys of the person: who made one here watches it until its program calls. */
import { client, ok } from '../../lib/http';
import type { ApiKey, KeyTerms } from '../../lib/types';

/** While a program is waited for, and once it has called. */
const WAITING_MS = 1500;
const CALM_MS = 10_000;

export interface Wanted extends KeyTerms {
  name: string;
  personal: boolean;
}

export class Keys {
  all = $state.raw<ApiKey[] | null>(null);
  failure = $state.raw<unknown>(null);

  async load() {
    try {
      this.all = await ok(client.GET('/api/keys'));
      this.failure = null;
    } catch (problem) {
      // What was read stays: the next look may succeed.
      if (!this.all) this.failure = problem;
    }
  }

  named(id: string): ApiKey | undefined {
    return this.all?.find((one) => one.id === id);
  }

  /** Makes a key and returns its id and the key itself, which nobody shows again. */
  async make(body: Wanted): Promise<{ id: string; key: string }> {
    const { key, ...info } = await ok(client.POST('/api/keys', { body }));
    this.all = [info, ...(this.all ?? [])];
    return { id: info.id, key };
  }

  async end(id: string) {
    await ok(client.DELETE('/api/keys/{id}', { params: { path: { id } } }));
    this.all = (this.all ?? []).filter((one) => one.id !== id);
  }

  /** The time until the next look, where these keys were made on this page. */
  pause(made: readonly string[]): number {
    return made.some((id) => this.named(id) && !this.named(id)?.first_call) ? WAITING_MS : CALM_MS;
  }
}
