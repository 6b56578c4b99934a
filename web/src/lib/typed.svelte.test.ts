import { flushSync } from 'svelte';
import { beforeEach, describe, expect, it } from 'vitest';
import { keep, keptText, removeUnowned, unsaved } from '../nouns/scripts/kept.svelte';
import { Run } from '../nouns/tools/run.svelte';
import { open } from './draft';
import { drafts, Kept } from './kept.svelte';
import { telling } from './schema';
import { session } from './session.svelte';
import type { Me, Tool } from './types';
import { begun, keepTyped, Typed, typedText } from './typed.svelte';

/** A form that is opened, and how it is left. */
function form(name: string, given = { name: '', steps: [{ id: 'a' }] }) {
  let now = $state(given);
  let typed: Typed<typeof given> | undefined;
  const leave = $effect.root(() => {
    typed = new Typed(
      name,
      () => now,
      (was) => (now = was),
    );
  });
  flushSync();
  const type = (change: (form: typeof given) => void) => (change(now), flushSync());
  return { type, leave, now: () => $state.snapshot(now), typed: typed as Typed<typeof given> };
}

beforeEach(() => drafts.clear());

describe('what is typed', () => {
  it('is there again where a form was left, until it is sent', () => {
    const first = form('process new');
    expect(begun('process new')).toBe(false);
    first.type((now) => (now.steps.push({ id: 'b' }), (now.name = 'Refund')));
    first.leave();
    expect(begun('process new')).toBe(true);

    const again = form('process new');
    expect([again.now(), again.typed.restored]).toEqual([{ name: 'Refund', steps: [{ id: 'a' }, { id: 'b' }] }, 'same']);
    again.typed.done();
    flushSync();
    again.leave();
    expect(begun('process new')).toBe(false);
  });

  it('is no longer kept where a form stands as it began, or is dropped', () => {
    const one = form('system new');
    one.type((now) => (now.name = 'x'));
    one.type((now) => (now.name = ''));
    expect(begun('system new')).toBe(false);
    one.type((now) => (now.name = 'y'));
    one.typed.drop();
    flushSync();
    expect([one.now().name, begun('system new')]).toEqual(['', false]);
    one.leave();
  });

  it('says where what it changes is another meanwhile', () => {
    const mine = form('process 1');
    mine.type((now) => (now.name = 'mine'));
    mine.leave();
    const theirs = form('process 1', { name: 'theirs', steps: [] });
    expect([theirs.now().name, theirs.typed.restored]).toEqual(['mine', 'changed']);
    theirs.leave();
  });

  it('is apart for each conversation, and gone with who signs out', () => {
    keepTyped('chat new', 'one');
    keepTyped('chat 7', 'two');
    expect([typedText('chat new'), typedText('chat 7'), typedText('chat 8')]).toEqual(['one', 'two', '']);
    keepTyped('chat new', '');
    expect(sessionStorage.length).toBe(1);
    drafts.clear();
    expect([typedText('chat 7'), sessionStorage.length]).toEqual(['', 0]);
  });

  it('is never a secret', () => {
    expect(open({ url: 'https://a', api_key: 'k', headers: '{"Authorization":"Bearer x"}', rows: [{ password: 'p', name: 'n' }] })).toEqual({
      url: 'https://a',
      api_key: '',
      headers: '',
      rows: [{ password: '', name: 'n' }],
    });
    for (const text of ["curl -H 'Authorization: Bearer x' https://a", 'curl -u me:pw https://a', '{"token": "x"}', 'https://me:pw@host/'])
      expect(telling(text)).toBe(true);
    for (const text of ['curl -X POST https://a/tokens -d \'{"a":1}\'', '{"expression": "1+1"}', 'https://host/a@b']) expect(telling(text)).toBe(false);
  });
});

describe('kept texts', () => {
  it('live as long as the page where nothing can be stored', () => {
    const blocked = new Kept(
      () => {
        throw new Error('blocked');
      },
      () => 'x.',
    );
    blocked.keep('b', '2');
    blocked.keep('a', '1');
    expect([blocked.names, blocked.text('a')]).toEqual([['a', 'b'], '1']);
    blocked.forget('a');
    expect([blocked.names, blocked.text('a')]).toEqual([['b'], null]);
  });

  it('are listed by their names, those of before the page was loaded, too', () => {
    localStorage.setItem('y.old', 'x');
    const kept = new Kept(
      () => localStorage,
      () => 'y.',
    );
    kept.keep('new', '1');
    expect(kept.names).toEqual(['new', 'old']);
  });
});

describe('unsaved texts of scripts', () => {
  it('are of whoever wrote them, also in one browser', () => {
    const as = (id: string) => void Object.assign(session, { me: { id } as Me });
    as('mara');
    keep('secret_plan', 'let a = 1;');
    as('omar');
    expect([unsaved.names, keptText('secret_plan')]).toEqual([[], null]);
    as('mara');
    expect([unsaved.names, keptText('secret_plan')]).toEqual([['secret_plan'], 'let a = 1;']);
    session.me = null;
  });

  it('of an earlier version, which say not whose they are, are removed, and no others', () => {
    localStorage.clear();
    for (const key of ['satchel.script.plan', 'satchel.script-base.plan', 'satchel.script.mara.plan', 'satchel.script-base.mara.plan', 'satchel.theme'])
      localStorage.setItem(key, 'x');
    removeUnowned();
    expect(Object.keys(localStorage).sort()).toEqual(['satchel.script-base.mara.plan', 'satchel.script.mara.plan', 'satchel.theme']);
  });
});

describe("a tool's arguments", () => {
  const tool = {
    id: 'builtin:echo',
    parameters: { type: 'object', properties: { text: { type: 'string' }, token: { type: 'string' } }, required: ['text'] },
  } as unknown as Tool;
  const visit = (fill: (run: Run) => void) => {
    const run = new Run(tool, null, 'tool builtin:echo');
    const leave = $effect.root(() => {
      $effect(() => run.keep());
    });
    flushSync();
    fill(run);
    flushSync();
    leave();
  };
  const again = () => new Run(tool, null, 'tool builtin:echo');

  it('are there again as they were filled in, without what is secret', () => {
    visit((run) => Object.assign(run, { drafts: { text: 'hello', token: 'secret' } }));
    expect([again().mode, again().drafts]).toEqual(['form', { text: 'hello', token: '' }]);
  });

  it('written as JSON come back in the form, and as they were typed where they are no JSON yet', () => {
    visit((run) => Object.assign(run, { mode: 'json', json: '{"text": "a"}' }));
    expect([again().mode, again().drafts]).toEqual(['form', { text: 'a', token: '' }]);
    visit((run) => Object.assign(run, { mode: 'json', json: '{"text": "a' }));
    expect([again().mode, again().json]).toEqual(['json', '{"text": "a']);
    visit((run) => Object.assign(run, { mode: 'json', json: '{"text": "a", "token": "x' }));
    expect(JSON.stringify({ ...sessionStorage })).not.toContain('token\\": \\"x');
  });
});
