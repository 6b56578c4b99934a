/** Code in its colours: each token a span with a class, so that the page's policy holds. What is read is the same text. */
import type { Parser } from '@lezer/common';
import { highlightTree, tagHighlighter, tags } from '@lezer/highlight';
import { parserOf } from './languages';

/** Longer code stays plain: nobody reads it, and it would hold up the page. */
const MOST = 60_000;

const looks = tagHighlighter([
  { tag: [tags.keyword, tags.bool, tags.null, tags.modifier, tags.operatorKeyword], class: 'tok-kw' },
  { tag: [tags.string, tags.character, tags.regexp, tags.attributeValue], class: 'tok-str' },
  { tag: [tags.number, tags.unit, tags.color], class: 'tok-num' },
  {
    tag: [
      tags.function(tags.variableName),
      tags.function(tags.propertyName),
      tags.propertyName,
      tags.attributeName,
      tags.definition(tags.propertyName),
      tags.standard(tags.variableName),
      tags.typeName,
      tags.className,
      tags.tagName,
    ],
    class: 'tok-key',
  },
  { tag: [tags.comment, tags.lineComment, tags.blockComment, tags.docComment], class: 'tok-note' },
  { tag: [tags.inserted], class: 'tok-str' },
  { tag: [tags.deleted], class: 'tok-bad' },
  { tag: [tags.meta, tags.processingInstruction], class: 'tok-note' },
  { tag: tags.heading, class: 'tok-kw' },
]);

function paint(node: HTMLElement, text: string, parser: Parser) {
  const made: (string | Node)[] = [];
  let at = 0;
  highlightTree(parser.parse(text), looks, (from, to, name) => {
    if (from > at) made.push(text.slice(at, from));
    const span = document.createElement('span');
    span.className = name;
    span.textContent = text.slice(from, to);
    made.push(span);
    at = to;
  });
  node.replaceChildren(...made, text.slice(at));
}

const ready = new Map<string, Parser>();

/** Colours the text of a node, at once where its language is loaded; it stays plain where it cannot be. */
export function colour(node: HTMLElement, info: string) {
  const text = node.textContent ?? '';
  if (text.length > MOST || !text) return;
  const parser = ready.get(info);
  if (parser) return paint(node, text, parser);
  void parserOf(info)?.then(
    (loaded) => {
      ready.set(info, loaded);
      // It may say something else by now.
      if (node.textContent === text) paint(node, text, loaded);
    },
    () => null,
  );
}
