/** Server-sent events over fetch: POST can stream, headers can be set, and a lost stream goes on where it stopped. */
export interface ServerEvent {
  id: string | null;
  name: string;
  data: string;
}

/** Takes text as it arrives and gives whole events (WHATWG event stream). */
export class Parser {
  private rest = '';
  private id: string | null = null;
  private name = '';
  private lines: string[] = [];

  push(text: string): ServerEvent[] {
    const found: ServerEvent[] = [];
    this.rest += text;
    for (;;) {
      const end = /\r\n|\n|\r(?!$)/.exec(this.rest);
      if (!end) return found;
      const line = this.rest.slice(0, end.index);
      this.rest = this.rest.slice(end.index + end[0].length);
      const event = this.line(line);
      if (event) found.push(event);
    }
  }

  private line(line: string): ServerEvent | null {
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.lines.push(value);
    else if (field === 'event') this.name = value;
    else if (field === 'id' && !value.includes('\0')) this.id = value;
    return null;
  }

  private dispatch(): ServerEvent | null {
    const { name, lines, id } = this;
    this.name = '';
    this.lines = [];
    if (lines.length === 0) return null;
    return { id, name: name || 'message', data: lines.join('\n') };
  }
}

/** Every event of one response, in order. */
export async function* events(response: Response): AsyncGenerator<ServerEvent> {
  if (!response.body) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const parser = new Parser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      yield* parser.push(done ? decoder.decode() : decoder.decode(value, { stream: true }));
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

export interface Following {
  /** Opens the stream after the event with this id; null is the beginning. */
  open: (after: string | null) => Promise<Response>;
  /** Takes one event; true means it was the last. */
  take: (event: ServerEvent) => boolean;
  /** Told when the connection is lost and when it is back. */
  connected: (yes: boolean) => void;
  signal: AbortSignal;
  after?: string | null;
  wait?: (milliseconds: number) => Promise<void>;
}

const sleep = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds));

/** Reads a stream to its last event, opening it again where it breaks. */
export async function follow({ open, take, connected, signal, after = null, wait = sleep }: Following): Promise<void> {
  let last = after;
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      for await (const event of events(await open(last))) {
        if (signal.aborted) return;
        if (failures > 0) connected(true);
        failures = 0;
        last = event.id ?? last;
        if (take(event)) return;
      }
    } catch (failure) {
      if (signal.aborted) return;
      if (isRefusal(failure)) throw failure;
    }
    if (signal.aborted) return;
    connected(false);
    await wait(Math.min(500 * 2 ** failures, 8000));
  }
}

/** The server answered, and the answer was no: opening again cannot help. */
function isRefusal(failure: unknown): boolean {
  const status = (failure as { status?: unknown } | null)?.status;
  return typeof status === 'number' && status >= 400 && status < 500;
}
