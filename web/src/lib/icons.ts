/** The icons of the console, 16 px, one stroke. Shapes are path data: an icon is drawn without any inline markup. */
export interface Shape {
  tag: 'path' | 'circle' | 'rect';
  attributes: Record<string, string | undefined>;
}

const shapes = {
  agent: [
    { tag: 'circle', attributes: { cx: '8', cy: '3.800', r: '1.800' } },
    { tag: 'circle', attributes: { cx: '3.800', cy: '12', r: '1.800' } },
    { tag: 'circle', attributes: { cx: '12.200', cy: '12', r: '1.800' } },
    { tag: 'path', attributes: { d: 'M7.200 5.500 4.600 10.300M8.800 5.500l2.600 4.800' } },
  ],
  alert: [{ tag: 'path', attributes: { d: 'M8 2.500 1.800 13.500h12.400zM8 6.500v3.500M8 11.800v.1' } }],
  book: [
    { tag: 'path', attributes: { d: 'M8 4c-1.3-1-3-1.5-5.5-1.5v10C5 12.500 6.700 13 8 14c1.300-1 3-1.500 5.500-1.500v-10C11 2.500 9.300 3 8 4zM8 4v10' } },
  ],
  branch: [
    { tag: 'circle', attributes: { cx: '4.500', cy: '3.500', r: '1.500' } },
    { tag: 'circle', attributes: { cx: '4.500', cy: '12.500', r: '1.500' } },
    { tag: 'circle', attributes: { cx: '11.500', cy: '5.500', r: '1.500' } },
    { tag: 'path', attributes: { d: 'M4.500 5v6M11.500 7c0 2-3 2-7 4' } },
  ],
  chat: [{ tag: 'path', attributes: { d: 'M2.5 3.5h11v7.5H8l-3 2.5V11H2.5z' } }],
  check: [{ tag: 'path', attributes: { d: 'm3.500 8.500 3 3 6-7' } }],
  clip: [
    {
      tag: 'path',
      attributes: {
        d: 'm12.500 7.500-4.800 4.800a2.800 2.800 0 0 1-4-4l5.200-5.100a1.900 1.900 0 0 1 2.700 2.700L6.500 11a.9.9 0 0 1-1.300-1.300L9.500 5.500',
      },
    },
  ],
  copy: [
    { tag: 'rect', attributes: { x: '5.500', y: '5.500', width: '8', height: '8', rx: '1' } },
    { tag: 'path', attributes: { d: 'M3.500 10.500h-1v-8h8v1' } },
  ],
  cpu: [
    { tag: 'rect', attributes: { x: '4.500', y: '4.500', width: '7', height: '7', rx: '1' } },
    {
      tag: 'path',
      attributes: { d: 'M6.500 2v2.500M9.500 2v2.500M6.500 11.500V14M9.500 11.500V14M2 6.500h2.500M2 9.500h2.500M11.500 6.500H14M11.500 9.500H14' },
    },
  ],
  down: [{ tag: 'path', attributes: { d: 'm4.500 6.500 3.500 3.500 3.500-3.500' } }],
  download: [{ tag: 'path', attributes: { d: 'M8 2.500V10M5 7.500l3 3 3-3M2.500 10.500v3h11v-3' } }],
  file: [{ tag: 'path', attributes: { d: 'M4 2h5l3 3v9H4zM9 2v3h3' } }],
  filter: [{ tag: 'path', attributes: { d: 'M2 4h12M4.500 8h7M6.500 12h3' } }],
  flow: [
    { tag: 'rect', attributes: { x: '2', y: '2.500', width: '5', height: '4', rx: '1' } },
    { tag: 'rect', attributes: { x: '9', y: '9.500', width: '5', height: '4', rx: '1' } },
    { tag: 'path', attributes: { d: 'M4.500 6.500v5H9' } },
  ],
  folder: [{ tag: 'path', attributes: { d: 'M2 12.500v-9h4l1.500 1.500H14v7.500z' } }],
  gear: [
    { tag: 'path', attributes: { d: 'M2 4.500h6M12 4.500h2M2 11.500h2M8 11.500h6' } },
    { tag: 'circle', attributes: { cx: '10', cy: '4.500', r: '1.800' } },
    { tag: 'circle', attributes: { cx: '6', cy: '11.500', r: '1.800' } },
  ],
  globe: [
    { tag: 'circle', attributes: { cx: '8', cy: '8', r: '5.500' } },
    { tag: 'path', attributes: { d: 'M2.500 8h11M8 2.500c2 2 2 9 0 11M8 2.500c-2 2-2 9 0 11' } },
  ],
  chart: [{ tag: 'path', attributes: { d: 'M2.500 2.500v11h11M5.500 11V8M8.500 11V4.500M11.500 11V6.500' } }],
  history: [{ tag: 'path', attributes: { d: 'M3 8a5 5 0 1 1 1.600 3.700M3 13.500v-3h3M8 5.500V8l2 1.200' } }],
  inbox: [{ tag: 'path', attributes: { d: 'M2.5 9.5 4 3.5h8l1.5 6v3h-11zM2.5 9.5h3l1 1.5h3l1-1.5h3' } }],
  info: [
    { tag: 'circle', attributes: { cx: '8', cy: '8', r: '5.500' } },
    { tag: 'path', attributes: { d: 'M8 7.500v3.500M8 5.200v.1' } },
  ],
  key: [
    { tag: 'circle', attributes: { cx: '5', cy: '11', r: '2.500' } },
    { tag: 'path', attributes: { d: 'm7 9 6-6M10.500 5.500l2 2' } },
  ],
  keyboard: [
    { tag: 'rect', attributes: { x: '1.500', y: '4', width: '13', height: '8.500', rx: '1' } },
    { tag: 'path', attributes: { d: 'M4 6.500h.01M6.500 6.500h.01M9 6.500h.01M11.500 6.500h.01M5 10h6' } },
  ],
  left: [{ tag: 'path', attributes: { d: 'm9.500 4.500-3.500 3.500 3.500 3.500' } }],
  link: [
    {
      tag: 'path',
      attributes: {
        d: 'M6.500 9.500a2.500 2.500 0 0 0 3.500 0l2.500-2.500A2.500 2.500 0 0 0 9 3.500l-1 1M9.500 6.500a2.500 2.500 0 0 0-3.500 0L3.500 9A2.500 2.500 0 0 0 7 12.500l1-1',
      },
    },
  ],
  lock: [
    { tag: 'rect', attributes: { x: '3.500', y: '7', width: '9', height: '6.500', rx: '1' } },
    { tag: 'path', attributes: { d: 'M5.500 7V5a2.500 2.500 0 0 1 5 0v2' } },
  ],
  microphone: [
    { tag: 'rect', attributes: { x: '6', y: '2', width: '4', height: '7', rx: '2' } },
    { tag: 'path', attributes: { d: 'M3.500 7.500a4.500 4.500 0 0 0 9 0M8 12v2.500' } },
  ],
  memory: [{ tag: 'path', attributes: { d: 'M4 2.5h8v11L8 10.5l-4 3z' } }],
  menu: [{ tag: 'path', attributes: { d: 'M2.500 4.500h11M2.500 8h11M2.500 11.500h11' } }],
  more: [{ tag: 'path', attributes: { d: 'M3.500 8h.01M8 8h.01M12.500 8h.01', 'stroke-width': '2' } }],
  out: [{ tag: 'path', attributes: { d: 'M9.500 3H13v10H9.500M2.500 8h7M7 5.500 9.500 8 7 10.500' } }],
  pencil: [{ tag: 'path', attributes: { d: 'M3 13l.6-2.800L10.500 3.300l2.200 2.200-6.900 6.900z' } }],
  play: [{ tag: 'path', attributes: { d: 'M5 3.500v9l7.500-4.500z' } }],
  plug: [{ tag: 'path', attributes: { d: 'M6 2v3M10 2v3M4 5h8v2.500a4 4 0 0 1-8 0zM8 11.500V14' } }],
  plus: [{ tag: 'path', attributes: { d: 'M8 3v10M3 8h10' } }],
  power: [{ tag: 'path', attributes: { d: 'M8 2.500v5M4.800 4.500a5 5 0 1 0 6.400 0' } }],
  r_destructive: [
    {
      tag: 'path',
      attributes: {
        d: 'M5.200 1.500h5.600l3.700 3.700v5.600l-3.700 3.700H5.200l-3.700-3.700V5.200z',
        fill: 'currentColor',
        stroke: 'currentColor',
        'stroke-width': '1',
      },
    },
    { tag: 'path', attributes: { d: 'm5.700 5.700 4.600 4.600M10.300 5.700l-4.600 4.600', stroke: 'var(--surface)', 'stroke-width': '1.700' } },
  ],
  r_high_write: [
    { tag: 'path', attributes: { d: 'M8 1.700 15 14H1z', fill: 'currentColor', stroke: 'currentColor', 'stroke-width': '1' } },
    { tag: 'path', attributes: { d: 'M8 6v3.600M8 11.800v.1', stroke: 'var(--surface)', 'stroke-width': '1.700' } },
  ],
  r_low_write: [
    { tag: 'rect', attributes: { x: '2.800', y: '2.800', width: '10.400', height: '10.400', rx: '1.500' } },
    { tag: 'path', attributes: { d: 'M8 5.500v5M5.500 8h5' } },
  ],
  r_read: [
    { tag: 'circle', attributes: { cx: '8', cy: '8', r: '5.200' } },
    { tag: 'circle', attributes: { cx: '8', cy: '8', r: '1.200', fill: 'currentColor', stroke: 'none' } },
  ],
  redo: [{ tag: 'path', attributes: { d: 'M13 8a5 5 0 1 1-1.600-3.700M13 2.500v3h-3' } }],
  right: [{ tag: 'path', attributes: { d: 'm6.500 4.500 3.500 3.500-3.500 3.500' } }],
  satchel: [
    { tag: 'path', attributes: { d: 'M2.5 6.5h11v6a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1z' } },
    { tag: 'path', attributes: { d: 'M2.5 6.5 4 9.5h8l1.5-3' } },
    { tag: 'path', attributes: { d: 'M5.5 6.5v-2a2 2 0 0 1 2-2h1a2 2 0 0 1 2 2v2M8 8.5v2.5' } },
  ],
  script: [{ tag: 'path', attributes: { d: 'm5 4.5-3 3.5 3 3.5M11 4.5l3 3.5-3 3.5M9 3.5l-2 9' } }],
  search: [
    { tag: 'circle', attributes: { cx: '7', cy: '7', r: '4.200' } },
    { tag: 'path', attributes: { d: 'm10.200 10.200 3.300 3.300' } },
  ],
  send: [{ tag: 'path', attributes: { d: 'M8 13V3.500M4 7l4-4 4 4' } }],
  server: [
    { tag: 'rect', attributes: { x: '2.500', y: '3', width: '11', height: '4', rx: '1' } },
    { tag: 'rect', attributes: { x: '2.500', y: '9', width: '11', height: '4', rx: '1' } },
    { tag: 'path', attributes: { d: 'M5 5h.01M5 11h.01' } },
  ],
  shield: [{ tag: 'path', attributes: { d: 'M8 1.800 3 3.600v4c0 3 2 5.200 5 6.600 3-1.400 5-3.600 5-6.600v-4zM5.800 8l1.600 1.600 3-3.200' } }],
  slash: [
    { tag: 'rect', attributes: { x: '2.500', y: '2.500', width: '11', height: '11', rx: '2' } },
    { tag: 'path', attributes: { d: 'm9.500 5-3 6' } },
  ],
  stop: [{ tag: 'rect', attributes: { x: '4.500', y: '4.500', width: '7', height: '7', rx: '1' } }],
  table: [
    { tag: 'rect', attributes: { x: '2', y: '3', width: '12', height: '10', rx: '1' } },
    { tag: 'path', attributes: { d: 'M2 6.500h12M6.500 6.500V13' } },
  ],
  theme: [
    { tag: 'circle', attributes: { cx: '8', cy: '8', r: '5.500' } },
    { tag: 'path', attributes: { d: 'M8 2.500v11a5.500 5.500 0 0 0 0-11z', fill: 'currentColor', stroke: 'none' } },
  ],
  tool: [
    { tag: 'path', attributes: { d: 'M9.8 6.2a3.2 3.2 0 0 1 3.6-3.5l-1.8 1.8.4 1.5 1.5.4 0 0a3.2 3.2 0 0 1-4.2 2L5 12.8a1.3 1.3 0 0 1-1.9-1.9L7.5 6.6' } },
  ],
  trash: [{ tag: 'path', attributes: { d: 'M3 4.500h10M6.500 4.500v-2h3v2M4.500 4.500l.6 9h5.800l.6-9M6.800 7v4M9.200 7v4' } }],
  upload: [{ tag: 'path', attributes: { d: 'M8 10.500V3M5 5.500 8 2.500l3 3M2.500 10.500v3h11v-3' } }],
  users: [
    { tag: 'circle', attributes: { cx: '6', cy: '5.500', r: '2.300' } },
    { tag: 'path', attributes: { d: 'M2 13c0-2.400 1.600-4 4-4s4 1.600 4 4M10.500 3.500a2.200 2.200 0 0 1 0 4.200M12 9.600c1.300.6 2 1.800 2 3.400' } },
  ],
  x: [{ tag: 'path', attributes: { d: 'm4.500 4.500 7 7M11.500 4.500l-7 7' } }],
} satisfies Record<string, Shape[]>;

export type IconName = keyof typeof shapes;
export const icons: Record<IconName, Shape[]> = shapes;
