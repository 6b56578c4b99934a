/** The features browsers have and the environment of the tests lacks. */

/** Only browsers know what an address without a host is of. The client takes the class when it is loaded, so this comes before. */
globalThis.Request = class extends Request {
  constructor(input: string | URL | Request, init?: RequestInit) {
    super(typeof input === 'string' ? new URL(input, 'http://127.0.0.1/') : input, init);
  }
};
