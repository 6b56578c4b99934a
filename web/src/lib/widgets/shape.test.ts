import { expect, test } from 'vitest';
import { extent, legible, ticks, written } from './scale';
import { amounts, drawn, happenings } from './shape';

const kinds = (data: unknown) => drawn(data)?.map((one) => one.kind) ?? null;

test('a list of records is a table, also one of plain values', () => {
  expect(kinds([{ a: 1 }, { a: 2 }])).toEqual(['table']);
  expect(drawn([1, 2, 3, 4])).toEqual([{ kind: 'table', title: '', rows: [{ value: 1 }, { value: 2 }, { value: 3 }, { value: 4 }] }]);
});

test('a flat object is its facts, with its list as rows below', () => {
  expect(kinds({ a: 1, b: 'x' })).toEqual(['facts']);
  expect(drawn({ total: 2, rows: [{ id: 1 }] })).toEqual([
    { kind: 'facts', title: '', subtitle: '', status: '', items: [['total', 2]] },
    { kind: 'table', title: 'rows', rows: [{ id: 1 }] },
  ]);
});

test('what is nested deeper, or is no object, is shown as JSON', () => {
  for (const data of [{ a: { b: { c: 1 } } }, {}, [], 'text', 5, null, undefined]) expect(drawn(data)).toBeNull();
});

test('rows with a time and a text are a timeline; with a number they are a table', () => {
  const events = [
    { time: '2026-02-23T10:00:00Z', title: 'It began', status: 'open' },
    { time: '2026-02-23T11:00:00Z', title: 'It ended', status: 'done' },
  ];
  expect(kinds(events)).toEqual(['timeline']);
  expect(happenings(events)?.[0]).toEqual({ time: '2026-02-23T10:00:00Z', title: 'It began', text: '', status: 'open' });
  expect(kinds(events.map((one) => ({ ...one, size: 4 })))).toEqual(['table']);
  expect(kinds(events.map((one) => ({ ...one, time: 'soon' })))).toEqual(['table']);
});

test('a unified diff is drawn as one, alone or as a field', () => {
  const diff = '@@ -1 +1 @@\n-a\n+b';
  expect(kinds(diff)).toEqual(['diff']);
  expect(kinds({ files: 1, diff })).toEqual(['facts', 'diff']);
});

test('a message with a severity is an alert, two states are what changed', () => {
  expect(drawn({ severity: 'warning', message: 'Nearly full' })).toEqual([{ kind: 'alert', title: '', tone: 'warn', text: 'Nearly full' }]);
  expect(kinds({ before: { a: 1 }, after: { a: 2 } })).toEqual(['changes']);
  expect(kinds({ level: 5, message: 'x' })).toEqual(['facts']);
});

test('an image in a field is shown; an address of one is only text', () => {
  expect(kinds({ name: 'a', picture: 'data:image/png;base64,iVBORw0=' })).toEqual(['facts', 'image']);
  expect(kinds({ picture: 'https://x.org/a.png' })).toEqual(['facts']);
  expect(kinds({ picture: '/api/a.png' })).toEqual(['facts']);
});

test('rows of names and amounts are a chart, along dates a line', () => {
  const rows = [
    { city: 'A', sum: 3 },
    { city: 'B', sum: 5 },
    { city: 'C', sum: 1 },
  ];
  expect(amounts(rows)).toEqual({ kind: 'chart', title: '', form: 'bars', labels: ['A', 'B', 'C'], series: [{ name: 'sum', values: [3, 5, 1] }] });
  const days = [1, 2, 3, 4].map((n) => ({ day: `2026-01-0${n}`, calls: n }));
  expect(amounts(days)).toMatchObject({ form: 'lines' });
});

test('numbers that are no amounts, or have no common scale, make no chart', () => {
  expect(
    amounts([
      { a: 'x', id: 1 },
      { a: 'y', id: 2 },
      { a: 'z', id: 3 },
    ]),
  ).toBeNull();
  expect(
    amounts([
      { a: 'x', n: 1, m: 1000 },
      { a: 'y', n: 2, m: 3000 },
      { a: 'z', n: 3, m: 1 },
    ]),
  ).toBeNull();
  expect(
    amounts([
      { a: 'x', n: 1 },
      { a: 'x', n: 2 },
      { a: 'z', n: 3 },
    ]),
  ).toBeNull();
  expect(
    amounts([
      { a: 'x', n: 1 },
      { a: 'y', n: 2 },
    ]),
  ).toBeNull();
});

test('an axis has round marks around what is shown', () => {
  expect(ticks(0, 97)).toEqual([0, 25, 50, 75, 100]);
  expect(ticks(-3, 4)).toEqual([-4, -2, 0, 2, 4]);
  expect(ticks(5, 5)).toEqual([5]);
  expect(extent([0, 0])).toEqual([0, 1]);
  expect(extent([7, 7])).toEqual([0, 7]);
  expect(extent([90, 100])).toEqual([90, 100]);
  expect(extent([90, 100], true)).toEqual([0, 100]);
  expect(written([0, 0.0005, 0.001])).toEqual(['0', '0.0005', '0.001']);
  expect(written([0, 2500, 5000])).toEqual(['0', '2,500', '5,000']);
});

test('the labels of an axis do not lie over each other', () => {
  const short = legible(
    Array.from({ length: 10 }, (_, at) => String(at)),
    (at) => 40 + at * 40,
    440,
  );
  expect(short.map((one) => one.at)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const long = legible(
    Array.from({ length: 7 }, (_, at) => `2026-01-0${at} morning`),
    (at) => 40 + at * 60,
    412,
  );
  expect(long.map((one) => one.at)).toEqual([0, 3, 6]);
  expect(long.map((one) => one.anchor)).toEqual(['start', 'middle', 'end']);
});
