/** The problems of the text, at their places: underlined, their lines marked, the messages below the lines. */
import { EditorSelection, RangeSet, StateEffect, StateField, type Extension, type Range, type Text } from '@codemirror/state';
import { Decoration, EditorView, GutterMarker, gutterLineClass, WidgetType, type DecorationSet } from '@codemirror/view';
import { icons } from '../../../lib/icons';
import type { Diagnostic } from '../types';

export interface Placed {
  from: number;
  to: number;
  problem: Diagnostic;
}

/** The offset of a column that counts characters, not UTF-16 units. */
function offset(line: string, column: number): number {
  let at = 0;
  for (const letter of Array.from(line).slice(0, Math.max(0, column - 1))) at += letter.length;
  return at;
}

/** Returns the place of a problem in this text. One without an end reaches to the end of its word; one behind the text stands at its end. */
export function place(doc: Text, problem: Diagnostic): Placed {
  const line = doc.line(Math.min(doc.lines, Math.max(1, problem.line)));
  const from = Math.min(line.length, offset(line.text, problem.column));
  const word = /^(?:[\p{L}_][\w]*|\d[\w.]*|"[^"]*"|\S)/u.exec(line.text.slice(from))?.[0].length ?? 0;
  const to = problem.end_column ? Math.min(line.length, offset(line.text, problem.end_column)) : from + word;
  if (to > from) return { from: line.from + from, to: line.from + to, problem };
  // At the end of a line the last letter carries the mark.
  const last = /\S\s*$/.exec(line.text);
  const back = last ? Math.min(from, last.index) : from;
  return { from: line.from + back, to: line.from + (last ? back + 1 : back), problem };
}

/** The next problem after a place, from the beginning again after the last; backwards where `by` is -1. */
export function next(all: readonly Placed[], at: number, by: 1 | -1): Placed | undefined {
  const order = [...all].sort((a, b) => a.from - b.from);
  return by > 0 ? (order.find((one) => one.from > at) ?? order[0]) : (order.findLast((one) => one.from < at) ?? order.at(-1));
}

const said = ({ message, hint }: Diagnostic) => (hint ? `${message.replace(/[.!?]?$/, (end) => end || '.')} ${hint}` : message);

class Message extends WidgetType {
  constructor(readonly problem: Diagnostic) {
    super();
  }

  override eq(other: Message) {
    return said(other.problem) === said(this.problem) && other.problem.severity === this.problem.severity;
  }

  toDOM() {
    const made = document.createElement('div');
    made.className = `cm-said cm-said-${this.problem.severity}`;
    const text = document.createElement('span');
    text.textContent = said(this.problem);
    made.append(sign(), text);
    return made;
  }
}

function sign(): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  made.setAttribute('viewBox', '0 0 16 16');
  made.setAttribute('aria-hidden', 'true');
  for (const { tag, attributes } of icons.alert) {
    const part = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) if (value) part.setAttribute(name, value);
    made.append(part);
  }
  return made;
}

class Marked extends GutterMarker {
  override elementClass = 'cm-wrong-number';
}
const marked = new Marked();

export const setProblems = StateEffect.define<readonly Diagnostic[]>();

interface Shown {
  placed: readonly Placed[];
  marks: DecorationSet;
}

function draw(doc: Text, placed: readonly Placed[]): Shown {
  const ranges: Range<Decoration>[] = [];
  for (const { from, to, problem } of placed) {
    const line = doc.lineAt(from);
    ranges.push(Decoration.line({ class: `cm-line-${problem.severity}` }).range(line.from));
    if (to > from) ranges.push(Decoration.mark({ class: `cm-under cm-under-${problem.severity}` }).range(from, to));
    ranges.push(Decoration.widget({ widget: new Message(problem), block: true, side: 1 }).range(line.to));
  }
  return { placed, marks: Decoration.set(ranges, true) };
}

export const problems = StateField.define<Shown>({
  create: () => ({ placed: [], marks: Decoration.none }),
  update(shown, change) {
    for (const effect of change.effects) {
      if (effect.is(setProblems))
        return draw(
          change.state.doc,
          effect.value.map((one) => place(change.state.doc, one)),
        );
    }
    if (!change.docChanged || shown.placed.length === 0) return shown;
    // Until the next answer they move with their text.
    const moved = shown.placed.map((one) => ({ ...one, from: change.changes.mapPos(one.from, 1), to: change.changes.mapPos(one.to, -1) }));
    return draw(
      change.state.doc,
      moved.map((one) => ({ ...one, to: Math.max(one.from, one.to) })),
    );
  },
  provide: (field) => EditorView.decorations.from(field, (shown) => shown.marks),
});

const numbers = gutterLineClass.compute([problems], (state) => {
  const lines = new Set(
    state
      .field(problems)
      .placed.filter((one) => one.problem.severity === 'error')
      .map((one) => state.doc.lineAt(one.from).from),
  );
  return RangeSet.of(
    [...lines].map((from) => marked.range(from)),
    true,
  );
});

export const shown: Extension = [problems, numbers];

/** Goes to the next problem; says it aloud where a screen reader listens. */
export function jump(by: 1 | -1) {
  return (view: EditorView): boolean => {
    const found = next(view.state.field(problems).placed, view.state.selection.main.head, by);
    if (!found) return false;
    const line = view.state.doc.lineAt(found.from).number;
    view.dispatch({
      selection: EditorSelection.cursor(found.from),
      effects: [EditorView.scrollIntoView(found.from, { y: 'center' }), EditorView.announce.of(`Line ${line}: ${said(found.problem)}`)],
    });
    view.focus();
    return true;
  };
}
