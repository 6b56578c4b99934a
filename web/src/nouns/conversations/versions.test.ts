import { afterEach, expect, it, vi } from 'vitest';
import type { Message } from '../../lib/types';
import { blank } from './apply';
import { blocks } from './blocks';
import { Versions } from './versions.svelte';

const question: Message = { ...blank('q', 'c', 'user', 'Which colour?'), former: 2 };
const answer = (id: string, turn: string, text: string) => blank(id, turn, 'assistant', text);
const FORMER = [{ question: 'What colour?', messages: [answer('1', 'a', 'Blue.')] }, { messages: [answer('2', 'b', 'Red.')] }];
const talk = [question, answer('3', 'c', 'Green.'), blank('n', 'd', 'user', 'And now?'), answer('4', 'd', 'None.')];

/** The thread as texts; the place where an answer is chosen as a bar. */
const read = (versions: Versions) =>
  blocks(talk, versions.shown).map((one) =>
    one.kind === 'versions'
      ? `| ${versions.at(one.question)}`
      : one.kind === 'you' && one.former
        ? `${one.former} (then)`
        : 'message' in one
          ? one.message.text
          : one.kind,
  );

/** A server with these former answers. */
const answering = (former: readonly unknown[]) => {
  const asked = vi.fn(async (request: Request) => Response.json(former[Number(new URL(request.url).pathname.split('/').at(-1)) - 1]));
  vi.stubGlobal('fetch', asked);
  return asked;
};
afterEach(() => vi.unstubAllGlobals());

it('shows a former answer in place of the last one, and the last again', async () => {
  const asked = answering(FORMER);
  const versions = new Versions();
  expect(read(versions)).toEqual(['Which colour?', 'Green.', '| 3', 'And now?', 'None.']);
  await versions.show('t', question, 1);
  expect(read(versions)).toEqual(['What colour? (then)', 'Blue.', '| 1', 'And now?', 'None.']);
  await versions.show('t', question, 2);
  expect(read(versions)).toEqual(['Which colour?', 'Red.', '| 2', 'And now?', 'None.']);
  await versions.show('t', question, 3);
  expect(read(versions)).toEqual(['Which colour?', 'Green.', '| 3', 'And now?', 'None.']);
  await versions.show('t', question, 2);
  expect(asked).toHaveBeenCalledTimes(2);
});

it('goes neither before the first answer nor beyond the last', async () => {
  const asked = answering(FORMER);
  const versions = new Versions();
  for (const at of [0, 4]) await versions.show('t', question, at);
  expect([asked.mock.calls.length, versions.at(question)]).toEqual([0, 3]);
});

it('shows the last answer once it is reset, also where a former one arrives only then', async () => {
  answering(FORMER);
  const versions = new Versions();
  const late = versions.show('t', question, 1);
  versions.reset();
  await late;
  expect(versions.at(question)).toBe(3);
  await versions.show('t', question, 1);
  expect(versions.at({ ...question, former: 3 })).toBe(4);
});

it('marks what a former answer says, so that nothing goes on from it', async () => {
  answering(FORMER);
  const versions = new Versions();
  await versions.show('t', question, 1);
  const said = blocks(talk, versions.shown).flatMap((one) => (one.kind === 'say' ? [one.former] : []));
  expect(said).toEqual([true, false]);
});
