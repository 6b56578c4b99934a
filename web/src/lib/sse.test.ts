// @vitest-environment node
import { describe, expect, it } from 'vitest';
import { events, follow, Parser, type ServerEvent } from './sse';

const stream = (...chunks: string[]) => new Response(new Blob(chunks).stream());
const event = (id: string, name: string, data: string) => `id: ${id}\nevent: ${name}\ndata: ${data}\n\n`;

async function all(response: Response): Promise<ServerEvent[]> {
  const found: ServerEvent[] = [];
  for await (const one of events(response)) found.push(one);
  return found;
}

describe('the parser', () => {
  it('reads an event however it is cut', () => {
    const text = 'id: t-1\r\nevent: token\r\ndata: {"text":"é"}\r\n\r\n';
    for (let at = 0; at <= text.length; at += 1) {
      const parser = new Parser();
      const found = [...parser.push(text.slice(0, at)), ...parser.push(text.slice(at))];
      expect(found).toEqual([{ id: 't-1', name: 'token', data: '{"text":"é"}' }]);
    }
  });

  it('joins several lines of data and keeps the last id', () => {
    expect(new Parser().push('id: 7\ndata: a\ndata: b\n\ndata:c\n\n')).toEqual([
      { id: '7', name: 'message', data: 'a\nb' },
      { id: '7', name: 'message', data: 'c' },
    ]);
  });

  it('passes over comments, unknown fields and events without data', () => {
    expect(new Parser().push(': beat\n\nretry: 5\nevent: x\n\ndata: y\n\n')).toEqual([{ id: null, name: 'message', data: 'y' }]);
  });

  it('decodes characters that are split between chunks', async () => {
    const raw = new TextEncoder().encode('data: naïve 🙂\n\n');
    for (let at = 1; at < raw.length; at += 1) {
      const response = new Response(new Blob([raw.slice(0, at), raw.slice(at)]).stream());
      expect(await all(response)).toEqual([{ id: null, name: 'message', data: 'naïve 🙂' }]);
    }
  });
});

describe('following a stream', () => {
  const signal = new AbortController().signal;

  it('goes on after the last event when the connection breaks', async () => {
    const asked: (string | null)[] = [];
    const seen: string[] = [];
    const states: boolean[] = [];
    const answers = [stream(event('t-1', 'token', 'a'), event('t-2', 'token', 'b')), stream(event('t-3', 'token', 'c'), event('t-4', 'done', ''))];
    await follow({
      open: (after) => {
        asked.push(after);
        return Promise.resolve(answers.shift() ?? stream());
      },
      take: (one) => {
        seen.push(one.data);
        return one.name === 'done';
      },
      connected: (yes) => states.push(yes),
      signal,
      wait: () => Promise.resolve(),
    });
    expect({ asked, seen, states }).toEqual({ asked: [null, 't-2'], seen: ['a', 'b', 'c', ''], states: [false, true] });
  });

  it('stops at a refusal, which opening again cannot mend', async () => {
    const refusal = Object.assign(new Error('no'), { status: 404 });
    const run = follow({ open: () => Promise.reject(refusal), take: () => false, connected: () => {}, signal, wait: () => Promise.resolve() });
    await expect(run).rejects.toBe(refusal);
  });

  it('tries again while the server is away', async () => {
    let tries = 0;
    await follow({
      open: () => {
        tries += 1;
        if (tries < 4) return Promise.reject(Object.assign(new Error('away'), { status: 0 }));
        return Promise.resolve(stream(event('1', 'done', 'x')));
      },
      take: () => true,
      connected: () => {},
      signal,
      wait: () => Promise.resolve(),
    });
    expect(tries).toBe(4);
  });
});
