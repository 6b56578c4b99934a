/** Footnotes of Markdown: `[^1]` becomes a raised number that says what its note says, and the notes stand at the end, in the order they are called. */
import type { MarkedExtension, Tokens } from 'marked';

interface Note extends Tokens.Generic {
  label: string;
  text: string;
}

const DEFINITION = /^ {0,3}\[\^([^\]\s]{1,40})\]:[ \t]*([^\n]*(?:\n(?:[ \t]{2,}[^\n]+))*)(?:\n|$)/;
const CALL = /^\[\^([^\]\s]{1,40})\]/;

/** The notes of one text. Made anew for each: a label holds in its own text alone. */
export class Footnotes {
  private readonly known = new Map<string, Note>();
  private readonly called: string[] = [];

  private number(label: string): number {
    if (!this.called.includes(label)) this.called.push(label);
    return this.called.indexOf(label) + 1;
  }

  readonly extension: MarkedExtension = {
    extensions: [
      {
        name: 'footnote',
        level: 'block',
        start: (text) => text.match(/^ {0,3}\[\^[^\]\s]+\]:/m)?.index,
        tokenizer: (text) => this.define(text),
        renderer: () => '',
      },
      {
        name: 'footnote-call',
        level: 'inline',
        start: (text) => text.match(/\[\^/)?.index,
        tokenizer: (text) => this.call(text),
        renderer: (token) => `<sup>${this.number((token as Note).label)}</sup>`,
      },
    ],
  };

  private define(text: string): Note | undefined {
    const found = DEFINITION.exec(text);
    if (!found) return undefined;
    const note = { type: 'footnote', raw: found[0], label: found[1] ?? '', text: (found[2] ?? '').replace(/\s*\n\s*/g, ' ').trim() };
    if (!this.known.has(note.label)) this.known.set(note.label, note);
    return note;
  }

  /** Only what has a note is a call; all else stays as it was written. */
  private call(text: string): Note | undefined {
    const found = CALL.exec(text);
    return found?.[1] && this.known.has(found[1]) ? { type: 'footnote-call', raw: found[0], label: found[1], text: '' } : undefined;
  }

  /** Returns the text of a number's note. */
  text(number: string): string {
    return this.known.get(this.called[Number(number) - 1] ?? '')?.text ?? '';
  }

  /** The notes as Markdown, to stand at the end; those nobody calls come last. */
  list(): string {
    for (const label of this.known.keys()) this.number(label);
    return this.called.map((label, at) => `${at + 1}. ${this.known.get(label)?.text ?? ''}`).join('\n');
  }
}
