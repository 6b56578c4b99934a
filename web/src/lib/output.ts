/** What shape a result has, so that any tool's output is drawn without knowing the tool. */
export type Row = Record<string, unknown>;

export interface Shape {
  /** Short facts beside the rows. */
  facts: [string, unknown][];
  /** The list of records, if there is one. */
  rows: Row[] | null;
  /** Its name, where it has one. */
  name: string;
  /** Neither: show it as it is. */
  raw: boolean;
}

const record = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);
const scalar = (value: unknown) => value === null || typeof value !== 'object';

/** A list of records, or of plain values as one column. */
function rowsOf(value: unknown): Row[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  if (value.every(record)) return value;
  return value.every(scalar) && value.length > 3 ? value.map((item) => ({ value: item })) : null;
}

export function shape(data: unknown): Shape {
  const rows = rowsOf(data);
  if (rows) return { facts: [], rows, name: '', raw: false };
  if (!record(data)) return { facts: [], rows: null, name: '', raw: true };
  const entries = Object.entries(data);
  const list = entries.find(([, value]) => rowsOf(value));
  const facts = entries.filter(([key]) => key !== list?.[0]);
  const flat = facts.every(([, value]) => scalar(value) || (Array.isArray(value) && value.every(scalar) && value.length <= 12));
  if (!flat || entries.length === 0 || facts.length > 24) return { facts: [], rows: null, name: '', raw: true };
  return { facts, rows: list ? rowsOf(list[1]) : null, name: list?.[0] ?? '', raw: false };
}
