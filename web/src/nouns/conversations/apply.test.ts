import { describe, expect, it } from 'vitest';
import type { Ticket } from '../../lib/types';
import { apply, blank, type Picture } from './apply';
import { blocks, guess } from './blocks';

const empty = (): Picture => ({
  title: '',
  messages: [],
  queued: [],
  state: 'running',
  context: null,
  usage: null,
  memories: [],
  passages: [],
  error: null,
  providerFailure: null,
});
let n = 0;
const event = (name: string, data: unknown) => ({ id: `turn-${++n}`, name, data: JSON.stringify(data) });
const ticket = { id: 't1', state: 'pending', asked_as: 'write' } as Ticket;

function play(...all: [string, unknown][]): { picture: Picture; ended: boolean } {
  const picture = empty();
  let ended = false;
  for (const [name, data] of all) ended = apply(picture, event(name, data)) || ended;
  return { picture, ended };
}

const start = (call_id: string, message_id = 'm1'): [string, unknown] => [
  'tool_start',
  { call_id, message_id, tool: 'builtin:write', arguments: { path: 'a' }, risk: 'high_write' },
];
const output = { success: true, content: [], data: 4, error: null, meta: { call_id: 'c1', tool: 'x', duration_ms: 3 } };

describe('a turn', () => {
  it('writes its text where the message is', () => {
    const { picture } = play(
      ['token', { text: 'a', message_id: 'm1' }],
      ['token', { text: 'b', message_id: 'm1' }],
      ['token', { text: 'c', message_id: 'm2' }],
    );
    expect(picture.messages.map((message) => [message.id, message.text])).toEqual([
      ['m1', 'ab'],
      ['m2', 'c'],
    ]);
  });

  it('says at once who stands in for whom, before a word of the answer is there', () => {
    const instead_of = { provider: 'House', model: 'm1', address: 'h:1', status: 500, cause: 'It failed.', mend: '/settings/models' };
    const { picture } = play(['stand_in', { message_id: 'm1', provider: 'Cloud', model: 'm2', instead_of }], ['token', { text: 'a', message_id: 'm1' }]);
    expect(picture.messages).toMatchObject([{ id: 'm1', text: 'a', provider: 'Cloud', model: 'm2', instead_of }]);
  });

  it('shows a step from its start to its end', () => {
    const { picture } = play(start('c1'), ['tool_end', { call_id: 'c1', success: true, output, duration_ms: 3, model_text: '4' }]);
    expect(picture.messages[0]?.steps).toMatchObject([{ call_id: 'c1', state: 'done', success: true, duration_ms: 3, model_text: '4', output: { data: 4 } }]);
  });

  it('shows the same step once when events come again', () => {
    const { picture } = play(start('c1'), start('c1'));
    expect(picture.messages[0]?.steps).toHaveLength(1);
  });

  it('makes a result of an error that came alone', () => {
    const { picture } = play(start('c1'), ['tool_end', { call_id: 'c1', success: false, error: 'timed out after 9s' }]);
    expect(picture.messages[0]?.steps[0]?.output?.error).toBe('timed out after 9s');
  });

  it('waits for a person and goes on', () => {
    const { picture } = play(start('c1'), ['confirmation', { call_id: 'c1', ticket }]);
    expect([picture.state, blocks(picture.messages).map((block) => block.kind)]).toEqual(['waiting', ['ask']]);
    apply(picture, event('ticket_decided', { call_id: 'c1', ticket: { ...ticket, state: 'running' } }));
    expect([picture.state, picture.messages[0]?.steps[0]?.state]).toEqual(['running', 'running']);
  });

  it('keeps a refused step in the thread', () => {
    const { picture } = play(
      start('c1'),
      ['confirmation', { call_id: 'c1', ticket }],
      ['ticket_decided', { call_id: 'c1', ticket: { ...ticket, state: 'denied' } }],
    );
    expect(picture.messages[0]?.steps).toMatchObject([{ state: 'done', success: false, ticket: { state: 'denied' } }]);
    expect(blocks(picture.messages).map((block) => block.kind)).toEqual(['steps']);
  });

  it('ends when it is done, waits or fails', () => {
    expect(play(['done', { state: 'done' }])).toMatchObject({ ended: true, picture: { state: 'idle' } });
    expect(play(['done', { state: 'waiting' }])).toMatchObject({ ended: true, picture: { state: 'waiting' } });
    expect(play(['error', { message: 'The model did not answer.' }])).toMatchObject({
      ended: true,
      picture: { state: 'idle', error: 'The model did not answer.', providerFailure: null },
    });
  });

  it('knows which provider failed it, where one did', () => {
    const failure = { provider: 'House', model: 'm1', address: 'h:1', status: 500, cause: 'It failed.', mend: '/settings/models' };
    expect(play(['error', { message: 'House (m1 at h:1): It failed.', failure }]).picture.providerFailure).toEqual(failure);
    expect(play(['error', { message: 'It took too many steps.', failure: null }]).picture.providerFailure).toBeNull();
  });

  it('passes over what it does not know and what is no JSON', () => {
    const picture = empty();
    expect(apply(picture, { id: '1', name: 'novelty', data: '{}' })).toBe(false);
    expect(apply(picture, { id: '2', name: 'usage', data: 'not json' })).toBe(false);
    expect(picture.messages).toEqual([]);
  });
});

describe('blocks', () => {
  it('fold steps that follow each other, across messages', () => {
    const { picture } = play(start('c1', 'm1'), start('c2', 'm2'), ['token', { text: 'hi', message_id: 'm3' }], start('c3', 'm3'));
    expect(blocks(picture.messages).map((block) => (block.kind === 'steps' ? block.steps.map((step) => step.call_id) : block.kind))).toEqual([
      ['c1', 'c2'],
      'say',
      ['c3'],
    ]);
  });

  it('guess a height by the length of the text', () => {
    const { picture } = play(['token', { text: 'a '.repeat(200), message_id: 'm1' }], ['token', { text: 'b', message_id: 'm2' }]);
    expect(blocks(picture.messages).map(guess)).toEqual([5 * 24 + 52, 24 + 52]);
  });
});

describe('messages that wait', () => {
  const waiting = (id: string) => ({ id, text: id, attachments: [], when: 'next', created_at: '2026-11-27T00:00:00Z' });

  it('are told as they are, and stand in the conversation once the turn has taken them in', () => {
    const message = { ...blank('b', 'turn', 'user', 'b') };
    const { picture } = play(['queue', { queued: [waiting('a'), waiting('b')] }], ['steered', { message }], ['steered', { message }]);
    expect([picture.queued.map((one) => one.id), picture.messages.map((one) => one.text)]).toEqual([['a'], ['b']]);
  });

  it('keep the conversation going at the end of an answer, and not where it was stopped', () => {
    const ends = (state: string) => play(['queue', { queued: [waiting('a')] }], ['done', { state }]).picture.state;
    expect([ends('done'), ends('cancelled'), ends('waiting')]).toEqual(['running', 'idle', 'waiting']);
    expect(play(['done', { state: 'done' }]).picture.state).toBe('idle');
  });
});
