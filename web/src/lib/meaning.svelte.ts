/** The model that search by meaning goes by: read where a search is, so that a search by words alone says so. */
import { client, ok } from './http';
import { session } from './session.svelte';
import type { Embeddings } from './types';

class Meaning {
  now = $state<Embeddings | null>(null);

  /** Returns whether it is known that there is no model. */
  get missing(): boolean {
    return this.now?.state === 'absent';
  }

  /** Fails where the server does; who may not know is not told. */
  async load() {
    if (session.can('index:read')) this.now = await ok(client.GET('/api/embeddings'));
  }

  async choose(model: string) {
    this.now = await ok(client.PUT('/api/embeddings', { body: { model } }));
  }
}

export const meaning = new Meaning();
