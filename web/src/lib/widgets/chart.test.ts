import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, test, vi } from 'vitest';
import { formOf, tableOf } from './chart';
import { bar, slices, stretches } from './scale';
import { cell, make } from './widget';
import Widget from './Widget.svelte';

const chart = (props: object) => make('chart', { labels: ['a', 'b', 'c'], datasets: [{ label: 'x', data: [1, 2, 3] }], ...props });

// Only browsers lay anything out.
vi.stubGlobal(
  'ResizeObserver',
  class {
    observe() {}
    unobserve() {}
    disconnect() {}
  },
);

let shown: Record<string, unknown> | undefined;
/** The widget as it stands in a page. */
function page(type: string, props: object): HTMLElement {
  const widget = make(type, props);
  if (!widget) throw new Error('no widget');
  shown = mount(Widget, { target: document.body, props: { widget } });
  flushSync();
  return document.body;
}
afterEach(() => {
  if (shown) void unmount(shown);
  shown = undefined;
  document.body.replaceChildren();
});

test('a chart is drawn in the form that was asked for, or it says why not', () => {
  expect(chart({ chartType: 'area' })).toMatchObject({ form: 'area', note: '' });
  expect(chart({ chartType: 'Doughnut' })).toMatchObject({ form: 'pie', note: '' });
  expect(chart({ chartType: 'radar' })).toMatchObject({ form: 'bars', note: 'Drawn as bars: a radar chart is not drawn here.' });
  expect(chart({ chartType: 'constructor' })).toMatchObject({ form: 'bars' });
  expect(chart({ chartType: 'pie', datasets: [{ data: [1, -2] }] })).toMatchObject({ form: 'bars', note: 'Drawn as bars: a pie has no slices below zero.' });
  expect(chart({ chartType: 'pie', datasets: [{ data: [1] }, { data: [2] }] })).toMatchObject({ form: 'bars', note: 'Drawn as bars: a pie shows one series.' });
  expect(formOf('pie', Array.from('abcdefghi'), [{ name: '', values: [1] }])).toMatchObject({ form: 'bars' });
});

test('a label without a value stays, and so do all series', () => {
  const datasets = Array.from({ length: 9 }, (_, at) => ({ label: `s${at}`, data: [at] }));
  const made = chart({ datasets });
  expect(made).toMatchObject({ labels: ['a', 'b', 'c'] });
  expect(made?.kind === 'chart' && made.series.map((one) => one.values)).toEqual(datasets.map((_, at) => [at, null, null]));
});

test('bars begin at zero and go to the side of their sign', () => {
  expect(bar(5, 0, 10)).toEqual({ from: 0, size: 0.5 });
  expect(bar(-5, -5, 15)).toEqual({ from: 0, size: 0.25 });
  expect(bar(15, -5, 15)).toEqual({ from: 0.25, size: 0.75 });
  expect(bar(0, 0, 0)).toEqual({ from: 0, size: 0 });
});

test('slices are parts of the whole, also one alone and one that has no value', () => {
  expect(slices([1, 3, null, 0], 48).map((one) => one.share)).toEqual([0.25, 0.75, null, 0]);
  expect(slices([1, 3], 48).map((one) => one.path.replaceAll('-0.00', '0.00'))).toEqual([
    'M0 0L0.00 -48.00A48 48 0 0 1 48.00 0.00Z',
    'M0 0L48.00 0.00A48 48 0 1 1 0.00 -48.00Z',
  ]);
  expect(slices([7], 48)).toEqual([{ share: 1, path: '' }]);
});

test('what is filled below a line ends where values are missing', () => {
  expect(stretches([1, 2, null, 3, null, null, 4, 5])).toEqual([
    [0, 1],
    [3, 3],
    [6, 7],
  ]);
});

test('the table of a chart has every series, each under a name of its own', () => {
  const series = ['2026', '2026', '', 'Label'].map((name, at) => ({ name, values: [at] }));
  expect(tableOf(['a'], series)).toEqual({
    columns: ['Label', '2026', '2026 (2)', 'Series 3', 'Label (2)'],
    rows: [{ Label: 'a', 2026: 0, '2026 (2)': 1, 'Series 3': 2, 'Label (2)': 3 }],
  });
});

