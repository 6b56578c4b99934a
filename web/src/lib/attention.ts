/** What waits for a person while they look elsewhere: a number before the page's title, and, where allowed, a notification. */

/** Something that waits. */
export interface Waits {
  id: string;
  title: string;
  text: string;
}

const MARK = /^\(\d+\) /;

/** Returns a title with the number of things that wait before it. */
export const marked = (title: string, number: number): string => `${number > 0 ? `(${number}) ` : ''}${title.replace(MARK, '')}`;

/** Keeps the number before the title, whichever page sets it. Returns the way to end that. */
export function keepMarked(number: number): () => void {
  const mark = () => {
    const wanted = marked(document.title, number);
    if (document.title !== wanted) document.title = wanted;
  };
  mark();
  const watch = new MutationObserver(mark);
  watch.observe(document.head, { childList: true, subtree: true, characterData: true });
  return () => watch.disconnect();
}

/** Returns what is new among what waits; the first look finds nothing new. */
export class Fresh {
  private known: Set<string> | null = null;

  look(all: readonly Waits[]): Waits[] {
    const known = this.known;
    this.known = new Set(all.map((one) => one.id));
    return known ? all.filter((one) => !known.has(one.id)) : [];
  }
}

export const mayNotify = (): boolean => typeof Notification !== 'undefined' && Notification.permission === 'granted';
export const mayAsk = (): boolean => typeof Notification !== 'undefined' && Notification.permission === 'default';

/** Tells of what is new while nobody looks at the page. */
export function notify(fresh: readonly Waits[]) {
  if (!document.hidden || !mayNotify()) return;
  for (const one of fresh) {
    const shown = new Notification(one.title, { body: one.text, tag: one.id });
    shown.onclick = () => (window.focus(), shown.close());
  }
}
