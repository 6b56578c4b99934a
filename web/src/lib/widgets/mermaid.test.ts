import { expect, test } from 'vitest';
import { flowchart } from './mermaid';
import { make } from './widget';

const told = (text: string) => {
  const made = flowchart(text);
  return (
    made && [
      made.nodes.map((node) => `${node.id}=${node.name}`).join(' '),
      made.edges.map((edge) => `${edge.from}>${edge.to}${edge.label ? `:${edge.label}` : ''}`).join(' '),
    ]
  );
};

test('boxes of every shape, and lines of every kind', () => {
  expect(told('graph TD\n  A[Start] --> B{Is it?}\n  B -->|Yes| C(OK)\n  B -- No --> D[["Stop (now)"]]')).toEqual([
    'A=Start B=Is it? C=OK D=Stop (now)',
    'A>B B>C:Yes B>D:No',
  ]);
  expect(told('flowchart LR; a-->b; b-.->c; c==>d; d---e')).toEqual(['a=a b=b c=c d=d e=e', 'a>b b>c c>d d>e']);
  expect(told('graph LR\nA & B --> C([End]) --> D[(Store)]\nD -. later .-> A\nC == must ==> D')).toEqual([
    'A=A B=B C=End D=Store',
    'A>C B>C C>D D>A:later C>D:must',
  ]);
});

test('what only says how it looks is passed over', () => {
  expect(
    told('%% a remark\ngraph TB\n  classDef hot fill:#f00\n  A["One<br/>two; three"]:::hot --> step-2\n  style A fill:#fff\n  click A "https://x.org"'),
  ).toEqual(['A=One two; three step-2=step-2', 'A>step-2']);
});

test.each([
  ['sequenceDiagram\n  A->>B: hi'],
  ['graph TD\n  subgraph one\n  A --> B\n  end'],
  ['graph TD\n  A --> A'],
  ['graph TD\n  A[open --> B'],
  ['graph TD\n  A --> '],
  ['graph TD'],
  [''],
  ['pie\n "a": 1'],
])('%j is not drawn', (text) => {
  expect(flowchart(text)).toBeNull();
});

test('a flowchart is drawn, another diagram is its text', () => {
  expect(make('mermaid', { title: 'T', code: 'graph TD\nA --> B' })).toMatchObject({ kind: 'flow', title: 'T', edges: [{ from: 'A', to: 'B', label: '' }] });
  expect(make('mermaid-diagram', { code: 'pie\n "a": 1' })).toMatchObject({
    kind: 'code',
    language: 'mermaid',
    note: 'Of Mermaid only flowcharts of boxes and lines are drawn here.',
  });
});
