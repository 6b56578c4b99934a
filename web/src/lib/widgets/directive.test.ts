import { expect, test } from 'vitest';
import { split } from './directive';
import { localImage, make, types } from './widget';

const table = ':::widget{type="data-table" panel=true}\n{"title": "T", "columns": [{"key": "a", "label": "A"}], "rows": [{"a": 1, "b": 2}]}\n:::';
const kinds = (text: string) => split(text).map((piece) => ('widget' in piece ? piece.widget.kind : piece.text));

test('a text without directives is one piece', () => {
  expect(split('just **words**')).toEqual([{ text: 'just **words**' }]);
});

test('a directive stands between the words around it', () => {
  expect(kinds(`before\n\n${table}\n\nafter`)).toEqual(['before\n', 'table', '\nafter']);
});

test('columns name what is shown, in their order', () => {
  const [piece] = split(table);
  expect(piece && 'widget' in piece && piece.widget).toEqual({ kind: 'table', title: 'T', rows: [{ A: 1 }], columns: ['A'] });
  expect(make('data-table', { columns: ['Name', 'Sum'], rows: [['x', 5]] })).toEqual({
    kind: 'table',
    title: '',
    rows: [{ Name: 'x', Sum: 5 }],
    columns: ['Name', 'Sum'],
  });
  expect(make('data-table', { columns: ['Name', '2026', '2026'], rows: [['x', 5, 6, 7]] })).toMatchObject({
    rows: [{ Name: 'x', 2026: 5, '2026 (2)': 6, 'Column 4': 7 }],
    columns: ['Name', '2026', '2026 (2)', 'Column 4'],
  });
});

test('a directive on one line, in single quotes, or closed behind its JSON is one, too', () => {
  expect(kinds(`:::widget{type='alert'} {"message": "Careful", "severity": "warning"} :::`)).toEqual(['alert']);
  expect(kinds(':::widget{type=alert}\n{"message": "Careful"} :::')).toEqual(['alert']);
});

test('several directives are several widgets', () => {
  expect(kinds(`${table}\n${table}\nend`)).toEqual(['table', 'table', 'end']);
});

test.each([
  ['not whole yet', ':::widget{type="alert"}\n{"message": "Car'],
  ['no JSON', ':::widget{type="alert"}\nCareful\n:::'],
  ['not known', ':::widget{type="iframe"}\n{"src": "https://x.org"}\n:::'],
  ['without a type', ':::widget{}\n{"message": "x"}\n:::'],
  ['without its content', ':::widget{type="data-table"}\n{"columns": ["a"]}\n:::'],
  ['a list', ':::widget{type="alert"}\n[1]\n:::'],
  ['named like what every object has', ':::widget{type="constructor"}\n{"message": "x"}\n:::'],
])('a directive that is %s stays text', (_, text) => {
  expect(split(text)).toEqual([{ text }]);
});

test('a broken directive takes nothing from the next one', () => {
  expect(kinds(`:::widget{type="alert"}\n{"message"\n${table}`)).toEqual([':::widget{type="alert"}\n{"message"', 'table']);
});

test('a directive in a code block is code', () => {
  const text = '```\n' + table + '\n```';
  expect(split(text)).toEqual([{ text }]);
});

test('a model cannot ask for a confirmation: only the platform asks', () => {
  for (const type of ['confirmation', 'action-buttons', 'form', 'html', 'script']) expect(types).not.toContain(type);
});

test('an image is one that is here already', () => {
  expect(make('image', { src: 'data:image/png;base64,iVBORw0=', alt: 'A' })).toMatchObject({ kind: 'image', alt: 'A' });
  for (const src of [
    'https://x.org/a.png',
    '//x.org/a.png',
    'javascript:alert(1)',
    'data:image/svg+xml;base64,AAAA',
    'data:text/html;base64,AAAA',
    '/api/../x?y=1',
    'blob:x',
    ' /api/a',
    '/api/a\\b',
    5,
  ]) {
    expect(localImage(src), String(src)).toBeNull();
  }
});

test('an image elsewhere is named with its host and not loaded', () => {
  expect(make('image', { src: 'https://x.org:8443/a.png?b=1', alt: 'A' })).toEqual({
    kind: 'elsewhere',
    host: 'x.org:8443',
    href: 'https://x.org:8443/a.png?b=1',
    alt: 'A',
    caption: '',
  });
  for (const src of ['javascript:alert(1)', '//x.org/a.png', 'https://x.org@evil.example/a.png', 'https://', 'data:image/svg+xml;base64,AAAA', 5])
    expect(make('image', { src }), String(src)).toBeNull();
});

test('the other types are made from what they are given', () => {
  expect(make('key-value', { items: [{ key: 'Host', value: 'db' }] })).toMatchObject({ kind: 'facts', items: [['Host', 'db']] });
  expect(make('entity-card', { title: 'C', fields: [{ label: 'L', value: 1 }], status: 'Active' })).toMatchObject({
    kind: 'facts',
    status: 'Active',
    items: [['L', 1]],
  });
  expect(make('chart', { chartType: 'line', labels: ['a', 'b'], datasets: [{ label: 'x', data: [1, 2] }] })).toMatchObject({
    form: 'lines',
    labels: ['a', 'b'],
    series: [{ name: 'x', values: [1, 2] }],
  });
  expect(make('chart', { chartType: 'pie', datasets: [{ data: [1, 'x'] }] })).toMatchObject({
    form: 'pie',
    labels: ['1', '2'],
    series: [{ name: '', values: [1, null] }],
  });
  expect(make('timeline', { events: [{ timestamp: '10:00', title: 'It began' }] })).toMatchObject({ events: [{ time: '10:00', title: 'It began' }] });
  expect(make('diff-viewer', { before: { a: 1 }, after: { a: 2 } })).toMatchObject({ kind: 'changes' });
  expect(make('diff', { before: 'a\nb', after: 'a\nc' })).toMatchObject({ kind: 'diff' });
  expect(make('progress-bar', { value: 30, max: 60, label: 'Half' })).toMatchObject({ part: 0.5 });
  expect(make('progress-bar', { label: 'On its way' })).toMatchObject({ part: null });
  expect(make('metric-card', { metrics: [{ label: 'Users', value: '12', trend: 'up' }] })).toMatchObject({ kind: 'figures' });
  expect(make('code-block', { code: 'x', language: 'sql' })).toMatchObject({ kind: 'code', language: 'sql' });
  expect(make('accordion', { sections: [{ title: 'A', content: 'b' }], defaultOpen: 0 })).toMatchObject({ sections: [{ open: true }] });
  expect(make('status-badge', { label: 'Healthy', status: 'success' })).toEqual({ kind: 'badge', label: 'Healthy', tone: 'ok' });
});

test('values of the wrong kind become nothing, not objects in the page', () => {
  expect(make('alert', { message: { html: '<b>' } })).toBeNull();
  expect(make('key-value', { items: [{ key: {}, value: 1 }] })).toBeNull();
  expect(make('chart', { datasets: [{ data: ['1e9', null] }] })).toBeNull();
});
