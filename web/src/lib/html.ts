/** Text from outside, made safe to stand in the page. Nothing here is ever set as markup: a sanitised fragment is inserted. */
import DOMPurify, { type Config } from 'dompurify';

const PROSE: Config = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'iframe', 'object', 'embed', 'video', 'audio', 'source', 'picture', 'dialog'],
  FORBID_ATTR: ['style', 'class', 'id', 'name', 'srcset', 'ping', 'background', 'poster', 'popover', 'popovertarget'],
  // The pattern below holds for every attribute but these, which are no addresses.
  ADD_URI_SAFE_ATTR: ['data-looks', 'align', 'colspan', 'rowspan', 'start', 'width', 'height', 'dir', 'lang', 'type', 'checked', 'disabled', 'open'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):|^\/(?!\/)|^#|^data:image\/(?:png|jpeg|gif|webp);base64,/i,
};

/** Images that may stand in the text itself. The sanitiser lets any `data:` through on an image, an SVG with links too. */
const PIXELS = /^data:image\/(?:png|jpeg|gif|webp);base64,/i;

/** The properties a card's inline CSS may set: how text looks, nothing that loads, covers or moves. */
const LOOKS =
  /^(color|background-color|font-weight|font-style|font-size|text-align|text-decoration|white-space|width|max-width|padding|margin|border|border-radius|display|gap)(-(top|right|bottom|left))?$/;

/** Longer HTML of a tool is not drawn: it would hold up the page. */
const MOST = 500_000;

/** The card a tool made as HTML, with its own looks; where it is too long, a sentence that says so. */
export function card(html: string): DocumentFragment {
  if (html.length <= MOST) return safe(html, { looks: true });
  const fragment = document.createDocumentFragment();
  const note = document.createElement('p');
  note.textContent = `This result is HTML of ${html.length.toLocaleString('en')} characters; more than ${MOST.toLocaleString('en')} are not drawn here.`;
  fragment.append(note);
  return fragment;
}

/**
 * A safe fragment. `looks` keeps harmless inline CSS, set through the CSSOM since the page's policy allows no style attribute.
 * Inline handlers and styles are renamed before parsing: the policy would report each, although none could run.
 */
export function safe(html: string, { looks = false } = {}): DocumentFragment {
  const text = disarm(html);
  const config = looks ? { ...PROSE, ADD_ATTR: ['data-looks'] } : PROSE;
  const clean = DOMPurify.sanitize(text, { ...config, RETURN_DOM_FRAGMENT: true }) as unknown as DocumentFragment;
  // Still in a document of its own: nothing has been fetched.
  for (const image of clean.querySelectorAll('img')) quiet(image);
  const fragment = document.importNode(clean, true);
  for (const element of fragment.querySelectorAll<HTMLElement>('[data-looks]')) dress(element);
  for (const link of fragment.querySelectorAll('a[href]')) leave(link as HTMLAnchorElement);
  return fragment;
}

/** Renames handlers and styles in every tag. One pass from tag to tag: what a tool sends may be long, and meant to be slow. */
export function disarm(html: string): string {
  return html.replace(/<[^>]*>?/g, (tag) =>
    tag.replace(/([\s/"'])(?:on\w+|(style))\s*=/gi, (_, before: string, style?: string) => `${before} data-${style ? 'looks' : 'dropped'}=`),
  );
}

function dress(element: HTMLElement) {
  for (const rule of (element.dataset['looks'] ?? '').split(';')) {
    const [name, ...rest] = rule.split(':');
    const value = rest.join(':').trim();
    // A margin below zero draws it over what is around it.
    if (/^\s*margin/i.test(name ?? '') && /[-(]/.test(value)) continue;
    if (name && LOOKS.test(name.trim().toLowerCase()) && !/url|expression|var\(|fixed|[\\<>]/i.test(value)) {
      element.style.setProperty(name.trim(), value);
    }
  }
  delete element.dataset['looks'];
}

/** An image that is not in the text itself becomes a link: nothing is fetched until somebody clicks. */
function quiet(image: HTMLImageElement) {
  const source = image.getAttribute('src') ?? '';
  if (PIXELS.test(source)) {
    image.alt ||= 'Image';
    return;
  }
  if (/^\s*data:/i.test(source)) {
    image.replaceWith(`Image${image.alt ? `: ${image.alt}` : ''} (of a kind that is not shown)`);
    return;
  }
  const link = image.ownerDocument.createElement('a');
  link.setAttribute('href', source || '#');
  link.textContent = `Image${image.alt ? `: ${image.alt}` : ''} (${host(source)}, opens on click)`;
  image.replaceWith(link);
}

function host(address: string): string {
  try {
    return new URL(address, location.origin).host;
  } catch {
    return 'no address';
  }
}

/** Links out open beside the console and tell nobody where they came from. */
function leave(link: HTMLAnchorElement) {
  if (link.getAttribute('href')?.startsWith('#')) return;
  if (link.origin === location.origin && !link.pathname.startsWith('/api/')) return;
  link.target = '_blank';
  link.rel = 'noopener noreferrer nofollow';
}
