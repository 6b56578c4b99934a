import { describe, expect, it } from 'vitest';
import { inner } from '../../places';
import { clients, USES, usesOf, type Use } from './clients';
import { isLoopback, isPlain, isPrivate, NO_KEY, type Given } from './lines';

const GIVEN: Given = { origin: 'https://satchel.example', key: 'sk_satchel_Abc-123_x', model: 'satchel/assistant' };
const BEARER = `Bearer ${GIVEN.key}`;

function linesOf(id: string, use: Use, given = GIVEN): string[] {
  const lines = clients.find((one) => one.id === id)?.ways[use]?.lines(given);
  if (!lines) throw new Error(`${id} has no ${use}`);
  return lines.map((one) => one.text);
}
const first = (id: string, use: Use) => linesOf(id, use)[0] ?? '';

/** Reads as much of TOML as the lines have: tables, strings, lists of strings. Anything else is an error. */
function toml(text: string): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  let table = root;
  for (const line of text.split('\n').filter((one) => one)) {
    const head = /^\[([\w.]+)\]$/.exec(line)?.[1];
    if (head) {
      table = root;
      for (const part of head.split('.')) table = (table[part] ??= {}) as Record<string, unknown>;
      continue;
    }
    const [, name = '', value = ''] = /^(\w+) = (.+)$/.exec(line) ?? [];
    if (!name || name in table) throw new Error(`no TOML: ${line}`);
    table[name] = JSON.parse(value);
  }
  return root;
}

