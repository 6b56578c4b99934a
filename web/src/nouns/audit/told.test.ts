import { describe, expect, it } from 'vitest';
import type { Entry } from '../../lib/types';
import { about, approval, door, doorTitle, outcome } from './told';

const ID = '01a20449-a8a9-7676-91df-f6fd601f39a6';
const entry = (more: object) => ({ event_type: 'admin_action', topic: null, arguments: {}, ...more }) as unknown as Entry;
const titles = new Map([[ID, 'Holds of Hartmann']]);

describe('a row of the audit', () => {
  it('names what an action was about, not its id', () => {
    expect(about(entry({ arguments: { id: ID, system_id: ID, name: 'getRoute', method: 'GET' } }), titles, 36)).toBe('getRoute');
    expect(about(entry({ arguments: { id: ID, title: 'Deliveries' } }), titles, 36)).toBe('Deliveries');
    expect(about(entry({ arguments: { id: ID, from: 'draft', more: [ID] } }), titles, 36)).toBe('draft');
  });

  it('names the conversation of a turn where it is known', () => {
    const turn = { event_type: 'chat_turn', arguments: { turn: ID, model_calls: 1 } };
    expect(about(entry({ ...turn, topic: ID }), titles, 36)).toBe('Holds of Hartmann');
    expect(about(entry({ ...turn, topic: 'of somebody else' }), titles, 36)).toBe('');
  });

  it('shows other arguments as they are', () => {
    expect(about(entry({ event_type: 'tool_invocation', topic: ID, arguments: { expression: '1 + 2' } }), titles, 36)).toBe('1 + 2');
  });

  it('writes short names of entry points large', () => {
    expect(['api', 'cli', 'mcp', 'openai', 'chat'].map(door)).toEqual(['API', 'CLI', 'MCP', 'OpenAI', 'chat']);
    expect(doorTitle('chat')).toBe('Chat');
  });
});

describe('what came of it', () => {
  it('is told with who approved, edited or refused', () => {
    const told = (more: object) => outcome(entry({ action: 'invoke', outcome: 'success', user: 'mara', approved_by: null, edited: [], ...more }));
    const edited = [{ name: 'path', from: 'a', to: 'b' }];
    expect([told({}), told({ approved_by: 'mara' }), told({ approved_by: 'mara', edited }), told({ outcome: 'failure', approved_by: 'mara' })]).toEqual([
      'Success',
      'Success, approved by mara',
      'Success, edited and approved by mara',
      'Failure, approved by mara',
    ]);
    expect(told({ outcome: 'stopped' })).toBe('Stopped');
    expect([told({ outcome: 'waiting' }), told({ outcome: 'refused' }), told({ outcome: 'refused', action: 'refuse' })]).toEqual([
      'Asked',
      'Refused',
      'Refused by mara',
    ]);
  });

  it('names what was changed on the way', () => {
    const edited = [
      { name: 'path', from: 'a', to: 'b' },
      { name: 'mode', from: null, to: 'x' },
      { name: 'gone', from: 1, to: null },
    ];
    expect([approval(entry({})), approval(entry({ approved_by: 'mara', edited: [] })), approval(entry({ approved_by: 'mara', edited }))]).toEqual([
      '',
      'Approved by mara',
      'Edited and approved by mara: path was a, is b; mode was not given, is x; gone was 1, is left out',
    ]);
  });
});
