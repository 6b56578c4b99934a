/** Titles that a model makes once the first answer is there: looked for a few times, since nothing waits for them. */
import { client, ok } from '../../lib/http';

/** Seconds between the looks. */
const LOOKS = [1, 2, 3, 5, 9, 15, 25];

interface Titled {
  id: string | null;
  title: string;
  changes: number;
}

const pause = (seconds: number) => new Promise((go_on) => setTimeout(go_on, seconds * 1000));

/** Shows the title once it is another one; ends where somebody looks at something else, or has written one. */
export async function awaitTitle(talk: Titled, here: () => boolean) {
  const { id, title } = talk;
  for (const seconds of LOOKS) {
    await pause(seconds);
    if (!here() || talk.id !== id || talk.title !== title) return;
    const all = await ok(client.GET('/api/conversations', {})).catch(() => []);
    const now = all.find((one) => one.id === id)?.title;
    if (!now || now === title || !here()) continue;
    talk.title = now;
    talk.changes += 1;
    return;
  }
}
