import { describe, expect, it } from 'vitest';
import type { GraphEdge, GraphNode } from '../../lib/types';
import { View } from './graph.svelte';
import { short, Taken } from './names';

const node = (id: string, label: string, name: string) => ({ id, name, labels: [label], props: {}, degree: 1, documents: [] }) as unknown as GraphNode;
const edge = (src: string, dst: string) => ({ src, rel: 'has_section', dst, props: {} }) as unknown as GraphEdge;
const document = node('d', 'Document', 'Payment policy');
const section = node('s', 'Section', 'Payment policy');
const holds = node('h', 'Section', 'Holds');

describe('a document and the section named as it', () => {
  it('are one in the picture, with the relations of both', () => {
    const view = new View();
    view.take({ nodes: [document, section, holds], edges: [edge('d', 's'), edge('s', 'h')] });
    expect([...view.nodes.keys()]).toEqual(['d', 'h']);
    expect([...view.edges.values()].map(({ src, dst }) => src + dst)).toEqual(['dh']);
  });

  it('become one where the document comes later, also where the section is chosen', () => {
    const view = new View();
    view.take({ nodes: [section, holds], edges: [edge('s', 'h')] });
    expect(view.nodes.size).toBe(2);
    view.selected = 's';
    view.take({ nodes: [document], edges: [edge('d', 's')] });
    expect([...view.nodes.keys()].sort()).toEqual(['d', 'h']);
    expect([...view.edges.values()].map(({ src, dst }) => src + dst)).toEqual(['dh']);
    expect(view.selected).toBe('d');
  });

  it('stay two where their names differ', () => {
    const view = new View();
    view.take({ nodes: [document, holds], edges: [edge('d', 'h')] });
    expect(view.nodes.size).toBe(2);
  });
});

describe('a name in the picture', () => {
  it('is cut where it is long', () => {
    expect(short('Payment policy')).toBe('Payment policy');
    expect(short('Minutes of the meeting of the board')).toBe('Minutes of the me…he board');
  });

  it('is written only where nothing else is', () => {
    const taken = new Taken();
    const box = (left: number, top: number) => ({ left, top, right: left + 100, bottom: top + 12 });
    taken.take(box(0, 0));
    expect(taken.free(box(90, 6))).toBe(false);
    expect(taken.free(box(101, 0))).toBe(true);
    expect(taken.free(box(0, 13))).toBe(true);
  });
});
