/** The effect of each event of a turn on the conversation on screen. Pure: the same events always give the same picture. */
import { parse } from '../../lib/json';
import type { ServerEvent } from '../../lib/sse';
import type { Citation, ContextBill, InvokeAnswer, Memory, Message, ProviderFailure, QueuedMessage, Step, Ticket } from '../../lib/types';

export type TalkState = 'idle' | 'running' | 'waiting';

export interface Picture {
  title: string;
  messages: Message[];
  /** The messages that wait behind the answer. */
  queued: readonly QueuedMessage[];
  state: TalkState;
  context: ContextBill | null;
  usage: { input_tokens: number; output_tokens: number } | null;
  memories: (Pick<Memory, 'id' | 'content'> & Partial<Pick<Memory, 'origin'>>)[];
  /** Passages of documents the model was given. */
  passages: Citation[];
  error: string | null;
  /** The provider that failed the last turn; null where none did. */
  providerFailure: ProviderFailure | null;
}

type Data = Record<string, unknown>;

/** Applies one event; true means the turn has ended or waits for a person. */
export function apply(picture: Picture, event: ServerEvent): boolean {
  const data = object(event.data);
  const turn = event.id?.slice(0, event.id.lastIndexOf('-')) ?? '';
  switch (event.name) {
    case 'token':
      message(picture, data, turn).text += String(data['text'] ?? '');
      break;
    case 'stand_in': {
      const { provider, model, instead_of } = data as Pick<Message, 'provider' | 'model' | 'instead_of'>;
      Object.assign(message(picture, data, turn), { provider, model, instead_of });
      break;
    }
    case 'tool_start':
      start(message(picture, data, turn), data);
      break;
    case 'tool_end':
      end(step(picture, data), data);
      break;
    case 'confirmation':
      ask(picture, step(picture, data), data['ticket'] as Ticket);
      break;
    case 'ticket_decided':
      settle(picture, step(picture, data), data['ticket'] as Ticket);
      break;
    case 'knowledge':
      picture.passages = (data['passages'] as Citation[] | undefined) ?? [];
      break;
    case 'citations':
      message(picture, data, turn).citations = (data['citations'] as Message['citations'] | undefined) ?? [];
      break;
    case 'memory':
      picture.memories = (data['memories'] as Picture['memories'] | undefined) ?? [];
      break;
    case 'context':
      picture.context = data as unknown as ContextBill;
      break;
    case 'usage':
      picture.usage = data as unknown as NonNullable<Picture['usage']>;
      break;
    case 'queue':
      // A later one says what this one said.
      picture.queued = (data['queued'] as QueuedMessage[] | undefined) ?? picture.queued;
      break;
    case 'steered':
      steer(picture, data['message'] as Message);
      break;
    case 'title':
      picture.title = String(data['title'] ?? picture.title);
      break;
    case 'error':
      picture.error = String(data['message'] ?? 'The turn failed. Try again.');
      picture.providerFailure = (data['failure'] as ProviderFailure | null | undefined) ?? null;
      picture.state = 'idle';
      return true;
    case 'done':
      // What waits is sent at once after an answer that came.
      if (data['state'] === 'waiting') picture.state = 'waiting';
      else picture.state = data['state'] === 'done' && picture.queued.length > 0 ? 'running' : 'idle';
      return true;
  }
  return false;
}

/** A message that waited was taken into the turn. */
function steer(picture: Picture, said: Message) {
  picture.queued = picture.queued.filter((one) => one.id !== said.id);
  if (!picture.messages.some((one) => one.id === said.id)) picture.messages.push(said);
}

function object(text: string): Data {
  try {
    const value = parse(text);
    return typeof value === 'object' && value !== null ? (value as Data) : {};
  } catch {
    return {};
  }
}

/** The message an event speaks of, made where it is new. */
function message(picture: Picture, data: Data, turn: string): Message {
  const id = typeof data['message_id'] === 'string' ? data['message_id'] : `${turn}-answer`;
  const known = picture.messages.find((one) => one.id === id);
  if (known) return known;
  picture.messages.push(blank(id, turn, 'assistant', ''));
  return picture.messages[picture.messages.length - 1] as Message;
}

export function blank(id: string, turn: string, role: Message['role'], text: string): Message {
  const created_at = new Date().toISOString();
  return {
    id,
    turn_id: turn,
    role,
    text,
    attachments: [],
    steps: [],
    citations: [],
    created_at,
    model: null,
    provider: null,
    instead_of: null,
    usage: null,
    error: null,
    former: 0,
  };
}

function start(into: Message, data: Data) {
  const call_id = String(data['call_id']);
  const known = into.steps.find((one) => one.call_id === call_id);
  if (known) {
    known.state = 'running';
    return;
  }
  into.steps.push({
    call_id,
    tool: String(data['tool']),
    asked_as: String(data['asked_as'] ?? data['tool']),
    arguments: data['arguments'] ?? {},
    asked_arguments: null,
    approved_by: null,
    edited: [],
    risk: (data['risk'] ?? 'read') as Step['risk'],
    state: 'running',
    success: null,
    output: null,
    model_text: null,
    ticket: null,
    duration_ms: null,
    started_at: new Date().toISOString(),
  });
}

function step(picture: Picture, data: Data): Step | undefined {
  for (const one of picture.messages.toReversed()) {
    const found = one.steps.find((step) => step.call_id === data['call_id']);
    if (found) return found;
  }
  return undefined;
}

function end(step: Step | undefined, data: Data) {
  if (!step) return;
  step.state = (data['state'] as Step['state'] | undefined) ?? 'done';
  step.success = data['success'] === true;
  if ('arguments' in data) step.arguments = data['arguments'];
  if ('asked_arguments' in data) step.asked_arguments = data['asked_arguments'];
  if ('approved_by' in data) step.approved_by = data['approved_by'] as Step['approved_by'];
  if (Array.isArray(data['edited'])) step.edited = data['edited'] as Step['edited'];
  step.output = answer(step, data);
  step.model_text = typeof data['model_text'] === 'string' ? data['model_text'] : step.model_text;
  step.duration_ms = typeof data['duration_ms'] === 'number' ? data['duration_ms'] : step.duration_ms;
}

/** The result as the invoke route gives it, also where the event holds only an error. */
function answer(step: Step, data: Data): InvokeAnswer | null {
  if (data['output']) return data['output'] as InvokeAnswer;
  const error = data['error'];
  if (typeof error !== 'string') return null;
  return { success: false, content: [], data: null, error, problem: { kind: 'internal' }, meta: { call_id: step.call_id, tool: step.tool, duration_ms: 0 } };
}

function ask(picture: Picture, step: Step | undefined, ticket: Ticket) {
  picture.state = 'waiting';
  if (!step) return;
  step.state = 'waiting';
  step.ticket = ticket;
}

function settle(picture: Picture, step: Step | undefined, ticket: Ticket) {
  picture.state = 'running';
  if (!step) return;
  step.ticket = ticket;
  // Another question stands in its place, and is told next.
  if (ticket.state === 'changed') return;
  const refused = ticket.state === 'denied' || ticket.state === 'expired';
  step.state = refused ? 'done' : 'running';
  if (refused) step.success = false;
}
