import { expect, test } from 'vitest';
import { BOX, fitted, layout, type FlowEdge, type FlowNode } from './flow';
import { drawn } from './shape';
import { make } from './widget';

const nodes = (...ids: string[]): FlowNode[] => ids.map((id) => ({ id, name: id.toUpperCase(), note: '' }));
const edges = (...pairs: string[]): FlowEdge[] => pairs.map((pair) => ({ from: pair[0] ?? '', to: pair[1] ?? '', label: '' }));

test('what comes after stands further along, in either direction', () => {
  for (const direction of ['right', 'down'] as const) {
    const made = layout(nodes('d', 'a', 'b', 'c'), edges('ab', 'ac', 'bd', 'cd', 'ad'), direction);
    const at = Object.fromEntries(made.nodes.map((node) => [node.id, direction === 'right' ? node.x : node.y]));
    expect(made.nodes.map((node) => node.id)).toEqual(['a', 'b', 'c', 'd']);
    expect(at['a']).toBeLessThan(at['b'] ?? 0);
    expect(at['b']).toBe(at['c']);
    expect(at['c']).toBeLessThan(at['d'] ?? 0);
    for (const edge of made.edges) expect(edge.path).toMatch(/^M[\d.]+ [\d.]+C/);
  }
});

test('no two boxes lie over each other, and all lie within the picture', () => {
  const ids = Array.from({ length: 40 }, (_, at) => String.fromCharCode(97 + (at % 26)) + at);
  const pairs = ids.slice(1).map((id, at): FlowEdge => ({ from: ids[Math.floor(at / 3)] ?? '', to: id, label: '' }));
  const made = layout(nodes(...ids), pairs, 'down');
  for (const [at, a] of made.nodes.entries()) {
    expect(a.x >= 0 && a.y >= 0 && a.x + BOX.width <= made.width && a.y + BOX.height <= made.height).toBe(true);
    for (const b of made.nodes.slice(at + 1)) expect(Math.abs(a.x - b.x) >= BOX.width || Math.abs(a.y - b.y) >= BOX.height).toBe(true);
  }
});

test('a straight line of steps is drawn straight', () => {
  const made = layout(nodes('a', 'b', 'c'), edges('ab', 'bc'), 'right');
  expect(new Set(made.nodes.map((node) => node.y)).size).toBe(1);
});

test('a flow is made smaller where it nearly fits, and turned where it is far too wide', () => {
  const three = [nodes('a', 'b', 'c'), edges('ab', 'bc')] as const;
  const whole = layout(...three, 'right').width;
  expect(fitted(...three, whole)).toMatchObject({ direction: 'right', scale: 1 });
  expect(fitted(...three, whole * 0.9)).toMatchObject({ direction: 'right', scale: expect.closeTo(0.9) });
  expect(fitted(...three, whole * 0.6)).toMatchObject({ direction: 'down', scale: 1 });
});

test('a flow too wide either way is not made smaller than can be read', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  const fan = [nodes(...ids), edges('ab', 'ac', 'ad', 'ae', 'af')] as const;
  const wide = [nodes(...ids, 'g', 'h', 'i'), edges('ab', 'bc', 'cd', 'ce', 'cf', 'cg', 'ch', 'ci')] as const;
  expect(fitted(...wide, 570)).toMatchObject({ direction: 'right', scale: 0.85, cramped: true });
  expect(fitted(...fan, 600)).toMatchObject({ cramped: false });
});

test('a circle, an unknown end and a single node are drawn', () => {
  const made = layout(nodes('a', 'b'), edges('ab', 'ba', 'ax', 'aa'), 'right');
  expect(made.edges.map((edge) => edge.from + edge.to)).toEqual(['ab', 'ba']);
  expect(layout(nodes('a'), [], 'down')).toMatchObject({ edges: [], height: BOX.height + 16 });
  expect(layout([], [], 'down').nodes).toEqual([]);
});

test('a directive of nodes and edges is a flow', () => {
  const asked = {
    title: 'How',
    nodes: [
      { id: 'a', label: 'Begin' },
      { id: 2, label: 'End', description: 'at last' },
    ],
    edges: [{ source: 'a', target: 2, label: 'then' }],
  };
  expect(make('flow-diagram', asked)).toEqual({
    kind: 'flow',
    title: 'How',
    nodes: [
      { id: 'a', name: 'Begin', note: '' },
      { id: '2', name: 'End', note: 'at last' },
    ],
    edges: [{ from: 'a', to: '2', label: 'then' }],
  });
  expect(make('flow-diagram', { nodes: [] })).toBeNull();
  expect(make('flow-diagram', { nodes: [{ label: 'no id' }, { id: '' }] })).toBeNull();
});

test('a result with steps that wait for each other is drawn as a flow', () => {
  const process = {
    name: 'Refund',
    category: 'Finance',
    description: 'Money back.',
    steps: [
      { id: 'a', name: 'Check', who: 'Desk', depends_on: [] },
      { id: 'b', name: 'Pay', system: 'Ledger', depends_on: ['a'] },
    ],
    dependencies: ['Claim'],
  };
  const made = drawn({ count: 1, processes: [process], categories: ['Finance'] });
  const flow = made?.find((one) => one.kind === 'flow');
  expect(flow).toEqual({
    kind: 'flow',
    title: 'Refund',
    nodes: [
      { id: 'a', name: 'Check', note: 'Desk' },
      { id: 'b', name: 'Pay', note: 'Ledger' },
    ],
    edges: [{ from: 'a', to: 'b', label: '' }],
  });
  expect(made?.map((one) => one.kind)).toEqual(['facts', 'facts', 'flow']);
});
