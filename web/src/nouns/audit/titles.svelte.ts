/** Titles of one's own conversations, by their ids: the audit has only these. */
import { client, ok } from '../../lib/http';

class Titles {
  known = $state.raw<ReadonlyMap<string, string>>(new Map());

  async load() {
    const all = await ok(client.GET('/api/conversations', { params: { query: {} } })).catch(() => []);
    this.known = new Map(all.map((one) => [one.id, one.title]));
  }
}

export const titles = new Titles();
