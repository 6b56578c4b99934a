/** Puts Markdown into the page. A stream changes the text many times in one frame: it is drawn once for each. */
import { render } from './markdown';

export type Dress = (fragment: DocumentFragment) => void;

/** Shows the text in a node; `dress` changes what was made of it before. What is given back stops a drawing that waits. */
export function show(node: HTMLElement, text: string, dress: Dress | undefined): (() => void) | void {
  const made = () => {
    const fragment = render(text);
    dress?.(fragment);
    node.replaceChildren(fragment);
  };
  if (node.childNodes.length === 0) return made();
  const frame = requestAnimationFrame(made);
  return () => cancelAnimationFrame(frame);
}
