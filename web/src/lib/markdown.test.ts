import { describe, expect, it, vi } from 'vitest';
import { render } from './markdown';

function shown(text: string): HTMLElement {
  const box = document.createElement('div');
  box.append(render(text));
  document.body.append(box);
  return box;
}

describe('a list of tasks', () => {
  it('tells what is done from what is open, tight and loose', () => {
    const boxes = (text: string) =>
      [...shown(text).querySelectorAll('li.task > .tick, li.task > p > .tick')].map(
        (one) => `${one.ariaLabel ?? one.getAttribute('aria-label')}${one.parentElement?.textContent?.slice(1).trimEnd()}`,
      );
    expect(boxes('- [x] pay\n- [ ] call')).toEqual(['Done: pay', 'Open: call']);
    expect(boxes('- [ ] pay\n\n- [X] call')).toEqual(['Open: pay', 'Done: call']);
    expect(boxes('- pay [x]\n- x')).toEqual([]);
  });
});

describe('a footnote', () => {
  it('is a raised number that says its note, and the notes stand at the end in the order they are called', () => {
    const box = shown('Later[^b] and sooner[^a], later again[^b].\n\n[^a]: The *first* note.\n[^b]: The second,\n  which goes on.\n\nDone [^none].');
    expect([...box.querySelectorAll('sup')].map((one) => [one.textContent, one.title])).toEqual([
      ['1', 'The second, which goes on.'],
      ['2', 'The *first* note.'],
      ['1', 'The second, which goes on.'],
    ]);
    expect([...box.querySelectorAll('hr + ol li')].map((one) => one.textContent)).toEqual(['The second, which goes on.', 'The first note.']);
    expect(box.textContent).toContain('Done [^none].');
  });

  it('holds in its own text alone, and brings no markup along', () => {
    shown('[^1]: Mine.\n\nx[^1]');
    expect(shown('x[^1]').textContent).toBe('x[^1]\n');
    const box = shown('x[^1]\n\n[^1]: "><img src=x onerror=alert(1)> <b>y</b>');
    expect([box.querySelector('img, b'), box.querySelector('sup')?.title]).toEqual([null, '"><img src=x onerror=alert(1)> <b>y</b>']);
  });
});

describe('a block of code', () => {
  const code = '> ```js title="x"\n> const a = 1;\n> ```\n\n```\nplain\n```\n\n```sh\necho "hi" # so\n```\n\n```klingon\nqapla\n```\n';
  it('says its language and has its colours, and is the same text', async () => {
    const box = shown(code);
    expect([...box.querySelectorAll('.code-box .src')].map((one) => one.textContent)).toEqual(['JavaScript', '', 'Shell', 'klingon']);
    await vi.waitFor(() => expect([...box.querySelectorAll('.tok-kw, .tok-str')].map((one) => one.textContent)).toEqual(['const', '"hi"']), 25_000);
    expect([...box.querySelectorAll('pre')].map((one) => one.textContent)).toEqual(['const a = 1;\n', 'plain\n', 'echo "hi" # so\n', 'qapla\n']);
    expect(box.querySelector('[style]')).toBeNull();
  }, 30_000);

  it('wraps its lines where that is wanted, as all code does', () => {
    const [one, two] = [shown('```\na\n```'), shown('```\nb\n```')];
    const buttons = [one, two].map((box) => box.querySelector<HTMLElement>('[data-wraps]'));
    buttons[0]?.click();
    expect([
      document.documentElement.hasAttribute('data-wrap'),
      ...buttons.map((button) => button?.ariaPressed ?? button?.getAttribute('aria-pressed')),
    ]).toEqual([true, 'true', 'true']);
    buttons[1]?.click();
    expect(document.documentElement.hasAttribute('data-wrap')).toBe(false);
  });
});
