import { describe, expect, it } from 'vitest';
import type { Entry } from '../../lib/types';
import { about, bins, door, doorTitle } from './told';

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
    expect(['api', 'cli', 'mcp', 'chat'].map(door)).toEqual(['API', 'CLI', 'MCP', 'chat']);
    expect(doorTitle('chat')).toBe('Chat');
  });
});

describe('entries over time', () => {
  const at = (minute: number, outcome = 'success') => entry({ time: `2026-01-01T10:${minute}:00Z`, outcome });

  it('are counted from the oldest to the newest', () => {
    expect(bins([at(30), at(29, 'refused'), at(10)], 2)).toEqual([
      { all: 1, wrong: 0 },
      { all: 2, wrong: 1 },
    ]);
  });

  it('of one moment are no picture', () => {
    expect(bins([at(10), at(10)], 2)).toEqual([]);
    expect(bins([], 2)).toEqual([]);
  });
});
