/** A control that asks the server: what is refused goes back to what holds, and is told. */
import { words } from './http';
import { once } from './once.svelte';

export class Change {
  /** The reason the last one was refused. */
  failure = $state('');

  /** `told` takes the reason in place of `failure`, and '' when it is tried again. */
  constructor(private readonly told: () => ((why: string) => void) | undefined = () => undefined) {}

  /** Makes a change; `settle` then shows what holds, whatever became of it. */
  make = once(async (work: () => Promise<unknown>, settle: () => void) => {
    this.tell('');
    try {
      await work();
    } catch (problem) {
      this.tell(words(problem));
    }
    settle();
  });

  private tell(why: string) {
    const told = this.told();
    if (told) told(why);
    else this.failure = why;
  }
}
