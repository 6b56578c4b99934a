/** TeX as MathML, which browsers draw by themselves. Loaded with the first formula. */
import temml from 'temml';

/** Longer, deeper or larger ones are shown as they were written: they would hold up the page. */
const LONGEST = 4000;
const DEEPEST = 100;
const MOST = 5000;
const KEPT = 300;

/** A formula has no need to define anything; what defines can grow without end. */
const DEFINES = /\\(?:[gex]?def|let|futurelet|global|long|(?:re)?newcommand|providecommand|DeclareMathOperator|label|tag)\b/;
const MATHML = 'http://www.w3.org/1998/Math/MathML';
/** The attributes that make an address or a name of an element, and all that runs. */
const REFUSED = /^(?:on|xlink|href$|src$|action|id$|name$)/i;

/** A stream draws the same formulas many times. */
const made = new Map<string, Element | null>();

/** The formula as an element; null where it is not TeX, or too much. */
export function typeset(tex: string, display: boolean): Element | null {
  const key = `${display}${tex}`;
  let found = made.get(key);
  if (found === undefined) {
    found = draw(tex, display);
    made.set(key, found);
    for (const old of made.keys()) if (made.size > KEPT) made.delete(old);
  }
  return found && (found.cloneNode(true) as Element);
}

function draw(tex: string, display: boolean): Element | null {
  if (tex.length > LONGEST || DEFINES.test(tex)) return null;
  const holder = document.createElement('span');
  try {
    temml.render(tex, holder, { displayMode: display, throwOnError: true, trust: false, maxSize: [50, 1000], maxExpand: 500 });
  } catch {
    return null;
  }
  const math = holder.firstElementChild;
  if (!math || math.localName !== 'math' || holder.childNodes.length !== 1 || !harmless(math)) return null;
  math.setAttribute('alttext', tex);
  return math;
}

/** Returns whether all of it is MathML and within bounds. Addresses and names are taken away. */
function harmless(math: Element): boolean {
  const todo: [Element, number][] = [[math, 0]];
  let count = 0;
  for (let next = todo.pop(); next; next = todo.pop()) {
    const [element, depth] = next;
    count += 1;
    if (depth > DEEPEST || count > MOST || element.namespaceURI !== MATHML) return false;
    for (const { name } of [...element.attributes]) if (REFUSED.test(name)) element.removeAttribute(name);
    for (const child of element.children) todo.push([child, depth + 1]);
  }
  return true;
}
