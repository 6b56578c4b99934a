/** The programs that people connect, and what each of them is given. */
import type { Agent } from '../../lib/types';
import {
  anthropicPython,
  anthropicTypescript,
  claude,
  claudeProgram,
  codex,
  codexModel,
  codexProgram,
  curlModel,
  curlTool,
  endpoint,
  isLoopback,
  librechat,
  librechatModel,
  openaiPython,
  openaiTypescript,
  programs,
  servers,
  variables,
  vscode,
  vscodeProgram,
  type Given,
  type Lines,
} from './lines';

/** One way to connect a client. */
export interface Way {
  lines: (given: Given) => Lines[];
  /** Its oddities, a sentence each. */
  quirks?: (given: Given) => string[];
  /** Questions can be answered through it: a key may be let decide. */
  asks?: boolean;
}

/** The ways: tools over the network, tools through a program on the same machine, agents and models. */
export type Use = 'tools' | 'local' | 'models';

export interface Client {
  id: string;
  name: string;
  ways: Partial<Record<Use, Way>>;
}

export const USES: readonly (readonly [Use, string])[] = [
  ['tools', 'Tools'],
  ['local', 'Tools, same machine'],
  ['models', 'Agents and models'],
];

const TERMINAL = 'In a terminal';
const ON_PATH = 'It starts the program satchel, which must be where it looks for programs; else write its whole path.';
const CONTAINER = 'In a container, this address is the container itself: give it the network of the machine, or open this page at an address it reaches.';
const contained = ({ origin }: Given) => (isLoopback(origin) ? [CONTAINER] : []);
const exported = (given: Given): Lines => ({ where: TERMINAL, text: variables({ SATCHEL_KEY: given.key }) });
const dotenv = (given: Given): Lines => ({ where: '.env', text: `SATCHEL_KEY=${given.key}` });

