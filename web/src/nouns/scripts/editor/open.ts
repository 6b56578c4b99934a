/** Opens the editor in a place of the page. Loaded only where scripts are edited. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, Prec } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLineGutter, keymap, lineNumbers, tooltips } from '@codemirror/view';
import type { Diagnostic } from '../types';
import { offer, type Knowledge } from './complete';
import { hover } from './hover';
import { jump, setProblems, shown } from './problems';
import { indents, rhai } from './rhai';
import { look } from './theme';

export interface Opening {
  host: HTMLElement;
  text: string;
  label: string;
  readonly: boolean;
  knowledge: () => Knowledge;
  changed: (text: string) => void;
  moved: (line: number, column: number) => void;
  run: () => void;
  save: () => void;
}

export interface Editor {
  /** Replaces the text where it is another one; what was typed can still be undone. */
  set: (text: string) => void;
  lock: (readonly: boolean) => void;
  mark: (problems: readonly Diagnostic[]) => void;
  next: (by: 1 | -1) => void;
  goto: (line: number, column?: number) => void;
  close: () => void;
}

const fixed = (readonly: boolean) => [EditorState.readOnly.of(readonly)];

/** Messages are as wide as what is seen, however long the lines are. */
function room(view: EditorView) {
  const gutter = view.scrollDOM.querySelector('.cm-gutters')?.clientWidth ?? 0;
  view.scrollDOM.style.setProperty('--cm-room', `${view.scrollDOM.clientWidth - gutter}px`);
}

export function open({ host, text, label, readonly, knowledge, changed, moved, run, save }: Opening): Editor {
  // The page's policy allows no style element; in a shadow root the styles are sheets made by the script itself.
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const lock = new Compartment();
  const own = (does: () => void) => () => (does(), true);
  const keys = keymap.of([
    { key: 'Mod-Enter', run: own(run) },
    { key: 'Mod-s', run: own(save), preventDefault: true },
    { key: 'F8', run: jump(1), shift: jump(-1), preventDefault: true },
  ]);
  const told = EditorView.updateListener.of((update) => {
    if (update.geometryChanged) room(update.view);
    if (update.docChanged) changed(update.state.doc.toString());
    if (!update.selectionSet && !update.docChanged) return;
    const at = update.state.selection.main.head;
    const line = update.state.doc.lineAt(at);
    moved(line.number, Array.from(line.text.slice(0, at - line.from)).length + 1);
  });
  const state = EditorState.create({
    doc: text,
    extensions: [
      Prec.highest(keys),
      lineNumbers(),
      highlightActiveLineGutter(),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      closeBrackets(),
      autocompletion({ override: [offer(knowledge)], icons: false }),
      hover(knowledge),
      highlightSelectionMatches(),
      search(),
      tooltips({ position: 'fixed' }),
      keymap.of([...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
      indentUnit.of('    '),
      EditorState.tabSize.of(4),
      rhai,
      indents,
      shown,
      look,
      told,
      lock.of(fixed(readonly)),
      EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': label, spellcheck: 'false', autocapitalize: 'off', autocorrect: 'off' }),
    ],
  });
  const view = new EditorView({ state, parent: root, root });
  return {
    set: (next) => {
      const now = view.state.doc.toString();
      if (next !== now) view.dispatch({ changes: { from: 0, to: now.length, insert: next } });
    },
    lock: (next) => view.dispatch({ effects: lock.reconfigure(fixed(next)) }),
    mark: (problems) => view.dispatch({ effects: setProblems.of(problems) }),
    next: (by) => void jump(by)(view),
    goto: (line, column = 1) => {
      const there = view.state.doc.line(Math.min(view.state.doc.lines, Math.max(1, line)));
      const at = Math.min(there.to, there.from + column - 1);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
      view.focus();
    },
    close: () => view.destroy(),
  };
}
