/** Work that goes on once at a time, however often a form is sent while it does. */
export interface Once<Given extends unknown[], T> {
  /** Starts the work; while it goes on, another call waits for the same end. */
  (...given: Given): Promise<T>;
  readonly busy: boolean;
}

/** Makes work that a double click or a second Enter does not do twice. */
export function once<Given extends unknown[], T>(work: (...given: Given) => Promise<T>): Once<Given, T> {
  let going: Promise<T> | null = null;
  let busy = $state(false);
  const run = (...given: Given): Promise<T> => {
    if (going) return going;
    busy = true;
    going = work(...given).finally(() => {
      going = null;
      busy = false;
    });
    return going;
  };
  return Object.defineProperty(run, 'busy', { get: () => busy }) as Once<Given, T>;
}
