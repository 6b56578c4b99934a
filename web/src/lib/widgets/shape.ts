/** The shape of a result, so that any tool's output is drawn without knowing the tool. */
import { isDiff, parse } from '../diff';
import { localImage, MOST_BOXES, record, scalar, toneOf, type Happening, type Row, type Widget } from './widget';

/** A list of records, or of plain values as one column. */
function rowsOf(value: unknown): Row[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  if (value.every(record)) return value;
  return value.every(scalar) && value.length > 3 ? value.map((item) => ({ value: item })) : null;
}

const TIME = /^(?:time|timestamp|date|day|at|when|(?:\w+_)?(?:at|time|date|on))$/i;
const WORDS = /^(?:title|text|event|summary|description|message|what|subject)$/i;
const NO_AMOUNT = /^(?:id|.*_id|seq|year|port|line|page|number|no|code|zip|lat|lon|latitude|longitude|score)$/i;

const keys = (rows: readonly Row[]) => [...new Set(rows.slice(0, 200).flatMap((row) => Object.keys(row)))];
const isTime = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d|^\d\d:\d\d/.test(value) && (!/^\d{4}/.test(value) || Number.isFinite(Date.parse(value)));

/** Rows with a time and a text, and hardly more, are what happened. */
export function happenings(rows: readonly Row[]): Happening[] | null {
  const names = keys(rows);
  const time = names.find((name) => TIME.test(name) && rows.every((row) => isTime(row[name])));
  const title = names.find((name) => WORDS.test(name) && rows.every((row) => typeof row[name] === 'string' && row[name]));
  const rest = names.filter((name) => name !== time && name !== title);
  const plain = rest.every((name) => rows.every((row) => row[name] == null || typeof row[name] === 'string'));
  if (!time || !title || rest.length > 2 || !plain || rows.length > 200) return null;
  const status = rest.find((name) => /^(?:status|state|level|severity|outcome|kind|type)$/i.test(name));
  const more = rest.find((name) => name !== status);
  return rows.map((row) => ({
    time: String(row[time]),
    title: String(row[title]),
    text: more ? String(row[more] ?? '') : '',
    status: status ? String(row[status] ?? '') : '',
  }));
}

/** Rows that name something and say how much of it: one scale for all amounts, so that they can be compared. */
export function amounts(rows: readonly Row[]): Widget | null {
  const names = keys(rows);
  if (rows.length < 3 || rows.length > 120 || names.length < 2 || names.length > 5) return null;
  const [label, ...others] = [
    ...names.filter((name) => rows.every((row) => typeof row[name] === 'string')),
    ...names.filter((name) => rows.every((row) => typeof row[name] === 'number')),
  ];
  if (!label || names.length !== others.length + 1 || others.some((name) => NO_AMOUNT.test(name) || typeof rows[0]?.[name] !== 'number')) return null;
  const labels = rows.map((row) => String(row[label]));
  if (new Set(labels).size < labels.length || labels.some((one) => one.length > 60)) return null;
  const peaks = others.map((name) => Math.max(...rows.map((row) => Math.abs(row[name] as number))));
  if (Math.max(...peaks) > 20 * Math.min(...peaks) || Math.max(...peaks) === 0) return null;
  const form = rows.length > 3 && rows.every((row) => isTime(row[label])) ? 'lines' : 'bars';
  if (form === 'bars' && rows.length > 40) return null;
  return { kind: 'chart', title: '', form, labels, series: others.map((name) => ({ name, values: rows.map((row) => row[name] as number) })) };
}

function drawnRows(rows: Row[], title: string): Widget {
  const events = happenings(rows);
  return events ? { kind: 'timeline', title, events } : { kind: 'table', title, rows };
}

const named = (value: unknown) => (typeof value === 'string' ? value : '');

