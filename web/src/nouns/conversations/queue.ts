/** Messages that wait behind an answer: what is done with them. */
import { client, ok } from '../../lib/http';
import type { Message, Moment, QueuedMessage } from '../../lib/types';

interface Holder {
  id: string | null;
  queued: readonly QueuedMessage[];
  failure: unknown;
  refresh: () => Promise<void>;
  follow: () => void;
}

/** The messages that wait in a conversation. */
export const load = (id: string): Promise<QueuedMessage[]> => ok(client.GET('/api/conversations/{id}/queue', { params: { path: { id } } }));

/** Those that were not said yet: one may be taken while both are read. */
export const unsaid = (queued: readonly QueuedMessage[], messages: readonly Pick<Message, 'id'>[]): QueuedMessage[] =>
  queued.filter((one) => !messages.some((message) => message.id === one.id));

/** Gives a message other words, or another moment. */
export const change = (holder: Holder, message: string, body: { content?: string; when?: Moment }) =>
  attempt(holder, async (path) => {
    const changed = await ok(client.PATCH('/api/conversations/{id}/queue/{message_id}', { params: { path }, body }));
    holder.queued = holder.queued.map((one) => (one.id === changed.id ? changed : one));
  })(message);

/** Withdraws a message. */
export const withdraw = (holder: Holder, message: string) =>
  attempt(holder, async (path) => {
    await ok(client.DELETE('/api/conversations/{id}/queue/{message_id}', { params: { path } }));
    holder.queued = holder.queued.filter((one) => one.id !== message);
  })(message);

/** Sends a message that waits behind an answer that broke off or was stopped. */
export const sendNow = (holder: Holder, message: string) =>
  attempt(holder, async (path) => {
    await ok(client.POST('/api/conversations/{id}/queue/{message_id}/send', { params: { path } }));
    await holder.refresh();
    holder.follow();
  })(message);

/** Where it does not wait any more, the conversation says what became of it. */
function attempt(holder: Holder, work: (path: { id: string; message_id: string }) => Promise<void>) {
  return async (message_id: string): Promise<boolean> => {
    const { id } = holder;
    if (!id) return false;
    try {
      await work({ id, message_id });
      return true;
    } catch (failure) {
      await holder.refresh().catch(() => null);
      holder.failure = failure;
      return false;
    }
  };
}
