/** The drawing of the graph. Loaded only where the graph is opened: it brings sigma and graphology. */
import Graph from 'graphology';
import forceAtlas2 from 'graphology-layout-forceatlas2';
import Sigma from 'sigma';
import type { GraphEdge, GraphNode } from '../../lib/types';
import { circular } from './circle';
import { edgeKey } from './graph.svelte';
import { short, Taken } from './names';

const SERIES = ['--s1', '--s2', '--s3', '--s5', '--s4'];

/** A colour of the theme as the canvas needs it: the pair resolved. */
function colour(host: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  host.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

export class Canvas {
  private graph = new Graph({ multi: true, type: 'directed' });
  private sigma: Sigma;
  private labels: string[] = [];
  private selected = '';
  private ink = '';
  /** The places of names and nodes of this frame. */
  private taken: Taken | null = null;

  constructor(
    private host: HTMLElement,
    select: (id: string) => void,
    expand: (id: string) => void,
  ) {
    this.sigma = new Sigma(this.graph, host, {
      allowInvalidContainer: true,
      stagePadding: 60,
      labelSize: 12,
      labelFont: getComputedStyle(host).fontFamily,
      labelDensity: 1,
      labelRenderedSizeThreshold: 5,
      renderEdgeLabels: false,
      defaultEdgeType: 'arrow',
      minCameraRatio: 0.1,
      maxCameraRatio: 4,
      nodeReducer: (id, data) => (id === this.selected ? { ...data, highlighted: true, zIndex: 1 } : data),
      edgeReducer: (_, data) => (this.selected && data['ends'].includes(this.selected) ? { ...data, color: data['strong'], size: 2 } : data),
      defaultDrawNodeLabel: (context, data, settings) => this.write(context, data, settings.labelSize, settings.labelFont),
      defaultDrawNodeHover: (context, data, settings) => this.mark(context, data, settings.labelSize, settings.labelFont),
    });
    this.sigma.on('beforeRender', () => (this.taken = null));
    this.sigma.on('clickNode', ({ node }) => select(node));
    this.sigma.on('doubleClickNode', ({ node, preventSigmaDefault }) => (preventSigmaDefault(), expand(node)));
    this.sigma.on('clickStage', () => select(''));
  }

  /** Draws exactly these; what was there keeps its place. */
  show(nodes: Iterable<GraphNode>, edges: Iterable<GraphEdge>) {
    const wanted = [...nodes];
    const keep = new Set(wanted.map((node) => node.id));
    for (const id of this.graph.nodes()) if (!keep.has(id)) this.graph.dropNode(id);
    const before = this.graph.order;
    for (const node of wanted) this.place(node);
    for (const edge of edges) this.join(edge);
    this.graph.forEachNode((id) => this.graph.setNodeAttribute(id, 'size', 5 + Math.min(9, Math.sqrt(this.graph.degree(id)) * 2)));
    this.paint();
    if (this.graph.order !== before && this.graph.order > 1) this.settle();
  }

  private place(node: GraphNode) {
    const kind = node.labels[0] ?? '';
    if (!this.labels.includes(kind)) this.labels.push(kind);
    if (this.graph.hasNode(node.id)) return;
    this.graph.addNode(node.id, { ...circular(this.graph.order), label: node.name, kind, size: 6 });
  }

  private join(edge: GraphEdge) {
    const key = edgeKey(edge);
    if (this.graph.hasEdge(key) || !this.graph.hasNode(edge.src) || !this.graph.hasNode(edge.dst)) return;
    this.graph.addDirectedEdgeWithKey(key, edge.src, edge.dst, { label: edge.rel, size: 1, ends: [edge.src, edge.dst] });
  }

  /** A few hundred nodes need no worker: the policy of the console allows none from a blob. */
  private settle() {
    const iterations = this.graph.order > 300 ? 120 : 400;
    forceAtlas2.assign(this.graph, {
      iterations,
      settings: { ...forceAtlas2.inferSettings(this.graph), linLogMode: true, outboundAttractionDistribution: true, gravity: 1, scalingRatio: 4 },
    });
  }

  /** Takes the theme's colours. */
  paint() {
    this.ink = colour(this.host, '--ink-2');
    const [line, strong] = [colour(this.host, '--line-control'), colour(this.host, '--accent')];
    const series = SERIES.map((name) => colour(this.host, name));
    // What has just been added must be known before it can be painted.
    this.sigma.refresh();
    this.graph.updateEachNodeAttributes((_, data) => ({ ...data, color: series[this.labels.indexOf(data['kind']) % series.length] ?? this.ink }));
    this.graph.updateEachEdgeAttributes((_, data) => ({ ...data, color: line, strong }));
    this.sigma.refresh();
  }

  /** Returns the kinds of nodes by their colour of the series, in the order they were met. */
  get kinds(): readonly string[] {
    return this.labels;
  }

  select(id: string) {
    this.selected = id;
    const place = id && this.graph.hasNode(id) ? this.sigma.getNodeDisplayData(id) : undefined;
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const { width, height } = this.sigma.getDimensions();
    const at = place && this.sigma.framedGraphToViewport(place);
    const hidden = at && (at.x < 0 || at.y < 0 || at.x > width || at.y > height);
    if (place && hidden) void this.sigma.getCamera().animate({ x: place.x, y: place.y }, { duration: still ? 0 : 220 });
    this.sigma.refresh({ skipIndexation: true });
  }

  zoom(by: number) {
    const camera = this.sigma.getCamera();
    camera.setState({ ratio: Math.min(4, Math.max(0.1, camera.ratio * by)) });
  }

  whole() {
    this.sigma.getCamera().setState({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
  }

  /** Returns the place where a name begins: right of its node, or left where the picture ends. */
  private beside(data: { x: number; size: number }, width: number, gap: number): number {
    const right = data.x + data.size + gap;
    return right + width <= this.sigma.getDimensions().width ? right : Math.max(0, data.x - data.size - gap - width);
  }

  private write(context: CanvasRenderingContext2D, data: { x: number; y: number; size: number; label: string | null }, size: number, font: string) {
    if (!data.label) return;
    context.font = `${size}px ${font}`;
    context.fillStyle = this.ink;
    const name = short(data.label);
    const width = context.measureText(name).width;
    const around = (left: number) => ({ left, top: data.y - size * 0.6, right: left + width, bottom: data.y + size * 0.6 });
    // Where neither side has room it is left out, until somebody points at the node or comes nearer.
    const taken = (this.taken ??= this.places());
    const box = [this.beside(data, width, 3), data.x - data.size - 3 - width].map(around).find((one) => one.left >= 0 && taken.free(one));
    if (!box) return;
    taken.take(box);
    context.fillText(name, box.left, data.y + size / 3);
  }

  /** Returns the places of the nodes of this frame: no name is written over one. */
  private places(): Taken {
    const taken = new Taken();
    this.graph.forEachNode((id) => {
      const data = this.sigma.getNodeDisplayData(id);
      if (!data) return;
      const { x, y } = this.sigma.framedGraphToViewport(data);
      const half = this.sigma.scaleSize(data.size);
      taken.take({ left: x - half, top: y - half, right: x + half, bottom: y + half });
    });
    return taken;
  }

  /** The pointed-at or chosen node: a ring, and its name on a ground of its own. */
  private mark(context: CanvasRenderingContext2D, data: { x: number; y: number; size: number; label: string | null }, size: number, font: string) {
    context.font = `${size}px ${font}`;
    const name = data.label ?? '';
    const width = context.measureText(name).width;
    const left = this.beside(data, width + 10, 6);
    context.fillStyle = colour(this.host, '--raised');
    context.strokeStyle = colour(this.host, '--accent');
    context.lineWidth = 2;
    context.beginPath();
    context.arc(data.x, data.y, data.size + 3, 0, Math.PI * 2);
    context.stroke();
    context.beginPath();
    context.roundRect(left, data.y - size / 2 - 5, width + 10, size + 10, 3);
    context.fill();
    context.fillStyle = colour(this.host, '--ink');
    context.fillText(name, left + 5, data.y + size / 3);
  }

  close() {
    this.sigma.kill();
  }
}
