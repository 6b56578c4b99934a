/** The streams of a turn: begun by a message, or taken up where one was cut off. */
import { problem, reach } from '../../lib/http';

/** Posts and gives what the server answers: a stream of events, or the message that waits. */
export async function post(path: string, body: unknown): Promise<Response> {
  const response = await reach(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify(body),
  });
  return checked(response);
}

/** The events of the last turn after one of them. */
export async function resume(conversation: string | null, last: string | null, signal: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'text/event-stream', ...(last ? { 'Last-Event-ID': last } : {}) };
  return checked(await reach(`/api/conversations/${conversation}/events`, { headers, signal }));
}

async function checked(response: Response): Promise<Response> {
  if (!response.ok) throw problem(response.status, await response.json().catch(() => null));
  return response;
}

/** Returns whether an event is one of those that are on screen already: ids are `<turn>-<n>`, and n grows. */
export function known(id: string | null, last: string | null): boolean {
  const [turn, n] = split(id);
  const [same, seen] = split(last);
  return turn !== '' && turn === same && n <= seen;
}

function split(id: string | null): [string, number] {
  const at = id?.lastIndexOf('-') ?? -1;
  return id && at > 0 ? [id.slice(0, at), Number(id.slice(at + 1))] : ['', 0];
}
