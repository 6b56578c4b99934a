/** The completions offered where somebody types: host functions and names in code, tags in the header, tools where a tool is named. */
import { insertBracket, type Completion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { HostFunction, Reference } from '../types';

/** The facts the editor knows beside the text. */
export interface Knowledge {
  reference: Reference | null;
  tools: readonly { name: string; description: string }[];
}

export const KEYWORDS = [
  'let',
  'const',
  'fn',
  'if',
  'else',
  'switch',
  'while',
  'loop',
  'for',
  'in',
  'return',
  'break',
  'continue',
  'throw',
  'try',
  'catch',
  'true',
  'false',
];

/** A tag as it stands in the text, whether or not the reference writes its sign. */
export const tagged = (tag: string) => `@${tag.replace(/^@/, '')}`;

export type Place = { kind: 'tag' | 'tool' | 'code'; typed: string } | null;

/** Returns what is being typed, from the line up to the cursor and the kind of token there. */
export function placeOf(line: string, token: string): Place {
  const header = /^\s*\/\/\s*(@\w*)$/.exec(line);
  if (header) return { kind: 'tag', typed: header[1] ?? '' };
  const uses = /^\s*\/\/\s*@uses\b.*?([\w.:-]*)$/.exec(line);
  if (uses) return { kind: 'tool', typed: uses[1] ?? '' };
  const call = /\btool\(\s*["`]([\w.:-]*)$/.exec(line);
  if (call) return { kind: 'tool', typed: call[1] ?? '' };
  if (/string|comment|character/i.test(token)) return null;
  return { kind: 'code', typed: /[\p{L}_]\w*$/u.exec(line)?.[0] ?? '' };
}

/** Names the text makes itself: variables, functions and their parameters. */
export function ownNames(text: string): string[] {
  const found = new Set<string>();
  for (const [, name] of text.matchAll(/\b(?:let|const|fn|for)\s+([\p{L}_]\w*)/gu)) if (name) found.add(name);
  for (const [, all] of text.matchAll(/(?:\bfn\s+\w+\s*\(|\|)([\w\s,]*)(?:\)|\|)/g)) {
    for (const name of (all ?? '').split(',')) if (/^[\p{L}_]\w*$/u.test(name.trim())) found.add(name.trim());
  }
  return [...found];
}

/** Writes a function with its brackets, the cursor between them; brackets that are there stay. */
function called(name: string, empty: boolean) {
  return (view: EditorView, _chosen: Completion, from: number, to: number) => {
    const has = view.state.sliceDoc(to, to + 1) === '(';
    view.dispatch({ changes: { from, to, insert: name }, selection: { anchor: from + name.length + (has ? 1 : 0) }, userEvent: 'input.complete' });
    // As if it were typed: then the closing bracket can be typed over.
    const bracket = has ? null : insertBracket(view.state, '(');
    if (bracket) view.dispatch(bracket);
    if (bracket && empty) view.dispatch({ selection: { anchor: from + name.length + 2 } });
  };
}

export function about({ signature, description, example, result }: HostFunction): HTMLElement {
  const made = document.createElement('div');
  made.className = 'cm-about';
  const line = (name: string, text: string) => {
    const part = document.createElement('div');
    part.className = name;
    part.textContent = text;
    made.append(part);
  };
  line('cm-about-code', signature);
  if (description) line('', description);
  if (example) line('cm-about-code cm-about-example', result ? `${example}  // ${result}` : example);
  return made;
}

/** One for each name: what has several signatures shows its first. */
function helpers(knowledge: Knowledge): Completion[] {
  const all = new Map((knowledge.reference?.helpers ?? []).toReversed().map((one) => [one.name, one]));
  return [...all.values()].map((one) => ({
    label: one.name,
    type: 'function',
    detail: one.signature.replace(one.name, ''),
    info: () => about(one),
    apply: called(one.name, /\(\s*\)/.test(one.signature)),
    boost: 1,
  }));
}

function options(place: NonNullable<Place>, knowledge: Knowledge, text: string): Completion[] {
  if (place.kind === 'tag') {
    return (knowledge.reference?.tags ?? []).map(({ tag, syntax, description }) => ({
      label: tagged(tag),
      type: 'keyword',
      detail: syntax.replace(/^\/*\s*@?\w+\s*/, ''),
      info: description,
      apply: `${tagged(tag)} `,
    }));
  }
  if (place.kind === 'tool') return knowledge.tools.map(({ name, description }) => ({ label: name, type: 'constant', info: description }));
  const known = helpers(knowledge);
  const taken = new Set(known.map((one) => one.label));
  return [
    ...known,
    ...ownNames(text)
      .filter((name) => name !== place.typed && !taken.has(name))
      .map((label) => ({ label, type: 'variable', boost: 2 })),
    ...KEYWORDS.filter((word) => !taken.has(word)).map((label) => ({ label, type: 'keyword' })),
  ];
}

export function tokenAt(state: EditorState, at: number): string {
  return syntaxTree(state).resolveInner(at, -1).name;
}

export function offer(knowledge: () => Knowledge) {
  return (context: CompletionContext): CompletionResult | null => {
    const line = context.state.doc.lineAt(context.pos);
    const place = placeOf(line.text.slice(0, context.pos - line.from), tokenAt(context.state, context.pos));
    if (!place || (!context.explicit && place.kind === 'code' && place.typed.length < 2)) return null;
    const found = options(place, knowledge(), context.state.doc.toString());
    const validFor = place.kind === 'tag' ? /^@\w*$/ : place.kind === 'tool' ? /^[\w.:-]*$/ : /^[\p{L}_]\w*$/u;
    return found.length > 0 ? { from: context.pos - place.typed.length, options: found, validFor } : null;
  };
}
