import { beforeEach, describe, expect, it } from 'vitest';
import type { Citation } from '../../lib/types';
import { cite } from './citations';

const one = (number: number, more: Partial<Citation> = {}): Citation => ({
  number,
  document_id: 'd1',
  chunk_id: 40 + number,
  title: 'Policy.docx',
  heading: 'Policy › Holds',
  page: 4,
  url: null,
  start: 0,
  end: 9,
  text: 'A payment hold ends.',
  score: 0.91,
  ...more,
});
let root: HTMLElement;

beforeEach(() => {
  root = document.createElement('div');
});

function say(html: Node[], citations: Citation[]) {
  root.replaceChildren(...html);
  cite(root, citations);
  return [...root.querySelectorAll('a.cite')].map((link) => [link.textContent, link.getAttribute('href'), link.getAttribute('aria-label')]);
}
const text = (words: string, tag = 'p') => Object.assign(document.createElement(tag), { textContent: words });

describe('citations', () => {
  it('of a page of the web open the page that was fetched', () => {
    const web = one(1, { document_id: null, chunk_id: null, url: 'https://birds.example/heron?x=1', title: 'Herons', heading: '', page: null });
    expect(say([text('It waits.[1]')], [web])).toEqual([['1', 'https://birds.example/heron?x=1', 'Source 1: Herons, birds.example']]);
    const link = root.querySelector('a.cite');
    expect([link?.getAttribute('target'), link?.getAttribute('rel')]).toEqual(['_blank', 'noopener noreferrer nofollow']);
    expect(root.querySelector('.scores')).toBeNull();
    expect(say([text('x [1]')], [{ ...web, url: 'javascript:alert(1)' }])[0]?.[1]).toBe('/knowledge');
  });

  it('become chips that open the document at the passage, and at the sentence of it that bears out what was said', () => {
    expect(say([text('It ends after 14 days.[1] Once [2].')], [one(1), one(2, { page: null, heading: '' })])).toEqual([
      ['1', '/knowledge/documents/d1#chunk=41&sentence=A%20payment%20hold%20ends.', 'Source 1: Policy.docx, § Holds, page 4'],
      ['2', '/knowledge/documents/d1#chunk=42&sentence=A%20payment%20hold%20ends.', 'Source 2: Policy.docx'],
    ]);
    expect(root.querySelector('.passage')?.textContent).toContain('A payment hold ends.');
    expect(root.querySelector('p')?.lastChild?.textContent).toBe('.');
  });

  it('are known in the ways models write them', () => {
    const found = say([text('It ends [1, 2]. Once【2】. Twice 【1†L3-L9】.')], [one(1), one(2)]);
    expect(found.map(([number]) => number)).toEqual(['1', '2', '2', '1']);
    expect(say([text('[1, 9] and 【9】 and [1,]')], [one(1)])).toEqual([]);
  });

  it('leave an index in a table as it is', () => {
    const table = document.createElement('table');
    const cell = table.insertRow().insertCell();
    cell.textContent = 'rows[1] holds it. [1]';
    expect(say([table], [one(1)])).toHaveLength(1);
    expect(cell.textContent?.startsWith('rows[1] holds it. ')).toBe(true);
  });

  it('leave other numbers, code and links as they are', () => {
    expect(say([text('list[3] and [1]', 'code'), text('see [9]')], [one(1)])).toEqual([]);
    expect(root.textContent).toBe('list[3] and [1]see [9]');
  });

  it('show a passage as text, whatever it holds', () => {
    say([text('x [1]')], [one(1, { text: '<img src=x onerror=alert(1)>' })]);
    expect([root.querySelector('img'), root.querySelector('.said')?.textContent]).toEqual([null, '<img src=x onerror=alert(1)>']);
  });

  it('keep their passage inside the thread, wherever the chip stands', () => {
    const box = (left: number, right: number) => () => ({ left, right, width: right - left, top: 500, bottom: 520, height: 20 }) as DOMRect;
    say([text('x [1]')], [one(1)]);
    root.className = 'scroller';
    document.body.replaceChildren(root);
    root.getBoundingClientRect = box(464, 1168);
    const [holder, passage] = [root.querySelector<HTMLElement>('.cw'), root.querySelector<HTMLElement>('.passage')];
    if (!holder || !passage) throw new Error('no chip');
    Object.defineProperty(passage, 'offsetWidth', { value: 400 });
    const begins = (left: number) => {
      holder.getBoundingClientRect = box(left, left + 18);
      holder.dispatchEvent(new Event('mouseenter'));
      return left + parseFloat(passage.style.left);
    };
    // At the left edge, in the middle, and where it would hang over at the right.
    expect([begins(470), begins(600), begins(800), begins(1150)]).toEqual([476, 584, 756, 756]);
    passage.style.position = 'fixed';
    begins(600);
    expect([passage.style.left, passage.style.maxWidth]).toEqual(['', '']);
  });

  it('show the sentence that bears out what was said, also where another chip stands before', () => {
    const passage = `${'Nothing about it here. '.repeat(30)}A hold lasts 14 days at most. ${'Nothing more about it. '.repeat(30)}`;
    const answer = document.createElement('p');
    answer.innerHTML = 'Fees are 3 percent.[2] The hold lasts <b>14 days</b> at most.[1]';
    say([answer], [one(1, { text: passage }), one(2, { text: 'Fees are 3 percent of it. A hold lasts 14 days.' })]);
    expect([...root.querySelectorAll('.said mark')].map((mark) => mark.textContent)).toEqual(['Fees are 3 percent of it.', 'A hold lasts 14 days at most.']);
  });
});
