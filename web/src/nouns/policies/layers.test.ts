import { describe, expect, it } from 'vitest';
import type { Policies } from '../../lib/types';
import { document, empty, KINDS, number, patterns, put, rows } from './layers';

const none: Policies = {
  profile: null,
  global: null,
  sandbox: null,
  subagent: null,
  agent_subagent: {},
  provider_profile: {},
  global_provider: {},
  agent: {},
  agent_provider: {},
  group: {},
};
const kind = (name: string) => KINDS.find((one) => one.kind === name)!;
const deny = (...names: string[]) => ({ ...empty(), deny: names });

describe('the table of layers', () => {
  it('has a row for each of the nine, written or not', () => {
    expect(rows(none).map((row) => number(row.kind))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(rows(none).every((row) => row.layer === null)).toBe(true);
  });

  it('takes a layer in, changes it and lets it go again', () => {
    const one = put(none, kind('global'), [], deny('exec'));
    const two = put(one, kind('agent'), ['assistant'], deny('read'));
    const all = put(two, kind('agent_provider'), ['assistant', 'local'], deny('write'));
    expect(all).toEqual({ ...none, global: deny('exec'), agent: { assistant: deny('read') }, agent_provider: { assistant: { local: deny('write') } } });
    expect(
      rows(all)
        .filter((row) => row.layer)
        .map((row) => row.names),
    ).toEqual([[], ['assistant'], ['assistant', 'local']]);
    const back = put(put(all, kind('agent_provider'), ['assistant', 'local'], null), kind('agent'), ['assistant'], null);
    expect(put(back, kind('global'), [], null)).toEqual({ ...none, global: null });
  });

  it('shows the layer of one sub-agent below that of all', () => {
    const shown = rows(put(none, kind('agent_subagent'), ['researcher'], empty())).at(-1)!;
    expect([number(shown.kind), shown.names]).toEqual([9, ['researcher']]);
  });

  it('reads patterns however they are parted, and sends no more than the document', () => {
    expect(patterns(' exec, group:web\nread*  ')).toEqual(['exec', 'group:web', 'read*']);
    expect(document({ ...none, version: 3, warnings: ['x'] })).toEqual(none);
  });
});
