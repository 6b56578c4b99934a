/** The part of the graph that is on screen: nodes that were searched or opened, and what joins them. */
import { SvelteMap } from 'svelte/reactivity';
import { client, ok } from '../../lib/http';
import type { GraphEdge, GraphNode, GraphPart } from '../../lib/types';

const MOST = 600;

export const edgeKey = ({ src, rel, dst }: Pick<GraphEdge, 'src' | 'rel' | 'dst'>) => `${src}\u0000${rel}\u0000${dst}`;

export class View {
  nodes = new SvelteMap<string, GraphNode>();
  edges = new SvelteMap<string, GraphEdge>();
  /** Sections that stand for their document, by its name: the document stands for both. */
  folded = new SvelteMap<string, string>();
  expanded = new SvelteMap<string, true>();
  selected = $state('');
  found = $state<GraphNode[] | null>(null);
  failure = $state<unknown>(null);
  loading = $state(true);
  /** Says that the picture could hold no more. */
  full = $state(false);
  /** The number of nodes of the whole graph. */
  whole = $state(0);

  get chosen(): GraphNode | undefined {
    return this.nodes.get(this.selected);
  }

  /** The relations of a node that are on screen, each with the node at the other end. */
  relations(id: string): { edge: GraphEdge; other: GraphNode; out: boolean }[] {
    return [...this.edges.values()].flatMap((edge) => {
      const out = edge.src === id;
      const other = out || edge.dst === id ? this.nodes.get(out ? edge.dst : edge.src) : undefined;
      return other ? [{ edge, other, out }] : [];
    });
  }

  take({ nodes, edges }: Pick<GraphPart, 'nodes' | 'edges'>) {
    this.fold(nodes, edges);
    for (const node of nodes) {
      if (this.folded.has(node.id)) continue;
      if (this.nodes.size >= MOST && !this.nodes.has(node.id)) this.full = true;
      else this.nodes.set(node.id, node);
    }
    for (const edge of edges) this.join(edge);
  }

  private join(given: GraphEdge) {
    const edge = { ...given, src: this.shown(given.src), dst: this.shown(given.dst) };
    const itself = edge.src === edge.dst && given.src !== given.dst;
    if (!itself && this.nodes.has(edge.src) && this.nodes.has(edge.dst)) this.edges.set(edgeKey(edge), edge);
  }

  /** The node that stands for this one. */
  private shown(id: string): string {
    return this.folded.get(id) ?? id;
  }

  /** Finds sections named as their document, and takes those out that were there first. */
  private fold(nodes: readonly GraphNode[], edges: readonly GraphEdge[]) {
    const known = new Map([...this.nodes, ...nodes.map((node) => [node.id, node] as const)]);
    for (const { src, rel, dst } of edges) {
      const [document, section] = [known.get(src), known.get(dst)];
      if (rel !== 'has_section' || document?.labels[0] !== 'Document' || document.name.trim() !== section?.name.trim()) continue;
      this.folded.set(dst, src);
      if (!this.nodes.delete(dst)) continue;
      this.nodes.set(src, document);
      if (this.selected === dst) this.selected = src;
      for (const [key, edge] of [...this.edges]) {
        if (edge.src !== dst && edge.dst !== dst) continue;
        this.edges.delete(key);
        this.join(edge);
      }
    }
  }

  private async attempt(work: () => Promise<void>) {
    this.failure = null;
    try {
      await work();
    } catch (failure) {
      this.failure = failure;
    }
    this.loading = false;
  }

  start() {
    return this.attempt(async () => {
      const { hubs, nodes } = await ok(client.GET('/api/graph/overview'));
      this.whole = nodes;
      this.take(hubs);
    });
  }

  search(text: string) {
    if (!text) {
      this.found = null;
      return Promise.resolve();
    }
    return this.attempt(async () => void (this.found = await ok(client.GET('/api/graph/nodes', { params: { query: { q: text, limit: 30 } } }))));
  }

  /** Puts a node in the picture, with what it is joined to. */
  async open(node: GraphNode) {
    const id = this.shown(node.id);
    this.take({ nodes: [node], edges: [] });
    this.selected = id;
    if (!this.expanded.has(id)) await this.expand(id);
  }

  expand(id: string) {
    return this.attempt(async () => {
      const around = async (one: string) => this.take(await ok(client.GET('/api/graph/nodes/{id}/neighbors', { params: { path: { id: one }, query: {} } })));
      await around(id);
      for (const [section, document] of [...this.folded]) if (document === this.shown(id)) await around(section);
      this.expanded.set(this.shown(id), true);
    });
  }

  /** Has somebody vouch for a node, and shows it as the graph has it then. */
  vouch(node: GraphNode, done: () => Promise<unknown>) {
    return this.attempt(async () => {
      await done();
      this.nodes.set(node.id, await ok(client.GET('/api/graph/nodes/{id}', { params: { path: { id: node.id } } })));
    });
  }

  /** Takes a node out of the picture; the graph keeps it. */
  hide(id: string) {
    this.nodes.delete(id);
    for (const [key, edge] of this.edges) if (edge.src === id || edge.dst === id) this.edges.delete(key);
    this.expanded.delete(id);
    if (this.selected === id) this.selected = '';
    this.full = false;
  }
}