test('what is nested is said as JSON, and numbers as people write them', () => {
  expect([cell({ a: 1 }), cell([1, 'x']), cell([{ a: 1 }]), cell(3703.7034000000003), cell(null)]).toEqual([
    '{"a":1}',
    '1, x',
    '[{"a":1}]',
    '3703.7034',
    'none',
  ]);
});

test('a missing value has no bar, and what is below zero goes to the left', () => {
  const bars = [...page('chart', { labels: ['a', 'b', 'c'], datasets: [{ data: [-5, null, 15] }] }).querySelectorAll('[role=listitem]')];
  expect(bars.map((one) => one.querySelector('.num')?.textContent)).toEqual(['-5', 'none', '15']);
  expect(bars.map((one) => one.querySelector('i')?.getAttribute('style') ?? null)).toEqual(['left: 0%; width: 25%;', null, 'left: 25%; width: 75%;']);
});

test('a pie is named with its shares, and a list says the same', () => {
  const body = page('chart', { title: 'Share', chartType: 'pie', labels: ['a', 'b', 'c'], datasets: [{ data: [1, 3] }] });
  expect(body.querySelector('svg[role=img]')?.getAttribute('aria-label')).toBe('Share. a 1 25%, b 3 75%, c none');
  expect([...body.querySelectorAll('.pie li')].map((one) => one.textContent)).toEqual(['a125%', 'b375%', 'cnone']);
});

test.each([[[1]], [[1, 1, 1]], [[0, 0]], [[-3]], [[1e-9]], [[5e300]], [[1, 1 + Number.EPSILON]], [[1e300, -1e308, 1e308]]])(
  'a line of %j is drawn, with marks that can be told apart',
  (data) => {
    for (const chartType of ['line', 'area']) {
      const marks = [
        ...page('chart', { chartType, labels: data.map((_, at) => `day ${at}`), datasets: [{ data }] }).querySelectorAll('svg text[text-anchor=end]'),
      ].map((one) => one.textContent);
      expect(new Set(marks).size).toBe(marks.length);
      if (shown) void unmount(shown);
      document.body.replaceChildren();
    }
  },
);

test('a table without rows says so, with its columns', () => {
  expect(
    page('data-table', { title: 'T', columns: ['a', 'b'], rows: [] })
      .querySelector('table')
      ?.textContent?.replace(/\s+/g, ' ')
      .trim(),
  ).toBe('abNo rows');
  expect(make('data-table', { rows: [] })).toMatchObject({ kind: 'table', rows: [] });
});

test('series beyond those drawn are told of', () => {
  const body = page('chart', { labels: ['a'], datasets: Array.from({ length: 10 }, (_, at) => ({ label: `s${at}`, data: [at + 1] })) });
  expect(body.querySelectorAll('.legend li')).toHaveLength(8);
  expect(body.textContent).toContain('2 more series are not drawn. The table has all of them.');
});

test('an export in a format that is not made here says so', () => {
  expect(page('export', { format: 'xlsx', columns: ['a'], rows: [[1]] }).textContent).toContain(
    'XLSX was asked for and is not made here. Saved as CSV, which a spreadsheet opens.',
  );
});

test('an image elsewhere is a link with its host, and nothing is loaded', () => {
  const body = page('image', { src: 'https://x.org/a.png', alt: 'A cat' });
  const link = body.querySelector('a');
  expect([link?.textContent, link?.href, link?.target, link?.rel]).toEqual([
    'Open the image on x.org',
    'https://x.org/a.png',
    '_blank',
    'noopener noreferrer nofollow',
  ]);
  expect(body.querySelector('img')).toBeNull();
});

test('a table writes numbers without what binary fractions add, and nested values as JSON', () => {
  const cells = [...page('data-table', { columns: ['n', '5', 'o'], rows: [[3703.7034000000003, 12345678901, { a: 1 }]] }).querySelectorAll('th, td')];
  expect(cells.map((one) => one.textContent?.trim())).toEqual(['n', '5', 'o', '3,703.7034', '12,345,678,901', '{"a":1}']);
});
