/** Puts formulas where a text has kept a place for them. Until TeX is loaded, and where it is none, what was written stands there. */
import type { Formula } from './tex';

type Typeset = typeof import('./typeset').typeset;

let typeset: Typeset | null = null;

/** More than these in one text stay as they were written. */
const MOST = 500;
/** A longer one in a line may be too wide for it, and scrolls by itself. */
const LONG = 60;

/** Fills the places of a fragment with its formulas. */
export function place(root: ParentNode, formulas: readonly Formula[]) {
  for (const hold of root.querySelectorAll('var')) {
    const at = Number(hold.textContent);
    const formula = formulas[at];
    if (!formula) continue;
    const span = document.createElement('span');
    span.className = `math${formula.display ? ' display' : formula.tex.length > LONG ? ' long' : ''}`;
    span.dir = 'ltr';
    span.textContent = formula.source;
    hold.replaceWith(span);
    if (at < MOST) set(span, formula);
  }
}

function set(span: HTMLElement, formula: Formula) {
  if (typeset) return draw(span, formula, typeset);
  void import('./typeset').then(
    (found) => draw(span, formula, (typeset = found.typeset)),
    () => null,
  );
}

function draw(span: HTMLElement, { tex, display }: Formula, typeset: Typeset) {
  const math = typeset(tex, display);
  if (!math) return;
  span.replaceChildren(math);
  // What scrolls is reached by keyboard, too.
  if (span.classList.contains('display') || span.classList.contains('long')) span.tabIndex = 0;
}
