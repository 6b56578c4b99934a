/** The widgets that can be drawn in place of text or JSON, and how what a model asks for becomes one of these. */
import { compare, parse, isDiff, type DiffRow } from '../diff';
import { field } from '../format';
import { distinct, formOf, type Form } from './chart';
import type { Format } from './export';
import type { FlowEdge, FlowNode } from './flow';
import { flowchart } from './mermaid';

export type Row = Record<string, unknown>;
export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'plain';

export interface Series {
  name: string;
  values: (number | null)[];
}

export interface Happening {
  time: string;
  title: string;
  text: string;
  status: string;
}

export interface Figure {
  label: string;
  value: string;
  delta: string;
  trend: 'up' | 'down' | '';
}

export type Widget =
  | { kind: 'table'; title: string; rows: Row[]; columns?: string[] | undefined }
  | { kind: 'facts'; title: string; subtitle: string; status: string; items: [string, unknown][] }
  | { kind: 'chart'; title: string; form: Form; labels: string[]; series: Series[]; note?: string }
  | { kind: 'timeline'; title: string; events: Happening[] }
  | { kind: 'diff'; title: string; rows: DiffRow[] }
  | { kind: 'changes'; title: string; before: Row; after: Row }
  | { kind: 'alert'; title: string; tone: Tone; text: string }
  | { kind: 'image'; src: string; alt: string; caption: string }
  | { kind: 'elsewhere'; host: string; href: string; alt: string; caption: string }
  | { kind: 'progress'; label: string; part: number | null; tone: Tone }
  | { kind: 'code'; title: string; language: string; text: string; note?: string }
  | { kind: 'figures'; figures: Figure[] }
  | { kind: 'sections'; sections: { title: string; text: string; open: boolean }[] }
  | { kind: 'file'; name: string; type: string; size: number | null; path: string; href: string }
  | { kind: 'export'; title: string; name: string; format: Format; asked: string; rows: Row[]; text: string }
  | { kind: 'citation'; title: string; text: string; where: string; score: number | null; href: string }
  | { kind: 'flow'; title: string; nodes: FlowNode[]; edges: FlowEdge[] }
  | { kind: 'badge'; label: string; tone: Tone };

export const record = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);
export const scalar = (value: unknown) => value === null || typeof value !== 'object';

