import { describe, expect, it, vi } from 'vitest';
import { card, disarm, safe } from './html';
import { render } from './markdown';

function markup(fragment: DocumentFragment): string {
  const box = document.createElement('div');
  box.append(fragment);
  return box.innerHTML;
}

const corpus = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<img/src=x/onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="jAvAsCrIpT:alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href="&#106;avascript:alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<form action="/api/auth/logout" method=post><button>x</button></form>',
  '<input onfocus=alert(1) autofocus>',
  '<details open ontoggle=alert(1)>x</details>',
  '<video><source onerror=alert(1)></video>',
  '<object data="javascript:alert(1)"></object>',
  '<embed src="javascript:alert(1)">',
  '<link rel=stylesheet href="https://evil.example/x.css">',
  '<meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  '<base href="https://evil.example/">',
  '<style>@import "https://evil.example/x.css";</style>',
  '<div style="background:url(https://evil.example/x)">x</div>',
  '<p id="app" name="app" class="approval">x</p>',
  '<template><script>alert(1)</script></template>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<button popovertarget=x>y</button>',
  '[x](javascript:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '![x](javascript:alert(1))',
  '![x](https://evil.example/pixel.png)',
  '<javascript:alert(1)>',
  '[x]: javascript:alert(1)\n[x]',
  '`<img src=x onerror=alert(1)>`',
  '<a href="/x"onclick=alert(1)>x</a>',
  '<'.repeat(80_000),
  `${'<a '.repeat(30_000)}onclick=alert(1)`,
];

const BAD =
  'script, iframe, object, embed, form, input, button, link, meta, base, style, svg, math, template, video, audio, source, [style], [id], [name], [srcdoc]';

function harmless(fragment: DocumentFragment) {
  expect(fragment.querySelector(BAD)).toBeNull();
  for (const element of fragment.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      expect(name).not.toMatch(/^on/i);
      expect(value.replace(/[\s\u0000-\u001f]/g, '')).not.toMatch(/^(java|vb)script:|^data:text/i);
    }
    if (element instanceof HTMLImageElement) expect(element.getAttribute('src')).toMatch(/^data:image\//);
  }
}

describe('text from outside', () => {
  it.each(corpus)('is harmless as Markdown: %.60s', (text) => harmless(render(text)));
  it.each(corpus)('is harmless as HTML: %.60s', (text) => harmless(safe(text)));
  it.each(corpus)('is harmless as a card: %.60s', (text) => {
    const fragment = safe(text, { looks: true });
    expect(markup(fragment)).not.toMatch(/url\(|onerror=|<script/i);
    for (const element of fragment.querySelectorAll<HTMLElement>('[style]')) element.removeAttribute('style');
    harmless(fragment);
  });

  it('shows raw HTML in Markdown as it was written', () => {
    expect(render('a <b onclick=x>c</b>').textContent).toBe('a <b onclick=x>c</b>\n');
  });

  it('makes a remote image a link that nobody has followed yet', () => {
    const link = render('![a chart](https://example.com/c.png)').querySelector('a');
    expect([link?.textContent, link?.getAttribute('href'), link?.rel, link?.target]).toEqual([
      'Image: a chart (example.com, opens on click)',
      'https://example.com/c.png',
      'noopener noreferrer nofollow',
      '_blank',
    ]);
  });

  it('shows an image that is in the text itself', () => {
    expect(safe('<img src="data:image/png;base64,iVBORw0KGgo=">').querySelector('img')?.alt).toBe('Image');
  });

  it('shows no image that is a document of its own', () => {
    const fragment = safe('<img alt="Plan" src="data:image/svg+xml;base64,PHN2Zy8+">');
    expect(fragment.querySelector('img')).toBeNull();
    expect(fragment.textContent).toBe('Image: Plan (of a kind that is not shown)');
  });

  it('opens links out beside the console, and ours here', () => {
    const fragment = render('[out](https://example.com) [in](/tools)');
    expect([...fragment.querySelectorAll('a')].map((link) => link.target)).toEqual(['_blank', '']);
  });

  it('keeps a card from drawing over what is around it', () => {
    const html = '<p style="margin: 4px">a</p><p style="margin: -1200px 0">b</p><p style=" MARGIN-top: calc(0px - 9px)">c</p>';
    const all = [...safe(html, { looks: true }).querySelectorAll('p')];
    expect(all.map((one) => one.style.margin + one.style.marginTop)).toEqual(['4px4px', '', '']);
  });

  it('keeps the looks of a card and nothing that loads or covers', () => {
    const style = safe('<p style="color: red; position: fixed; background: url(x); font-weight: bold">x</p>', { looks: true }).querySelector('p')?.style;
    expect([style?.color, style?.fontWeight, style?.position, style?.background]).toEqual(['red', 'bold', '', '']);
  });
});

describe('HTML that was made to be slow', () => {
  // Nothing here looks at a clock: what takes a step for each pair of characters would not end within the limit of any test.
  it.each(['<', '<a on', ' onx ', '<a onx', '" style', '<a style  '])('is gone through once: %s', (part) => {
    const long = part.repeat(2_000_000 / part.length);
    expect(disarm(long)).toBe(long);
    expect(disarm(`<p>${long}><b onclick=x style=y>`).endsWith('<b  data-dropped=x  data-looks=y>')).toBe(true);
  });

  it('is not drawn where it is very long, and that is said', () => {
    expect(card('<p>x</p>'.repeat(100_000)).textContent).toBe('This result is HTML of 800,000 characters; more than 500,000 are not drawn here.');
    expect(card('<p style="color: red">x</p>').querySelector('p')?.style.color).toBe('red');
  });
});

describe('Markdown', () => {
  it('knows tables, lists and code', () => {
    const fragment = render('| a | b |\n|---|---|\n| 1 | 2 |\n\n- x\n\n```\ncode\n```');
    expect(fragment.querySelector('.scroll table td')?.textContent).toBe('1');
    expect(fragment.querySelector('ul li')?.textContent).toBe('x');
    expect(fragment.querySelector('pre.well')?.textContent).toBe('code\n');
  });
});

describe('words of any script', () => {
  it('run the way of their first letter, and code from left to right', () => {
    const box = document.createElement('div');
    box.append(render('# شكرا\n\nمدة الحجز\n\n- أ\n- b\n\n| ا |\n|---|\n| ب |\n\n```\nlet a;\n```\n'));
    expect([...box.querySelectorAll('[dir="auto"]')].map((one) => one.tagName)).toEqual(['H1', 'P', 'UL', 'TABLE']);
    expect(box.querySelector('pre')?.hasAttribute('dir')).toBe(false);
  });
});

describe('a block of code', () => {
  it('is copied with one click', async () => {
    const copied: string[] = [];
    vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void copied.push(text) } });
    const box = document.createElement('div');
    box.append(render('```\nlet a = 1;\n```\n'));
    const button = box.querySelector('button');
    button?.click();
    await vi.waitFor(() => expect(button?.textContent).toBe('Copied'));
    expect(copied).toEqual(['let a = 1;\n']);
    vi.unstubAllGlobals();
  });
});
