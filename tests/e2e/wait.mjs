// Waiting for a condition, never for a time. The limits matter only where a walk fails: they are generous on purpose.
export const LIMIT = Number(process.env.SATCHEL_E2E_PATIENCE ?? 60) * 1000;

/** Waits for a condition, looking often; what it became. */
export async function until(what, look, limit = LIMIT) {
  const end = Date.now() + limit;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${limit / 1000} s for ${what}`);
    await new Promise((done) => setTimeout(done, 30));
  }
}

/** What a promise comes to, or an error where that takes longer: what was begun is not ended by it. */
export async function within(what, promise, limit = LIMIT) {
  let timer;
  const over = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`waited ${limit / 1000} s for ${what}`)), limit);
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}
