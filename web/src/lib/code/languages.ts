/** The language of a block of code, and its parser: each is loaded when it is first seen. */
import type { StreamParser } from '@codemirror/language';
import type { Parser } from '@lezer/common';

/** Parsers that read one token at a time come without a grammar of their own. */
async function streamed(mode: Promise<StreamParser<unknown>>): Promise<Parser> {
  const [{ StreamLanguage }, parser] = await Promise.all([import('@codemirror/language'), mode]);
  return StreamLanguage.define(parser).parser;
}

const javascript = (dialect: string) => async () => (await import('@lezer/javascript')).parser.configure({ dialect });
const sql = () => streamed(import('@codemirror/legacy-modes/mode/sql').then((found) => found.standardSQL));
const c = async () => (await import('@lezer/cpp')).parser;
const kotlinLike = (name: 'kotlin' | 'csharp' | 'scala' | 'dart') => () => streamed(import('@codemirror/legacy-modes/mode/clike').then((found) => found[name]));

interface Language {
  /** The name people call it by. */
  name: string;
  /** The names models write after the fence. */
  also: readonly string[];
  parser: () => Promise<Parser>;
}

const LANGUAGES: readonly Language[] = [
  { name: 'JavaScript', also: ['javascript', 'js', 'jsx', 'mjs', 'cjs', 'node'], parser: javascript('jsx') },
  { name: 'TypeScript', also: ['typescript', 'ts', 'tsx'], parser: javascript('jsx ts') },
  { name: 'JSON', also: ['json', 'jsonc', 'json5', 'ndjson', 'jsonl'], parser: async () => (await import('@lezer/json')).parser },
  { name: 'Python', also: ['python', 'py', 'python3'], parser: async () => (await import('@lezer/python')).parser },
  { name: 'HTML', also: ['html', 'svelte', 'vue'], parser: async () => (await import('@lezer/html')).parser },
  { name: 'CSS', also: ['css', 'scss', 'less'], parser: async () => (await import('@lezer/css')).parser },
  { name: 'Rust', also: ['rust', 'rs'], parser: async () => (await import('@lezer/rust')).parser },
  { name: 'YAML', also: ['yaml', 'yml'], parser: async () => (await import('@lezer/yaml')).parser },
  { name: 'XML', also: ['xml', 'svg', 'xsd', 'plist'], parser: async () => (await import('@lezer/xml')).parser },
  { name: 'Java', also: ['java'], parser: async () => (await import('@lezer/java')).parser },
  { name: 'C++', also: ['cpp', 'c++', 'cc', 'hpp'], parser: c },
  { name: 'C', also: ['c', 'h'], parser: c },
  { name: 'Go', also: ['go', 'golang'], parser: async () => (await import('@lezer/go')).parser },
  { name: 'SQL', also: ['sql', 'sqlite', 'postgres', 'postgresql', 'mysql'], parser: sql },
  {
    name: 'Shell',
    also: ['bash', 'sh', 'shell', 'zsh', 'console'],
    parser: () => streamed(import('@codemirror/legacy-modes/mode/shell').then((found) => found.shell)),
  },
  {
    name: 'PowerShell',
    also: ['powershell', 'ps1', 'pwsh'],
    parser: () => streamed(import('@codemirror/legacy-modes/mode/powershell').then((found) => found.powerShell)),
  },
  { name: 'TOML', also: ['toml'], parser: () => streamed(import('@codemirror/legacy-modes/mode/toml').then((found) => found.toml)) },
  {
    name: 'Properties',
    also: ['ini', 'properties', 'env', 'dotenv', 'conf'],
    parser: () => streamed(import('@codemirror/legacy-modes/mode/properties').then((found) => found.properties)),
  },
  {
    name: 'Dockerfile',
    also: ['dockerfile', 'docker'],
    parser: () => streamed(import('@codemirror/legacy-modes/mode/dockerfile').then((found) => found.dockerFile)),
  },
  { name: 'Diff', also: ['diff', 'patch'], parser: () => streamed(import('@codemirror/legacy-modes/mode/diff').then((found) => found.diff)) },
  { name: 'Ruby', also: ['ruby', 'rb'], parser: () => streamed(import('@codemirror/legacy-modes/mode/ruby').then((found) => found.ruby)) },
  { name: 'Kotlin', also: ['kotlin', 'kt'], parser: kotlinLike('kotlin') },
  { name: 'C#', also: ['csharp', 'cs', 'c#'], parser: kotlinLike('csharp') },
  { name: 'Scala', also: ['scala'], parser: kotlinLike('scala') },
  { name: 'Dart', also: ['dart'], parser: kotlinLike('dart') },
  { name: 'Swift', also: ['swift'], parser: () => streamed(import('@codemirror/legacy-modes/mode/swift').then((found) => found.swift)) },
  { name: 'Lua', also: ['lua'], parser: () => streamed(import('@codemirror/legacy-modes/mode/lua').then((found) => found.lua)) },
];

const known = new Map(LANGUAGES.flatMap((language) => language.also.map((name) => [name, language] as const)));

/** The first word after a fence is the language; the rest is for somebody else. */
const word = (info: string) =>
  info
    .trim()
    .split(/[\s,{]/, 1)[0]
    ?.toLowerCase() ?? '';

/** Returns the name people call the language of a block by; as it was written where it is none of ours. */
export const nameOf = (info: string): string => known.get(word(info))?.name ?? info.trim().split(/\s/, 1)[0] ?? '';

const parsers = new Map<string, Promise<Parser>>();

/** The parser for a block; null where its language is none of ours. */
export function parserOf(info: string): Promise<Parser> | null {
  const language = known.get(word(info));
  if (!language) return null;
  const loaded = parsers.get(language.name) ?? language.parser();
  parsers.set(language.name, loaded);
  // A parser that did not come is asked for again.
  loaded.catch(() => parsers.delete(language.name));
  return loaded;
}
