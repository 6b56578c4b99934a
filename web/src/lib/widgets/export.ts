/** The exports a person takes along: rows or a text as a file, made here and sent nowhere. */
import type { Row } from './widget';

export type Format = 'csv' | 'json' | 'md' | 'txt';

const MEDIA: Record<Format, string> = { csv: 'text/csv', json: 'application/json', md: 'text/markdown', txt: 'text/plain' };

const plain = (value: unknown): string => (value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value));

const FORMULA = /^(?=\s*[=+\-@＝＋－＠]|[\t\r\n])/;
/** The places where a spreadsheet whose separator is another one begins a cell; an item of a list is no formula. */
const LATER_FORMULA = /(?<=[;\t\r\n]\s*)(?=[=+@＝＋＠]|[-－](?! ))/g;

/** A cell that a spreadsheet would take for a formula, or for several cells with one among them, is text. */
function quoted(value: unknown): string {
  const text = plain(value);
  const safe = typeof value === 'number' ? text : text.replace(LATER_FORMULA, "'").replace(FORMULA, "'");
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const barred = (value: unknown) =>
  plain(value)
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n\s*/g, ' ');

/** Rows as the text of a file (RFC 4180 for CSV). */
export function written(rows: readonly Row[], format: Format): string {
  if (format === 'json') return `${JSON.stringify(rows, null, 2)}\n`;
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (format === 'csv')
    return [names.map(quoted), ...rows.map((row) => names.map((name) => quoted(row[name])))].map((cells) => `${cells.join(',')}\r\n`).join('');
  const lines = [names.map(barred), names.map(() => '---'), ...rows.map((row) => names.map((name) => barred(row[name])))];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

/** A name a file can have, with the ending of its format. */
export function fileName(given: string, format: Format): string {
  const stem = given
    .replace(/\.[a-z0-9]{1,5}$/i, '')
    .replace(/[^\p{L}\p{N}._ -]+/gu, '-')
    .replace(/^[.\s-]+|[.\s-]+$/g, '')
    .slice(0, 80);
  return `${stem || 'export'}.${format}`;
}

/** Hands a text to the person as a file. */
export function save(name: string, text: string, format: Format) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: `${MEDIA[format]};charset=utf-8` }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
