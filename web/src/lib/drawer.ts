/** A panel that slides in over a page where there is no room beside it: the focus goes in, Esc closes it, the focus goes back. */

/** The element that has the focus, also within a shadow root. */
function focused(): HTMLElement | null {
  let found = document.activeElement;
  while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  return found instanceof HTMLElement ? found : null;
}

/** For `{@attach drawer(shown, close)}` on what can take the focus. Beside the page, where it does not float, nothing is done. */
export const drawer = (shown: boolean, close: () => void) => (node: HTMLElement) => {
  if (!shown || getComputedStyle(node).position !== 'fixed') return;
  const opener = focused();
  node.focus();
  const inside = () => node.contains(document.activeElement) || document.activeElement === document.body;
  function key(event: KeyboardEvent) {
    if (event.key !== 'Escape' || event.shiftKey || event.defaultPrevented || !inside() || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    close();
  }
  // Before the page itself hears of it, which would leave.
  addEventListener('keydown', key, true);
  return () => {
    removeEventListener('keydown', key, true);
    if (inside()) opener?.focus();
  };
};
