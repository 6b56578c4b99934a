/** The deeds of commands and buttons on a conversation. */
import { client, ok } from '../../lib/http';
import { once } from '../../lib/once.svelte';
import { go } from '../../lib/router.svelte';
import { tools } from '../../lib/tools.svelte';
import type { Message } from '../../lib/types';
import { shelf } from '../scripts/shelf.svelte';
import type { Call } from '../scripts/types';
import type { Talk } from './talk.svelte';

/** Sends other words for a message in a branch that ends before it. */
export type Edit = (message: Message, text: string) => Promise<void>;

/** A new conversation that holds everything up to this message; its id. */
export const startFrom = once(async (talk: Talk, message_id: string): Promise<string | null> => {
  if (!talk.id) return null;
  try {
    const made = await ok(client.POST('/api/conversations/{id}/branch', { params: { path: { id: talk.id } }, body: { message_id } }));
    talk.changes += 1;
    return made.id;
  } catch (failure) {
    talk.failure = failure;
    return null;
  }
});

/** Opens a script that does again what a turn did. */
export const makeScript = once(async (talk: Talk, calls: Call[]): Promise<void> => {
  try {
    await shelf.fromCalls(calls);
  } catch (failure) {
    talk.failure = failure;
  }
});

/** Runs a slash command; true empties the composer. */
export async function perform(talk: Talk, name: string, words: string, branch: (message: string) => Promise<void>): Promise<boolean> {
  const last = talk.all.at(-1);
  switch (name) {
    case 'new':
      talk.startOver();
      go('/chat');
      return true;
    case 'tool':
      return form(talk, words);
    case 'find':
      return words ? talk.askOffline(words) : false;
    case 'again':
      void talk.regenerate();
      return true;
    case 'branch':
      if (last) await branch(last.id);
      return true;
    case 'export':
      if (talk.id) download(`/api/conversations/${talk.id}/export`);
      return true;
    case 'rename':
      return rename(talk, words);
    case 'stop':
      await talk.stop();
      return true;
    default:
      return false;
  }
}

/** A tool's form in the thread. */
async function form(talk: Talk, name: string): Promise<boolean> {
  await tools.load().catch(() => null);
  const tool = tools.named(name);
  if (!tool) return false;
  const found = { id: tool.id, name: tool.name, description: tool.description, score: 1, why: { words: [], bm25: 0 }, risk: tool.risk };
  talk.offer({ text: `/tool ${tool.name}`, tools: [found], passages: [], note: '' });
  return true;
}

async function rename(talk: Talk, title: string): Promise<boolean> {
  if (!talk.id || !title) return false;
  try {
    await ok(client.PATCH('/api/conversations/{id}', { params: { path: { id: talk.id } }, body: { title } }));
    talk.title = title;
    talk.changes += 1;
    return true;
  } catch (failure) {
    talk.failure = failure;
    return false;
  }
}

function download(path: string) {
  const link = document.createElement('a');
  link.href = path;
  link.download = '';
  link.click();
}
