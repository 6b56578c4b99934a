/** The explanation of what stands under the pointer: a host function, a tag of the header, a tool. */
import { hoverTooltip, type Tooltip } from '@codemirror/view';
import { about, tagged, type Knowledge } from './complete';

export interface Pointed {
  from: number;
  to: number;
  word: string;
  kind: 'code' | 'tag' | 'tool';
}

/** The word of a line at a place, and what it names there. */
export function pointed(line: string, at: number): Pointed | null {
  const note = /^\s*\/\//.test(line);
  for (const found of line.matchAll(/@\w+|[\p{L}_][\w:-]*(?:\.[\w:-]+)*/gu)) {
    const [from, to] = [found.index, found.index + found[0].length];
    if (at < from || at > to) continue;
    const before = line.slice(0, from);
    if (/\btool\(\s*["`]$/.test(before) || /^\s*\/\/\s*@uses\s/.test(before)) return { from, to, word: found[0], kind: 'tool' };
    if (note) return found[0].startsWith('@') && /^\s*\/\/\s*$/.test(before) ? { from, to, word: found[0], kind: 'tag' } : null;
    return part(found[0], from, at);
  }
  return null;
}

/** The one name of a chain of names that stands at a place. */
function part(chain: string, from: number, at: number): Pointed | null {
  for (const found of chain.matchAll(/\w+/g)) {
    const [start, end] = [from + found.index, from + found.index + found[0].length];
    if (at >= start && at <= end) return { from: start, to: end, word: found[0], kind: 'code' };
  }
  return null;
}

function told(code: string, text: string): HTMLElement {
  return about({ name: code, signature: code, description: text, group: '', example: '', result: '' });
}

function explain({ word, kind }: Pointed, { reference, tools }: Knowledge): HTMLElement | null {
  if (kind === 'code') {
    const helper = reference?.helpers.find((one) => one.name === word);
    return helper ? about(helper) : null;
  }
  if (kind === 'tag') {
    const tag = reference?.tags.find((one) => tagged(one.tag) === word);
    return tag ? told(tag.syntax, tag.description) : null;
  }
  const tool = tools.find((one) => one.name === word);
  return tool ? told(tool.name, tool.description) : null;
}

export const hover = (knowledge: () => Knowledge) =>
  hoverTooltip((view, at): Tooltip | null => {
    const line = view.state.doc.lineAt(at);
    const found = pointed(line.text, at - line.from);
    const dom = found && explain(found, knowledge());
    return found && dom ? { pos: line.from + found.from, end: line.from + found.to, above: true, create: () => ({ dom }) } : null;
  });
