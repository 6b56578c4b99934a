/** A model's text in pieces: Markdown, and the widgets it asks for with `:::widget{type="…"}`, JSON, `:::`. */
import { parse } from '../json';
import { make, type Widget } from './widget';

export type Piece = { text: string } | { widget: Widget; source: string };

/** A piece as it was written. */
export const sourceOf = (piece: Piece): string => ('widget' in piece ? piece.source : piece.text);

const OPEN = /^ {0,3}:::widget\{([^}]*)\}(.*)$/;
const CLOSE = /^(.*?):::\s*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Returns what stands between the braces: names with values in quotes or bare. */
function attributes(given: string): Map<string, string> {
  return new Map([...given.matchAll(/([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/g)].map(([, name, a, b, c]) => [name ?? '', a ?? b ?? c ?? '']));
}

/** The widget that begins in this line and the line after its last; null where it is broken. */
function widgetAt(lines: readonly string[], at: number): { widget: Widget; next: number } | null {
  const head = OPEN.exec(lines[at] ?? '');
  if (!head) return null;
  const body: string[] = [];
  for (let line = at, text: string | undefined = head[2]; text !== undefined; text = lines[++line]) {
    if (line > at && OPEN.test(text)) return null;
    const end = CLOSE.exec(text);
    body.push(end ? (end[1] ?? '') : text);
    if (!end) continue;
    try {
      const widget = make(attributes(head[1] ?? '').get('type') ?? '', parse(body.join('\n')));
      return widget && { widget, next: line + 1 };
    } catch {
      return null;
    }
  }
  return null;
}

/** The text in order. A directive that is broken, unknown or not yet whole stays text; one in a code block is code. */
export function split(text: string): Piece[] {
  if (!text.includes(':::widget{')) return [{ text }];
  const lines = text.split('\n');
  const made: Piece[] = [];
  let plain: string[] = [];
  let fence = '';
  const flush = () => {
    if (plain.join('').trim()) made.push({ text: plain.join('\n') });
    plain = [];
  };
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? '';
    const mark = FENCE.exec(line)?.[1];
    if (mark && !fence) fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = '';
    const found = fence ? null : widgetAt(lines, at);
    if (found) {
      flush();
      made.push({ widget: found.widget, source: lines.slice(at, found.next).join('\n') });
      at = found.next;
    } else {
      plain.push(line);
      at += 1;
    }
  }
  flush();
  return made.length > 0 ? made : [{ text }];
}
