/** The messages in this person's inbox: what jobs had to say, and what went wrong with them. */
import { client, ok } from './http';
import type { Notice } from './types';

class Notices {
  all = $state.raw<Notice[]>([]);
  loaded = $state(false);

  async load() {
    try {
      this.all = await ok(client.GET('/api/notices'));
      this.loaded = true;
    } catch {
      // The badge keeps what it knew; the page that is open says what is wrong.
    }
  }

  async putAway(id: string) {
    await ok(client.DELETE('/api/notices/{id}', { params: { path: { id } } }));
    this.all = this.all.filter((notice) => notice.id !== id);
  }
}

export const notices = new Notices();
