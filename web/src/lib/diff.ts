/** Differences between texts, by lines: made here or read from a unified diff. */
export interface DiffRow {
  kind: 'same' | 'add' | 'del' | 'hunk' | 'file';
  text: string;
  /** The line's number before and after; null where it has none. */
  before: number | null;
  after: number | null;
}

/** Above this many pairs of lines the middle is shown as replaced: an exact answer would hold up the page. */
const MOST = 4_000_000;
const AROUND = 3;

type Edit = [kind: 'same' | 'add' | 'del', text: string];

/** The longest common run of lines, by the table of Wagner and Fischer. */
function edits(before: string[], after: string[]): Edit[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const same = (lines: string[]): Edit[] => lines.map((text) => ['same', text]);
  const middle = inner(before.slice(start, before.length - end), after.slice(start, after.length - end));
  return [...same(before.slice(0, start)), ...middle, ...same(before.slice(before.length - end))];
}

function inner(before: string[], after: string[]): Edit[] {
  const [rows, columns] = [before.length, after.length];
  const replaced: Edit[] = [...before.map((text): Edit => ['del', text]), ...after.map((text): Edit => ['add', text])];
  if (rows === 0 || columns === 0 || rows * columns > MOST) return replaced;
  const width = columns + 1;
  const table = new Uint32Array((rows + 1) * width);
  const at = (row: number, column: number) => table[row * width + column] ?? 0;
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      table[row * width + column] = before[row] === after[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const made: Edit[] = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    if (row < rows && column < columns && before[row] === after[column]) {
      made.push(['same', before[row] ?? '']);
      row += 1;
      column += 1;
    } else if (row < rows && (column === columns || at(row + 1, column) >= at(row, column + 1))) made.push(['del', before[row++] ?? '']);
    else made.push(['add', after[column++] ?? '']);
  }
  return made;
}

/** Two texts as rows: what changed, with three lines around it. Empty where they are the same. */
export function compare(before: string, after: string): DiffRow[] {
  if (before === after) return [];
  const all = edits(before.split('\n'), after.split('\n'));
  const near = new Set<number>();
  all.forEach(([kind], at) => {
    if (kind !== 'same') for (let by = -AROUND; by <= AROUND; by += 1) near.add(at + by);
  });
  const made: DiffRow[] = [];
  let [old, now, skipped] = [1, 1, false];
  all.forEach(([kind, text], at) => {
    if (near.has(at)) {
      if (skipped || (made.length === 0 && at > 0)) made.push({ kind: 'hunk', text: `@@ -${old} +${now} @@`, before: null, after: null });
      made.push({ kind, text, before: kind === 'add' ? null : old, after: kind === 'del' ? null : now });
    }
    skipped = !near.has(at);
    if (kind !== 'add') old += 1;
    if (kind !== 'del') now += 1;
  });
  return made;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Returns whether a text is a unified diff: a head of a hunk, and a line that comes or goes. */
export const isDiff = (text: string) => /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m.test(text) && /^[+-](?![+-]{2} )/m.test(text);

/** The rows of a unified diff. Lines that belong to no hunk stand as they are. */
export function parse(unified: string): DiffRow[] {
  const made: DiffRow[] = [];
  let [old, now] = [0, 0];
  for (const line of unified.replace(/\n$/, '').split('\n')) {
    const hunk = HUNK.exec(line);
    const sign = line.charAt(0);
    if (hunk) {
      [old, now] = [Number(hunk[1]), Number(hunk[2])];
      made.push({ kind: 'hunk', text: line, before: null, after: null });
    } else if (old === 0 && now === 0) made.push({ kind: 'file', text: line, before: null, after: null });
    else if (/^(?:--- |\+\+\+ |diff )/.test(line)) made.push({ kind: 'file', text: line, before: null, after: null });
    else if (sign === '+') made.push({ kind: 'add', text: line.slice(1), before: null, after: now++ });
    else if (sign === '-') made.push({ kind: 'del', text: line.slice(1), before: old++, after: null });
    else if (sign !== '\\') made.push({ kind: 'same', text: line.slice(1), before: old++, after: now++ });
  }
  return made;
}