/** Reads the words of a shell's command: what stands in quotes is one, a line that ends with a backslash goes on. */
function words(command: string): string[] {
  const found: string[] = [];
  const pieces = /"([^"$`\\]*)"|'([^']*)'|\\\n|([^\s"'\\]+)|\\(')|(\s+)/gy;
  let open = false;
  let end = 0;
  for (const piece of command.matchAll(pieces)) {
    end = piece.index + piece[0].length;
    const text = piece[1] ?? piece[2] ?? piece[3] ?? piece[4];
    if (text === undefined) open = false;
    else if (open) found.push((found.pop() ?? '') + text);
    else found.push(text);
    if (text !== undefined) open = true;
  }
  if (end !== command.length) throw new Error(`no words: ${command.slice(end)}`);
  return found;
}

describe('every client', () => {
  for (const client of clients) {
    for (const [use] of usesOf(client)) {
      it(`${client.name} is given the address, the key and nothing that is not known: ${use}`, () => {
        const texts = linesOf(client.id, use).join('\n');
        expect(texts).toContain(GIVEN.origin);
        expect(texts).toContain(GIVEN.key);
        expect(texts).not.toMatch(/undefined|null|\[object/);
        // An address is that of the page and of nothing else.
        for (const [address] of texts.matchAll(/https?:\/\/[^\s"'\\]+/g))
          expect(address).toMatch(/^https:\/\/satchel\.example(\/mcp|\/v1(\/chat\/completions)?)?$/);
        const without = linesOf(client.id, use, { ...GIVEN, key: NO_KEY }).join('\n');
        expect(without).toContain(NO_KEY);
        expect(without).not.toContain(GIVEN.key);
      });
    }
  }

  it('has a name, an address of its own and at least one use', () => {
    expect(new Set(clients.map((one) => one.id)).size).toBe(clients.length);
    for (const client of clients) expect(usesOf(client).length).toBeGreaterThan(0);
    for (const client of clients) expect(Object.keys(client.ways).every((use) => USES.some(([one]) => one === use))).toBe(true);
  });

  it('is found by the palette', () => {
    const paths = inner.filter((one) => one.of === 'Connect').map((one) => one.path);
    expect(paths).toEqual(clients.map((one) => `/connect/${one.id}`));
  });
});

describe('servers of tools', () => {
  const server = { url: 'https://satchel.example/mcp', headers: { Authorization: BEARER } };
  const program = { command: 'satchel', args: ['mcp'], env: { SATCHEL_URL: GIVEN.origin, SATCHEL_KEY: GIVEN.key } };

  it('are JSON with the exact header', () => {
    expect(JSON.parse(first('cursor', 'tools'))).toEqual({ mcpServers: { satchel: server } });
    expect(JSON.parse(first('vscode', 'tools'))).toEqual({ servers: { satchel: { type: 'http', ...server } } });
    expect(JSON.parse(linesOf('claude-code', 'tools')[1] ?? '')).toEqual({ mcpServers: { satchel: { type: 'http', ...server } } });
    expect(JSON.parse(first('other', 'tools'))).toEqual({ mcpServers: { satchel: { type: 'http', ...server } } });
  });

  it('are programs on the same machine', () => {
    expect(JSON.parse(first('cursor', 'local'))).toEqual({ mcpServers: { satchel: program } });
    expect(JSON.parse(first('vscode', 'local'))).toEqual({ servers: { satchel: { type: 'stdio', ...program } } });
    expect(JSON.parse(first('other', 'local'))).toEqual({ mcpServers: { satchel: program } });
    expect(toml(first('codex', 'local'))).toEqual({ mcp_servers: { satchel: program } });
    expect(words(first('claude-code', 'local'))).toEqual([
      ...['claude', 'mcp', 'add', 'satchel', '--env', `SATCHEL_URL=${GIVEN.origin}`, '--env', `SATCHEL_KEY=${GIVEN.key}`],
      ...['--', 'satchel', 'mcp'],
    ]);
  });

  it('are a command of Claude Code', () => {
    const command = ['claude', 'mcp', 'add', '--transport', 'http', 'satchel', 'https://satchel.example/mcp', '--header'];
    expect(words(first('claude-code', 'tools'))).toEqual([...command, `Authorization: ${BEARER}`]);
  });

  it('are TOML for Codex, with the key in the environment alone', () => {
    const [file = '', shell = ''] = linesOf('codex', 'tools');
    expect(toml(file)).toEqual({ mcp_servers: { satchel: { url: 'https://satchel.example/mcp', bearer_token_env_var: 'SATCHEL_KEY' } } });
    expect(words(shell)).toEqual(['export', `SATCHEL_KEY=${GIVEN.key}`]);
  });

  it('are let through by LibreChat where their address is a private one', () => {
    const [yaml = '', env] = linesOf('librechat', 'tools');
    expect(yaml).toContain('    url: "https://satchel.example/mcp"\n    headers:\n      Authorization: "Bearer ${SATCHEL_KEY}"');
    expect(yaml).not.toContain('allowedAddresses');
    expect(env).toBe(`SATCHEL_KEY=${GIVEN.key}`);
    const near = linesOf('librechat', 'tools', { ...GIVEN, origin: 'http://10.0.0.5:8081' })[0];
    expect(near).toContain('mcpSettings:\n  allowedAddresses:\n    - "10.0.0.5:8081"');
    expect(linesOf('librechat', 'tools', { ...GIVEN, origin: 'https://nas' })[0]).toContain('- "nas:443"');
  });

  it('are asked by curl as a client without sessions asks', () => {
    const [command, address, ...rest] = words(first('curl', 'tools'));
    expect([command, address]).toEqual(['curl', 'https://satchel.example/mcp']);
    const headers = rest.flatMap((one, at) => (one === '-H' ? [rest[at + 1]] : []));
    expect(headers).toContain(`Authorization: ${BEARER}`);
    expect(headers).toContain('Mcp-Method: tools/call');
    const body = JSON.parse(rest.at(-1) ?? '');
    expect(body).toMatchObject({ method: 'tools/call', params: { name: 'calculator', arguments: { expression: '6 * 7' } } });
    expect(body.params._meta['io.modelcontextprotocol/protocolVersion']).toBe('2026-07-28');
  });
});

describe('agents and models', () => {
  it('are a provider of Codex, which its table ends', () => {
    const provider = { name: 'Satchel', base_url: 'https://satchel.example/v1', env_key: 'SATCHEL_KEY', wire_api: 'responses' };
    expect(toml(first('codex', 'models'))).toEqual({ model: GIVEN.model, model_provider: 'satchel', model_providers: { satchel: provider } });
  });

  it('stand below /v1 for OpenAI and at the root for Anthropic', () => {
    expect(first('openai', 'models')).toContain('OpenAI(base_url="https://satchel.example/v1", api_key="sk_satchel_Abc-123_x")');
    expect(first('anthropic', 'models')).toContain('Anthropic(base_url="https://satchel.example", api_key="sk_satchel_Abc-123_x")');
    expect(words(linesOf('openai', 'models')[2] ?? '')).toContain('OPENAI_BASE_URL=https://satchel.example/v1');
    expect(words(first('claude-code', 'models'))).toContain('ANTHROPIC_BASE_URL=https://satchel.example');
  });

  it('keep a name that a shell would read for something else', () => {
    const odd = { ...GIVEN, model: "satchel/Ada's $HOME" };
    const shell = linesOf('claude-code', 'models', odd)[0] ?? '';
    expect(words(shell)).toContain("ANTHROPIC_MODEL=satchel/Ada's $HOME");
    expect(toml(linesOf('codex', 'models', odd)[0] ?? '')['model']).toBe(odd.model);
    expect(JSON.parse(words(linesOf('curl', 'models', odd)[0] ?? '').at(-1) ?? '')['model']).toBe(odd.model);
  });
});

it('knows this machine, private networks and what is not encrypted', () => {
  for (const here of ['http://127.0.0.1:8081', 'http://localhost:8081', 'http://[::1]:8081']) {
    expect([isLoopback(here), isPrivate(here), isPlain(here)]).toEqual([true, true, false]);
  }
  for (const near of ['http://10.1.2.3:1', 'http://172.20.0.1', 'http://192.168.1.4:8081', 'http://[fd00::1]:1', 'http://nas:8081']) {
    expect([isLoopback(near), isPrivate(near), isPlain(near)]).toEqual([false, true, true]);
  }
  for (const far of ['https://satchel.example', 'https://172.40.0.1', 'https://[2001:db8::1]']) {
    expect([isLoopback(far), isPrivate(far), isPlain(far)]).toEqual([false, false, false]);
  }
});
