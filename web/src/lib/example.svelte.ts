import { words } from './http';
import { once } from './once.svelte';
import { later } from './router.svelte';

/** A button's work that makes an example of something, has the list read again, and opens what was made. */
export function example(place: string, make: () => Promise<{ id: string }>, read: () => Promise<unknown>) {
  let failure = $state('');
  const run = once(async () => {
    failure = '';
    const onward = later();
    try {
      const made = await make();
      await read();
      onward(`${place}/${made.id}`);
    } catch (problem) {
      failure = words(problem);
    }
  });
  return {
    run,
    /** What went wrong; empty if nothing did. */
    get failure() {
      return failure;
    },
  };
}
