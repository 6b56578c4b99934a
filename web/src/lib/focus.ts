/** The target of the focus when something is opened. */

/** A form that a button opened takes the focus to its first field, or to its button where it has none: `autofocus` does so only where nothing has it. */
export function firstField(form: HTMLElement) {
  const field = form.querySelector<HTMLElement>(':is(input, textarea, select):not([type="hidden"], [type="file"], [tabindex="-1"])');
  (field ?? form.querySelector('button'))?.focus();
}
