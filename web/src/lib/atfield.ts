/** A refusal is said where it can be mended: under the field the server names, in a plain sentence. */
import type { Problem } from './http';

/** Fields of the server whose inputs are called otherwise. */
const CALLED: Record<string, string> = { username: 'name', base_url: 'url', description: 'about', when_to_use: 'when' };

/** Returns what is wrong with the field, without the place in a body nobody has seen. */
export function plain({ message, body }: Pick<Problem, 'message' | 'body'>): string {
  const reason = body['reason'];
  return typeof body['field'] === 'string' && typeof reason === 'string' ? `${reason}.` : message;
}

/** The input of a field in the form that was sent; none where the form has none. */
export function inputOf(near: Element, field: unknown): HTMLElement | null {
  // An entry of a list is told at the list.
  const name = typeof field === 'string' ? field.replace(/\[\d+\]$/, '') : '';
  if (!/^\w+(\.\w+)*$/.test(name)) return null;
  const form = near.closest('form') ?? near.parentElement?.querySelector('form');
  const find = (name: string) => form?.querySelector<HTMLElement>(`:is(input, textarea, select):is([name="${name}"], [id="${name}"], [id$="-${name}"])`);
  return find(name) ?? find(CALLED[name] ?? name) ?? null;
}

/** Says it under the input until it is changed; what is given back takes it away. */
export function tell(input: HTMLElement, text: string): () => void {
  const line = document.createElement('p');
  line.className = 'err';
  line.id = `${input.id || 'field'}-wrong`;
  line.setAttribute('role', 'alert');
  line.textContent = text;
  const described = input.getAttribute('aria-describedby');
  (input.closest('.field') ?? input.parentElement)?.append(line);
  input.setAttribute('aria-invalid', 'true');
  input.setAttribute('aria-describedby', [described, line.id].filter(Boolean).join(' '));
  input.focus();
  const undo = () => {
    line.remove();
    input.removeEventListener('input', undo);
    input.removeAttribute('aria-invalid');
    if (described) input.setAttribute('aria-describedby', described);
    else input.removeAttribute('aria-describedby');
  };
  input.addEventListener('input', undo);
  return undo;
}
