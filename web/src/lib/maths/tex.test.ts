import { beforeAll, describe, expect, it, vi } from 'vitest';
import { render } from '../markdown';
import { typeset } from './typeset';

const MATHML = 'http://www.w3.org/1998/Math/MathML';

// What the tests run in knows no looks of MathML.
beforeAll(() => {
  if (!('style' in document.createElementNS(MATHML, 'mi'))) Object.defineProperty(Element.prototype, 'style', { get: () => ({}), configurable: true });
});

function shown(text: string): HTMLElement {
  const box = document.createElement('div');
  box.append(render(text));
  return box;
}

/** The formulas of a text, with an exclamation mark before those that stand on their own. */
const formulas = (text: string) => [...shown(text).querySelectorAll('.math')].map((one) => `${one.classList.contains('display') ? '!' : ''}${source(one)}`);
const source = (one: Element) => one.querySelector('math')?.getAttribute('alttext') ?? one.textContent;

describe('a formula in a line', () => {
  it.each([
    ['Let $x$ be.', '$x$'],
    ['Let $a_1 + b_2 = c$, then.', '$a_1 + b_2 = c$'],
    ['So \\(e^{i\\pi} = -1\\).', '\\(e^{i\\pi} = -1\\)'],
    ['the $n$th of $k^2$s', '$n$', '$k^2$'],
    ['- one of $p*q*r$ and *more*', '$p*q*r$'],
    ['| a |\n|---|\n| $x_1$ |', '$x_1$'],
    ['## About $\\sqrt{2}$', '$\\sqrt{2}$'],
    ['cost $\\$5 \\cdot n$', '$\\$5 \\cdot n$'],
    ['over\n\\(a +\nb\\) lines', '\\(a +\nb\\)'],
    ['![of $x$](data:image/png;base64,AA==) and $y$', '$y$'],
  ])('is found in %j', async (text, ...found) => {
    const plain = found.map((one) => one.replace(/^(?:\$|\\\()|(?:\$|\\\))$/g, ''));
    await vi.waitFor(() => expect(formulas(text)).toEqual(plain), 25_000);
  });
});

describe('a formula on its own', () => {
  it.each([
    ['$$x^2$$', '!x^2'],
    ['$$\nx^2\n$$', '!x^2'],
    ['\\[ x^2 \\]', '!x^2'],
    ['Before\n\\[\nx^2\n\\]\nafter', '!x^2'],
    ['Before: $$x^2$$ and after', '!x^2'],
    ['1. so\n\n   $$\n   x^2\n   $$\n', '!x^2'],
    ['\\[\\begin{pmatrix}1 & 2\\\\[2pt] 3 & 4\\end{pmatrix}\\]', '!\\begin{pmatrix}1 & 2\\\\[2pt] 3 & 4\\end{pmatrix}'],
  ])('is found in %j', async (text, found) => {
    await vi.waitFor(() => expect(formulas(text)).toEqual([found]), 25_000);
  });

  it('leaves what stands before and after it', () => {
    const box = shown('Before\n$$\nx\n$$\nAfter **it**');
    expect([...box.children].map((one) => [one.tagName, one.querySelector('.math') ? 'x' : one.textContent])).toEqual([
      ['P', 'Before'],
      ['P', 'x'],
      ['P', 'After it'],
    ]);
    expect(box.querySelector('strong')?.textContent).toBe('it');
  });
});

describe('what is no formula', () => {
  it.each([
    'It is $5 and $10.',
    'From $5 to 10$ a month',
    'US$5 or AU$6 each',
    'Between $1,000 and $2,000, or 5$ less',
    'The pair $AAPL/$MSFT fell',
    'Set $HOME/bin:$PATH and ${A}:${B}',
    'Pay 5$ or 6$',
    'An open $x',
    'An open $$ x',
    'an empty $$ $$ one',
    'A bracket \\[ open',
    'In `$x$` and ``\\(y\\)``',
    '```\n$$x$$\n\\[y\\]\n```',
    '    $$x$$',
    'escaped \\$x\\$',
    'a [link $5](https://example.org) or 6$',
    '<var>0</var>',
  ])('stays as it is: %j', (text) => expect(formulas(text)).toEqual([]));

  it('keeps an amount as it was written', () => expect(shown('It is $5 and $10.').textContent).toBe('It is $5 and $10.\n'));
});

describe('a formula that means harm', () => {
  it.each([
    '\\href{javascript:alert(1)}{x}',
    '\\url{javascript:alert(1)}',
    '\\includegraphics{https://example.org/x.png}',
    '\\class{secret}{x}',
    '\\id{root}{x}',
    '\\style{position:fixed}{x}',
    '\\def\\a{\\a\\a}\\a',
    '\\newcommand\\a{\\a}\\a',
    '\\let\\a\\b',
    'x\\label{root}',
    '\\nonsense',
    '{x',
    `${'\\frac{'.repeat(300)}x${'}{y}'.repeat(300)}`,
    `${'{'.repeat(1990)}x${'}'.repeat(1990)}`.repeat(2),
    '\\sqrt'.repeat(700),
    `${'x+'.repeat(3000)}x`,
  ])('is shown as it was written, case %#', (tex) => expect(typeset(tex, false)).toBeNull());

  it('is text and MathML alone, without addresses, names and handlers', () => {
    const found = typeset('\\text{<img src=x onerror=alert(1)>} \\frac{a}{b} \\begin{matrix}1&2\\end{matrix}', true);
    const all = [found as Element, ...(found?.querySelectorAll('*') ?? [])];
    expect(all.every((one) => one.namespaceURI === MATHML)).toBe(true);
    expect(all.flatMap((one) => [...one.attributes].map((of) => of.name)).filter((name) => /^on|href|src|^id$/.test(name))).toEqual([]);
    expect(found?.textContent).toContain('img');
  });

  it.each(['$', '$$', '$a ', '\\(', '\\[', '\n$$\n', '$x$'])(
    'takes no more than twice the work for twice the text, where %j begins one again and again',
    (begin) => {
      const searched = vi.spyOn(RegExp.prototype, 'exec');
      /** Returns the number of times something is looked for in a text of so many characters. */
      const work = (characters: number) => {
        searched.mockClear();
        render(begin.repeat(characters / begin.length));
        return searched.mock.calls.length;
      };
      const [once, twice] = [work(600), work(1200)];
      searched.mockRestore();
      expect(twice).toBeLessThan(2.5 * once);
    },
  );
});
