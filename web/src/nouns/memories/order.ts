/** The order of memories on their page: what was saved first, and what only happened apart from it. */
import type { Memory } from '../../lib/types';

export type Line = { kind: 'head'; key: string; title: string } | { kind: 'memory'; key: string; memory: Memory };

/** Facts, then gists, then episodes under a heading of their own, each in the order they came. */
export function lines(all: readonly Memory[]): Line[] {
  const of = (layer: Memory['layer']): Line[] => all.filter((one) => one.layer === layer).map((memory) => ({ kind: 'memory', key: memory.id, memory }));
  const [facts, gists, episodes] = [of('fact'), of('gist'), of('episode')];
  const saved = [...facts, ...gists];
  const head = (title: string, lines: Line[]): Line[] => (lines.length > 0 ? [{ kind: 'head', key: title, title: `${title}, ${lines.length}` }, ...lines] : []);
  return episodes.length > 0 && saved.length > 0 ? [...head('Saved', saved), ...head('Episodes', episodes)] : [...saved, ...episodes];
}
