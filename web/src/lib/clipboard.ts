/** Copying, and saying so only where it was done: a page on plain http is given no clipboard by the browser. */

/** Copies a text; false where the browser lets nobody. */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // Refused: the older way may still be open.
  }
  return copySelected(text);
}

/** Selects the text in a field that nobody sees, has the browser copy what is selected, and gives the focus back. */
function copySelected(text: string): boolean {
  const before = document.activeElement;
  const field = hidden(text);
  // Within an open dialog nothing outside it can be selected.
  (before?.closest('dialog') ?? document.body).append(field);
  field.focus({ preventScroll: true });
  field.select();
  let done: boolean;
  try {
    // Old, and the only way there is on plain http.
    done = document.execCommand?.('copy') ?? false;
  } catch {
    done = false;
  }
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return done;
}

/** Puts a text where Ctrl C copies it; the returned function takes it away again, and gives the focus back where it is still there. */
export function selectForCopy(text: string, beside: Element): () => void {
  const before = document.activeElement;
  const field = hidden(text);
  field.readOnly = true;
  field.setAttribute('aria-label', 'Text to copy: press Ctrl C');
  beside.after(field);
  field.focus({ preventScroll: true });
  field.select();
  return () => {
    const has = document.activeElement === field;
    field.remove();
    if (has && before instanceof HTMLElement) before.focus({ preventScroll: true });
  };
}

function hidden(text: string): HTMLTextAreaElement {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'sr';
  return field;
}

/** The time for which the button that copies says so. */
export const COPIED_MS = 1500;
/** A person has to read it and to press keys. */
export const PRESS_MS = 10_000;

/** Copies, else selects the text for the keys; tells `say` which it was, and when that is over. */
export async function copyFrom(text: string, beside: Element, say: (state: '' | 'copied' | 'press') => void) {
  if (await copyText(text)) {
    say('copied');
    setTimeout(() => say(''), COPIED_MS);
    return;
  }
  const take = selectForCopy(text, beside);
  say('press');
  setTimeout(() => {
    take();
    say('');
  }, PRESS_MS);
}
