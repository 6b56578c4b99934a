/** The reading of Rhai for its colours: one token at a time, with what stays open from line to line. */
import { indentService, StreamLanguage, type StreamParser, type StringStream } from '@codemirror/language';

const KEYWORDS =
  /^(?:let|const|fn|private|if|else|switch|do|while|until|loop|for|in|continue|break|return|throw|try|catch|import|export|as|global|this|is_shared|type_of|print|debug|eval|Fn|call|curry)$/;
const TAGGED = /^\s*\/\/\s*@\w/;
const NUMBER = /^(?:0x[\da-f_]+|0o[0-7_]+|0b[01_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:e[+-]?\d+)?)/i;

export interface Open {
  /** The number of block comments that are open: they nest. */
  comment: number;
  /** The end of the string that is open: a quote, or a quote with its hashes. */
  quote: string;
  /** For each interpolation that is open, how many of its braces are. */
  braces: number[];
}

function comment(stream: StringStream, open: Open): string {
  while (!stream.eol()) {
    if (stream.match('*/')) open.comment -= 1;
    else if (stream.match('/*')) open.comment += 1;
    else stream.next();
    if (open.comment === 0) break;
  }
  return 'blockComment';
}

function text(stream: StringStream, open: Open): string {
  while (!stream.eol()) {
    if (open.quote === '`' && stream.match('${')) {
      open.braces.push(0);
      open.quote = '';
      return 'string';
    }
    if (!open.quote.endsWith('#') && stream.match(/^\\./)) continue;
    if (stream.match(open.quote)) {
      open.quote = '';
      return 'string';
    }
    stream.next();
  }
  // A plain string ends with its line; one that goes on says so with its last letter.
  if (open.quote === '"' && !stream.string.endsWith('\\')) open.quote = '';
  return 'string';
}

/** A header line in three parts: its slashes, its tag, what the tag says. */
function header(stream: StringStream, before: string): string {
  if (!before.trim()) {
    stream.match(/^\/\/\s*/);
    return 'lineComment';
  }
  if (stream.match(/^@\w+/)) return 'meta';
  stream.skipToEnd();
  return 'docComment';
}

function token(stream: StringStream, open: Open): string | null {
  if (open.comment > 0) return comment(stream, open);
  if (open.quote) return text(stream, open);
  if (stream.eatSpace()) return null;
  if (stream.match('/*')) {
    open.comment = 1;
    return comment(stream, open);
  }
  const before = stream.string.slice(0, stream.start);
  if (TAGGED.test(stream.string) && /^\s*(?:\/\/.*)?$/.test(before)) return header(stream, before);
  if (stream.match('//')) {
    stream.skipToEnd();
    return 'lineComment';
  }
  return code(stream, open);
}

function code(stream: StringStream, open: Open): string | null {
  const raw = stream.match(/^(#+)"/) as RegExpMatchArray | null;
  if (raw) {
    open.quote = `"${raw[1] ?? ''}`;
    return text(stream, open);
  }
  if (stream.match(/^'(?:\\.[^']*|[^'\\])'/)) return 'character';
  const quote = stream.match(/^["`]/) as RegExpMatchArray | null;
  if (quote) {
    open.quote = quote[0];
    return text(stream, open);
  }
  if (stream.match(NUMBER)) return 'number';
  const word = stream.match(/^[\p{L}_]\w*/u) as RegExpMatchArray | null;
  if (word) return name(stream, word[0]);
  return sign(stream, open);
}

function name(stream: StringStream, word: string): string {
  if (word === 'true' || word === 'false') return 'bool';
  if (KEYWORDS.test(word) && !/\.\s*$/.test(stream.string.slice(0, stream.start))) return 'keyword';
  return stream.match(/^!?\s*\(/, false) ? 'variableName.function' : 'variableName';
}

/** Braces inside an interpolation are counted: the one too many gives the string back. */
function sign(stream: StringStream, open: Open): string | null {
  const one = stream.next();
  const depth = open.braces.at(-1);
  if (depth === undefined) return one === '{' || one === '}' ? 'brace' : 'operator';
  if (one === '{') open.braces[open.braces.length - 1] = depth + 1;
  else if (one === '}' && depth > 0) open.braces[open.braces.length - 1] = depth - 1;
  else if (one === '}') {
    open.braces.pop();
    open.quote = '`';
    return 'string';
  }
  return 'operator';
}

export const parser: StreamParser<Open> = {
  name: 'rhai',
  startState: () => ({ comment: 0, quote: '', braces: [] }),
  copyState: (open) => ({ ...open, braces: [...open.braces] }),
  token,
  languageData: {
    commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['(', '[', '{', '"', '`'] },
    indentOnInput: /^\s*[}\])]$/,
  },
};

export const rhai = StreamLanguage.define(parser);

/** A line stands as far in as the one before it, further after an open bracket, less far where it closes one. */
export const indents = indentService.of((context, at) => {
  const line = context.lineAt(at, -1);
  const before = at > line.from ? line : context.lineAt(Math.max(0, line.from - 1));
  const base = /^\s*/.exec(before.text)?.[0].length ?? 0;
  const opened = /[{[(]\s*(?:\/\/.*)?$/.test(before.text) ? context.unit : 0;
  return Math.max(0, base + opened - (/^\s*[}\])]/.test(context.textAfterPos(at)) ? context.unit : 0));
});
