/** Flowcharts as Mermaid writes them, as a flow. What is not understood to its end is not drawn: half a drawing would be wrong. */
import type { FlowEdge, FlowNode } from './flow';

export interface Chart {
  nodes: FlowNode[];
  edges: FlowEdge[];
}

const HEAD = /^\s*(?:graph|flowchart)(?:\s+(?:TB|TD|BT|RL|LR))?\s*(?:;|$)/;
/** Lines that only say how it looks. */
const LOOKS = /^(?:%%|classDef\s|class\s|style\s|linkStyle\s|click\s|direction\s|accTitle|accDescr)/;
const ID = /^[\p{L}\p{N}_]+(?:[.-][\p{L}\p{N}_]+)*/u;
/** The shapes of a box: how its text begins and ends. */
const SHAPES: readonly (readonly [string, RegExp])[] = [
  ['[[', /\]\]/],
  ['[(', /\)\]/],
  ['[/', /[/\\]\]/],
  ['[\\', /[/\\]\]/],
  ['[', /\]/],
  ['(((', /\)\)\)/],
  ['((', /\)\)/],
  ['([', /\]\)/],
  ['(', /\)/],
  ['{{', /\}\}/],
  ['{', /\}/],
  ['>', /\]/],
];
const LINE = String.raw`(?:-{2,}[>ox]|-{3,}|={2,}[>ox]|={3,}|-\.+-[>ox]?)`;
const PLAIN = new RegExp(String.raw`^\s*[<ox]?${LINE}\s*(?:\|([^|]*)\|)?\s*`);
const SAID = new RegExp(String.raw`^\s*[<ox]?(?:--|==|-\.)\s*("[^"]*"|[^\s=.|>-][^|>]*?)\s*(?:-{2,}[>ox]?|={2,}[>ox]?|\.+-[>ox]?)\s*`);

/** The words of a label, without what formats them. */
const clean = (text: string) =>
  text
    .trim()
    .replace(/^"(.*)"$/s, '$1')
    .replace(/^`(.*)`$/s, '$1')
    .replace(/<br\s*\/?>/gi, ' ')
    .replace(/#quot;/g, '"')
    .replace(/#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code) || 32))
    .replace(/\s+/g, ' ')
    .trim();

class Reader {
  readonly nodes = new Map<string, FlowNode>();
  readonly edges: FlowEdge[] = [];

  /** Boxes joined by &, and what is left of the line; null where there is none. */
  private group(text: string): { ids: string[]; rest: string } | null {
    const ids: string[] = [];
    for (let rest = text.trimStart(); ;) {
      const id = ID.exec(rest)?.[0];
      if (!id || id === 'end' || id === 'subgraph') return null;
      rest = rest.slice(id.length);
      const shape = SHAPES.find(([open]) => rest.startsWith(open));
      let name = '';
      if (shape) {
        const inner = rest.slice(shape[0].length);
        // What ends a shape may stand in quotes.
        const quoted = /^\s*"[^"]*"\s*/.exec(inner)?.[0].length ?? 0;
        const end = shape[1].exec(inner.slice(quoted));
        if (!end) return null;
        name = clean(inner.slice(0, quoted + end.index));
        rest = inner.slice(quoted + end.index + end[0].length);
      }
      rest = rest.replace(/^:::[\w-]+/, '');
      const known = this.nodes.get(id);
      if (!known) this.nodes.set(id, { id, name: name || id, note: '' });
      else if (name) known.name = name;
      ids.push(id);
      const more = /^\s*&\s*/.exec(rest);
      if (!more) return { ids, rest };
      rest = rest.slice(more[0].length);
    }
  }

  /** One line: boxes, and lines between them. */
  statement(text: string): boolean {
    let from = this.group(text);
    while (from && from.rest.trim()) {
      const link = PLAIN.exec(from.rest) ?? SAID.exec(from.rest);
      const to = link && this.group(from.rest.slice(link[0].length));
      if (!link || !to) return false;
      for (const a of from.ids) for (const b of to.ids) this.edges.push({ from: a, to: b, label: clean(link[1] ?? '') });
      from = to;
    }
    return from !== null;
  }
}

/** The flow of such a text; null where it is another diagram, or one with more than boxes and lines. */
export function flowchart(text: string): Chart | null {
  const lines = text
    .replace(/^\s*---\n.*?\n---\n/s, '')
    .split('\n')
    .filter((line) => line.trim() && !line.trim().startsWith('%%'));
  const head = HEAD.exec(lines[0] ?? '');
  if (!head) return null;
  const reader = new Reader();
  const rest = [(lines[0] ?? '').slice(head[0].length), ...lines.slice(1)];
  // A ; in quotes is text, such as #quot; is.
  const statements = rest
    .flatMap((line) => line.match(/(?:"[^"]*"|[^;"])+/g) ?? [])
    .map((one) => one.trim())
    .filter(Boolean);
  for (const one of statements) if (!LOOKS.test(one) && !reader.statement(one)) return null;
  // A line from a box to itself cannot be drawn here.
  if (reader.nodes.size === 0 || reader.edges.some((edge) => edge.from === edge.to)) return null;
  return { nodes: [...reader.nodes.values()], edges: reader.edges };
}
