/** In which form numbers are drawn, and what is said where that is not the form that was asked for. */
import type { Series } from './widget';

export type Form = 'bars' | 'lines' | 'area' | 'pie';

/** Most series, or slices of a pie: so many colours can be told apart. */
export const MOST = 8;

const FORMS: Record<string, Form> = {
  '': 'bars',
  bar: 'bars',
  bars: 'bars',
  column: 'bars',
  columns: 'bars',
  histogram: 'bars',
  line: 'lines',
  lines: 'lines',
  area: 'area',
  pie: 'pie',
  doughnut: 'pie',
  donut: 'pie',
};

/** Returns why these numbers are no shares of one whole; empty where they are. */
function unfit(labels: readonly string[], series: readonly Series[]): string {
  const values = series[0]?.values ?? [];
  if (series.length > 1) return 'a pie shows one series';
  if (labels.length > MOST) return `a pie of more than ${MOST} slices cannot be read`;
  if (values.some((value) => value !== null && value < 0)) return 'a pie has no slices below zero';
  return values.some((value) => value !== null && value > 0) ? '' : 'nothing is above zero';
}

/** The form for what was asked; `note` says why it is another. */
export function formOf(asked: string, labels: readonly string[], series: readonly Series[]): { form: Form; note: string } {
  const name = asked.trim().toLowerCase();
  const form = Object.hasOwn(FORMS, name) ? FORMS[name] : undefined;
  if (!form) return { form: 'bars', note: `Drawn as bars: a ${name.slice(0, 24)} chart is not drawn here.` };
  const reason = form === 'pie' ? unfit(labels, series) : '';
  return reason ? { form: 'bars', note: `Drawn as bars: ${reason}.` } : { form, note: '' };
}

/** Names for columns, each only once and none empty. */
export function distinct(names: readonly string[], otherwise: string): string[] {
  const taken = new Set<string>();
  return names.map((given, at) => {
    const name = given || `${otherwise} ${at + 1}`;
    let made = name;
    for (let nth = 2; taken.has(made); nth += 1) made = `${name} (${nth})`;
    taken.add(made);
    return made;
  });
}

/** The numbers of a chart as a table. */
export function tableOf(labels: readonly string[], series: readonly Series[]) {
  const columns = distinct(['Label', ...series.map((one, nth) => one.name || `Series ${nth + 1}`)], 'Series');
  const rows = labels.map((label, at) => Object.fromEntries(columns.map((name, nth) => [name, nth === 0 ? label : (series[nth - 1]?.values[at] ?? null)])));
  return { columns, rows };
}