/** Steps that name what they wait for, at least one of them, are a flow. */
export function flow(value: unknown, title: string): Widget | null {
  const steps = Array.isArray(value) && value.every(record) ? value : [];
  const ids = new Set(steps.map((one) => one['id']));
  const sound = steps.every((one) => named(one['id']) && named(one['name']) && Array.isArray(one['depends_on']));
  if (steps.length === 0 || steps.length > MOST_BOXES || ids.size < steps.length || !sound) return null;
  const nodes = steps.map((one) => ({
    id: named(one['id']),
    name: named(one['name']),
    note: [one['who'], one['system']].map(named).filter(Boolean).join(' · '),
  }));
  const edges = steps.flatMap((one) => (one['depends_on'] as unknown[]).map((from) => ({ from: named(from), to: named(one['id']), label: '' })));
  return { kind: 'flow', title, nodes, edges };
}

/** Things that each have a flow: the facts of each, then its flow. */
function flows(rows: readonly Row[]): Widget[] | null {
  const made = rows.map((row) => {
    const key = Object.keys(row).find((name) => flow(row[name], ''));
    const drawing = key ? flow(row[key], named(row['name']) || named(row['title'])) : null;
    if (!drawing) return null;
    const items = Object.entries(row).filter(
      ([name, fact]) =>
        name !== key && !['id', 'name', 'title'].includes(name) && isShort(fact) && fact !== null && fact !== '' && !(Array.isArray(fact) && fact.length === 0),
    );
    const facts: Widget[] = items.length > 0 ? [{ kind: 'facts', title: named(row['name']), subtitle: '', status: '', items }] : [];
    return [...facts, drawing];
  });
  return made.length > 0 && made.every((one) => one !== null) ? made.flat() : null;
}

const isShort = (value: unknown) => scalar(value) || (Array.isArray(value) && value.every(scalar) && value.length <= 12);

/** The parts of an object that are drawn by themselves; the others are its facts. */
function part(name: string, value: unknown): Widget | null {
  if (typeof value !== 'string') return null;
  if (isDiff(value)) return { kind: 'diff', title: name, rows: parse(value) };
  const src = value.startsWith('data:image/') ? localImage(value) : null;
  return src ? { kind: 'image', src, alt: name, caption: '' } : null;
}

function whole(data: Row): Widget[] | null {
  const names = Object.keys(data);
  const tone = toneOf(data['severity'] ?? data['level']);
  const said = data['message'] ?? data['text'];
  if (
    tone &&
    typeof said === 'string' &&
    said &&
    names.length <= 4 &&
    names.every((name) => ['severity', 'level', 'message', 'text', 'title'].includes(name))
  ) {
    return [{ kind: 'alert', title: typeof data['title'] === 'string' ? data['title'] : '', tone, text: said }];
  }
  const { before, after } = data;
  if (names.length === 2 && record(before) && record(after) && [...Object.values(before), ...Object.values(after)].every(scalar))
    return [{ kind: 'changes', title: '', before, after }];
  return null;
}

/** Returns the widgets a result is drawn with, part by part; null where only its JSON says it. */
export function drawn(data: unknown): Widget[] | null {
  const rows = rowsOf(data);
  const all = rows && flows(rows);
  if (all) return all;
  if (rows) return [drawnRows(rows, '')];
  if (typeof data === 'string' && isDiff(data)) return [{ kind: 'diff', title: '', rows: parse(data) }];
  if (!record(data)) return null;
  const known = whole(data);
  if (known) return known;
  const entries = Object.entries(data);
  const list = entries.find(([, value]) => rowsOf(value));
  const parts = entries.map(([key, value]) => [key, part(key, value)] as const).filter((one): one is [string, Widget] => one[1] !== null);
  const facts = entries.filter(([key]) => key !== list?.[0] && !parts.some(([name]) => name === key));
  if (entries.length === 0 || facts.length > 24 || !facts.every(([, value]) => isShort(value))) return null;
  const made: Widget[] = facts.length > 0 ? [{ kind: 'facts', title: '', subtitle: '', status: '', items: facts }] : [];
  const found = list && rowsOf(list[1]);
  const drawings = found && flows(found);
  if (drawings) return [...made, ...drawings];
  // Beside facts the list's name says what its rows are.
  if (found && list) made.push(drawnRows(found, entries.length > 1 ? list[0] : ''));
  return [...made, ...parts.map(([, widget]) => widget)];
}
