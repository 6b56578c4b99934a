/** A list that is loaded, acted on, and loaded again: what was acted on may be another by now. */
export function listed<T>(fetch: () => Promise<T>) {
  let all = $state.raw<T | null>(null);
  let failure = $state<unknown>(null);
  /** Whether the failure is of an act, and not of loading. */
  let acted = $state(false);

  async function load() {
    failure = null;
    acted = false;
    try {
      all = await fetch();
    } catch (problem) {
      failure = problem;
    }
  }
  async function act(work: () => Promise<unknown>) {
    let problem: unknown = null;
    try {
      await work();
    } catch (caught) {
      problem = caught;
    }
    await load();
    if (failure !== null || problem === null) return;
    failure = problem;
    acted = true;
  }

  return {
    get all() {
      return all;
    },
    get failure() {
      return failure;
    },
    /** Returns what did not work, in words. */
    get what() {
      return acted ? 'It was not done' : 'It could not be read';
    },
    load,
    act,
  };
}
