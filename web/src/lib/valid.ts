/** The needs of a form, said in the words of this console, at its field, and not by the browser in its own. */
import { tell } from './atfield';

type Checked = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Returns the name of the field: its label without what stands beside the name. */
function named(input: Checked): string {
  const label = input.labels?.[0]?.cloneNode(true) as Element | undefined;
  label?.querySelectorAll('.req').forEach((one) => one.remove());
  return (label?.textContent ?? input.getAttribute('aria-label') ?? '').replace(/\s+/g, ' ').trim();
}

/** Returns what to do about a field, in plain words. */
export function wanted(input: Checked): string {
  const { validity } = input;
  const bound = (name: string) => Number(input.getAttribute(name)).toLocaleString('en-US');
  if (validity.valueMissing)
    return input.matches('[type=checkbox], [type=radio]') ? 'Choose it to go on.' : `Fill in ${named(input) ? `"${named(input)}"` : 'this field'}.`;
  if (validity.typeMismatch)
    return input.matches('[type=url]') ? 'Enter a whole address, such as https://example.org.' : 'Enter an address, such as ines@example.org.';
  if (validity.badInput) return 'Enter a number.';
  if (validity.rangeUnderflow) return `Enter ${bound('min')} or more.`;
  if (validity.rangeOverflow) return `Enter ${bound('max')} or less.`;
  if (validity.tooLong) return `Enter at most ${bound('maxlength')} characters.`;
  if (validity.tooShort) return `Enter at least ${bound('minlength')} characters.`;
  if (validity.patternMismatch) return input.matches('[inputmode=numeric]') ? 'Enter a whole number.' : 'Enter it in the form that is asked for.';
  return 'Enter a whole number.';
}

/** From now on every form of the page speaks so. */
export function speak() {
  const told = new Map<Checked, () => void>();
  let first: Checked | null = null;
  document.addEventListener(
    'invalid',
    (event) => {
      const input = event.target as Checked;
      if (!input.validity) return;
      event.preventDefault();
      told.get(input)?.();
      told.set(input, tell(input, wanted(input)));
      // Each that is told takes the focus: it belongs to the first.
      if (!first) {
        first = input;
        setTimeout(() => (first?.focus(), (first = null)));
      }
    },
    true,
  );
}
