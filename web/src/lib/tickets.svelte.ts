/** The approvals that wait for this person: the inbox, and the badge everywhere. */
import { client, ok } from './http';
import type { Ticket } from './types';

class Tickets {
  waiting = $state<Ticket[]>([]);
  /** Null until the first answer. */
  loaded = $state(false);

  async load() {
    try {
      this.waiting = await ok(client.GET('/api/tickets'));
      this.loaded = true;
    } catch {
      // The badge keeps what it knew; the page that is open says what is wrong.
    }
  }

  drop(id: string) {
    this.waiting = this.waiting.filter((ticket) => ticket.id !== id);
  }
}

export const tickets = new Tickets();