export const clients: readonly Client[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    ways: {
      tools: {
        asks: true,
        lines: (given) => [
          { where: TERMINAL, text: claude(given) },
          { where: 'or .mcp.json in the project', text: servers(given, 'http') },
        ],
        quirks: () => [
          'The command counts in the folder it is given in; with --scope user after add, in all of them. Keep .mcp.json out of what you share: the key stands in it.',
        ],
      },
      local: { asks: true, lines: (given) => [{ where: TERMINAL, text: claudeProgram(given) }], quirks: () => [ON_PATH] },
      models: {
        lines: (given) => [
          {
            where: TERMINAL,
            text: `${variables({ ANTHROPIC_BASE_URL: given.origin, ANTHROPIC_AUTH_TOKEN: given.key, ANTHROPIC_MODEL: given.model })}\nclaude`,
          },
        ],
        quirks: () => ['Unset ANTHROPIC_API_KEY there. It brings tools of its own, and they come beside those that the agent has here.'],
      },
    },
  },
  {
    id: 'codex',
    name: 'Codex',
    ways: {
      tools: {
        asks: true,
        lines: (given) => [{ where: '~/.codex/config.toml', text: codex(given) }, exported(given)],
        quirks: () => ['It reads the key from the environment it is started in, never from the file.'],
      },
      local: { asks: true, lines: (given) => [{ where: '~/.codex/config.toml', text: codexProgram(given) }], quirks: () => [ON_PATH] },
      models: {
        asks: true,
        lines: (given) => [{ where: '~/.codex/config.toml, at its beginning', text: codexModel(given) }, exported(given)],
        quirks: () => ['Models count in this file only, not in one of a project. It warns that it does not know the model, and goes on.'],
      },
    },
  },
  {
    id: 'cursor',
    name: 'Cursor',
    ways: {
      tools: {
        asks: true,
        lines: (given) => [{ where: '~/.cursor/mcp.json', text: servers(given) }],
        quirks: () => ['In .cursor/mcp.json of a project it counts for that one alone; keep it out of what you share.'],
      },
      local: { asks: true, lines: (given) => [{ where: '~/.cursor/mcp.json', text: programs(given) }], quirks: () => [ON_PATH] },
    },
  },
  {
    id: 'vscode',
    name: 'VS Code',
    ways: {
      tools: {
        asks: true,
        lines: (given) => [{ where: 'mcp.json: MCP: Open User Configuration in its palette', text: vscode(given) }],
        quirks: () => ['Its file says servers where others say mcpServers.'],
      },
      local: {
        asks: true,
        lines: (given) => [{ where: 'mcp.json: MCP: Open User Configuration in its palette', text: vscodeProgram(given) }],
        quirks: () => [ON_PATH],
      },
    },
  },
  {
    id: 'open-webui',
    name: 'Open WebUI',
    ways: {
      tools: {
        lines: (given) => [
          { where: 'Admin Settings, External Tools, +: MCP (Streamable HTTP), its URL', text: endpoint(given) },
          { where: 'Auth: Bearer, its key', text: given.key },
        ],
        quirks: (given) => ['Everybody who uses it there acts as you here: one key stands for the whole installation.', ...contained(given)],
      },
      models: {
        lines: (given) => [
          { where: 'Admin Settings, Connections, OpenAI API, +: its URL', text: `${given.origin}/v1` },
          { where: 'its key', text: given.key },
          {
            where: 'or the environment of its first start',
            text: variables({ OPENAI_API_BASE_URL: `${given.origin}/v1`, OPENAI_API_KEY: given.key }),
          },
        ],
        quirks: (given) => ['It asks for titles and tags as well: choose a plain model for those, or each is a run of the agent.', ...contained(given)],
      },
    },
  },
  {
    id: 'librechat',
    name: 'LibreChat',
    ways: {
      tools: {
        lines: (given) => [{ where: 'librechat.yaml', text: librechat(given) }, dotenv(given)],
        quirks: (given) => ['It reads its files when it starts. Everybody who uses it there acts as you here.', ...contained(given)],
      },
      models: {
        lines: (given) => [{ where: 'librechat.yaml', text: librechatModel(given) }, dotenv(given)],
        quirks: (given) => ['It reads its files when it starts. Everybody who uses it there acts as you here.', ...contained(given)],
      },
    },
  },
  {
    id: 'openai',
    name: 'OpenAI SDK',
    ways: {
      models: {
        asks: true,
        lines: (given) => [
          { where: 'Python', text: openaiPython(given) },
          { where: 'TypeScript', text: openaiTypescript(given) },
          { where: 'or the environment, for programs that exist', text: variables({ OPENAI_BASE_URL: `${given.origin}/v1`, OPENAI_API_KEY: given.key }) },
        ],
      },
    },
  },
  {
    id: 'anthropic',
    name: 'Anthropic SDK',
    ways: {
      models: {
        lines: (given) => [
          { where: 'Python', text: anthropicPython(given) },
          { where: 'TypeScript', text: anthropicTypescript(given) },
          { where: 'or the environment, for programs that exist', text: variables({ ANTHROPIC_BASE_URL: given.origin, ANTHROPIC_API_KEY: given.key }) },
        ],
        quirks: () => ['Its address has no /v1: the SDK adds that.'],
      },
    },
  },
  {
    id: 'curl',
    name: 'curl',
    ways: {
      tools: { lines: (given) => [{ where: TERMINAL, text: curlTool(given) }] },
      models: { lines: (given) => [{ where: TERMINAL, text: curlModel(given) }] },
    },
  },
  {
    id: 'other',
    name: 'Another client',
    ways: {
      tools: {
        asks: true,
        lines: (given) => [{ where: 'Its file of MCP servers', text: servers(given, 'http') }],
        quirks: () => ['It must speak streamable HTTP and send a header; one that cannot starts a program on the same machine.'],
      },
      local: { asks: true, lines: (given) => [{ where: 'Its file of MCP servers', text: programs(given) }], quirks: () => [ON_PATH] },
      models: {
        asks: true,
        lines: (given) => [
          { where: 'Address of an OpenAI client', text: `${given.origin}/v1` },
          { where: 'Address of an Anthropic client', text: given.origin },
          { where: 'Key', text: given.key },
          { where: 'Model', text: given.model },
        ],
      },
    },
  },
];

/** The agent that is there always. */
export const DEFAULT = 'satchel/assistant';

/** An agent, as a request names it. */
export const modelOf = (agent: Pick<Agent, 'id' | 'name' | 'built_in'>) => `satchel/${agent.built_in ? agent.id : agent.name}`;

/** The uses a client has, with their titles. */
export const usesOf = (client: Client) => USES.filter(([use]) => client.ways[use]);
