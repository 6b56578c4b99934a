import { expect, test } from 'vitest';
import { fileName, written } from './export';
import { make } from './widget';

const rows = [
  { a: 'x, "y"', b: 1 },
  { a: '=HYPERLINK("http://x")', b: -2, c: { d: 1 } },
];

test('rows are written as CSV, where nothing becomes a formula', () => {
  expect(written(rows, 'csv')).toBe('a,b,c\r\n"x, ""y""",1,\r\n"\'=HYPERLINK(""http://x"")",-2,"{""d"":1}"\r\n');
});

test('what another separator would make a formula of stays text, and lists stay lists', () => {
  const cell = (a: unknown) => written([{ a }], 'csv').split('\r\n').slice(1, -1).join('\r\n');
  expect(cell('x;=1+1')).toBe('"x;\'=1+1"');
  expect(cell('x; @SUM(A1)')).toBe('"x; \'@SUM(A1)"');
  expect(cell('x\n=1+1')).toBe('"x\n\'=1+1"');
  expect(cell('\n=1+1')).toBe('"\'\n\'=1+1"');
  expect(cell('＝1+1')).toBe("'＝1+1");
  expect(cell({ a: 'x;=1+1' })).toBe('"{""a"":""x;\'=1+1""}"');
  expect(cell('Buy:\n- bread\n- milk')).toBe('"Buy:\n- bread\n- milk"');
  expect(cell(-5)).toBe('-5');
});

test('rows are written as JSON and as a table of Markdown', () => {
  expect(JSON.parse(written(rows, 'json'))).toEqual(rows);
  expect(written([{ a: 'x|y', b: 'one\ntwo' }], 'md')).toBe('| a | b |\n| --- | --- |\n| x\\|y | one two |\n');
});

test('a file has a name that is one, and the ending of what it is', () => {
  expect(fileName('Invoices 2026.xlsx', 'csv')).toBe('Invoices 2026.csv');
  expect(fileName('../../etc/passwd', 'json')).toBe('etc-passwd.json');
  expect(fileName('…', 'md')).toBe('export.md');
});

test('an export is rows or a text, in a format that is known', () => {
  expect(make('export', { title: 'Invoices', format: 'xlsx', columns: ['Nr', 'Sum'], rows: [['1', 2]] })).toEqual({
    kind: 'export',
    title: 'Invoices',
    name: 'Invoices',
    format: 'csv',
    asked: 'xlsx',
    rows: [{ Nr: '1', Sum: 2 }],
    text: '',
  });
  expect(make('export', { filename: 'notes.md', content: '# Notes' })).toMatchObject({ format: 'md', text: '# Notes', rows: [] });
  expect(make('export', { title: 'Nothing' })).toBeNull();
  const asked = (props: object) => (make('export', { rows: [{ a: 1 }], ...props }) as { asked: string }).asked;
  expect([asked({}), asked({ format: 'markdown' }), asked({ filename: 'a.JSON' }), asked({ title: 'Version 1.2' })]).toEqual(['', '', '', '']);
  expect([asked({ filename: 'a.pdf' }), asked({ format: 'txt' }), asked({ rows: [], content: 'x', format: 'text' })]).toEqual(['pdf', 'txt', '']);
});

test('a file is named, and led to only where this server keeps it', () => {
  const file = { file_name: 'q4.pdf', content_type: 'application/pdf', size: 2048, path: 'downloads/q4.pdf' };
  expect(make('file', file)).toEqual({ kind: 'file', name: 'q4.pdf', type: 'application/pdf', size: 2048, path: 'downloads/q4.pdf', href: '' });
  expect(make('file', { name: 'q4.pdf', url: '/api/knowledge/documents/doc_1/file' })).toMatchObject({ href: '/api/knowledge/documents/doc_1/file' });
  for (const url of ['https://x.org/q4.pdf', 'javascript:alert(1)', '/api/../x', '//x.org/api/a'])
    expect(make('file', { name: 'q4.pdf', url }), url).toMatchObject({ href: '' });
  expect(make('file', { url: '/api/a' })).toBeNull();
});

test('a citation says what is quoted, and opens the document where that is known', () => {
  const cited = { source_title: 'Payments', snippet: 'A hold lasts 14 days.', document_id: 'doc_1', page: 3, score: 0.82 };
  expect(make('citation-card', cited)).toEqual({
    kind: 'citation',
    title: 'Payments',
    text: 'A hold lasts 14 days.',
    where: 'page 3',
    score: 0.82,
    href: '/knowledge/documents/doc_1',
  });
  expect(make('citation-card', { ...cited, document_id: '../../settings' })).toMatchObject({ href: '' });
  expect(make('citation-card', { title: 'Payments' })).toBeNull();
});
