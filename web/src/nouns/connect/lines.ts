/** The lines that are pasted where a client keeps its servers or its models. */

/** The lines are made of the address this console was opened at, of a key or what stands for one, and of the model's name. */
export interface Given {
  origin: string;
  key: string;
  model: string;
}

/** One thing to paste. */
export interface Lines {
  /** The file or place it goes to. */
  where: string;
  text: string;
}

/** Stands for a key where none is made yet. */
export const NO_KEY = 'sk_satchel_…';

/** The name under which a client keeps this server. */
const NAME = 'satchel';

export const endpoint = ({ origin }: Given) => `${origin}/mcp`;
export const bearer = ({ key }: Given) => `Bearer ${key}`;

const json = (value: unknown) => JSON.stringify(value, null, 2);
/** A text within quotes, as JSON, TOML, YAML, Python and TypeScript all read it. */
const quoted = (text: string) => JSON.stringify(text);
/** A text as a shell reads it, whole: in the quotes that all shells know where nothing in it means something to them. */
const word = (text: string) => (/^[\w .:/…@[\]-]*$/.test(text) ? `"${text}"` : `'${text.replaceAll("'", `'\\''`)}'`);

/** Variables, as a shell sets them. */
export const variables = (all: Record<string, string>) =>
  Object.entries(all)
    .map(([name, value]) => `export ${name}=${word(value)}`)
    .join('\n');

const reached = (given: Given) => ({ SATCHEL_URL: given.origin, SATCHEL_KEY: given.key });
const started = (given: Given) => ({ command: 'satchel', args: ['mcp'], env: reached(given) });
const given = (all: Record<string, string>) =>
  Object.entries(all)
    .map(([name, value]) => `--env ${name}=${word(value)}`)
    .join(' ');

/** A file of servers under `mcpServers`; some clients want the kind of each. */
export const servers = (made: Given, kind?: string) =>
  json({ mcpServers: { [NAME]: { ...(kind ? { type: kind } : {}), url: endpoint(made), headers: { Authorization: bearer(made) } } } });

/** The same for a client that starts a program. */
export const programs = (made: Given) => json({ mcpServers: { [NAME]: started(made) } });

export const vscode = (made: Given) => json({ servers: { [NAME]: { type: 'http', url: endpoint(made), headers: { Authorization: bearer(made) } } } });
export const vscodeProgram = (made: Given) => json({ servers: { [NAME]: { type: 'stdio', ...started(made) } } });

export const claude = (made: Given) => `claude mcp add --transport http ${NAME} ${endpoint(made)} --header ${word(`Authorization: ${bearer(made)}`)}`;
export const claudeProgram = (made: Given) => `claude mcp add ${NAME} ${given(reached(made))} -- satchel mcp`;

export const codex = (made: Given) => `[mcp_servers.${NAME}]
url = ${quoted(endpoint(made))}
bearer_token_env_var = "SATCHEL_KEY"`;
export const codexProgram = (made: Given) => `[mcp_servers.${NAME}]
command = "satchel"
args = ["mcp"]

[mcp_servers.${NAME}.env]
${Object.entries(reached(made))
  .map(([name, value]) => `${name} = ${quoted(value)}`)
  .join('\n')}`;
/** The provider's table stands last: what follows a table's head belongs to it. */
export const codexModel = (made: Given) => `model = ${quoted(made.model)}
model_provider = "${NAME}"

[model_providers.${NAME}]
name = "Satchel"
base_url = ${quoted(`${made.origin}/v1`)}
env_key = "SATCHEL_KEY"
wire_api = "responses"`;

/** The host and port of an address. */
const place = (origin: string) => {
  const { hostname, port, protocol } = new URL(origin);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
};

export const librechat = (made: Given) => `mcpServers:
  ${NAME}:
    type: streamable-http
    url: ${quoted(endpoint(made))}
    headers:
      Authorization: "Bearer \${SATCHEL_KEY}"${isPrivate(made.origin) ? `\nmcpSettings:\n  allowedAddresses:\n    - ${quoted(place(made.origin))}` : ''}`;
export const librechatModel = (made: Given) => `endpoints:
  custom:
    - name: "Satchel"
      apiKey: "\${SATCHEL_KEY}"
      baseURL: ${quoted(`${made.origin}/v1`)}
      models:
        default: [${quoted(made.model)}]
        fetch: true`;

export const openaiPython = (made: Given) => `from openai import OpenAI

client = OpenAI(base_url=${quoted(`${made.origin}/v1`)}, api_key=${quoted(made.key)})
answer = client.responses.create(model=${quoted(made.model)}, input="What can you do?")
print(answer.output_text)`;
export const openaiTypescript = (made: Given) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${quoted(`${made.origin}/v1`)}, apiKey: ${quoted(made.key)} });
const answer = await client.responses.create({ model: ${quoted(made.model)}, input: 'What can you do?' });
console.log(answer.output_text);`;
export const anthropicPython = (made: Given) => `from anthropic import Anthropic

client = Anthropic(base_url=${quoted(made.origin)}, api_key=${quoted(made.key)})
question = {"role": "user", "content": "What can you do?"}
answer = client.messages.create(model=${quoted(made.model)}, max_tokens=1024, messages=[question])
print(answer.content)`;
export const anthropicTypescript = (made: Given) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: ${quoted(made.origin)}, apiKey: ${quoted(made.key)} });
const question = { role: 'user' as const, content: 'What can you do?' };
const answer = await client.messages.create({ model: ${quoted(made.model)}, max_tokens: 1024, messages: [question] });
console.log(answer.content);`;

const REVISION = '2026-07-28';

/** A request without a session says with each call who asks. */
function call() {
  const about = { protocolVersion: REVISION, clientInfo: { name: 'curl', version: '1' }, clientCapabilities: {} };
  const meta = Object.fromEntries(Object.entries(about).map(([name, value]) => [`io.modelcontextprotocol/${name}`, value]));
  return JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'calculator', arguments: { expression: '6 * 7' }, _meta: meta },
  });
}

function curl(address: string, headers: Record<string, string>, body: string) {
  const lines = Object.entries(headers).map(([name, value]) => `-H ${word(`${name}: ${value}`)}`);
  return [`curl ${word(address)}`, ...lines, `-d ${word(body)}`].join(' \\\n  ');
}

const sends = (made: Given) => ({ Authorization: bearer(made), 'Content-Type': 'application/json' });
export const curlTool = (made: Given) =>
  curl(
    endpoint(made),
    {
      ...sends(made),
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': REVISION,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'calculator',
    },
    call(),
  );
export const curlModel = (made: Given) =>
  curl(`${made.origin}/v1/chat/completions`, sends(made), JSON.stringify({ model: made.model, messages: [{ role: 'user', content: 'What can you do?' }] }));

/** Returns whether an address is this machine itself. */
export function isLoopback(origin: string): boolean {
  const host = new URL(origin).hostname;
  return host === 'localhost' || host.endsWith('.localhost') || host.startsWith('127.') || host === '[::1]';
}

/** Returns whether an address is none of the internet's: this machine, a private network, or a name without a dot. */
export function isPrivate(origin: string): boolean {
  const host = new URL(origin).hostname;
  const isNear = /^(10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|\[f[cde])/.test(host);
  return isLoopback(origin) || isNear || (!host.includes('.') && !host.startsWith('['));
}

/** Returns whether what is sent to an address can be read on the way. */
export const isPlain = (origin: string) => new URL(origin).protocol === 'http:' && !isLoopback(origin);
