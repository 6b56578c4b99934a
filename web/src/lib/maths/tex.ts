/** Maths in Markdown: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` on their own. Amounts of money and shell variables stay what they are. */
import type { MarkedExtension, Tokens } from 'marked';

export interface Formula {
  /** As it was written, with its signs around it. */
  source: string;
  tex: string;
  /** Whether it stands on its own. */
  display: boolean;
}

type Written = Tokens.Generic & Formula;

// No sign of a formula stands within one: what is never closed is given up at the next, however long the text is.
const DOLLARS = /^\$\$((?:[^$\\]|\\[\s\S]){1,4000})\$\$/;
const BRACKETS = /^\\\[((?:[^\\]|\\[^[\]()]){1,4000})\\\]/;
const PARENTHESES = /^\\\(((?:[^\\]|\\[^[\]()]){1,4000})\\\)/;
const DOLLAR = /^\$(?!\s)((?:[^$\\\n`]|\\[^\n]){1,1000})(?<!\s)\$(?![\d{$])/;

/** `$5 or 10$` is money: a number, then a word. */
const MONEY = /^[\d.,]+\s*(?:[-\u2013,;:./]\s*)?\p{L}{2,}(?:\s|$)/u;
/** `$HOME/bin:$PATH` is a shell's: letters follow, and nothing in it is of TeX. */
const TEX = /^\p{L}$|[\\^{}=]/u;

function inDollars(text: string): Formula | undefined {
  const [source, tex] = DOLLAR.exec(text) ?? [];
  if (!source || !tex || MONEY.test(tex) || tex.includes('](')) return undefined;
  if (/^[\p{L}_(]/u.test(text.slice(source.length)) && !TEX.test(tex)) return undefined;
  return { source, tex, display: false };
}

/** The formula a text begins with. */
export function formula(text: string): Formula | undefined {
  const own = DOLLARS.exec(text) ?? BRACKETS.exec(text);
  if (own) return own[1]?.trim() ? { source: own[0], tex: own[1].trim(), display: true } : undefined;
  const inline = PARENTHESES.exec(text);
  if (inline) return inline[1]?.trim() ? { source: inline[0], tex: inline[1].trim(), display: false } : undefined;
  return inDollars(text);
}

/** The beginnings of a formula; a letter or digit before a dollar makes it an amount, as in US$5. */
const BEGIN = /(?<![\p{L}\p{N}\\$])\$|\\[([]/u;

/** Returns whether a text may hold any. */
export const mayHold = (text: string): boolean => BEGIN.test(text);

/** The formulas of one text; each place holds the number of its own. */
export class Formulas {
  readonly all: Formula[] = [];

  /** A place that no text can make by itself: raw HTML is never drawn. What stands there is put in afterwards. */
  private readonly render = (token: Tokens.Generic) => {
    const { source, tex, display } = token as Written;
    const hold = `<var>${this.all.push({ source, tex, display }) - 1}</var>`;
    return token.type === 'formula-block' ? `<p>${hold}</p>\n` : hold;
  };

  readonly extension: MarkedExtension = {
    extensions: [
      {
        name: 'formula-block',
        level: 'block',
        start: (text) => {
          const at = text.search(/\n {0,3}(?:\$\$|\\\[)/);
          return at < 0 ? undefined : at + 1;
        },
        tokenizer: (text) => block(text),
        renderer: this.render,
      },
      {
        name: 'formula',
        level: 'inline',
        start: (text) => text.match(BEGIN)?.index,
        tokenizer: (text, before) => inline(text, before),
        renderer: this.render,
      },
    ],
  };
}

/** A formula on lines of its own. */
function block(text: string): Written | undefined {
  const lead = /^ {0,3}(?=\$\$|\\\[)/.exec(text)?.[0];
  if (lead === undefined) return undefined;
  const found = formula(text.slice(lead.length));
  if (!found) return undefined;
  const end = /^[ \t]*(?:\n+|$)/.exec(text.slice(lead.length + found.source.length));
  return end ? { type: 'formula-block', raw: lead + found.source + end[0], ...found } : undefined;
}

function inline(text: string, before: readonly { raw: string }[]): Written | undefined {
  if (!/^(?:\$|\\[([])/.test(text)) return undefined;
  // A letter or digit right before the dollar: US$5, 5$.
  if (text.startsWith('$') && /[\p{L}\p{N}$]$/u.test(before.at(-1)?.raw ?? '')) return undefined;
  const found = formula(text);
  return found && { type: 'formula', raw: found.source, ...found };
}