/** A text of its own, or one made of a number; all else is no text. */
const text = (value: unknown): string => (typeof value === 'string' ? value : ['number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : '');
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const records = (value: unknown): Row[] => list(value).filter(record);

const TONES: Record<string, Tone> = {
  success: 'ok',
  ok: 'ok',
  good: 'ok',
  warning: 'warn',
  warn: 'warn',
  error: 'bad',
  danger: 'bad',
  critical: 'bad',
  fatal: 'bad',
  info: 'info',
  notice: 'info',
  debug: 'plain',
  default: 'info',
  neutral: 'plain',
};
export const toneOf = (value: unknown): Tone | undefined => TONES[text(value).toLowerCase()];

/** An address of the web and the machine it leads to; null for any other. */
function elsewhere(src: unknown): { host: string; href: string } | null {
  if (typeof src !== 'string' || !/^https?:\/\//i.test(src) || !URL.canParse(src)) return null;
  const { host, href, username, password } = new URL(src);
  return username || password ? null : { host, href };
}

/** Only what is here already: an image inside the text, or one this server keeps. Nothing is fetched from elsewhere. */
export function localImage(src: unknown): string | null {
  if (typeof src !== 'string') return null;
  return /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+$/.test(src) || /^\/api\/[\w/-]+(?:\.\w+)?$/.test(src) ? src : null;
}

const number = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);

function table(props: Row): Widget | null {
  const columns = list(props['columns']).map((one) =>
    record(one)
      ? { key: text(one['key'] ?? one['name']), label: text(one['label'] ?? one['title'] ?? one['key'] ?? one['name']) }
      : { key: text(one), label: text(one) },
  );
  const widest = columns.length ? Math.max(columns.length, ...list(props['rows']).map((row) => list(row).length)) : 0;
  const names = distinct(
    Array.from({ length: widest }, (_, at) => columns[at]?.label ?? ''),
    'Column',
  );
  if (!Array.isArray(props['rows'])) return null;
  const rows = props['rows'].map((row): Row | null => {
    if (Array.isArray(row)) return columns.length ? Object.fromEntries(names.map((name, at) => [name, row[at]])) : null;
    if (!record(row)) return null;
    return columns.length ? Object.fromEntries(columns.map(({ key }, at) => [names[at] ?? key, row[key]])) : row;
  });
  if (rows.some((row) => row === null)) return null;
  return { kind: 'table', title: text(props['title']), rows: rows as Row[], columns: columns.length ? names : undefined };
}

function facts(props: Row, field: string, key: string): Widget | null {
  const items = records(props[field]).map((one): [string, unknown] => [text(one[key] ?? one['label'] ?? one['key']), one['value'] ?? '']);
  if (items.length === 0 || items.some(([name]) => !name)) return null;
  return { kind: 'facts', title: text(props['title']), subtitle: text(props['subtitle']), status: text(props['status']), items };
}

function chart(props: Row): Widget | null {
  const told = records(props['datasets'] ?? props['series']).map((one) => ({
    name: text(one['label'] ?? one['name']),
    values: list(one['data'] ?? one['values']).map(number),
  }));
  const given = list(props['labels']).map((one) => text(one));
  const longest = Math.max(given.length, ...told.map((one) => one.values.length));
  if (told.length === 0 || longest === 0 || longest > 500 || told.every((one) => one.values.every((value) => value === null))) return null;
  const labels = Array.from({ length: longest }, (_, at) => given[at] ?? String(at + 1));
  // A label without a value is shown as one that has none.
  const series = told.map(({ name, values }) => ({ name, values: labels.map((_, at) => values[at] ?? null) }));
  return { kind: 'chart', title: text(props['title']), labels, series, ...formOf(text(props['chartType'] ?? props['chart_type']), labels, series) };
}

function timeline(props: Row): Widget | null {
  const events = records(props['events'] ?? props['items']).map((one) => ({
    time: text(one['timestamp'] ?? one['time'] ?? one['date']),
    title: text(one['title'] ?? one['label']),
    text: text(one['description'] ?? one['text']),
    status: text(one['status']),
  }));
  if (events.length === 0 || events.some((one) => !one.title && !one.text)) return null;
  return { kind: 'timeline', title: text(props['title']), events };
}

function diff(props: Row): Widget | null {
  const title = text(props['title']);
  const { before, after } = props;
  if (record(before) && record(after)) return { kind: 'changes', title, before, after };
  if (typeof before === 'string' && typeof after === 'string') return { kind: 'diff', title, rows: compare(before, after) };
  const unified = text(props['diff'] ?? props['text']);
  return isDiff(unified) ? { kind: 'diff', title, rows: parse(unified) } : null;
}

function alert(props: Row): Widget | null {
  const said = text(props['message'] ?? props['text']);
  return said ? { kind: 'alert', title: text(props['title']), tone: toneOf(props['severity']) ?? 'info', text: said } : null;
}

function image(props: Row): Widget | null {
  const [src, away, caption] = [localImage(props['src']), elsewhere(props['src']), text(props['caption'])];
  const alt = text(props['alt']) || caption || 'Image';
  if (src) return { kind: 'image', src, alt, caption };
  return away && { kind: 'elsewhere', ...away, alt, caption };
}

function progress(props: Row): Widget | null {
  const [value, most] = [number(props['value']), number(props['max']) ?? 100];
  if (most <= 0) return null;
  return {
    kind: 'progress',
    label: text(props['label']),
    part: value === null ? null : Math.max(0, Math.min(1, value / most)),
    tone: toneOf(props['variant']) ?? 'info',
  };
}

function figures(props: Row): Widget | null {
  const made = records(props['metrics']).map((one) => ({
    label: text(one['label']),
    value: text(one['value']),
    delta: text(one['delta']),
    trend: (['up', 'down'].includes(text(one['trend'])) ? text(one['trend']) : '') as Figure['trend'],
  }));
  return made.length > 0 && made.every((one) => one.label && one.value) ? { kind: 'figures', figures: made } : null;
}

function code(language?: string) {
  return (props: Row): Widget | null => {
    const source = text(props['code']);
    return source ? { kind: 'code', title: text(props['title']), language: language ?? text(props['language']), text: source } : null;
  };
}

function sections(props: Row): Widget | null {
  const opened = new Set([props['defaultOpen']].flat().map(Number));
  const made = records(props['sections']).map((one, at) => ({
    title: text(one['title']),
    text: text(one['content']),
    open: props['defaultOpen'] !== undefined && opened.has(at),
  }));
  return made.length > 0 && made.every((one) => one.title) ? { kind: 'sections', sections: made } : null;
}

function mermaid(props: Row): Widget | null {
  const chart = flowchart(text(props['code']));
  if (chart && chart.nodes.length <= MOST_BOXES) return { kind: 'flow', title: text(props['title']), ...chart };
  const made = code('mermaid')(props);
  return made && ({ ...made, note: 'Of Mermaid only flowcharts of boxes and lines are drawn here.' } as Widget);
}

/** The first of these that is a text. */
const first = (props: Row, ...names: string[]) => names.map((name) => text(props[name])).find(Boolean) ?? '';

function file(props: Row): Widget | null {
  const path = first(props, 'path', 'file_path');
  const name = first(props, 'name', 'file_name', 'filename') || (path.split('/').pop() ?? '');
  const address = text(props['url']);
  // Nothing leads elsewhere: what is not kept here is only named.
  const href = /^\/api\/[\w/-]+(?:\.\w+)?$/.test(address) ? address : '';
  return name
    ? { kind: 'file', name, type: first(props, 'content_type', 'mime_type', 'type'), size: number(props['size'] ?? props['bytes']), path, href }
    : null;
}

function exported(props: Row): Widget | null {
  const given = table({ columns: props['columns'], rows: props['rows'] ?? props['data'] });
  const rows = given?.kind === 'table' ? given.rows : [];
  const content = text(props['content'] ?? props['text']);
  const name = first(props, 'filename', 'file_name', 'name', 'title') || 'export';
  if (rows.length === 0 && !content) return null;
  const asked = (text(props['format']) || (/\.([a-z]\w{1,4})$/i.exec(name)?.[1] ?? '')).toLowerCase();
  const format: Format = asked === 'json' ? 'json' : ['md', 'markdown'].includes(asked) ? 'md' : rows.length || asked === 'csv' ? 'csv' : 'txt';
  const other = asked !== '' && ({ markdown: 'md', text: 'txt' }[asked] ?? asked) !== format;
  return { kind: 'export', title: text(props['title']), name, format, asked: other ? asked.slice(0, 24) : '', rows, text: rows.length ? '' : content };
}

function citation(props: Row): Widget | null {
  const [title, said] = [first(props, 'title', 'source_title', 'source', 'document_title'), first(props, 'snippet', 'text', 'quote', 'content')];
  const [document, page] = [text(props['document_id']), text(props['page'])];
  const where = page ? `page ${page}` : first(props, 'heading', 'section', 'location');
  const href = /^[\w-]{1,64}$/.test(document) ? `/knowledge/documents/${document}` : '';
  return title && said ? { kind: 'citation', title, text: said, where, score: number(props['score']), href } : null;
}

/** Most boxes of a flow: more are read in a table. */
export const MOST_BOXES = 200;

function flow(props: Row): Widget | null {
  const nodes = records(props['nodes']).map((one): FlowNode => ({
    id: text(one['id']),
    name: text(one['label'] ?? one['name'] ?? one['title']) || text(one['id']),
    note: text(one['description'] ?? one['subtitle'] ?? one['note']),
  }));
  const edges = records(props['edges']).map((one): FlowEdge => ({
    from: text(one['from'] ?? one['source']),
    to: text(one['to'] ?? one['target']),
    label: text(one['label']),
  }));
  const ids = new Set(nodes.map((node) => node.id));
  if (nodes.length === 0 || nodes.length > MOST_BOXES || ids.size < nodes.length || ids.has('')) return null;
  return { kind: 'flow', title: text(props['title']), nodes, edges };
}

function badge(props: Row): Widget | null {
  const label = text(props['label']);
  return label ? { kind: 'badge', label, tone: toneOf(props['status']) ?? 'plain' } : null;
}

/** By the name in the directive. What asks for a person's word is not here: only the platform itself may ask. */
const MAKERS: Record<string, (props: Row) => Widget | null> = {
  'data-table': table,
  table,
  'key-value': (props) => facts(props, 'items', 'key'),
  'entity-card': (props) => facts(props, 'fields', 'label'),
  chart,
  timeline,
  alert,
  image,
  accordion: sections,
  'diff-viewer': diff,
  diff,
  'progress-bar': progress,
  progress,
  'code-block': code(),
  code: code(),
  'mermaid-diagram': mermaid,
  mermaid,
  file,
  'file-card': file,
  'file-viewer': file,
  export: exported,
  'export-card': exported,
  'citation-card': citation,
  citation,
  'flow-diagram': flow,
  flow,
  'metric-card': figures,
  'status-badge': badge,
};

export const types: readonly string[] = Object.keys(MAKERS);

/** The widget that was asked for; null where it is not known or its content is not what it must be. */
export function make(type: string, props: unknown): Widget | null {
  const maker = Object.hasOwn(MAKERS, type) ? MAKERS[type] : undefined;
  return maker && record(props) ? maker(props) : null;
}

/** One value as a cell or a fact says it. */
export const cell = (value: unknown): string => (typeof value === 'string' ? value : value === null || value === undefined ? 'none' : field(value, 400));
