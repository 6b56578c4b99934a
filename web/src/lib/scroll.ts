/** The place on a page: kept with its entry of the history, and taken again on the way back or after a reload. */
type Places = Record<string, number>;

/** Scrolling rests this long before its place is kept, in ms. */
const REST = 120;
/** A list that loads is waited for this long, in ms. */
const LONG = 4000;

let places: Places = {};
let timer: ReturnType<typeof setTimeout> | undefined;
let trying = 0;

const main = () => document.getElementById('main');

/** An element by its way down the page: the same page has the same one again. */
function way(element: Element): string {
  const steps: number[] = [];
  for (let at = element; at !== main() && at.parentElement; at = at.parentElement) steps.unshift([...at.parentElement.children].indexOf(at));
  return steps.join('/');
}

function down(path: string): Element | null {
  return path.split('/').reduce<Element | null>((at, step) => (step === '' ? at : (at?.children[Number(step)] ?? null)), main());
}

/** Writes down where the lists of this page stand. */
function store() {
  clearTimeout(timer);
  if (Object.keys(places).length > 0) history.replaceState({ ...(history.state as object | null), places }, '');
}

function scrolled({ target }: Event) {
  // A text, and a conversation that follows its end, know their places themselves.
  if (trying || !(target instanceof Element) || !main()?.contains(target) || target.closest('textarea, dialog, [data-own-place]')) return;
  places[way(target)] = Math.round(target.scrollTop);
  clearTimeout(timer);
  timer = setTimeout(store, REST);
}

function stop() {
  cancelAnimationFrame(trying);
  trying = 0;
}

/** Another page is about to be opened: where this one stands is kept. */
export function leaving() {
  stop();
  store();
  places = {};
}

/** A page was come back to: as soon as its lists are long enough, they stand where they stood. */
export function returned() {
  stop();
  clearTimeout(timer);
  places = { ...(history.state as { places?: Places } | null)?.places };
  const left = new Map(Object.entries(places).filter(([, top]) => top > 0));
  const end = performance.now() + LONG;
  const attempt = () => {
    for (const [path, top] of left) {
      const list = down(path);
      if (!list) continue;
      // A list that loads as it is scrolled loads more of it.
      list.scrollTop = top;
      if (Math.abs(list.scrollTop - top) < 2) left.delete(path);
    }
    trying = left.size > 0 && performance.now() < end ? requestAnimationFrame(attempt) : 0;
  };
  if (left.size > 0) trying = requestAnimationFrame(attempt);
}

/** Follows the scrolling; a person who scrolls is not scrolled. */
export function watch() {
  document.addEventListener('scroll', scrolled, { capture: true, passive: true });
  for (const event of ['wheel', 'touchstart', 'pointerdown', 'keydown']) document.addEventListener(event, stop, { capture: true, passive: true });
  returned();
}
